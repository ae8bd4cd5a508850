// Images of another size.
#include "graph/import/tensorflow/operators.h"
#include "graph/import/tensorflow_rules.h"

namespace lathe::graph::tensorflow {
namespace {

Converter Resize(bool nearest) {
  return [nearest](NodeContext& n) -> Results {
    if (Maker::RankOf(n.In(0)) != 4) {
      n.Fail("has a wrong input 0", "an image", TypeText(n.In(0)->type));
    }
    const std::vector<Expr> size = n.Extents(1, "size");
    if (size.size() != 2) {
      n.Fail("has a size of the wrong length", "2", std::to_string(size.size()));
    }
    // The linear one gives floats for images of any type.
    const GraphVar x = nearest ? n.In(0) : n.Cast(n.In(0), DataType::Float(32));
    const GraphVar y =
        ResizeImage(n, x, size, nearest, n.Flag("align_corners"), n.Flag("half_pixel_centers"));
    if (!y) n.Fail("has align_corners and half_pixel_centers", "one of them", "both");
    return {y};
  };
}

}  // namespace

std::vector<Conversion> Images() {
  return {{"ResizeBilinear", Resize(false)}, {"ResizeNearestNeighbor", Resize(true)}};
}

}  // namespace lathe::graph::tensorflow
