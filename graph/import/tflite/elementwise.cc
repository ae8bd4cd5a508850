// Operators of one or two tensors, element by element.
#include <algorithm>
#include <cmath>

#include "graph/import/tflite/operators.h"
#include "graph/import/tflite/quantised.h"

namespace lathe::graph::tflite {
namespace {

// Operators of the schema that have options.
enum Options : int32_t {
  kAddOptions = 11,
  kMulOptions = 21,
  kSubOptions = 28,
  kDivOptions = 29,
  kCastOptions = 37
};

// Both operands are brought to twice the larger scale, with 20 more bits, and added there.
GraphVar QuantisedSum(OpContext& n, bool subtracts, int64_t activation) {
  constexpr int64_t kBits = 20;
  const float a = AffineOf(n, n.InInfo(0)).scale, b = AffineOf(n, n.InInfo(1)).scale;
  const double twice = 2 * static_cast<double>(std::max(a, b));
  const GraphVar bits = n.Constant(MakeInts({kBits}, {}, DataType::Int(32)));
  const auto operand = [&](size_t i, float scale) {
    return Rescaled(n, n.Call("left_shift", {Centred(n, i), bits}),
                    {static_cast<double>(scale) / twice});
  };
  const GraphVar x = operand(0, a), y = operand(1, b);
  const double out =
      static_cast<double>(1 << kBits) * static_cast<double>(AffineOf(n, n.OutInfo()).scale);
  const GraphVar sum = Rescaled(n, subtracts ? n.Sub(x, y) : n.Add(x, y), {twice / out});
  return Finished(n, sum, ActivationRange(n, activation, n.OutInfo()));
}

GraphVar QuantisedProduct(OpContext& n, int64_t activation) {
  const float factor = AffineOf(n, n.InInfo(0)).scale * AffineOf(n, n.InInfo(1)).scale /
                       AffineOf(n, n.OutInfo()).scale;
  const GraphVar product = Rescaled(n, n.Mul(Centred(n, 0), Centred(n, 1)), {factor});
  return Finished(n, product, ActivationRange(n, activation, n.OutInfo()));
}

// Whole numbers are divided towards 0.
std::string Division(const GraphVar& x) {
  return Maker::DTypeOf(x).is_float() ? "divide" : "trunc_divide";
}

Results Arithmetic(OpContext& n, const std::string& op) {
  const int64_t activation = n.Byte(0, "the fused activation");
  if (IsQuantised8(n.OutInfo())) {
    if (op == "multiply") return {QuantisedProduct(n, activation)};
    if (op != "divide") return {QuantisedSum(n, op == "subtract", activation)};
  }
  if (IsQuantised(n.OutInfo())) {
    // No reference kernel with whole numbers: real ones, which are rounded.
    const GraphVar y = n.Call(op, {Real(n, 0), Real(n, 1)});
    return {Quantised(n, Activated(n, y, activation))};
  }
  const std::string own = op == "divide" ? Division(n.In(0)) : op;
  return {Activated(n, n.Call(own, {n.In(0), n.In(1)}), activation)};
}

Converter ArithmeticOf(const std::string& op) {
  return [op](OpContext& n) { return Arithmetic(n, op); };
}

// Without options. Numbers that stand for the same real ones are compared as they are.
Converter Binary(const std::string& op) {
  return [op](OpContext& n) -> Results {
    const bool quantised = n.Has(0) && n.Has(1) && IsQuantised(n.InInfo(0));
    const bool equal = quantised && SameAffine(n.InInfo(0), n.InInfo(1)) &&
                       (!IsQuantised(n.OutInfo()) || SameAffine(n.InInfo(0), n.OutInfo()));
    if (!quantised || equal) return {n.Call(op, {n.In(0), n.In(1)})};
    return {Quantised(n, n.Call(op, {Real(n, 0), Real(n, 1)}))};
  };
}

// Both operands are brought to twice the larger scale, with 7 more bits.
GraphVar QuantisedSquare(OpContext& n) {
  constexpr int64_t kBits = 7;
  const float a = AffineOf(n, n.InInfo(0)).scale, b = AffineOf(n, n.InInfo(1)).scale;
  const double twice = 2 * static_cast<double>(std::max(a, b));
  const GraphVar bits = n.Constant(MakeInts({kBits}, {}, DataType::Int(32)));
  const auto operand = [&](size_t i, float scale) {
    return Rescaled(n, n.Call("left_shift", {Centred(n, i), bits}),
                    {static_cast<double>(scale) / twice});
  };
  const GraphVar difference = n.Sub(operand(0, a), operand(1, b));
  const double out =
      static_cast<double>(1 << (2 * kBits)) * static_cast<double>(AffineOf(n, n.OutInfo()).scale);
  return Finished(n, Rescaled(n, n.Mul(difference, difference), {twice * twice / out}),
                  RangeOf(n.OutType()));
}

Results SquaredDifference(OpContext& n) {
  if (IsQuantised8(n.OutInfo())) return {QuantisedSquare(n)};
  const GraphVar difference = n.Sub(Real(n, 0), Real(n, 1));
  return {Quantised(n, n.Mul(difference, difference))};
}

Results AddN(OpContext& n) {
  const std::vector<GraphVar> all = n.All();
  GraphVar sum = all[0];
  for (size_t i = 1; i < all.size(); ++i) sum = n.Add(sum, all[i]);
  return {all.size() == 1 ? n.Call("identity", {sum}) : sum};
}

// A condition of rank 1 belongs to the first dimension.
Results Select(OpContext& n) {
  GraphVar condition = n.In(0);
  const int64_t own = Maker::RankOf(condition), rank = Maker::RankOf(n.In(1));
  if (own == 1 && rank > 1) condition = n.ExpandDims(condition, 1, rank - 1);
  return {n.Call("where", {condition, n.In(1), n.In(2)})};
}
Results SelectV2(OpContext& n) { return {n.Call("where", {n.In(0), n.In(1), n.In(2)})}; }

// A function of one number; quantised ones look it up.
Converter Unary(const std::string& op, float (*function)(float)) {
  return [op, function](OpContext& n) -> Results {
    if (IsQuantised8(n.OutInfo()) && IsQuantised8(n.InInfo(0))) {
      return {LookedUp(n, 0, TableOfReal(n, 0, function))};
    }
    return {Quantised(n, n.Call(op, {Real(n, 0)}))};
  };
}
// Of whole numbers or truth values, too.
Converter Plain(const std::string& op) {
  return [op](OpContext& n) -> Results { return {n.Call(op, {n.In(0)})}; };
}

// |q - zero point|, with another scale if need be.
Results Abs(OpContext& n) {
  if (!IsQuantised8(n.OutInfo())) return {Quantised(n, n.Call("abs", {Real(n, 0)}))};
  const Affine in = AffineOf(n, n.InInfo(0)), out = AffineOf(n, n.OutInfo());
  const FixedPoint factor = ToFixedPoint(in.scale / out.scale);
  const bool same = in.scale == out.scale;
  return {LookedUp(n, 0, TableOf(n, 0, [&](int64_t q) {
                     const int64_t size = std::abs(q - in.zero_point);
                     return (same ? size : Multiply(size, factor)) + out.zero_point;
                   }))};
}

Results Square(OpContext& n) {
  const GraphVar x = Real(n, 0);
  return {Quantised(n, n.Mul(x, x))};
}

Results Cast(OpContext& n) {
  const GraphVar x = n.In(0);
  const DataType type = n.OutType();
  if (Maker::DTypeOf(x) == type) return {n.Call("identity", {x})};
  if (type.is_bool()) return {n.Call("not_equal", {x, n.Scalar(0, Maker::DTypeOf(x))})};
  return {n.Cast(x, type)};
}

Results ZerosLike(OpContext& n) { return {n.Call("zeros_like", {n.In(0)})}; }

}  // namespace

std::vector<Conversion> Elementwise() {
  std::vector<Conversion> rows{
      {"ADD", kAddOptions, ArithmeticOf("add")},
      {"SUB", kSubOptions, ArithmeticOf("subtract")},
      {"MUL", kMulOptions, ArithmeticOf("multiply")},
      {"DIV", kDivOptions, ArithmeticOf("divide")},
      {"SQUARED_DIFFERENCE", 0, SquaredDifference},
      {"ADD_N", 0, AddN},
      {"SELECT", 0, Select},
      {"SELECT_V2", 0, SelectV2},
      {"ABS", 0, Abs},
      {"SQUARE", 0, Square},
      {"CAST", kCastOptions, Cast},
      {"ZEROS_LIKE", 0, ZerosLike},
      {"EXP", 0, Unary("exp", [](float x) { return std::exp(x); })},
      {"LOG", 0, Unary("log", [](float x) { return std::log(x); })},
      {"SQRT", 0, Unary("sqrt", [](float x) { return std::sqrt(x); })},
      {"RSQRT", 0, Unary("rsqrt", [](float x) { return 1 / std::sqrt(x); })},
      {"SIN", 0, Unary("sin", [](float x) { return std::sin(x); })},
      {"COS", 0, Unary("cos", [](float x) { return std::cos(x); })},
  };
  for (const auto& [name, op] :
       std::vector<std::pair<std::string, std::string>>{{"MAXIMUM", "maximum"},
                                                        {"MINIMUM", "minimum"},
                                                        {"POW", "power"},
                                                        {"FLOOR_DIV", "floor_divide"},
                                                        {"FLOOR_MOD", "floor_mod"},
                                                        {"ATAN2", "atan2"},
                                                        {"EQUAL", "equal"},
                                                        {"NOT_EQUAL", "not_equal"},
                                                        {"LESS", "less"},
                                                        {"LESS_EQUAL", "less_equal"},
                                                        {"GREATER", "greater"},
                                                        {"GREATER_EQUAL", "greater_equal"},
                                                        {"LOGICAL_AND", "logical_and"},
                                                        {"LOGICAL_OR", "logical_or"},
                                                        {"BITWISE_XOR", "bitwise_xor"},
                                                        {"RIGHT_SHIFT", "right_shift"}}) {
    rows.push_back({name, 0, Binary(op)});
  }
  for (const auto& [name, op] :
       std::vector<std::pair<std::string, std::string>>{{"NEG", "negative"},
                                                        {"FLOOR", "floor"},
                                                        {"CEIL", "ceil"},
                                                        {"ROUND", "rint"},
                                                        {"SIGN", "sign"},
                                                        {"LOGICAL_NOT", "logical_not"}}) {
    rows.push_back({name, 0, Plain(op)});
  }
  return rows;
}

}  // namespace lathe::graph::tflite
