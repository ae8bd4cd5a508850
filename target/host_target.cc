#include "target/host_target.h"

#include "base/error.h"
#include "runtime/plugin_loader/plugin_loader.h"

namespace lathe::target {

Target HostTarget() {
  for (const KnownTarget& known : KnownTargets()) {
    if (known.schema->makes_host_code)
      return ParseTargetWith(known.schema->kind, known.schema, known.plugin);
  }
  const std::vector<std::string> places = runtime::PluginLoader::Global().SearchedPlaces();
  throw Error(Diagnostic{
      .name = "target-no-host",
      .message = "no plugin makes code for this machine's processor",
      .expected = "a plugin with a target whose manifest says `\"host\": true`",
      .found = places.empty() ? "no folder with plugins" : "none in " + QuotedList(places),
      .help = "put the folder of such a plugin on LATHE_PLUGIN_PATH; `lathe plugins` shows those "
              "that are found and why others are not used"});
}

}  // namespace lathe::target
