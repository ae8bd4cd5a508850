// Runs another program and makes sure that it does not outlive this process; finds programs, and
// has a folder for what they read and write.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lathe {

struct ProgramEnd {
  int error = 0;      // errno if no process could be started or waited for; else 0
  bool found = true;  // false: `error` is about the program itself
  bool timed_out = false;
  int status = 0;      // as waitpid gives it
  std::string output;  // the end of its standard output and error; "..." first if it was cut
};

// Runs argv[0] (a path, or a name on PATH) and waits for it. `argv` ends with a null. Keeps the
// last `keep` bytes of its output. Its standard input is the descriptor `input`, or empty if that
// is negative. No signal is blocked in it. It runs in `folder`; if that is null, in the current
// folder of this process.
//
// The program gets a process group of its own. The whole group is killed after `limit`, when the
// caller's work is interrupted, and when this process ends, by whatever signal. RunProgram checks
// for an interruption (base/poll.h) every 20 ms, and lets the exception through. A process that
// leaves the group is not tracked. Thread-safe.
ProgramEnd RunProgram(const std::vector<char*>& argv, std::chrono::milliseconds limit, size_t keep,
                      int input = -1, const char* folder = nullptr);

// True for a file that this process may run.
bool IsProgram(const std::filesystem::path& path);
// The first program of that name in the folders of the variable PATH; "" if there is none. Relative
// folders are ignored: what they mean depends on the current one. So is PATH where this process has
// more rights than its caller.
std::string FindOnPath(std::string_view name);

// A new folder in $TMPDIR, or else in /tmp. The destructor removes it with all it contains.
class WorkFolder {
 public:
  // Its name begins with `prefix`.
  explicit WorkFolder(const std::string& prefix);
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;
  int error() const { return error_; }  // errno if it could not be made; else 0
  const std::filesystem::path& path() const { return path_; }
  // Where it is, or should have been.
  const std::string& parent() const { return parent_; }

 private:
  int error_ = 0;
  std::string parent_;
  std::filesystem::path path_;
};

}  // namespace lathe
