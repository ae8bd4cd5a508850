// Trying a plugin out in a child process, so that one that crashes, hangs or exits does not take
// this process along.
//
// What a probe cannot find: wild writes that do no harm at once. A call that breaks memory later,
// in this process, is out of contract (run the plugin's tests under a sanitizer).
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lathe::runtime {

// Runs `attempt` in a forked child and gives its status back. `attempt` names each phase as it
// begins ("init"), for the message if it does not come back. Fails with `plugin-probe-crashed`
// (signal and phase), `plugin-probe-exited` (exit code and phase), `plugin-probe-hung` (phase and
// time limit) or `plugin-probe-failed` (no child could be made). The child's standard output is
// discarded; the last lines it wrote to standard error are part of the message. Thread-safe.
using ProbePhase = std::function<void(const char* phase)>;
absl::Status RunInChild(std::chrono::milliseconds time_limit,
                        const std::function<absl::Status(const ProbePhase& phase)>& attempt);

// 32 hexadecimal digits that depend on every byte of the file and on `salt`. Not meant against
// forgers.
absl::StatusOr<std::string> ContentDigest(const std::string& path, const std::string& salt);

// Where all caches of Lathe lie: $LATHE_CACHE_DIR, else $XDG_CACHE_HOME/lathe, else
// $HOME/.cache/lathe; "" where none is set.
std::string CacheFolder();

// Verdicts by digest, one small file each, so that a plugin is probed once per machine and not once
// per process.
class VerdictCache {
 public:
  // `folder` is made when the first verdict is stored; "" keeps nothing.
  explicit VerdictCache(std::string folder) : folder_(std::move(folder)) {}

  // False where there is no verdict, or none that can be read.
  bool Find(const std::string& digest, absl::Status* verdict) const;
  // Failing to store is no failure: the next process probes again.
  void Store(const std::string& digest, const absl::Status& verdict) const;
  std::string FileOf(const std::string& digest) const;

  // CacheFolder() with "/plugins" behind; "" where there is none.
  static std::string DefaultFolder();

 private:
  std::string folder_;
};

}  // namespace lathe::runtime
