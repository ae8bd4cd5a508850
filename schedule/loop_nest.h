// A schedule as loops.
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/module.h"
#include "schedule/bounds.h"
#include "schedule/schedule.h"

namespace lathe::schedule {

// Buffers of the function's tensor arguments, in the layout their stages have; other tensors are
// realised where they are computed.
using TensorBuffers = std::vector<std::pair<Tensor, ir::Buffer>>;

// The loop nest of a normalized schedule: Realize, For, If (guards, marked likely), Store. Tensors
// are gone.
ir::Stmt MakeLoopNest(const Schedule& schedule, const Bounds& bounds,
                      const TensorBuffers& arguments);

// For the checked build (lower/checked_build.h): behind each stage that rests on a claim, which is
// trusted otherwise (S51), statements that compute it again without and claim that its memory holds
// the same. set_store_predicate: every element of the region that readers are inferred to need was
// stored by somebody. tensorize: the intrinsic's statements compute what its declaration says; sums
// of floats may be off by (64 + n) units in the last place of the sum of their n absolute terms.
// Stages on threads carry no claims, as kernels cannot report, and calls of intrinsics written into
// a compute have nothing to be compared with.
enum class Claims { kTrusted, kVerified };

// Normalize, InferBounds and MakeLoopNest with a compact buffer per tensor argument.
// `args` are tensors and scalar variables in calling order. Throws "schedule-arguments" where an
// input or output of the schedule is missing or one is named twice. The function's attribute
// "writes" has the numbers of parameters that extern operations get from packed functions, as in
// "1,2": stores show themselves.
ir::Func LowerSchedule(const Schedule& schedule, const std::vector<NodeRef>& args, std::string name,
                       Claims claims = Claims::kTrusted);

}  // namespace lathe::schedule
