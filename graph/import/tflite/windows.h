// Windows of convolutions and pools over images [n, h, w, c] or [n, d, h, w, c].
#pragma once

#include <string>
#include <vector>

#include "graph/import/tflite/importer.h"

namespace lathe::graph::tflite {

struct Window {
  std::vector<int64_t> kernel, strides, dilations;
  std::vector<int64_t> before, after;  // the frame
  std::vector<int64_t> image;          // the extents of the image; empty if VALID did not need them
  ir::NodeRef Padding() const;
};
// `padding` is that of the schema: 0 SAME, 1 VALID. Throws "tflite-operator" for impossible
// numbers, and if SAME would need an extent of the image that is not known.
Window WindowOf(const OpContext& n, const GraphVar& image, int64_t padding,
                std::vector<int64_t> kernel, std::vector<int64_t> strides,
                std::vector<int64_t> dilations);
// Throws "tflite-operator" if the rank is not `rank`.
void NeedRank(const OpContext& n, size_t input, int64_t rank, const char* what);

}  // namespace lathe::graph::tflite
