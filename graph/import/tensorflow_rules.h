// What TensorFlow's operators and TFLite's have in common.
//
// All functions are thread-safe, if each thread has a Maker of its own.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "graph/import/operator_context.h"

namespace lathe::graph {

// The frame {before, after} of padding SAME: the result has ceil(in / stride) places, and the frame
// is larger behind if it is uneven.
std::pair<int64_t, int64_t> SamePadding(int64_t in, int64_t window, int64_t stride,
                                        int64_t dilation);

// tf.strided_slice. Bit i of a mask belongs to entry i of begin, end and strides.
struct SliceRule {
  std::vector<ir::Expr> begin, end;  // int64
  std::vector<int64_t> strides;
  int64_t begin_mask = 0, end_mask = 0, ellipsis_mask = 0, new_axis_mask = 0, shrink_axis_mask = 0;
};
// Null if the entries do not fit the rank of `x`, or a stride is 0.
ir::GraphVar StridedSlice(const Maker& maker, const ir::GraphVar& x, const SliceRule& rule);

// tf.slice, with begin and size as inputs 1 and 2. A size of -1: all that is left. A begin that
// only a run knows is an operand of dynamic_slice.
ir::GraphVar SliceBySizes(const OperatorContext& n);

// tf.split with the sizes of the parts, of which one may be -1: what the others leave. A tuple; the
// tensor itself, by another name, if there is one part. Calls n.Fail if the sizes do not fit.
ir::GraphVar SplitBySizes(const OperatorContext& n, const ir::GraphVar& x, int64_t axis,
                          std::vector<int64_t> sizes);

// An image [n, h, w, c] of another size. Null if both flags are set.
ir::GraphVar ResizeImage(const Maker& maker, const ir::GraphVar& x,
                         const std::vector<ir::Expr>& size, bool nearest, bool align_corners,
                         bool half_pixel_centers);

}  // namespace lathe::graph
