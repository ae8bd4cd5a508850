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
#include "base/trusted_file.h"

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

// Whether a probe ended in what will be so each time: what the manifest, the version of the door or
// a table says. All else may pass, be it a crash: too little memory, a signal from outside, a
// machine that was busy. False for success.
bool IsRefusal(const absl::Status& verdict);

// What a verdict's file holds: "probe 1 <code> <bytes of message>\n<message>". Reading gives false
// for what was cut off or is not ours, and for failures that are no refusals, which older releases
// kept. Any bytes are fine.
std::string VerdictText(const absl::Status& verdict);
bool ReadVerdict(const std::string& text, absl::Status* verdict);

// Verdicts by digest, one small file each, so that a plugin is probed once per machine and not once
// per process. Success and refusals are kept. Files and folder are trusted by the rule of
// base/trusted_file.h; what others could have written says nothing.
class VerdictCache {
 public:
  // `folder` is made when the first verdict is stored; "" keeps nothing.
  explicit VerdictCache(std::string folder) : folder_(std::move(folder)) {}

  // False where there is no verdict, or none that can be read; `distrust` says where others could
  // have written it.
  bool Find(const std::string& digest, absl::Status* verdict, Distrust* distrust) const;
  // Failing to store is no failure: the next process probes again.
  void Store(const std::string& digest, const absl::Status& verdict, Distrust* distrust) const;
  std::string FileOf(const std::string& digest) const;

  // FindCachePlace() with "/plugins" behind; "" where there is none.
  static std::string DefaultFolder();

 private:
  std::string folder_;
};

}  // namespace lathe::runtime
