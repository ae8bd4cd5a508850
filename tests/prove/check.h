// One scheduled program against the unscheduled evaluator.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "schedule/schedule.h"
#include "tests/prove/run.h"

namespace lathe::prove {

struct CheckOptions {
  bool passes = false;   // interpret after each pass of the pipelines
  bool lowered = false;  // interpret after the last one
  bool kernels = false;  // the schedule is for a device: kernels are interpreted after each pass,
                         // and nothing of the above and below is done
  bool compile = false;  // compile for this machine, load and run
  bool checked = false;  // the checked build verifies what is trusted
  int illegal = 0;       // so many illegal requests are made of it
  int misuses = -1;      // >= 0: called in other layouts, and so often wrongly
  // Statements that the loops may run; a program of more is refused ("prove-too-long"). 0: 2e6, of
  // kernels 2e5.
  double most_work = 0;
  uint64_t input_seed = 1;
  Arithmetic arithmetic;  // or null
  bool real_inputs = false;
  // What the program's size variables are bound to, one run each.
  std::vector<std::vector<int64_t>> sizes;
};

struct CheckResult {
  enum Kind { kOk, kRefused, kFailed } kind = kOk;
  // kRefused: the diagnostic's name. kFailed: where ("evaluate", "loops", "pass:x", "compile",
  // "run", "trace"), short and stable under shrinking.
  std::string where;
  std::string detail;                      // kFailed: the first difference, or the error
  int64_t guards = 0;                      // loop nests' conditions
  bool uneven_split = false;               // a split that does not divide
  std::set<std::string> features;          // of the schedule (features.h)
  std::map<std::string, int64_t> illegal;  // what was asked for
};

// `args` belong to the schedule's program. Never throws.
CheckResult CheckSchedule(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args,
                          const std::vector<ir::Var>& size_vars, const CheckOptions& options);

}  // namespace lathe::prove
