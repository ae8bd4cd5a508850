// Quantised numbers.
#include "graph/import/onnx/operators.h"
#include "graph/import/onnx/quantised.h"
#include "graph/import/onnx/small_floats.h"

namespace lathe::graph::onnx {

std::pair<double, double> RangeOf(DataType type, int bits) {
  if (bits == 0) bits = type.bits();
  if (!type.is_int()) return {0, static_cast<double>((int64_t{1} << bits) - 1)};
  const auto half = static_cast<double>(int64_t{1} << (bits - 1));
  return {-half, half - 1};
}

GraphVar Rounded(const NodeContext& n, const GraphVar& x, DataType type) {
  GraphVar y = n.Call("rint", {x});
  // The ends of wider types are no float32: there, values must lie within the type.
  if (type.bits() <= 16) {
    const auto [least, greatest] = RangeOf(type);
    y = n.Call("clip", {y}, {{"a_min", FloatAttr(least)}, {"a_max", FloatAttr(greatest)}});
  }
  return n.Cast(y, type);
}

GraphVar Rank0IfOne(const NodeContext& n, const GraphVar& x) {
  const bool one = NodeContext::RankOf(x) == 1 && ir::IsOne(NodeContext::ShapeOf(x)[0]);
  return one ? n.Reshape(x, {}) : x;
}

GraphVar WithoutZero(const NodeContext& n, size_t input, size_t zero_input, int64_t axis) {
  const DataType wide = DataType::Int(32);
  const GraphVar x = n.Cast(n.In(input), wide);
  if (!n.Has(zero_input)) return x;
  GraphVar zero = n.Cast(n.In(zero_input), wide);
  const int64_t rank = NodeContext::RankOf(x);
  if (NodeContext::RankOf(zero) == 1 && !ir::IsOne(NodeContext::ShapeOf(zero)[0])) {
    const int64_t behind = rank - 1 - n.Axis(axis, rank);
    zero = n.ExpandDims(zero, 1, behind);
  } else if (NodeContext::RankOf(zero) == 1) {
    zero = n.Reshape(zero, {});
  }
  return n.Sub(x, zero);
}

GraphVar PerAxis(const NodeContext& n, const GraphVar& parameter, int64_t axis, int64_t rank) {
  if (NodeContext::RankOf(parameter) != 1) return parameter;
  if (ir::IsOne(NodeContext::ShapeOf(parameter)[0])) return n.Reshape(parameter, {});
  return n.ExpandDims(parameter, 1, rank - 1 - n.Axis(axis, rank));
}

namespace {

// A scale or zero point, shaped so that it is broadcast with `x`: one number, one for each place of
// `axis`, or one for each block of `block` places.
GraphVar Spread(NodeContext& n, const GraphVar& parameter, const GraphVar& x, int64_t axis,
                int64_t block) {
  const int64_t rank = NodeContext::RankOf(x), own = NodeContext::RankOf(parameter);
  if (block > 0) {
    const GraphVar repeated =
        n.Call("repeat", {parameter}, {{"repeats", IntAttr(block)}, {"axis", IntAttr(axis)}});
    const auto at = static_cast<size_t>(axis);
    const Expr whole = NodeContext::ShapeOf(x)[at];
    return n.Slice(repeated, axis, Int64(0), whole);
  }
  if (own == 0) return parameter;
  if (own != 1) {
    n.Fail("has a scale of a wrong rank", "0 or 1, or the data's with block_size",
           std::to_string(own));
  }
  if (ir::IsOne(NodeContext::ShapeOf(parameter)[0])) return n.Reshape(parameter, {});
  return n.ExpandDims(parameter, 1, rank - 1 - axis);
}

// One number, or one for each place along an axis: what our operators take.
bool IsPlain(const GraphVar& scale, int64_t block) {
  return block == 0 && NodeContext::RankOf(scale) <= 1;
}

struct Layout {
  int64_t axis, block;
};
Layout LayoutOf(NodeContext& n, const GraphVar& x) {
  const int64_t rank = NodeContext::RankOf(x);
  const int64_t axis = n.Int("axis", 1), block = n.Int("block_size", 0);
  if (block < 0)
    n.FailAttribute("block_size", "is out of range", "0 and more", std::to_string(block));
  // The axis does not matter for a single scale, and may not exist then.
  const int64_t own = NodeContext::RankOf(n.In(1));
  const bool one = own == 0 || (own == 1 && ir::IsOne(NodeContext::ShapeOf(n.In(1))[0]));
  return {one && block == 0 ? 0 : n.Axis(axis, rank), block};
}

Results QuantizeLinear(NodeContext& n) {
  const GraphVar given = n.In(0);
  const Layout layout = LayoutOf(n, given);
  const bool saturates = n.Int("saturate", 1) != 0;
  // The type of the quotient; by default that of the numbers and the scale.
  const auto wanted_precision = static_cast<int32_t>(n.Int("precision", 0));
  const std::optional<DataType> precision = DTypeOf(wanted_precision);
  if (wanted_precision != 0 && (!precision || !precision->is_float()))
    n.FailAttribute("precision", "is not supported", "a floating type",
                    ElementTypeName(wanted_precision));
  DataType type = DataType::UInt(8);
  int32_t narrow = 0;
  const auto output = static_cast<int32_t>(n.Int("output_dtype", 0));
  if (n.Has(2)) {
    type = NodeContext::DTypeOf(n.In(2));
    narrow = n.inputs[2].narrow;
  } else if (output != 0) {
    const std::optional<DataType> wanted = DTypeOf(output);
    if (!wanted)
      n.FailAttribute("output_dtype", "is not supported", "an integer type",
                      ElementTypeName(output));
    type = *wanted;
    narrow = NarrowType(output);
  }
  const DataType real = DataType::Float(32);
  const GraphVar x = NodeContext::DTypeOf(given).is_float() ? given : n.Cast(given, real);
  if (IsSmallFloat(narrow)) {
    // The zero point of these types is 0.
    const GraphVar scale = Spread(n, n.In(1), x, layout.axis, layout.block);
    const DataType work = precision ? *precision : NodeContext::DTypeOf(scale);
    Value value(ToSmallFloat(n, n.Div(n.Cast(x, work), n.Cast(scale, work)), narrow, saturates));
    value.narrow = narrow;
    return {value};
  }
  const int bits = PackedBits(narrow);
  // The quotient of small floats is rounded before halves are: qnn.quantize divides in float32.
  const bool is_small =
      precision ? precision->bits() < 32
                : NodeContext::DTypeOf(x).bits() < 32 && NodeContext::DTypeOf(n.In(1)).bits() < 32;
  if (IsPlain(n.In(1), layout.block) && bits == 0 && type.bits() == 8 && !is_small) {
    const GraphVar zero = n.Has(2) ? n.In(2) : n.Scalar(0, type);
    const GraphVar scale = Rank0IfOne(n, n.In(1));
    return {n.Call("qnn.quantize", {x, scale, Rank0IfOne(n, zero)},
                   {{"axis", IntAttr(layout.axis)},
                    {"out_dtype", StringAttr(type.ToString())},
                    {"rounding", StringAttr("NEAREST_EVEN")}})};
  }
  const auto [least, greatest] = RangeOf(type, bits);
  const GraphVar scale = Spread(n, n.In(1), x, layout.axis, layout.block);
  const DataType work = precision ? *precision : NodeContext::DTypeOf(scale);
  GraphVar y = n.Call("rint", {n.Div(n.Cast(x, work), n.Cast(scale, work))});
  y = n.Cast(y, real);
  if (n.Has(2)) {
    y = n.Add(y, n.Cast(Spread(n, n.In(2), x, layout.axis, layout.block), real));
  }
  y = n.Call("clip", {y}, {{"a_min", FloatAttr(least)}, {"a_max", FloatAttr(greatest)}});
  Value value(n.Cast(y, type));
  value.narrow = narrow;
  return {value};
}

Results DequantizeLinear(NodeContext& n) {
  const GraphVar x = n.In(0);
  const Layout layout = LayoutOf(n, x);
  n.Ignore({"output_dtype"});
  if (IsSmallFloat(n.inputs[0].narrow)) {
    const GraphVar scale = Spread(n, n.In(1), x, layout.axis, layout.block);
    return {n.Mul(FromSmallFloat(n, x, n.inputs[0].narrow, NodeContext::DTypeOf(scale)), scale)};
  }
  if (IsPlain(n.In(1), layout.block)) {
    const GraphVar zero = n.Has(2) ? n.In(2) : n.Scalar(0, NodeContext::DTypeOf(x));
    return {n.Call("qnn.dequantize", {x, Rank0IfOne(n, n.In(1)), Rank0IfOne(n, zero)},
                   {{"axis", IntAttr(layout.axis)}})};
  }
  const GraphVar scale = Spread(n, n.In(1), x, layout.axis, layout.block);
  const DataType type = NodeContext::DTypeOf(scale);
  GraphVar y = n.Cast(x, DataType::Int(32));
  if (n.Has(2)) {
    y = n.Sub(y, n.Cast(Spread(n, n.In(2), x, layout.axis, layout.block), DataType::Int(32)));
  }
  return {n.Mul(n.Cast(y, type), scale)};
}

Results DynamicQuantizeLinear(NodeContext& n) {
  return n.Fields(n.Call("qnn.dynamic_quantize", {n.In(0)}));
}

}  // namespace

std::vector<Operator> Quantisation() {
  return {
      {"DequantizeLinear", DequantizeLinear},
      {"DynamicQuantizeLinear", DynamicQuantizeLinear},
      {"QuantizeLinear", QuantizeLinear},
  };
}

}  // namespace lathe::graph::onnx
