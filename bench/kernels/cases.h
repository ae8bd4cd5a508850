// The kernels that bench/run times, by name.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "target/machine.h"
#include "topi/cpu/kernel.h"

namespace lathe::bench {

struct Case {
  std::string name;            // "gemm_1024"; peers are chosen by it (bench/harness/peers.py)
  double operations = 0;       // arithmetic of one call; 0 if bytes count instead
  double bytes = 0;            // least traffic of one call: arguments read and written once
  std::string operation_kind;  // which ceiling: "float32", "int8", "bfloat16", "memory"
  std::function<topi::cpu::Kernel(const target::Machine&)> make;
};

const std::vector<Case>& Cases();

}  // namespace lathe::bench
