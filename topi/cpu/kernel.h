// A template's result: a program and a schedule for it.
//
//   const Kernel kernel = Gemm(m, n, k, machine);
//   ir::Module loops = driver::Lower(kernel.schedule, kernel.args, "gemm", {});
//
// Templates use public primitives only: any schedule can do the same, and the trace can be printed.
// The templates in this folder are for CPUs.
#pragma once

#include <vector>

#include "schedule/schedule.h"
#include "te/operation.h"

namespace lathe::topi::cpu {

struct Kernel {
  schedule::Schedule schedule;
  std::vector<te::Tensor> args;  // inputs, then outputs, in calling order
};

}  // namespace lathe::topi::cpu
