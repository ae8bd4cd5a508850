// One scheduled program against the unscheduled evaluator.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/schedule.h"
#include "tests/prove/random_program.h"

namespace lathe::prove {

struct CheckOptions {
  bool passes = false;   // interpret after each pass of the pipelines
  bool compile = false;  // compile for this machine, load and run
  uint64_t input_seed = 1;
  std::vector<std::vector<int64_t>>
      sizes;  // what the program's size variables are bound to, one run each
};

struct CheckResult {
  enum Kind { kOk, kRefused, kFailed } kind = kOk;
  // kRefused: the diagnostic's name. kFailed: where ("evaluate", "loops", "pass:x", "compile",
  // "run", "trace"), short and stable under shrinking.
  std::string where;
  std::string detail;  // kFailed: the first difference, or the error
  int64_t guards = 0;  // loop nests' conditions
};

// `args` belong to the schedule's program. Never throws.
CheckResult CheckSchedule(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args,
                          const std::vector<ir::Var>& size_vars, const CheckOptions& options);

}  // namespace lathe::prove
