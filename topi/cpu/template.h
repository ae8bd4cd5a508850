// What a template schedules: the stages of one operator (topi/anchor.h), within the schedule of any
// program.
//
// Templates use public primitives alone: what one does any schedule can do, and its trace can be
// printed. They ask the configuration for what they choose (topi/config.h). The extents of their
// operators' stages are constants.
#pragma once

#include <cstdint>

#include "schedule/schedule.h"
#include "target/machine.h"
#include "topi/config.h"

namespace lathe::topi::cpu {

struct OperatorWork {
  schedule::Schedule schedule;
  ir::Tensor result;  // what the operator gives; of several outputs the first
  const target::Machine& machine;
  Config& config;
  // The stage whose loops the result's follow: the result itself, or its elementwise reader of the
  // same shape (an epilogue). Null: the result.
  ir::Tensor sink = {};

  bool has_epilogue() const { return sink && !ir::SameTensor(sink, result); }
};

// An extent that is known to be a constant.
inline int64_t ConstExtent(const ir::Tensor& tensor, size_t dimension) {
  return *ir::AsConstInt(tensor->shape()[dimension]);
}

}  // namespace lathe::topi::cpu
