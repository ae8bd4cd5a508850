// The kernels that the benchmark of tuning searches.
#pragma once

#include <string>
#include <vector>

#include "ir/node.h"
#include "target/machine.h"

namespace lathe::bench {

struct TunedKernel {
  std::string name;
  std::vector<ir::NodeRef> args;  // in calling order
};

// Operators with a template or a pattern of topi: products, ResNet's convolutions, a depthwise one,
// softmax. They are cases of bench/run, which compares their default schedules with libraries.
std::vector<TunedKernel> TemplateKernels(const target::Machine& machine);
// Operators that nobody wrote a schedule for: "grouped_conv", "conv3d", "bilinear", "attention".
std::vector<TunedKernel> OtherKernels();

}  // namespace lathe::bench
