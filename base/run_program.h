// Runs another program that ends with this one.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace lathe {

struct ProgramEnd {
  int error = 0;      // errno, where there was no process to be had, or none to wait for
  bool found = true;  // false: the error is about the program itself
  bool timed_out = false;
  int status = 0;      // as waitpid gives it
  std::string output;  // the end of what it wrote to standard output and error
};

// Runs argv[0] (a path, or a name on PATH), of which at most `keep` bytes of output are kept, and
// waits for it. Standard input is `input`, or empty; no signal is blocked. It works in `folder`, or
// where this process does.
//
// It gets a process group of its own, which is killed as a whole after `limit`, where the caller's
// work is ended (base/poll.h, asked every 20 ms; then what Poll throws is thrown), and where this
// process ends, by whatever signal. What leaves the group is not followed. `argv` ends with a null.
// Thread-safe.
ProgramEnd RunProgram(const std::vector<char*>& argv, std::chrono::milliseconds limit, size_t keep,
                      int input = -1, const char* folder = nullptr);

}  // namespace lathe
