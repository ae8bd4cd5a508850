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
  std::string device = "cpu";  // the kind of device that it is for
};

// A group of one call: of an operator that makes new sizes, which Fuse leaves alone.
Ref<const ir::GraphFunc> GroupOfCall(const ir::GraphBinding& binding);

// `group` is a function that Fuse or GroupOfCall made. Sizes become 32-bit arguments, so that index
// arithmetic is narrow; the executor checks that extents fit. Throws what operators' computations
// throw.
KernelProgram ProgramOfGroup(const ir::GraphFunc& group);

// Why a call has no kernel for devices with threads (GraphDevices::why_not); "" if it has one.
// `type` is that of its result.
std::string WhyNoThreads(const ir::GraphCall& call, const ir::NodeRef& type);

}  // namespace lathe::graph
