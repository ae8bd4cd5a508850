// Windows of convolutions and pools.
#pragma once

#include <string>
#include <vector>

#include "graph/import/onnx/importer.h"

namespace lathe::graph::onnx {

// One number for each dimension of the image, which has `count` of them.
struct Window {
  std::vector<int64_t> kernel, strides, dilations;
  std::vector<int64_t> before, after;  // padding

  // All numbers before, then all numbers after.
  ir::NodeRef Padding() const;
  // "2d" for two dimensions. There are operators for one to three.
  std::string Suffix() const { return std::to_string(kernel.size()) + "d"; }
};

// Reads kernel_shape (or `kernel`, if that is not empty), strides, dilations, pads and auto_pad of
// a node with the image `x` [batch, channels, ...]. `ceil_mode` matters for auto_pad VALID only.
// Fails for auto_pad SAME with strides if the image's size is not known.
Window WindowOf(const NodeContext& n, const GraphVar& x, std::vector<int64_t> kernel = {});
// The same for operators that read `fill` in the frame. If only a run knows how wide the frame of
// auto_pad SAME is, `x` gets it, and the window has none.
Window WindowAndFrame(NodeContext& n, GraphVar* x, double fill, std::vector<int64_t> kernel = {});

// An image with one to three dimensions, because the operators of ours have these: refuses others.
void NeedImage(const NodeContext& n, const GraphVar& x);

// Channels behind the batch, of a tensor that has them last; and the reverse.
GraphVar ChannelsToFront(const NodeContext& n, const GraphVar& x);
GraphVar ChannelsToBack(const NodeContext& n, const GraphVar& x);

}  // namespace lathe::graph::onnx
