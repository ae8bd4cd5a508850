// A program that the tests of failures run again and again.
#pragma once

#include <functional>
#include <string>

namespace lathe::faults {

struct Program {
  std::string name;
  // Returns "" if all went well, with the same answer as the first time. Otherwise throws, or
  // returns what went wrong.
  std::function<std::string()> run;
  // Whether all its failures are tried, and not a sample, where time is given (TimeToFail).
  bool whole = false;
};

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
