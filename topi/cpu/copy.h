// Operators that only move elements: ops::Transpose, ops::ConcatColumns. They have no arithmetic,
// so memory limits their speed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "topi/cpu/kernel.h"
#include "topi/cpu/template.h"
#include "topi/ops/copy.h"

namespace lathe::topi::cpu {

// In tiles so small that the cache lines of both sides stay in the first-level cache.
void ScheduleTranspose(const OperatorWork& work);
void ScheduleConcatColumns(const OperatorWork& work);

// Planes [..., c, p] that become pixels [..., p, c] (the operator kInterleaved, with its part
// kPlanes): the channels of some pixels are computed as planes, vector by vector, with whatever is
// inlined into them, and are interleaved in registers (interleave.h).
void ScheduleInterleaved(const OperatorWork& work);
// "" if there are 2 to 4 channels and vectors divide the pixels of a row; else why not.
std::string WhyNotInterleaved(const ir::Op& result, const target::Machine& machine);

// float32. args: x, y.
Kernel Transpose(int64_t rows, int64_t columns, const target::Machine& machine, Config config = {});

// float32. args: inputs x0[rows, columns[0]], ..., y.
Kernel ConcatColumns(int64_t rows, const std::vector<int64_t>& columns,
                     const target::Machine& machine, Config config = {});

}  // namespace lathe::topi::cpu
