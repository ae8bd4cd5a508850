// Products of matrices in their plain form, ops::Matmul, with or without an epilogue.
//
// How: as for products in panels (gemm.h), but by primitives only. B is first copied into panels as
// wide as a tile (cache_read, transform_layout), unless it is a single panel or fits into the
// first-level cache. A tile of C is summed up in registers while k runs, and the epilogue is
// computed on the tile. Rows and columns that do not fill a tile are guarded, in separate loops.
#pragma once

#include <string>

#include "topi/cpu/template.h"

namespace lathe::topi::cpu {

// Knobs matmul.*.
void ScheduleMatmul(const OperatorWork& work);
// "" for a product A[i, k] B[k, j] of two tensors, without batches or with one axis of batches;
// else the reason why the template does not fit.
std::string WhyNotMatmul(const ir::Op& result, const target::Machine& machine);

}  // namespace lathe::topi::cpu
