// Pools over images [n, h, w, c].
#include "graph/import/tflite/operators.h"
#include "graph/import/tflite/quantised.h"
#include "graph/import/tflite/windows.h"

namespace lathe::graph::tflite {
namespace {

constexpr int32_t kPoolOptions = 5;  // of the schema

Window PoolWindow(OpContext& n) {
  NeedRank(n, 0, 4, "an image");
  return WindowOf(n, n.In(0), n.Byte(0, "padding"),
                  {n.Number(4, "filter_height"), n.Number(3, "filter_width")},
                  {n.Number(2, "stride_h"), n.Number(1, "stride_w")}, {1, 1});
}

GraphVar Pool(OpContext& n, const char* op, const GraphVar& x, const Window& window) {
  return n.Call(op, {x},
                {{"pool_size", IntsAttr(window.kernel)},
                 {"strides", IntsAttr(window.strides)},
                 {"padding", window.Padding()},
                 {"layout", StringAttr("NHWC")}});
}

int64_t ActivationOf(OpContext& n) { return n.Byte(5, "the fused activation"); }

// The extents of the image; nothing if one is not known.
std::optional<std::vector<int64_t>> SpaceOf(const GraphVar& image) {
  std::vector<int64_t> space;
  for (size_t d = 1; d <= 2; ++d) {
    const int64_t* extent = ir::AsConstInt(Maker::ShapeOf(image)[d]);
    if (extent == nullptr) return std::nullopt;
    space.push_back(*extent);
  }
  return space;
}

// How many elements of the image each window has: [1, h, w, 1], or one number if all are whole.
GraphVar Counts(OpContext& n, const Window& window) {
  const DataType i32 = DataType::Int(32);
  const std::vector<int64_t> none{0, 0};
  if (window.before == none && window.after == none) {
    return n.Constant(MakeInts({window.kernel[0] * window.kernel[1]}, {}, i32));
  }
  const auto space = SpaceOf(n.In(0));
  if (!space) n.Fail("needs an image of a known size", "numbers", TypeText(n.In(0)->type));
  std::vector<std::vector<int64_t>> along(2);
  for (size_t d = 0; d < 2; ++d) {
    const int64_t framed = (*space)[d] + window.before[d] + window.after[d];
    for (int64_t at = 0; at + window.kernel[d] <= framed; at += window.strides[d]) {
      const int64_t from = std::max<int64_t>(at - window.before[d], 0);
      const int64_t to = std::min(at - window.before[d] + window.kernel[d], (*space)[d]);
      along[d].push_back(to - from);
    }
  }
  std::vector<int64_t> counts;
  for (const int64_t rows : along[0]) {
    for (const int64_t columns : along[1]) counts.push_back(rows * columns);
  }
  return n.Constant(MakeInts(
      counts, {1, static_cast<int64_t>(along[0].size()), static_cast<int64_t>(along[1].size()), 1},
      i32));
}

// The sum of each window, int32; the frame counts as 0.
GraphVar Sums(OpContext& n, const Window& window) {
  const DataType i32 = DataType::Int(32), i16 = DataType::Int(16);
  if (const auto space = SpaceOf(n.In(0)); space && *space == window.kernel) {
    const std::vector<int64_t> none{0, 0};
    if (window.before == none && window.after == none) {
      return n.Call("sum", {n.Cast(n.In(0), i32)},
                    {{"axis", IntsAttr({1, 2})}, {"keepdims", BoolAttr(true)}});
    }
  }
  const int64_t* channels = ir::AsConstInt(Maker::ShapeOf(n.In(0))[3]);
  if (channels == nullptr) n.Fail("needs a known number of channels");
  const GraphVar ones =
      n.Call("ones", {},
             {{"shape", IntsAttr({window.kernel[0], window.kernel[1], *channels, 1})},
              {"dtype", StringAttr("int16")}});
  return n.Call("nn.conv2d", {n.Cast(n.In(0), i16), ones},
                {{"strides", IntsAttr(window.strides)},
                 {"padding", window.Padding()},
                 {"groups", IntAttr(*channels)},
                 {"data_layout", StringAttr("NHWC")},
                 {"kernel_layout", StringAttr("HWOI")},
                 {"out_dtype", StringAttr("int32")}});
}

Results AveragePool(OpContext& n) {
  const Window window = PoolWindow(n);
  const int64_t activation = ActivationOf(n);
  if (!IsQuantised8(n.OutInfo())) {
    const GraphVar y = Pool(n, "nn.avg_pool2d", Real(n, 0), window);
    return {Quantised(n, Activated(n, y, activation))};
  }
  // The numbers as they stand; halves are rounded away from 0.
  const GraphVar sum = Sums(n, window), count = Counts(n, window);
  const DataType i32 = DataType::Int(32);
  const auto number = [&](int64_t value) { return n.Constant(MakeInts({value}, {}, i32)); };
  const GraphVar half = n.Call("right_shift", {count, number(1)});
  const GraphVar moved =
      n.Call("where", {n.Call("greater", {sum, number(0)}), n.Add(sum, half), n.Sub(sum, half)});
  const GraphVar mean = n.Call("trunc_divide", {moved, count});
  const Range range = ActivationRange(n, activation, n.OutInfo());
  return {n.Cast(n.Call("clip", {mean},
                        {{"a_min", FloatAttr(static_cast<double>(range.low))},
                         {"a_max", FloatAttr(static_cast<double>(range.high))}}),
                 n.OutType())};
}

Results MaxPool(OpContext& n) {
  const Window window = PoolWindow(n);
  const int64_t activation = ActivationOf(n);
  const GraphVar y = Pool(n, "nn.max_pool2d", n.In(0), window);
  if (!IsQuantised(n.OutInfo())) return {Activated(n, y, activation)};
  if (activation == 0) return {y};
  const Range range = ActivationRange(n, activation, n.OutInfo());
  return {n.Call("clip", {y},
                 {{"a_min", FloatAttr(static_cast<double>(range.low))},
                  {"a_max", FloatAttr(static_cast<double>(range.high))}})};
}

Results L2Pool(OpContext& n) {
  const GraphVar x = n.In(0);
  const GraphVar mean = Pool(n, "nn.avg_pool2d", n.Mul(x, x), PoolWindow(n));
  return {Activated(n, n.Call("sqrt", {mean}), ActivationOf(n))};
}

}  // namespace

std::vector<Conversion> Pools() {
  return {{"AVERAGE_POOL_2D", kPoolOptions, AveragePool},
          {"MAX_POOL_2D", kPoolOptions, MaxPool},
          {"L2_POOL_2D", kPoolOptions, L2Pool}};
}

}  // namespace lathe::graph::tflite
