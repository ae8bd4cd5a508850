// Functions of one tensor, element by element.
#include <algorithm>
#include <cmath>

#include "graph/ops/extremes.h"
#include "graph/ops/families.h"
#include "te/tags.h"

namespace lathe::graph::ops {
namespace {

namespace fn = ir::intrinsic;

// An operator that is one intrinsic.
OpDef Intrinsic(std::string name, std::string doc, std::string_view intrinsic,
                std::string range = "", TypeSet types = kFloats) {
  return Unary(
      std::move(name), std::move(doc), types,
      [intrinsic](const Expr& x, const ComputeContext&) { return Fn(intrinsic, {x}); }, {},
      std::move(range));
}

// Whole numbers are what they are; floats are rounded.
OpDef Rounding(std::string name, std::string doc, std::string_view intrinsic) {
  return Unary(std::move(name), std::move(doc), kNumbers,
               [intrinsic](const Expr& x, const ComputeContext&) {
                 return x->dtype.is_float() ? Fn(intrinsic, {x}) : x;
               });
}

// A property of floats; of other types it is always `other`.
OpDef Property(std::string name, std::string doc, std::string_view intrinsic, bool other) {
  OpDef op = Unary(std::move(name), std::move(doc), kNumbers,
                   [intrinsic, other](const Expr& x, const ComputeContext&) {
                     return x->dtype.is_float() ? Fn(intrinsic, {x}) : ir::Bool(other);
                   });
  op.type = [](const TypeContext& c) -> TypeResult {
    return TensorOf(DataType::Bool(), c.shape(0));
  };
  return op;
}

Expr Sign(const Expr& x, const ComputeContext&) {
  const DataType t = x->dtype;
  const Expr zero = Num(0, t), one = Num(1, t);
  if (t.is_uint()) return ir::MakeMin(x, one);
  // What is neither above nor below 0 is 0 or NaN: itself.
  return ir::MakeSelect(x > zero, one, ir::MakeSelect(x < zero, Num(-1, t), x));
}

Expr Clip(const Expr& x, const ComputeContext& c) {
  const DataType t = x->dtype;
  const double low = c.attrs.Float("a_min"), high = c.attrs.Float("a_max");
  if (t.is_float()) return Smaller(Greater(x, Num(low, t)), Num(high, t));
  // Bounds beyond the type's own do nothing, and a fraction counts inwards.
  const bool is_signed = t.is_int();
  const double least = is_signed ? -std::ldexp(1.0, t.bits() - 1) : 0;
  const double greatest = std::ldexp(1.0, is_signed ? t.bits() - 1 : t.bits()) - 1;
  Expr y = x;
  if (high < greatest) {
    y = ir::MakeMin(y, Num(static_cast<int64_t>(std::floor(std::max(high, least))), t));
  }
  if (low > least) {
    y = ir::MakeMax(y, Num(static_cast<int64_t>(std::ceil(std::min(low, greatest))), t));
  }
  return y;
}

OpDef Cast() {
  OpDef op = Unary(
      "cast",
      "The same values in another element type. Floats become integers by truncation; "
      "what does not fit is not defined.",
      kAnyType, [](const Expr& x, const ComputeContext& c) { return ir::MakeCast(c.dtype(), x); },
      {Required(ElementType("dtype", "the element type of the result"))}, "0:100");
  op.type = [](const TypeContext& c) -> TypeResult {
    const DataType dtype = c.attrs.Type("dtype");
    if (dtype.is_void()) c.FailAttr("dtype", "names no type", "an element type", "\"\"");
    TypeResult result(TensorOf(dtype, c.shape(0)));
    if (c.values[0] && dtype.is_integral() && dtype.bits() >= 32) result.value = c.values[0];
    return result;
  };
  for (OpExample& example : op.examples) example.attrs = {{"dtype", StringAttr("float32")}};
  op.examples.push_back({{"float32[n, 7] in 0:100"}, {{"dtype", StringAttr("uint8")}}});
  op.examples.push_back({{"int8[n, 7]"}, {{"dtype", StringAttr("int64")}}});
  return op;
}

// A tensor of the input's shape with one value everywhere.
OpDef Everywhere(std::string name, int value) {
  return Unary(
      std::move(name),
      "A tensor of the input's type and shape, with " + std::to_string(value) + " everywhere.",
      kAnyType, [value](const Expr& x, const ComputeContext&) {
        return x->dtype.is_bool() ? ir::Bool(value != 0) : Num(value, x->dtype);
      });
}

}  // namespace

std::vector<OpDef> Elementwise() {
  std::vector<OpDef> ops;
  const auto add = [&](OpDef op) { ops.push_back(std::move(op)); };
  add(Unary("abs", "|x|.", kNumbers, [](const Expr& x, const ComputeContext&) {
    return x->dtype.is_uint() ? x : Fn(fn::kAbs, {x});
  }));
  add(Unary("negative", "-x.", kNumbers, [](const Expr& x, const ComputeContext&) { return -x; }));
  add(Unary("sign", "-1, 0 or 1, by the sign of x; NaN gives NaN.", kNumbers, Sign));
  add(Rounding("ceil", "The smallest whole number that is not below x.", fn::kCeil));
  add(Rounding("floor", "The greatest whole number that is not above x.", fn::kFloor));
  add(Rounding("trunc", "x without its fraction.", fn::kTrunc));
  add(Rounding("round", "The nearest whole number; ties go away from zero.", fn::kRound));
  add(Rounding("rint", "The nearest whole number; ties go to the even one (ONNX's Round).",
               fn::kNearbyint));
  add(Intrinsic("exp", "e^x.", fn::kExp));
  add(Intrinsic("exp2", "2^x.", fn::kExp2));
  add(Intrinsic("expm1", "e^x - 1, exact for small x.", fn::kExpm1));
  add(Intrinsic("log", "The natural logarithm.", fn::kLog, "0.1:9"));
  add(Intrinsic("log2", "The logarithm to base 2.", fn::kLog2, "0.1:9"));
  add(Intrinsic("log10", "The logarithm to base 10.", fn::kLog10, "0.1:9"));
  add(Intrinsic("log1p", "ln(1 + x), exact for small x.", fn::kLog1p, "0.1:9"));
  add(Intrinsic("sqrt", "The square root.", fn::kSqrt, "0:9"));
  add(Intrinsic("rsqrt", "1 / sqrt(x).", fn::kRsqrt, "0.1:9"));
  add(Intrinsic("sin", "The sine of x radians.", fn::kSin));
  add(Intrinsic("cos", "The cosine of x radians.", fn::kCos));
  add(Intrinsic("tan", "The tangent of x radians.", fn::kTan, "-1:1"));
  add(Intrinsic("asin", "The arc sine, in radians.", fn::kAsin, "-1:1"));
  add(Intrinsic("acos", "The arc cosine, in radians.", fn::kAcos, "-1:1"));
  add(Intrinsic("atan", "The arc tangent, in radians.", fn::kAtan));
  add(Intrinsic("sinh", "The hyperbolic sine.", fn::kSinh));
  add(Intrinsic("cosh", "The hyperbolic cosine.", fn::kCosh));
  add(Intrinsic("tanh", "The hyperbolic tangent.", fn::kTanh));
  add(Intrinsic("asinh", "The inverse hyperbolic sine.", fn::kAsinh));
  add(Intrinsic("acosh", "The inverse hyperbolic cosine.", fn::kAcosh, "1:9"));
  add(Intrinsic("atanh", "The inverse hyperbolic tangent.", fn::kAtanh, "-0.9:0.9"));
  add(Intrinsic("erf", "The error function.", fn::kErf));
  add(Intrinsic("sigmoid", "1 / (1 + e^-x).", fn::kSigmoid));
  add(Unary(
      "reciprocal", "1 / x.", kFloats,
      [](const Expr& x, const ComputeContext&) { return Num(1, x->dtype) / x; }, {}, "0.1:9"));
  add(Unary("square", "x * x.", kNumbers,
            [](const Expr& x, const ComputeContext&) { return x * x; }));
  add(Property("isnan", "Whether x is not a number.", fn::kIsnan, false));
  add(Property("isinf", "Whether x is infinite.", fn::kIsinf, false));
  add(Property("isfinite", "Whether x is neither infinite nor NaN.", fn::kIsfinite, true));
  add(Unary("logical_not", "not x.", kBool,
            [](const Expr& x, const ComputeContext&) { return ir::LogicalNot(x); }));
  add(Intrinsic("bitwise_not", "All bits inverted.", fn::kBitwiseNot, "", kIntegers));
  add(Unary("clip", "min(max(x, a_min), a_max).", kNumbers, Clip,
            {Required(Number("a_min", "the least value", 0)),
             Required(Number("a_max", "the greatest value", 0))}));
  ops.back().examples[0].attrs = {{"a_min", FloatAttr(-0.5)}, {"a_max", FloatAttr(1.5)}};
  add(Unary("copy", "The same values.", kAnyType,
            [](const Expr& x, const ComputeContext&) { return x; }));
  add(Cast());
  add(Everywhere("zeros_like", 0));
  add(Everywhere("ones_like", 1));
  return ops;
}

}  // namespace lathe::graph::ops
