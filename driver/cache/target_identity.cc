#include "driver/cache/target_identity.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "driver/cache/compiler_digest.h"
#include "driver/cache/host_identity.h"
#include "driver/cache/key.h"
#include "runtime/plugin_loader/plugin_loader.h"
#include "runtime/plugin_loader/probe.h"
#include "runtime/status.h"
#include "target/canonical.h"

namespace lathe::driver {
namespace {

// Changes whenever the file's contents may have changed: only the system sets the last of these
// times.
absl::StatusOr<std::string> StampOf(const std::string& path) {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) {
    return runtime::MakeStatus(absl::StatusCode::kNotFound, "file-unreadable",
                               "cannot read " + path + ": " + std::strerror(errno));
  }
  std::string out = path;
  for (const auto number :
       {static_cast<int64_t>(info.st_dev), static_cast<int64_t>(info.st_ino),
        static_cast<int64_t>(info.st_size), static_cast<int64_t>(info.st_mtim.tv_sec),
        static_cast<int64_t>(info.st_mtim.tv_nsec), static_cast<int64_t>(info.st_ctim.tv_sec),
        static_cast<int64_t>(info.st_ctim.tv_nsec)})
    out += " " + std::to_string(number);
  return out;
}

absl::StatusOr<std::string> FileDigest(const std::string& path, const std::string& stamp,
                                       CacheStore& store) {
  const Digest key = KeyBuilder("file").Add(stamp).Finish();
  if (std::optional<CacheEntry> known = store.Find(key)) return std::move(known->bytes);
  LATHE_ASSIGN_OR_RETURN(std::string digest, runtime::ContentDigest(path, ""));
  static_cast<void>(store.Put(key, {"file", path, digest}));
  return digest;
}

}  // namespace

absl::StatusOr<std::string> TargetIdentity(const target::Target& target, CacheStore& store) {
  LATHE_ASSIGN_OR_RETURN(
      const runtime::PluginInfo plugin,
      runtime::PluginLoader::Global().Provider(runtime::PluginKind::kTarget, target.kind));
  LATHE_ASSIGN_OR_RETURN(const std::string stamp, StampOf(plugin.path));
  const std::string text = target.ToString();
  const bool remembered = plugin.manifest.devices.empty();
  const Digest key =
      KeyBuilder("target").Add(kCompilerDigest).Add(text).Add(stamp).Add(HostIdentity()).Finish();
  if (remembered) {
    if (std::optional<CacheEntry> known = store.Find(key)) return std::move(known->bytes);
  }
  LATHE_ASSIGN_OR_RETURN(const target::Target canonical, target::CanonicalTarget(target));
  LATHE_ASSIGN_OR_RETURN(const std::string digest, FileDigest(plugin.path, stamp, store));
  std::string identity = canonical.ToString() + "\n" + plugin.Title() + "\n" + digest;
  if (remembered) static_cast<void>(store.Put(key, {"target", text, identity}));
  return identity;
}

}  // namespace lathe::driver
