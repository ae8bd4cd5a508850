// For tests: a schedule against the program it belongs to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/schedule.h"

namespace lathe::schedule {

// The loop nest, simplified, in the short text form.
std::string LoopsOf(const Schedule& schedule, const std::vector<NodeRef>& args);

// "" where the schedule is right, else what is wrong. Right is: its loops verify; on random inputs
// (small integers, so that sums are exact in any order) they give the bytes that te's unscheduled
// evaluator gives; and its trace, printed, parsed, verified and replayed, gives the same loops.
// `sizes` are values of the arguments' size variables, in order of first use. Arguments whose
// layout the schedule transforms are packed and unpacked by their index maps.
std::string WhatIsWrong(const Schedule& schedule, const std::vector<NodeRef>& args,
                        const std::vector<int64_t>& sizes = {}, uint64_t seed = 1);

// The name of the diagnostic that `action` ends with; "no error" where it ends well.
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
