// Makes a schedule a loop nest.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/module.h"
#include "schedule/bounds.h"
#include "schedule/schedule.h"

namespace lathe::schedule {

// The buffers of the function's tensor arguments, in the layout of their stages; other tensors are
// realised where they are computed.
using TensorBuffers = std::vector<std::pair<Tensor, ir::Buffer>>;

// The loop nest of a normalized schedule: Realize, For, If (guards, marked likely), Store. It has
// no tensors.
ir::Stmt MakeLoopNest(const Schedule& schedule, const Bounds& bounds,
                      const TensorBuffers& arguments);

// For the checked build (lower/checked_build.h). With kVerified, a stage that relies on a claim
// (trusted otherwise, S51) is followed by statements that compute it again without the claim and
// claim that its memory has the same values. set_store_predicate: some iteration has stored every
// element of the region that readers need. tensorize: the intrinsic's statements compute what its
// declaration says; sums of floats may differ by (64 + n) units in the last place of the sum of
// their n absolute terms. Stages that reduce over threads or have a thread environment, and
// intrinsics that several threads execute together, have no claims: a thread can only compute again
// what it computes alone.
enum class Claims { kTrusted, kVerified };

// A hint of the schedule that is left out of the loop nest.
struct UnusedHint {
  std::string hint;  // the primitive
  std::string loop, stage;
  std::string reason;  // the rest of a sentence
};

// Normalize, InferBounds and MakeLoopNest with a compact buffer per tensor argument. `args` are
// tensors and scalar variables in calling order. Throws "schedule-arguments" if an input or output
// of the schedule is missing or an argument is repeated.
//
// `binds`: how the caller lays out tensor arguments that are not compact. Of a buffer, the strides,
// the element offset and the alignment count; the parameter is a new buffer with them and the
// tensor's name. Constants are checked at each call, variables take the argument's values there
// (lower/bind_arguments.h). An offset_factor without an offset means any offset that is a multiple
// of it. Throws "schedule-binds" if a buffer does not fit its tensor (shape, element type, scope),
// if a stride is negative, if its tensor is no argument or is bound twice, or if elements of an
// output would share memory. If an input and a result have the same buffer, the result takes over
// the input's memory and both are one parameter; schedule/in_place.h says when that can be.
//
// `unused`, if not null, gets the hints that are left out.
//
// The function's attribute "writes" lists the numbers of the parameters that packed functions of
// extern operations write, as in "1,2"; stores are visible in the code.
ir::Func LowerSchedule(const Schedule& schedule, const std::vector<NodeRef>& args, std::string name,
                       Claims claims = Claims::kTrusted, const TensorBuffers& binds = {},
                       std::vector<UnusedHint>* unused = nullptr);

}  // namespace lathe::schedule
