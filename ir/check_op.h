// The part of CheckNode for operations: how their axes, shapes and tensors must fit together.
#pragma once

#include <string>

#include "ir/tensor_op.h"

namespace lathe::ir {

// Says what does not fit in `op`; empty if all fits. The nodes of `op` must be complete
// (ir/complete.h).
std::string CheckOp(const OpNode& op);

}  // namespace lathe::ir
