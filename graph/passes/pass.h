// The passes over graphs, in their order.
//
// A pass takes a typed function and returns a typed function that computes the same values. Each is
// a function in its own file, and a line in the table of pass.cc.
#pragma once

#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "graph/builder.h"
#include "graph/devices.h"
#include "runtime/tensor.h"

namespace lathe::graph {

// A function that is ready to be computed on this machine: arguments -> the fields of its result.
// Arguments are aligned as blobs are.
using Computation =
    std::function<std::vector<runtime::Tensor>(const std::vector<runtime::Tensor>& args)>;

struct GraphPassContext {
  // 0 to 3: rows of the table with at most this level run. At level 3 passes may also choose what
  // rounds clearly differently.
  int opt_level = 2;
  int vector_lanes = 0;  // float32 elements of the target's vectors; 0: no vectors
  // The 8-bit type that the target's dot products multiply with int8, if that is faster than
  // float32; else void.
  DataType dot_data = DataType::Void();
  // Adjacent elements of k that one of the target's dot products of bfloat16 takes; 0: it has none.
  int64_t bfloat16_group = 0;
  std::set<std::string, std::less<>> disabled;  // by name
  GraphDevices devices;
  // True for calls for which vectors of the host matter.
  bool RunsOnHost(const ir::GraphCall& call) const {
    return DeviceOf(call, devices) == kHostDevice;
  }
  // Compiles a function whose result is a tuple of tensors. FoldConstants uses it; null: nothing is
  // folded.
  std::function<Computation(const GraphFuncRef& func)> evaluate;
  // Called with a line for each choice that a pass made, and what it did not choose; may be null.
  std::function<void(const std::string& line)> explain = {};
  // Called after each pass with its name, and the function before and after it: so both are in
  // memory, with all their constants.
  std::function<void(std::string_view name, const GraphFuncRef& before, const GraphFuncRef& after)>
      after_pass = {};
  // Called after each pass with its name; may be null.
  std::function<void(std::string_view name)> passed = {};
};

struct GraphPass {
  const char* name;
  const char* what;  // one line
  int opt_level;     // from which level on it runs
  // A caller that moves its reference lets the pass drop what it does not need any more.
  GraphFuncRef (*run)(GraphFuncRef func, const ir::GraphModule& module,
                      const GraphPassContext& context);
};
std::span<const GraphPass> GraphPasses();

// Runs the rows of the table that the context selects, in their order.
GraphFuncRef RunGraphPasses(GraphFuncRef func, const ir::GraphModule& module,
                            const GraphPassContext& context);

// -- The passes.

// Calls of closures and of functions of the module become what they compute. Recursion stays.
GraphFuncRef InlineFunctions(const GraphFuncRef& func, const ir::GraphModule& module,
                             const GraphPassContext& context);
// Drops bindings whose values nobody reads. Values have no effects.
GraphFuncRef DropDeadCode(const GraphFuncRef& func, const ir::GraphModule& module,
                          const GraphPassContext& context);
// nn.conv2d(dequantize(x), dequantize(w))  -->  float32(qnn.conv2d(x, w)) * scales, and nn.dense
// likewise, where the target has dot products of bytes. Quantising with one known scale becomes a
// product, rounding, clipping. The sums are exact; what is rounded is rounded elsewhere.
GraphFuncRef IntegerProducts(const GraphFuncRef& func, const ir::GraphModule& module,
                             const GraphPassContext& context);
// Replaces operators that are compositions by what they are made of (OpDef::expand), but for those
// that ChooseLayouts may take; the second time all.
GraphFuncRef ExpandOperators(const GraphFuncRef& func, const ir::GraphModule& module,
                             const GraphPassContext& context);
GraphFuncRef ExpandAllOperators(const GraphFuncRef& func, const ir::GraphModule& module,
                                const GraphPassContext& context);
// (%a, %b).0  -->  %a.
GraphFuncRef ForwardTuples(const GraphFuncRef& func, const ir::GraphModule& module,
                           const GraphPassContext& context);
// reshape(reshape(x))  -->  reshape(x), x * 1  -->  x, and other calls that compute nothing new.
GraphFuncRef Simplify(const GraphFuncRef& func, const ir::GraphModule& module,
                      const GraphPassContext& context);
// x / 2 (1 + erf(x / sqrt 2))  -->  nn.gelu(x), in any order of the factors. Rounds differently.
GraphFuncRef FindGelu(const GraphFuncRef& func, const ir::GraphModule& module,
                      const GraphPassContext& context);
// conv2d(nn.pad(x), w)  -->  conv2d(x, w, padding=...), for a frame of zeros around space; the same
// for pools of means.
GraphFuncRef FoldPadding(const GraphFuncRef& func, const ir::GraphModule& module,
                         const GraphPassContext& context);
// Decides where calls run, for a build for several devices: on the device that an on_device says,
// and so what only such calls need; else on the main device; on the host if the device cannot run
// the call. Copies what is needed elsewhere.
//
//   %1 = nn.relu(%0)                              %1 = nn.relu(%0, device="opencl")
//   %2 = on_device(%1, device="opencl")    -->    %2 = device_copy(%1, src_device="opencl",
//   %3 = tanh(%2)                                                  dst_device="cpu")
//                                                 %3 = tanh(%2)
//
// Parameters are where they are read, constants on every device that reads them. What control flow
// hands on is on the main device. Throws Error "graph-no-target" for a device without a target,
// "graph-device-operator" if an on_device says that a call runs where it cannot.
GraphFuncRef PlaceDevices(const GraphFuncRef& func, const ir::GraphModule& module,
                          const GraphPassContext& context);
// conv2d(x, w) * s  -->  conv2d(x, w * s), for a constant w and a constant s with an element per
// output channel; the same for nn.dense. Rounds differently.
GraphFuncRef FoldScale(const GraphFuncRef& func, const ir::GraphModule& module,
                       const GraphPassContext& context);
// Moves functions of one tensor in front of the concatenation that they read, if kernels make the
// operands.
GraphFuncRef LiftPointwise(const GraphFuncRef& func, const ir::GraphModule& module,
                           const GraphPassContext& context);
// Operators of elements compute with the float32 that a narrow operand was rounded from, on the
// host, where registers hold it in any case. So a chain of them is rounded once, at its end.
//
//   %1 = cast(%0, dtype="bfloat16")             %1 = nn.relu(%0)
//   %2 = nn.relu(%1)                     -->    %2 = cast(%1, dtype="bfloat16")
//
// Products of narrow operands have their sums in float32, and those that the target has no dot
// products for are products of float32: all of float16, and convolutions. Rounds differently.
GraphFuncRef KeepWide(const GraphFuncRef& func, const ir::GraphModule& module,
                      const GraphPassContext& context);
// Replaces calls of operators on constants by constants. Results that are much larger than what
// they are made of stay calls. Many megabytes are computed in steps: if nobody else has `func`, the
// memory of what a step has read is free when it is done, or while it is read.
GraphFuncRef FoldConstants(GraphFuncRef func, const ir::GraphModule& module,
                           const GraphPassContext& context);
// A convolution with groups, a window of 1x1 and steps of 1 is a product of matrices for each
// group, together with what is elementwise behind it: rows of all places make longer vectors than
// rows of an image. The products of several images [N, 4, I / 4, H * W] have the same left side.
//
//   %1 = nn.conv2d(%x, %w, groups=4)       %p = matmul(%w [4, O / 4, I / 4], %x [4, I / 4, H * W])
//   %2 = nn.relu(%1)                  -->  %q = nn.relu(%p)
//                                          %2 = reshape(%q, newshape=[1, O, H, W])
GraphFuncRef GroupProducts(const GraphFuncRef& func, const ir::GraphModule& module,
                           const GraphPassContext& context);
// Convolutions, and what is elementwise or a pool behind them, in layouts with blocks of channels.
//
//   %1 = nn.conv2d(%x, %w)       %b = nn.contrib_conv2d_nchwc(%a, %v)
//   %2 = nn.relu(%1)        -->  %c = nn.relu(%b)
//                                %2 = layout_transform(%c, src_layout="NCHW16c", dst_layout="NCHW")
//
// Blocks are one or two of the target's vectors, or a half or quarter of one: those that need the
// fewest vectors. The last block is filled up with channels of zeros. Other operators read the
// plain layout. Sums are in another order. From level 3 on, convolutions of 3x3 with weights that
// are known are computed by Winograd's algorithm where that is faster: that rounds differently.
GraphFuncRef ChooseLayouts(const GraphFuncRef& func, const ir::GraphModule& module,
                           const GraphPassContext& context);
// nn.dense(x, w)  -->  matmul(x, transpose(w)); other products with a transposed right operand
// likewise, unless the left one is a single row. Transpositions that follow each other become one,
// or none.
GraphFuncRef TransposeOperands(const GraphFuncRef& func, const ir::GraphModule& module,
                               const GraphPassContext& context);
// matmul(x, w)  -->  nn.contrib_dense_pack(x, w in panels of two vectors of columns), for a w that
// can be computed now, together with what is elementwise behind it. The last panel is padded.
// Products of bfloat16 with sums in float32 become nn.contrib_dense_dot, where the target has dot
// products; a w that is computed at run time is put into panels then.
GraphFuncRef PackWeights(const GraphFuncRef& func, const ir::GraphModule& module,
                         const GraphPassContext& context);
// nn.lstm, nn.gru, nn.rnn of weights that can be computed now: the weights in panels of one or two
// vectors of columns, which each step of time reads one behind the other.
GraphFuncRef PackRecurrent(const GraphFuncRef& func, const ir::GraphModule& module,
                           const GraphPassContext& context);
// Equal calls of operators on the same values become one.
GraphFuncRef ShareEqual(const GraphFuncRef& func, const ir::GraphModule& module,
                        const GraphPassContext& context);

}  // namespace lathe::graph
