// Products that stand alone or have further operators fused behind them (fused.cc).
#pragma once

#include "graph/import/tensorflow/importer.h"

namespace lathe::graph::tensorflow {

// By the attributes of the node and its inputs 0 and 1.
GraphVar MultiplyMatrices(const NodeContext& n);
// Filters [space..., channels, filters].
GraphVar Convolve(const NodeContext& n, size_t rank);
// Filters [h, w, channels, multiplier].
GraphVar ConvolveDepthwise(const NodeContext& n);

// The dimension of channels, by the attribute `data_format`.
int64_t ChannelAxis(const NodeContext& n, const GraphVar& x);
// Fails if a norm computes statistics itself (`is_training`).
void CheckInference(const NodeContext& n);
// With the statistics of the training, which are inputs from `first` on: scale, offset, mean,
// variance.
GraphVar Normalise(const NodeContext& n, const GraphVar& x, size_t first);

}  // namespace lathe::graph::tensorflow
