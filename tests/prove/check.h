// Checks one scheduled program against the unscheduled evaluator.
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
                         // and the flags above and below are ignored
  bool compile = false;  // compile for this machine, load and run
  bool checked = false;  // the checked build verifies the user's claims
  int illegal = 0;       // how many illegal requests to make
  int misuses = -1;      // >= 0: also calls it in other layouts, and this often wrongly
  // The number of statements that the loops may run. A program with more is refused
  // ("prove-too-long"). 0 means 2e6, or 2e5 for kernels.
  double most_work = 0;
  uint64_t input_seed = 1;
  Arithmetic arithmetic;  // or null
  bool real_inputs = false;
  // Values for the program's size variables, one run for each entry.
  std::vector<std::vector<int64_t>> sizes;
};

struct CheckResult {
  enum Kind { kOk, kRefused, kFailed } kind = kOk;
  // kRefused: the diagnostic's name. kFailed: the place ("evaluate", "loops", "pass:x", "compile",
  // "run", "trace"), short and stable under shrinking.
  std::string where;
  std::string detail;                      // kFailed: the first difference, or the error
  int64_t guards = 0;                      // number of conditions in loop nests
  bool uneven_split = false;               // a split that does not divide
  std::set<std::string> features;          // of the schedule (features.h)
  std::map<std::string, int64_t> illegal;  // number of illegal requests, by kind
};

// Checks the schedule. `args` belong to the schedule's program. Never throws.
CheckResult CheckSchedule(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args,
                          const std::vector<ir::Var>& size_vars, const CheckOptions& options);

}  // namespace lathe::prove
