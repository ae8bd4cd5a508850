// Products of matrices as they are written, ops::Matmul, with an epilogue or without.
//
// How: as those in panels (gemm.h), by primitives alone: B is copied into panels as wide as a tile
// (cache_read, transform_layout) before, where it is no single panel and too large for the nearest
// cache; a tile of C is added up in registers while k runs, and the epilogue is computed on it.
// Rows and columns that do not fill a tile are guarded, in loops of their own.
#pragma once

#include <string>

#include "topi/cpu/template.h"

namespace lathe::topi::cpu {

// Knobs matmul.*.
void ScheduleMatmul(const OperatorWork& work);
// "" for matrices and for one axis of batches whose operands are two tensors.
std::string WhyNotMatmul(const ir::Op& result, const target::Machine& machine);

}  // namespace lathe::topi::cpu
