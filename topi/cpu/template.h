// The input of a template: the stages of one operator (topi/anchor.h) in the schedule of any
// program.
//
// Templates use public primitives only: any schedule can do the same, and the trace can be printed.
// They ask the configuration for their choices (topi/config.h). The extents of the operator's
// stages are constants.
#pragma once

#include <cstdint>

#include "schedule/schedule.h"
#include "target/machine.h"
#include "topi/config.h"

namespace lathe::topi::cpu {

struct OperatorWork {
  schedule::Schedule schedule;
  ir::Tensor result;  // the operator's result; of several outputs the first
  const target::Machine& machine;
  Config& config;
  // The stage whose loops the result follows: the result itself, or its elementwise reader of the
  // same shape (an epilogue). Null means the result.
  ir::Tensor sink = {};

  bool has_epilogue() const { return sink && !ir::SameTensor(sink, result); }
};

// An extent that must be a constant.
inline int64_t ConstExtent(const ir::Tensor& tensor, size_t dimension) {
  return *ir::AsConstInt(tensor->shape()[dimension]);
}

}  // namespace lathe::topi::cpu
