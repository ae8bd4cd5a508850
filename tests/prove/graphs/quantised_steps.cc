// Quantised pieces of networks, as ONNX's QDQ format writes them.
#include "tests/prove/graphs/generator.h"

namespace lathe::prove::graphs {

using graph::Int64;
using graph::IntAttr;
using graph::IntsAttr;
using graph::StringAttr;

// Quantised and dequantised, with one scale and one zero point.
GraphVar Generator::Requantised(const GraphVar& x) {
  const DataType type = Chance(70) ? DataType::UInt(8) : DataType::Int(8);
  const Range points = type.is_uint() ? Range{60, 200} : Range{-90, 90};
  const GraphVar scale = Constant(DataType::Float(32), {}, {0.01, 0.05}),
                 zero = Constant(type, {}, Chance(20) ? Range{0, 0} : points);
  const GraphVar q = Call("qnn.quantize", {x, scale, zero},
                          {{"out_dtype", StringAttr(type.ToString())},
                           {"rounding", StringAttr(Chance(80) ? "NEAREST_EVEN" : "TONEAREST")}});
  return Call("qnn.dequantize", {q, scale, zero});
}

// A convolution or a product of dequantised numbers, and what comes behind it.
void Generator::QuantisedProduct(const Value& x) {
  ++features_["quantised product"];
  const bool is_image = ShapeOf(x.var).size() == 4;
  const int64_t channels = Number(ShapeOf(x.var)[1]);
  int64_t filters = Chance(40) ? channels : OneOf({4, 8, 16, 32, 5, 12, 24}), groups = 1;
  if (is_image && Chance(25)) groups = filters = channels;
  const int64_t window = is_image ? OneOf({1, 3, 3}) : 1;
  Shape shape{Int64(filters), Int64(channels / groups)};
  if (is_image) shape.insert(shape.end(), 2, Int64(window));
  const bool per_channel = Chance(60);
  const GraphVar weight = Call(
      "qnn.dequantize",
      {Constant(DataType::Int(8), shape, {-127, 127}),
       Constant(DataType::Float(32), per_channel ? Shape{Int64(filters)} : Shape{}, {0.002, 0.01}),
       Constant(DataType::Int(8), per_channel ? Shape{Int64(filters)} : Shape{}, {0, 0})},
      {{"axis", IntAttr(0)}});
  const GraphVar data = Requantised(x.range.high > 100 ? Into(x, {-2, 2}) : x.var);
  ir::Dict attrs;
  if (is_image && window == 3 && Chance(80)) attrs["padding"] = IntsAttr({1, Chance(70) ? 1 : 0});
  if (is_image && Chance(20)) attrs["strides"] = IntsAttr({OneOf({1, 2}), OneOf({2, 3})});
  if (groups > 1) attrs["groups"] = IntAttr(groups);
  GraphVar y = Try(is_image ? "nn.conv2d" : "nn.dense", {data, weight}, attrs);
  if (!y) return;
  if (Chance(50)) y = Requantised(y);
  if (is_image && Chance(60)) return BehindConvolution(y);
  Keep(y);
}

}  // namespace lathe::prove::graphs
