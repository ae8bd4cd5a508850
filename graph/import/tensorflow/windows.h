// Windows of convolutions and pools over images whose order of dimensions an attribute says.
#pragma once

#include <string>
#include <vector>

#include "graph/import/tensorflow/importer.h"

namespace lathe::graph::tensorflow {

struct Layout {
  std::string letters, space;  // "NHWC", "HW"
  size_t first, channels;      // the first dimension of space, and that of the channels
};
// By the attribute `data_format`; `rank` is the number of dimensions of space.
Layout LayoutOf(const NodeContext& n, size_t rank);

struct Window {
  std::vector<int64_t> strides, dilations;
  std::vector<int64_t> padding;  // all before, then all after
};
// By the attributes `strides`, `dilations`, `padding` and `explicit_paddings`. Without frame, the
// padding is not computed.
Window WindowOf(const NodeContext& n, const GraphVar& image, const Layout& layout,
                const std::vector<int64_t>& kernel, bool with_frame = true);
// The numbers of an attribute that belong to the dimensions of space.
std::vector<int64_t> OfSpace(const NodeContext& n, std::string_view attribute,
                             const Layout& layout);

}  // namespace lathe::graph::tensorflow
