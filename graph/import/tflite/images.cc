// Images of another size.
#include <algorithm>

#include "graph/import/tensorflow_rules.h"
#include "graph/import/tflite/operators.h"
#include "graph/import/tflite/quantised.h"
#include "graph/import/tflite/windows.h"

namespace lathe::graph::tflite {
namespace {

// Options of the schema.
enum Options : int32_t { kBilinearOptions = 15, kNearestOptions = 74 };

// Along one dimension: two neighbours of each place, and their weights with 10 fraction bits.
struct Taps {
  std::vector<int64_t> first, second, first_weight, second_weight;
};

Taps TapsOf(int64_t in, int64_t out, bool align_corners, bool half_pixel) {
  constexpr int64_t kOne = 1 << 10;
  int64_t step = (kOne * in + out / 2) / out;
  if (align_corners && out > 1) step = (kOne * (in - 1) + (out - 1) / 2) / (out - 1);
  Taps taps;
  for (int64_t i = 0; i < out; ++i) {
    const int64_t place = i * step + (half_pixel ? step / 2 - kOne / 2 : 0);
    const int64_t low = std::max<int64_t>(place / kOne, 0);
    const int64_t high = std::min((place + kOne - 1) / kOne, in - 1);
    taps.first.push_back(std::min(low, in - 1));
    taps.second.push_back(std::max<int64_t>(high, 0));
    taps.first_weight.push_back(kOne - (place - kOne * low));
    taps.second_weight.push_back(place - kOne * low);
  }
  return taps;
}

// The sums of neighbours along dimension `axis` of an image of int32.
GraphVar Blended(const OpContext& n, const GraphVar& x, const Taps& taps, int64_t axis) {
  const DataType i32 = DataType::Int(32);
  const auto part = [&](const std::vector<int64_t>& places, const std::vector<int64_t>& weights) {
    const GraphVar rows = n.Call("take", {x, n.IntTensor(places, i32)}, {{"axis", IntAttr(axis)}});
    const GraphVar factors = n.ExpandDims(n.IntTensor(weights, i32), 1, 3 - axis);
    return n.Mul(rows, factors);
  };
  return n.Add(part(taps.first, taps.first_weight), part(taps.second, taps.second_weight));
}

// With whole numbers, as the reference kernel: weights have 10 bits, and halves are rounded away
// from 0.
GraphVar QuantisedBilinear(const OpContext& n, const std::vector<int64_t>& size, bool align_corners,
                           bool half_pixel) {
  const DataType i32 = DataType::Int(32);
  const auto number = [&](int64_t value) { return n.Constant(MakeInts({value}, {}, i32)); };
  GraphVar sum = n.Cast(n.In(0), i32);
  for (size_t d = 0; d < 2; ++d) {
    const int64_t* in = ir::AsConstInt(Maker::ShapeOf(n.In(0))[d + 1]);
    if (in == nullptr || *in < 1 || size[d] < 1 || size[d] > Values::kMostElements) {
      n.Fail("needs an image of a known size", "numbers", TypeText(n.In(0)->type));
    }
    sum = Blended(n, sum, TapsOf(*in, size[d], align_corners, half_pixel),
                  static_cast<int64_t>(d) + 1);
  }
  const GraphVar half =
      n.Call("where", {n.Call("greater", {sum, number(0)}), number(1 << 19), number(-(1 << 19))});
  const GraphVar y = n.Call("trunc_divide", {n.Add(sum, half), number(1 << 20)});
  return n.Cast(y, n.OutType());
}

Converter Resize(bool nearest) {
  return [nearest](OpContext& n) -> Results {
    NeedRank(n, 0, 4, "an image");
    const std::vector<Expr> size = n.Extents(1, "size");
    if (size.size() != 2) {
      n.Fail("has a size of the wrong length", "2", std::to_string(size.size()));
    }
    const bool corners = n.Flag(nearest ? 0 : 2, "align_corners");
    const bool half = n.Flag(nearest ? 1 : 3, "half_pixel_centers");
    if (corners && half) n.Fail("has align_corners and half_pixel_centers", "one of them", "both");
    if (!nearest && IsQuantised8(n.OutInfo())) {
      return {QuantisedBilinear(n, n.Ints(1, "size"), corners, half)};
    }
    const GraphVar x = nearest ? n.In(0) : Real(n, 0);
    const GraphVar y = ResizeImage(n, x, size, nearest, corners, half);
    return {nearest ? y : Quantised(n, y)};
  };
}

}  // namespace

std::vector<Conversion> Images() {
  return {{"RESIZE_BILINEAR", kBilinearOptions, Resize(false)},
          {"RESIZE_NEAREST_NEIGHBOR", kNearestOptions, Resize(true)}};
}

}  // namespace lathe::graph::tflite
