// The files that commands read and write.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lathe::cli {

// Reads a whole file; "-" is standard input. Fails with `file-unreadable` (with the reason, and the
// kind of file if it is no regular file), and with `file-too-large` beyond `max_bytes`.
absl::StatusOr<std::string> ReadInput(const std::string& path, uint64_t max_bytes);

// The error `output-write`: `why` follows a colon.
absl::Status WriteFailed(const std::string& path, const std::string& why);

// From now on, SIGINT (Ctrl-C), SIGTERM and SIGHUP remove unfinished outputs, and then end the
// process by that signal. A file that grows beyond the limit for files (ulimit -f) is an error of
// the write, not a signal. Call it first in main: it blocks the signals in this thread, so later
// threads block them too, and starts a thread that handles them. If the system cannot start that
// thread, the signals end the process without a cleanup.
void CleanUpOnInterrupt();

// The folder for temporary files: TMPDIR, or /tmp.
std::string TemporaryFolder();

// An output file that appears whole or not at all. It is written in a temporary folder beside its
// place, then renamed. The destructor, or Ctrl-C, removes the folder.
class PartialOutput {
 public:
  // Fails with `output-folder` if the output's folder is not writable, and with `output-write` if
  // `path` names a folder, a device, a FIFO or a socket.
  static absl::StatusOr<PartialOutput> Create(const std::string& path);
  // The same in the folder for temporary files; nothing is ever moved to its place. Fails with
  // `output-folder`.
  static absl::StatusOr<PartialOutput> CreateTemporary(const std::string& name);
  PartialOutput(PartialOutput&& other) noexcept;
  PartialOutput& operator=(PartialOutput&&) = delete;
  ~PartialOutput();

  // The path to write to: the same file name in the temporary folder.
  const std::string& path() const { return partial_; }
  // An error of whoever wrote to path(), with the output's own name for the temporary one.
  absl::Status Named(const absl::Status& status) const;
  // Writes `bytes` to path(). Fails with `output-write`.
  absl::Status Write(const std::string& bytes) const;
  // Moves the file to its place. Fails with `output-write`.
  absl::Status Commit();

 private:
  // Makes the temporary folder in `parent`, which `what` names in the error.
  static absl::StatusOr<PartialOutput> In(const std::string& parent, const std::string& path,
                                          const std::string& what, const std::string& help);
  PartialOutput(std::string folder, std::string partial, std::string path)
      : folder_(std::move(folder)), partial_(std::move(partial)), path_(std::move(path)) {}
  std::string folder_, partial_, path_;
};

// Writes bytes to a file, or to standard output for "-". Fails as PartialOutput does.
absl::Status WriteOutput(const std::string& path, const std::string& bytes);

}  // namespace lathe::cli
