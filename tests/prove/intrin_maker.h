// An intrinsic made of what a stage computes along one axis, so that every kind of expression and
// reduction meets the matching.
#pragma once

#include <cstdint>
#include <string>

#include "te/tensor_intrin.h"

namespace lathe::prove {

// Of `count` elements along `axis` of `op`. Null where the body has more than loads along the axis
// and of single elements.
te::TensorIntrin MakeIntrin(const ir::ComputeOp& op, const ir::IterVar& axis, int64_t count,
                            const std::string& name);

}  // namespace lathe::prove
