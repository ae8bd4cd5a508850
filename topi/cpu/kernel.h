// What a template makes: a program and a schedule for it.
//
//   const Kernel kernel = Gemm(m, n, k, machine);
//   ir::Module loops = driver::Lower(kernel.schedule, kernel.args, "gemm", {});
//
// Templates use public primitives alone: what one does any schedule can do, and its trace can be
// printed. Those in this folder are for CPUs.
#pragma once

#include <vector>

#include "schedule/schedule.h"
#include "te/operation.h"

namespace lathe::topi::cpu {

struct Kernel {
  schedule::Schedule schedule;
  std::vector<te::Tensor> args;  // inputs, then outputs: the order of calling
};

}  // namespace lathe::topi::cpu
