// The plugin beside other plugins, in either order, and its life in the real loader.
#include "runtime/plugin_loader/plugin_loader.h"
#include "runtime/status.h"
#include "tools/plugin_test/programs.h"

namespace lathe::kit {
namespace {

using runtime::PluginLoader;

// The default plugins, except the subject itself.
std::vector<std::string> Others(const Subject& subject) {
  std::vector<std::string> paths;
  for (const runtime::PluginInfo& info : PluginLoader::Global().List())
    if (info.path != subject.path && info.manifest.name != subject.manifest.name)
      paths.push_back(info.path);
  return paths;
}

absl::Status Beside(const Subject& subject, bool first) {
  UsePlugin(subject);
  const std::vector<std::string> others = Others(subject);
  if (others.empty()) return NotApplicable("no other plugin is here");
  if (first) KIT_RETURN_IF_ERROR(PluginLoader::Global().Load(subject.path));
  for (const std::string& other : others) KIT_RETURN_IF_ERROR(PluginLoader::Global().Load(other));
  if (!first) KIT_RETURN_IF_ERROR(PluginLoader::Global().Load(subject.path));
  if (!subject.targets.empty()) {
    const absl::Status status = CheckProgram(subject, ScaleProgram(subject), {{100}});
    if (!status.ok() && !IsNotApplicable(status)) return status;
  }
  return PluginLoader::Global().Shutdown();
}
absl::Status LoadedFirst(const Subject& subject) { return Beside(subject, true); }
absl::Status LoadedLast(const Subject& subject) { return Beside(subject, false); }

// Loads the plugin through the real loader, and shuts it down twice.
absl::Status ThroughTheLoader(const Subject& subject) {
  runtime::PluginOptions options;
  PluginLoader loader(options);  // probes it in a child, as a first use does
  KIT_RETURN_IF_ERROR(loader.Load(subject.path));
  KIT_RETURN_IF_ERROR(loader.Shutdown());
  return loader.Shutdown();
}

}  // namespace

void AddCoexistenceChecks(const Subject&, Checks* checks) {
  checks->push_back({"coexistence", "through-the-loader", ThroughTheLoader});
  checks->push_back({"coexistence", "before-others", LoadedFirst});
  checks->push_back({"coexistence", "after-others", LoadedLast});
}

}  // namespace lathe::kit
