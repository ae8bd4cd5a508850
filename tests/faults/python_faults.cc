// A library to preload into a Python interpreter: it brings the allocator that fails, and the
// function by which python_faults.py has its programs tried (ctypes).
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <new>
#include <string>
#include <vector>

#include "base/error.h"
#include "tests/faults/runner.h"

namespace lathe::faults {
namespace {

// How a Python function ended. ctypes returns 0 for a function that raised.
enum PythonEnding : int { kRaised = 0, kWell = 1, kLatheError = 2, kMemoryError = 3 };

constexpr size_t kTextBytes = 500;
// Runs a program. `text` gets what is wrong (kWell), or the error's name (kLatheError). All of it
// is there before the first failure, because this side allocates nothing.
using PythonFunction = int (*)(char* text);

std::string Run(PythonFunction function) {
  char text[kTextBytes] = {};
  switch (function(text)) {
    case kWell:
      return text;
    case kLatheError:
      throw Error(Diagnostic{.name = text, .message = "raised in Python"});
    case kMemoryError:
      throw std::bad_alloc();
    default:
      return "an exception that the program does not expect";
  }
}

}  // namespace
}  // namespace lathe::faults

extern "C" {

// `number` 0: fails allocations of the programs, for `seconds` (TimeToFail). Else fails this
// allocation of the first one. Returns whether all ended as they should.
[[gnu::visibility("default")]] int lathe_fail_allocations(
    int count, const char* const* names, const lathe::faults::PythonFunction* functions,
    double seconds, double parts, uint64_t number) {
  std::vector<lathe::faults::Program> programs;
  for (int i = 0; i < count; ++i) {
    programs.push_back(
        {names[i], [function = functions[i]] { return lathe::faults::Run(function); }});
  }
  if (number != 0) {
    lathe::faults::FailOneHere(programs.at(0), number);
    return 1;
  }
  return static_cast<int>(lathe::faults::FailAllocations(
      programs, lathe::faults::TimeToFail::FromEnvironment(seconds, parts)));
}
}
