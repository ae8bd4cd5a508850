// The part of CheckNode that is about operations: what their axes, shapes and tensors must satisfy
// together.
#pragma once

#include <string>

#include "ir/tensor_op.h"

namespace lathe::ir {

// What does not fit in `op`, whose nodes are complete (ir/complete.h); empty if all fits.
std::string CheckOp(const OpNode& op);

}  // namespace lathe::ir
