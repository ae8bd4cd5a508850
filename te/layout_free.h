// Inputs whose elements may lie in memory in another order than row-major: weights, say, that
// whoever calls the kernel can put in order once, before all calls.
#pragma once

#include <vector>

#include "ir/tensor_op.h"

namespace lathe::te {

// A copy of the compute that says this of some of its inputs. It is part of the program: the
// workload key differs. Throws Error "layout-free-input" if the compute does not read one of them,
// or if one is no placeholder. Thread-safe.
ir::Op MarkLayoutFree(const ir::Op& compute, const std::vector<ir::Tensor>& inputs);

// The inputs of which these operations say it, each once.
std::vector<ir::Tensor> LayoutFreeInputs(const std::vector<ir::Op>& ops);

}  // namespace lathe::te
