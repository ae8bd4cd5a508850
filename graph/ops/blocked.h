// What convolutions over images with channels in blocks, [batch, C / c, height, width, c], have in
// common.
#pragma once

#include "graph/ops/define.h"
#include "graph/ops/layout.h"

namespace lathe::graph::ops {

// Channels of the input whose bytes one dot product takes (nn.contrib_conv2d_nchwc_int8).
inline constexpr int64_t kDotChannels = 4;

// strides, padding, dilation.
std::vector<AttrDef> BlockedWindowAttrs();
// What stands around the input.
AttrDef PadValueAttr();
Expr PadValueOf(const ComputeContext& c);

template <class Context>
Window BlockedWindowOf(const Context& c) {
  return {PerDimension(c, "strides", 2), PerDimension(c, "dilation", 2),
          PaddingOf(c, "padding", 2)};
}

// Sets rows and columns of the result; `kernel` is where the window's extents begin in the weight.
void SetBlockedPlaces(const TypeContext& c, size_t kernel, Shape* out);

const Layout& BlockedData();

// The row (d is 0) or column (1) of the padded input that a window reads.
inline Expr BlockedTap(const Window& window, size_t d, const Expr& place, const Expr& tap) {
  return place * window.strides[d] + tap * window.dilation[d];
}

}  // namespace lathe::graph::ops
