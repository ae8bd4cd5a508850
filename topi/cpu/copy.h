// Operators that only move elements: ops::Transpose, ops::ConcatColumns. They have no arithmetic,
// so memory limits their speed.
#pragma once

#include <cstdint>
#include <vector>

#include "topi/cpu/kernel.h"
#include "topi/cpu/template.h"
#include "topi/ops/copy.h"

namespace lathe::topi::cpu {

// In tiles so small that the cache lines of both sides stay in the first-level cache.
void ScheduleTranspose(const OperatorWork& work);
void ScheduleConcatColumns(const OperatorWork& work);

// float32. args: x, y.
Kernel Transpose(int64_t rows, int64_t columns, const target::Machine& machine, Config config = {});

// float32. args: inputs x0[rows, columns[0]], ..., y.
Kernel ConcatColumns(int64_t rows, const std::vector<int64_t>& columns,
                     const target::Machine& machine, Config config = {});

}  // namespace lathe::topi::cpu
