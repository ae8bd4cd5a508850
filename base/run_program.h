// Runs another program and makes sure that it does not outlive this process.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
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

}  // namespace lathe
