// Tries a plugin in a child process, so that a plugin that crashes, hangs or exits does not end
// this process.
//
// A probe cannot find wrong writes that do no harm at once. A plugin that corrupts memory later, in
// this process, breaks its contract (run the plugin's tests under a sanitizer).
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/trusted_file.h"

namespace lathe::runtime {

// Runs `attempt` in a forked child and returns its status. `attempt` reports each phase when it
// begins ("init"), for the message if the child fails. Fails with `plugin-probe-crashed` (signal
// and phase), `plugin-probe-exited` (exit code and phase), `plugin-probe-hung` (phase and time
// limit) or `plugin-probe-failed` (no child could be made). The child's standard output is
// discarded; the last lines of its standard error are part of the message. Thread-safe.
using ProbePhase = std::function<void(const char* phase)>;
absl::Status RunInChild(std::chrono::milliseconds time_limit,
                        const std::function<absl::Status(const ProbePhase& phase)>& attempt);

// 32 hexadecimal digits that depend on every byte of the file and on `salt`. Not safe against
// forgery.
absl::StatusOr<std::string> ContentDigest(const std::string& path, const std::string& salt);

// True if the probe would end in the same way each time: a failure of the manifest, the interface
// version or a table. Other failures, crashes included, may be temporary: too little memory, a
// signal from outside, a busy machine. False for success.
bool IsRefusal(const absl::Status& verdict);

// What a verdict's file holds: "probe 1 <code> <bytes of message>\n<message>". Reading gives false
// for what was cut off or is not ours, and for failures that are no refusals, which older releases
// kept. Any bytes are fine.
std::string VerdictText(const absl::Status& verdict);
bool ReadVerdict(const std::string& text, absl::Status* verdict);

// Verdicts by digest, in one small file each, so that a plugin is probed once per machine and not
// once per process. Success and refusals are kept. The rule of base/trusted_file.h decides whether
// files and the folder are trusted; a verdict that others could have written is ignored.
class VerdictCache {
 public:
  // The folder is made when the first verdict is stored; "" stores nothing.
  explicit VerdictCache(std::string folder) : folder_(std::move(folder)) {}

  // False if there is no readable verdict; `distrust` names the place if others could have written
  // it.
  bool Find(const std::string& digest, absl::Status* verdict, Distrust* distrust) const;
  // A failure to store is ignored: the next process probes again.
  void Store(const std::string& digest, const absl::Status& verdict, Distrust* distrust) const;
  std::string FileOf(const std::string& digest) const;

  // FindCachePlace() + "/plugins"; "" if there is none.
  static std::string DefaultFolder();

 private:
  std::string folder_;
};

}  // namespace lathe::runtime
