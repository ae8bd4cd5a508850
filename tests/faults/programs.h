// What the tests of failures do again and again: programs that lower, build, run, load and import.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/faults/kernels.h"

namespace lathe::faults {

struct Program {
  std::string name;
  // Throws or ends with what went wrong; "" where all went well, with the answer of the first time.
  std::function<std::string()> run;
};

// What is done with one kernel, each by itself. `folder` exists; files are made in it.
std::vector<Program> ProgramsOf(Kernel kernel, const std::string& folder);
// More threads and more files.
std::vector<Program> ProgramsOfTheSystem(const std::string& folder);

// How a run ended.
enum class Ending {
  kRight,     // with the right answer
  kNoMemory,  // std::bad_alloc, or the errors `out-of-memory` and `device-out-of-memory`
  kError,     // another error with a name
  kWrong,     // anything else: a wrong answer, an internal error, an exception without a name
};
struct Outcome {
  Ending ending = Ending::kRight;
  std::string text;
};
Outcome RunOnce(const Program& program);

}  // namespace lathe::faults
