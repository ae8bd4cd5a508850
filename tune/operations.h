// How much arithmetic a program does: for operations per second, as tuners show them.
#pragma once

#include <cstdint>
#include <span>

#include "ir/tensor_op.h"

namespace lathe::tune {

// The operations on elements of all computations that `outputs` need: each arithmetic operator,
// comparison and mathematical function counts 1, as does each step of a reduction. What computes
// indices does not count, nor conditions; of two arms the longer one counts. An expression that is
// used twice counts once. 0 if an extent is not constant, or what is computed is not known (extern
// operations, tensor intrinsics) everywhere.
int64_t CountOperations(std::span<const ir::Op> outputs);

}  // namespace lathe::tune
