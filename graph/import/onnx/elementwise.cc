// Functions of elements: arithmetic, comparisons, conversions.
#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/import/onnx/operators.h"
#include "graph/import/onnx/quantised.h"
#include "graph/import/onnx/small_floats.h"

namespace lathe::graph::onnx {
namespace {

// An operator that is one of ours, with the same inputs and without attributes.
Operator Same(std::string name, std::string ours) {
  return {std::move(name), [ours](NodeContext& n) -> Results { return {n.Call(ours, n.All())}; }};
}

// Any number of inputs, put together by an operator of two.
GraphVar FoldInputs(NodeContext& n, const std::string& op) {
  const std::vector<GraphVar> all = n.All();
  GraphVar sum = all[0];
  for (size_t i = 1; i < all.size(); ++i) sum = n.Call(op, {sum, all[i]});
  return all.size() == 1 ? n.Call("identity", {sum}) : sum;
}

Results Mean(NodeContext& n) {
  const GraphVar sum = FoldInputs(n, "add");
  return {n.Div(sum, n.Scalar(static_cast<double>(n.inputs.size()), NodeContext::DTypeOf(sum)))};
}

// x to the power of a whole number that is known, by squares: exact, unlike real numbers.
GraphVar KnownPower(NodeContext& n, const GraphVar& x, int64_t exponent) {
  if (exponent == 0) return n.Call("ones_like", {x});
  if (exponent == 1) return n.Call("identity", {x});
  GraphVar result, square = x;
  for (; exponent > 0; exponent >>= 1) {
    if ((exponent & 1) != 0) result = result ? n.Mul(result, square) : square;
    if (exponent > 1) square = n.Mul(square, square);
  }
  return result;
}

// The same for whole exponents of any kind. Beyond 63 all powers overflow, but those
// of 1, 0 and -1. Of negative exponents, results are truncated: 0, but for the bases 1 and -1.
GraphVar WholePower(NodeContext& n, const GraphVar& x, const GraphVar& exponent) {
  constexpr int kBits = 6;  // of an exponent
  const DataType type = NodeContext::DTypeOf(x), wide = DataType::Int(64);
  const GraphVar e = n.Cast(exponent, wide), one = n.Scalar(1, type), bit = n.Scalar(1, wide);
  GraphVar power, square = x, signs;
  for (int k = 0; k < kBits; ++k) {
    const GraphVar moved = k == 0 ? e : n.Call("right_shift", {e, n.Scalar(k, wide)});
    const GraphVar is_set = n.Cast(n.Call("bitwise_and", {moved, bit}), DataType::Bool());
    const GraphVar factor = n.Call("where", {is_set, square, one});
    if (k == 0) signs = factor;  // 1 and -1 to any power
    power = power ? n.Mul(power, factor) : factor;
    if (k + 1 < kBits) square = n.Mul(square, square);
  }
  GraphVar is_unit = n.Call("equal", {x, one});
  if (type.is_int())
    is_unit = n.Call("logical_or", {is_unit, n.Call("equal", {x, n.Scalar(-1, type)})});
  const GraphVar is_far =
      n.Call("logical_or", {n.Call("less", {e, n.Scalar(0, wide)}),
                            n.Call("greater_equal", {e, n.Scalar(1 << kBits, wide)})});
  const GraphVar far = n.Call("where", {is_unit, signs, n.Scalar(0, type)});
  return n.Call("where", {is_far, far, power});
}

Results Power(NodeContext& n) {
  const GraphVar x = n.In(0);
  const DataType type = NodeContext::DTypeOf(x), exponent = NodeContext::DTypeOf(n.In(1));
  if (type.is_float()) {
    // An exponent of a wider type decides the precision, as in NumPy.
    const bool wide = exponent.is_float() && exponent.bits() > type.bits();
    const DataType work = wide ? exponent : type;
    return {n.Cast(n.Call("power", {n.Cast(x, work), n.Cast(n.In(1), work)}), type)};
  }
  if (exponent.is_float()) {
    const DataType work = DataType::Float(64);
    return {n.Cast(n.Call("power", {n.Cast(x, work), n.Cast(n.In(1), work)}), type)};
  }
  const std::optional<TensorValue> known = n.Known(1);
  if (known && NodeContext::RankOf(n.In(1)) <= NodeContext::RankOf(x)) {
    const std::vector<int64_t> exponents = IntsOf(*known);
    if (exponents.size() == 1 && exponents[0] >= 0) return {KnownPower(n, x, exponents[0])};
  }
  return {WholePower(n, x, n.In(1))};
}

Results Modulo(NodeContext& n) {
  const bool truncates = n.Int("fmod", 0) != 0;
  return {n.Call(truncates ? "mod" : "floor_mod", {n.In(0), n.In(1)})};
}

Results BitShift(NodeContext& n) {
  const std::string direction = n.String("direction", "");
  if (direction != "LEFT" && direction != "RIGHT") {
    n.FailAttribute("direction", "is out of range", "LEFT or RIGHT", direction);
  }
  const bool is_left = direction == "LEFT";
  const GraphVar x = n.In(0), by = n.In(1);
  const DataType type = NodeContext::DTypeOf(by);
  const auto fits = [&](int64_t places) { return places >= 0 && places < type.bits(); };
  const std::optional<TensorValue> known = n.Known(1);
  if (known && std::ranges::all_of(IntsOf(*known), fits)) {
    return {n.Call(is_left ? "left_shift" : "right_shift", {x, by})};
  }
  // All bits are moved out by a distance that is negative or too large; the sign stays.
  const GraphVar zero = n.Scalar(0, type), most = n.Scalar(type.bits() - 1, type);
  const GraphVar is_far =
      n.Call("logical_or", {n.Call("less", {by, zero}), n.Call("greater", {by, most})});
  const GraphVar near = n.Call("where", {is_far, most, by});
  const GraphVar moved = n.Call(is_left ? "left_shift" : "right_shift", {x, near});
  if (!is_left && type.is_int()) return {moved};
  return {n.Call("where", {is_far, zero, moved})};
}

Results IsInf(NodeContext& n) {
  const GraphVar x = n.In(0);
  const bool negative = n.Int("detect_negative", 1) != 0;
  const bool positive = n.Int("detect_positive", 1) != 0;
  const GraphVar infinite = n.Call("isinf", {x});
  if (negative && positive) return {infinite};
  const GraphVar zero = n.Scalar(0, NodeContext::DTypeOf(x));
  if (!negative && !positive) return {n.Call("less", {x, x})};  // never
  return {n.Call("logical_and", {infinite, n.Call(negative ? "less" : "greater", {x, zero})})};
}

// Numbers of 2 or 4 bits. What does not fit is not defined: the nearest number that does, and from
// opset 23 on the low bits, as ONNX's tests of these versions have it.
GraphVar ToPacked(NodeContext& n, const GraphVar& x, DataType dtype, int bits) {
  if (n.opset < 23) {
    const auto [least, greatest] = RangeOf(dtype, bits);
    const GraphVar rounded = n.Call("rint", {n.Cast(x, DataType::Float(32))});
    return n.Cast(
        n.Call("clip", {rounded}, {{"a_min", FloatAttr(least)}, {"a_max", FloatAttr(greatest)}}),
        dtype);
  }
  const DataType wide = DataType::Int(32);
  const GraphVar whole = n.Cast(x, wide), rest = n.Scalar(32 - bits, wide);
  if (!dtype.is_int()) {
    return n.Cast(n.Call("bitwise_and", {whole, n.Scalar((1 << bits) - 1, wide)}), dtype);
  }
  return n.Cast(n.Call("right_shift", {n.Call("left_shift", {whole, rest}), rest}), dtype);
}

// `narrow` is the type of the result if it is stored as `dtype`, else 0.
Value Convert(NodeContext& n, DataType dtype, int32_t narrow) {
  const bool saturates = n.Int("saturate", 1) != 0;
  const std::string rounding = n.String("round_mode", "up");
  GraphVar x = n.In(0);
  if (n.inputs[0].narrow == narrow && NodeContext::DTypeOf(x) == dtype) {
    if (narrow != 0) return n.inputs[0];
    return n.Call("identity", {x});
  }
  if (IsSmallFloat(n.inputs[0].narrow)) {
    const bool is_float = dtype.is_float();
    x = FromSmallFloat(n, x, n.inputs[0].narrow, is_float ? dtype : DataType::Float(32));
  }
  if (narrow != 0) {
    Value value(IsSmallFloat(narrow) ? ToSmallFloat(n, x, narrow, saturates, rounding)
                                     : ToPacked(n, x, dtype, PackedBits(narrow)));
    value.narrow = narrow;
    return value;
  }
  if (dtype.is_bool() && !NodeContext::DTypeOf(x).is_bool()) {
    return n.Call("not_equal", {x, n.Scalar(0, NodeContext::DTypeOf(x))});
  }
  return n.Cast(x, dtype);
}

Results Cast(NodeContext& n) {
  const auto type = static_cast<int32_t>(n.Int("to", 0));
  const std::optional<DataType> dtype = DTypeOf(type);
  if (!dtype) {
    n.Fail("converts to an element type that graphs do not have", "integers, floats or BOOL",
           ElementTypeName(type));
  }
  return {Convert(n, *dtype, NarrowType(type))};
}

Results CastLike(NodeContext& n) {
  return {Convert(n, NodeContext::DTypeOf(n.In(1)), n.inputs[1].narrow)};
}

Results Clip(NodeContext& n) {
  const GraphVar x = n.In(0);
  const DataType dtype = NodeContext::DTypeOf(x);
  GraphVar y = x;
  if (n.opset < 11) {
    if (n.Has("min")) y = n.Call("maximum", {y, n.Scalar(n.Float("min", 0), dtype)});
    if (n.Has("max")) y = n.Call("minimum", {y, n.Scalar(n.Float("max", 0), dtype)});
  } else {
    const auto low = n.Known(1), high = n.Known(2);
    if (low && high && dtype == DataType::Float(32) && low->data->size() == 4 &&
        high->data->size() == 4 && FloatsOf(*low)[0] <= FloatsOf(*high)[0]) {
      return {n.Call(
          "clip", {x},
          {{"a_min", FloatAttr(FloatsOf(*low)[0])}, {"a_max", FloatAttr(FloatsOf(*high)[0])}})};
    }
    if (n.Has(1)) y = n.Call("maximum", {y, n.In(1)});
    if (n.Has(2)) y = n.Call("minimum", {y, n.In(2)});
  }
  return {y.same_as(x) ? n.Call("identity", {x}) : y};
}

Results Identity(NodeContext& n) {
  if (n.Has(0) && n.inputs[0].kind == Value::Kind::kTensor && n.inputs[0].narrow == 0) {
    return {n.Call("identity", {n.In(0)})};
  }
  return {n.inputs.empty() ? Value() : n.inputs[0]};
}

Results Where(NodeContext& n) { return {n.Call("where", {n.In(0), n.In(1), n.In(2)})}; }

Results Not(NodeContext& n) { return {n.Call("logical_not", {n.In(0)})}; }

}  // namespace

std::vector<Operator> Elementwise() {
  std::vector<Operator> ops;
  for (const auto& [name, ours] : std::vector<std::pair<const char*, const char*>>{
           {"Abs", "abs"},
           {"Acos", "acos"},
           {"Acosh", "acosh"},
           {"Add", "add"},
           {"And", "logical_and"},
           {"Asin", "asin"},
           {"Asinh", "asinh"},
           {"Atan", "atan"},
           {"Atanh", "atanh"},
           {"BitwiseAnd", "bitwise_and"},
           {"BitwiseNot", "bitwise_not"},
           {"BitwiseOr", "bitwise_or"},
           {"BitwiseXor", "bitwise_xor"},
           {"Ceil", "ceil"},
           {"Cos", "cos"},
           {"Cosh", "cosh"},
           {"Div", "divide"},
           {"Equal", "equal"},
           {"Erf", "erf"},
           {"Exp", "exp"},
           {"Floor", "floor"},
           {"Greater", "greater"},
           {"GreaterOrEqual", "greater_equal"},
           {"IsNaN", "isnan"},
           {"Less", "less"},
           {"LessOrEqual", "less_equal"},
           {"Log", "log"},
           {"Mul", "multiply"},
           {"Neg", "negative"},
           {"Or", "logical_or"},
           {"Reciprocal", "reciprocal"},
           {"Round", "rint"},
           {"Sign", "sign"},
           {"Sin", "sin"},
           {"Sinh", "sinh"},
           {"Sqrt", "sqrt"},
           {"Sub", "subtract"},
           {"Tan", "tan"},
           {"Tanh", "tanh"},
           {"Xor", "logical_xor"},
       }) {
    ops.push_back(Same(name, ours));
  }
  for (const auto& [name, ours] : std::vector<std::pair<const char*, const char*>>{
           {"Max", "maximum"}, {"Min", "minimum"}, {"Sum", "add"}}) {
    ops.push_back({name, [ours = std::string(ours)](NodeContext& n) -> Results {
                     return {FoldInputs(n, ours)};
                   }});
  }
  ops.push_back({"BitShift", BitShift});
  ops.push_back({"Cast", Cast});
  ops.push_back({"CastLike", CastLike});
  ops.push_back({"Clip", Clip});
  ops.push_back({"Identity", Identity});
  ops.push_back({"IsInf", IsInf});
  ops.push_back({"Mean", Mean});
  ops.push_back({"Mod", Modulo});
  ops.push_back({"Not", Not});
  ops.push_back({"Pow", Power});
  ops.push_back({"Where", Where});
  return ops;
}

}  // namespace lathe::graph::onnx
