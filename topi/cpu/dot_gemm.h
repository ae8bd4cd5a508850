// Matrix products of narrow types: C[m, n] = sum over k of A[m, k] B[k, n], added up in a wider
// type by the processor's dot products or tiles (dot_intrinsics.h).
//
// How (docs/performance.md): as Gemm, with B packed into panels in which `group` elements of k lie
// side by side, `packed[panel, step of k, k / group, column, k % group]`, zero beyond the last row
// and column. A is read where it lies where that can be; where its last step of k is not whole,
// where it or where rows are wanted side by side, it is packed as well. Where b is shifted
// (DotChoice), that is done as B is packed; a's rows are added up, and what the shift added is
// taken away from C.
#pragma once

#include <string>

#include "topi/cpu/gemm.h"
#include "topi/cpu/kernel.h"
#include "topi/cpu/template.h"

namespace lathe::topi::cpu {

// args: A, B, C. `a` and `b` are int8 or uint8 and int8, or both bfloat16; `c` is int32, or float32
// or bfloat16 (rounded once, at the end). Exact in integers, whatever the instruction. Processors
// without an instruction for it multiply in the wider type.
//
// Throws "topi-dot-types", "topi-batch" (batches are not there).
Kernel DotGemm(const GemmShape& shape, DataType a, DataType b, DataType c,
               const target::Machine& machine, Config config = {});

// The schedule of such a product, which is described in the operands of this machine's instruction.
void ScheduleDotGemm(const OperatorWork& work);
// "" where it is described so.
std::string WhyNotDotGemm(const ir::Op& result, const target::Machine& machine);

}  // namespace lathe::topi::cpu
