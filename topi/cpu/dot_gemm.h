// Matrix products of narrow types: C[m, n] = sum over k of A[m, k] B[k, n]. The processor's dot
// products or tiles (dot_intrinsics.h) sum them up in a wider type.
//
// How (docs/performance.md): as in Gemm, but in the panels of B `group` elements of k are adjacent,
// `packed[panel, k / group, column, k % group]`, with zeros beyond the last row and column. A is
// read in place if possible. It is copied if the last step of k is not whole, if the instruction
// takes several rows at once or another type, or if calls of tiles do not divide its rows. If b is
// shifted (DotChoice), packing B shifts it. The rows of A are then summed up, and the amount that
// the shift added is subtracted from C.
#pragma once

#include <string>

#include "topi/cpu/gemm.h"
#include "topi/cpu/kernel.h"
#include "topi/cpu/template.h"

namespace lathe::topi::cpu {

// args: A, B, C. The types are int8 or uint8 for `a` with int8 for `b`, or bfloat16 for both. `c`
// is int32 for integers; for bfloat16 it is float32 or bfloat16 (rounded once, at the end). Integer
// results are exact with every instruction. On processors without a fitting instruction the product
// is computed in the wider type.
//
// Throws "topi-dot-types" for other types, and "topi-batch" if shape.batch is not 0.
Kernel DotGemm(const GemmShape& shape, DataType a, DataType b, DataType c,
               const target::Machine& machine, Config config = {});

// Schedules such a product. It must be described in the operands of this machine's instruction.
void ScheduleDotGemm(const OperatorWork& work);
// "" if `result` is described in these operands, else the reason why not.
std::string WhyNotDotGemm(const ir::Op& result, const target::Machine& machine);

}  // namespace lathe::topi::cpu
