// Makes an intrinsic from what a stage computes along one axis, so that the matching is tested with
// every kind of expression and reduction.
#pragma once

#include <cstdint>
#include <string>

#include "te/tensor_intrin.h"

namespace lathe::prove {

// An intrinsic for `count` elements along `axis` of `op`. Null if the body has more than loads
// along the axis and of single elements.
te::TensorIntrin MakeIntrin(const ir::ComputeOp& op, const ir::IterVar& axis, int64_t count,
                            const std::string& name);

}  // namespace lathe::prove
