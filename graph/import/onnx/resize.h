// The places and weights of ONNX's Resize along one dimension.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lathe::graph::onnx {

struct ResizeRule {
  std::string mode = "nearest";               // linear, cubic
  std::string transformation = "half_pixel";  // coordinate_transformation_mode
  std::string rounding = "round_prefer_floor";
  double cubic = -0.75;
  bool exclude_outside = false, antialias = false;
};

// Element i of the result is the sum over t of weights[t][i] times element places[t][i] of the
// input. `outside[i]`: the place is outside of the image, and gets a given value (only for
// tf_crop_and_resize).
struct ResizeTaps {
  std::vector<std::vector<int64_t>> places;
  std::vector<std::vector<double>> weights;
  std::vector<bool> outside;
};

// For `in` elements, `out` results and the factor `scale`, which need not be out / in. `begin` and
// `end` are the region of interest, between 0 and 1.
// Places are computed with the length in * scale, which was not rounded.
ResizeTaps TapsOf(const ResizeRule& rule, int64_t in, int64_t out, double scale, double begin,
                  double end);

}  // namespace lathe::graph::onnx
