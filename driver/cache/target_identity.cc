#include "driver/cache/target_identity.h"

#include "driver/cache/compiler_digest.h"
#include "driver/cache/file_digest.h"
#include "driver/cache/host_identity.h"
#include "driver/cache/key.h"
#include "runtime/plugin_loader/plugin_loader.h"
#include "runtime/status.h"
#include "target/canonical.h"

namespace lathe::driver {

absl::StatusOr<std::string> TargetIdentity(const target::Target& target, CacheStore& store) {
  LATHE_ASSIGN_OR_RETURN(
      const runtime::PluginInfo plugin,
      runtime::PluginLoader::Global().Provider(runtime::PluginKind::kTarget, target.kind));
  LATHE_ASSIGN_OR_RETURN(const std::string stamp, FileStamp(plugin.path));
  const std::string text = target.ToString();
  const bool remembered = plugin.manifest.devices.empty();
  const Digest key =
      KeyBuilder("target").Add(kCompilerDigest).Add(text).Add(stamp).Add(HostIdentity()).Finish();
  if (remembered) {
    if (std::optional<CacheEntry> known = store.Find(key)) return std::move(known->bytes);
  }
  LATHE_ASSIGN_OR_RETURN(const target::Target canonical, target::CanonicalTarget(target));
  LATHE_ASSIGN_OR_RETURN(const std::string digest, FileDigest(plugin.path, store));
  std::string identity = canonical.ToString() + "\n" + plugin.Title() + "\n" + digest;
  if (remembered) static_cast<void>(store.Put(key, {"target", text, identity}));
  return identity;
}

}  // namespace lathe::driver
