// What a program must compute: inputs, and the outputs that belong to them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/node.h"
#include "tune/runner.h"

namespace lathe::tune {

// Arguments for a call of a program, in the order of `args`. Inputs are random: real numbers from
// -1 to 1, integers from 0 to 7. Outputs are what the program gives as plain loops, without any
// schedule, compiled for this machine (target::HostTarget); their tolerance depends on their type,
// and is 0 for integers. The same seed gives the same values. Fails with `tune-arguments` (a shape
// that is not constant, an argument that is no tensor, a type without values here), and as the
// plain loops fail.
absl::StatusOr<std::vector<RunArgument>> MakeArguments(std::span<const ir::NodeRef> args,
                                                       uint64_t seed = 1);

}  // namespace lathe::tune
