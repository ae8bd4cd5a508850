// Converters of nodes whose shapes depend on numbers that only a run knows.
//
// The shapes are computed by operators of the graph and become sizes while it runs (as_shape).
#pragma once

#include <string>

#include "graph/import/onnx/importer.h"
#include "graph/import/onnx/resize.h"

namespace lathe::graph::onnx {

// A reduction over the axes in input 1. `ours` is the operator that reduces over known axes.
Results ReduceAtRun(NodeContext& n, const std::string& ours, bool keeps_dims);

Results SliceAtRun(NodeContext& n);
Results ExpandAtRun(NodeContext& n);
Results PadAtRun(NodeContext& n, const std::string& mode);
// Over the axes that the attribute names, or all.
Results CenterCropPadAtRun(NodeContext& n);
// A running sum or product along the axis in input 1.
Results RunningAtRun(NodeContext& n, const std::string& ours);
// The image's extents and the window's.
Results Col2ImAtRun(NodeContext& n);
Results AffineGridAtRun(NodeContext& n, bool corners);

// A resize by the scales in input `scales`, or to the sizes in input `sizes`.
Results ResizeAtRun(NodeContext& n, const ResizeRule& rule, size_t scales, size_t sizes,
                    double extrapolation);

}  // namespace lathe::graph::onnx
