// For tests: compares a schedule with its program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/schedule.h"

namespace lathe::schedule {

// The loop nest, simplified, in the short text form.
std::string LoopsOf(const Schedule& schedule, const std::vector<NodeRef>& args);

// "" if the schedule is right, else the problem. Checked: its loops verify; on random inputs (small
// integers, so that sums are exact in any order) they give the same bytes as te's unscheduled
// evaluator; and its trace, printed, parsed, verified and replayed, gives the same loops. `sizes`
// are values for the arguments' size variables, in order of first use. Arguments with a transformed
// layout are packed and unpacked by their index maps.
std::string WhatIsWrong(const Schedule& schedule, const std::vector<NodeRef>& args,
                        const std::vector<int64_t>& sizes = {}, uint64_t seed = 1);

// The name of the diagnostic that `action` throws; "no error" if it succeeds.
template <class Action>
std::string ErrorName(Action action);

}  // namespace lathe::schedule

#include "base/error.h"

template <class Action>
std::string lathe::schedule::ErrorName(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.name();
  }
  return "no error";
}
