// A fused group as one te program: what a kernel is compiled from.
#pragma once

#include <string>
#include <vector>

#include "graph/builder.h"
#include "te/operation.h"

namespace lathe::graph {

struct KernelProgram {
  std::string name;                     // from the operators: "nn_conv2d_add_nn_relu"
  std::vector<ir::NodeRef> args;        // the sizes, then the inputs, then the outputs
  std::vector<ir::Var> sizes;           // args[i] stands for this size of the graph
  std::vector<std::string> size_names;  // of args[i]
  // For each parameter of the group: is it an argument? What nothing reads is none.
  std::vector<bool> reads;
  std::vector<te::Tensor> outputs;
};

// `group` is a function that Fuse made. Sizes become 32-bit arguments, so that index arithmetic is
// narrow; the executor checks that extents fit. Throws what operators' computations throw.
KernelProgram ProgramOfGroup(const ir::GraphFunc& group);

}  // namespace lathe::graph
