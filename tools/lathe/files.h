// Files that commands read and write.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lathe::cli {

// A whole file; "-" is standard input. Fails with `file-unreadable` (why, and of which kind it is
// where it is no file) and `file-too-large` beyond `max_bytes`.
absl::StatusOr<std::string> ReadInput(const std::string& path, uint64_t max_bytes);

// Ctrl-C and termination from now on remove unfinished outputs before the process ends by that
// signal. Call it first in main: the signals are taken by a thread of its own, so they are blocked
// in all others. Where the system refuses the thread, signals just end the process.
void CleanUpOnInterrupt();

// An output that appears whole or not at all: written in a folder beside its place, then renamed.
// The folder is removed when this goes, or on Ctrl-C.
class PartialOutput {
 public:
  // Fails with `output-folder` where the place's folder cannot be written to.
  static absl::StatusOr<PartialOutput> Create(const std::string& path);
  PartialOutput(PartialOutput&& other) noexcept;
  PartialOutput& operator=(PartialOutput&&) = delete;
  ~PartialOutput();

  // Where to write: the same file name in another folder.
  const std::string& path() const { return partial_; }
  // Writes `bytes` there. Fails with `output-write`.
  absl::Status Write(const std::string& bytes) const;
  // Moves it to its place. Fails with `output-write`.
  absl::Status Commit();

 private:
  PartialOutput(std::string folder, std::string partial, std::string path)
      : folder_(std::move(folder)), partial_(std::move(partial)), path_(std::move(path)) {}
  std::string folder_, partial_, path_;
};

// Bytes to a file, or to standard output for "-".
absl::Status WriteOutput(const std::string& path, const std::string& bytes);

}  // namespace lathe::cli
