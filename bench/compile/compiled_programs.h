// What the benches of compiling have in common.
#pragma once

#include <chrono>

#include "driver/auto_build.h"
#include "target/machine.h"
#include "topi/cpu/gemm.h"
#include "topi/cpu/kernel.h"

namespace lathe::bench {

// In ms.
inline double Now() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// A fixed machine instead of a query: the time of a second process must not include loading LLVM.
inline target::Machine Machine() {
  target::Machine machine;
  machine.vector_bytes = 64;
  machine.vector_registers = 32;
  return machine;
}

// A kernel with its schedule by hand.
inline driver::ProgramToCompile Scheduled(const topi::cpu::Kernel& kernel, const char* name,
                                          const target::Target& target) {
  return {kernel.schedule, {kernel.args.begin(), kernel.args.end()}, name, target, {}};
}

inline driver::ProgramToCompile Gemm(const target::Target& target) {
  return Scheduled(topi::cpu::Gemm({1024, 1024, 1024}, DataType::Float(32), Machine()), "gemm",
                   target);
}

}  // namespace lathe::bench
