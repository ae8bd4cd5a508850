// Activations, softmax, and what goes from numbers to quantised ones and back.
#include <algorithm>
#include <cmath>

#include "graph/import/tflite/operators.h"
#include "graph/import/tflite/quantised.h"

namespace lathe::graph::tflite {
namespace {

// Options of the schema.
enum Options : int32_t {
  kSoftmaxOptions = 9,
  kL2NormOptions = 12,
  kLrnOptions = 13,
  kFakeQuantOptions = 58,
  kLeakyReluOptions = 75,
  kGeluOptions = 116
};

GraphVar Clip(const OpContext& n, const GraphVar& x, double low, double high) {
  return n.Call("clip", {x}, {{"a_min", FloatAttr(low)}, {"a_max", FloatAttr(high)}});
}

// Between two real numbers; `high` may be infinite.
Converter Bounded(float low, float high) {
  return [low, high](OpContext& n) -> Results {
    if (IsQuantised8(n.OutInfo())) {
      const Affine in = AffineOf(n, n.InInfo(0)), out = AffineOf(n, n.OutInfo());
      const FixedPoint factor = ToFixedPoint(in.scale / out.scale);
      const auto place = [&](float x) {
        return out.zero_point + static_cast<int64_t>(std::round(x / out.scale));
      };
      return {LookedUp(n, 0, TableOf(n, 0, [&](int64_t q) {
                         const int64_t y = Multiply(q - in.zero_point, factor) + out.zero_point;
                         return std::max(std::isinf(high) ? y : std::min(y, place(high)),
                                         place(low));
                       }))};
    }
    const GraphVar x = Real(n, 0);
    return {Quantised(n, std::isinf(high) ? n.Call("nn.relu", {x}) : Clip(n, x, low, high))};
  };
}

Results LeakyRelu(OpContext& n) {
  const double alpha = n.Float(0, "alpha");
  if (IsQuantised8(n.OutInfo())) {
    const Affine in = AffineOf(n, n.InInfo(0)), out = AffineOf(n, n.OutInfo());
    const FixedPoint whole = ToFixedPoint(in.scale / out.scale);
    const float below = in.scale * static_cast<float>(alpha) / out.scale;
    if (below >= 0) {
      const FixedPoint part = ToFixedPoint(below);
      return {LookedUp(n, 0, TableOf(n, 0, [&](int64_t q) {
                         const int64_t x = q - in.zero_point;
                         return Multiply(x, x >= 0 ? whole : part) + out.zero_point;
                       }))};
    }
  }
  return {Quantised(n, n.Call("nn.leaky_relu", {Real(n, 0)}, {{"alpha", FloatAttr(alpha)}}))};
}

Results Prelu(OpContext& n) {
  if (IsQuantised8(n.OutInfo())) {
    const float in = AffineOf(n, n.InInfo(0)).scale, slope = AffineOf(n, n.InInfo(1)).scale,
                out = AffineOf(n, n.OutInfo()).scale;
    const GraphVar x = Centred(n, 0);
    const GraphVar above = Rescaled(n, x, {in / out});
    const GraphVar below = Rescaled(n, n.Mul(x, Centred(n, 1)), {in * slope / out});
    const GraphVar zero = n.Constant(MakeInts({0}, {}, DataType::Int(32)));
    const GraphVar y = n.Call("where", {n.Call("greater_equal", {x, zero}), above, below});
    return {Finished(n, y, RangeOf(n.OutType()))};
  }
  const GraphVar x = Real(n, 0), zero = n.Scalar(0, Maker::DTypeOf(x));
  return {
      Quantised(n, n.Call("where", {n.Call("greater_equal", {x, zero}), x, n.Mul(x, Real(n, 1))}))};
}

Converter Smooth(const std::string& op, float (*function)(float)) {
  return [op, function](OpContext& n) -> Results {
    if (IsQuantised8(n.OutInfo()) && IsQuantised8(n.InInfo(0))) {
      return {LookedUp(n, 0, TableOfReal(n, 0, function))};
    }
    return {Quantised(n, n.Call(op, {Real(n, 0)}))};
  };
}

float GeluOf(float x) { return 0.5F * x * (1 + std::erf(x * static_cast<float>(M_SQRT1_2))); }
float GeluTanhOf(float x) {
  const auto factor = static_cast<float>(M_2_SQRTPI * M_SQRT1_2);
  return 0.5F * x * (1 + std::tanh(factor * (x + 0.044715F * x * x * x)));
}

Results Gelu(OpContext& n) {
  const bool approximate = n.Flag(0, "approximate");
  if (IsQuantised8(n.OutInfo())) {
    return {LookedUp(n, 0, TableOfReal(n, 0, approximate ? GeluTanhOf : GeluOf))};
  }
  return {Quantised(n, n.Call(approximate ? "nn.gelu_tanh" : "nn.gelu", {Real(n, 0)}))};
}

// Products of numbers of 16 bits, as the reference kernel of HARD_SWISH has them.
int64_t Saturated16(int64_t x) { return std::clamp<int64_t>(x, INT16_MIN, INT16_MAX); }
int64_t HighProduct16(int64_t a, int64_t b) {
  return Saturated16((a * b + (int64_t{1} << 14)) >> 15);
}
struct Fixed16 {
  int64_t multiplier;
  int32_t exponent;
};
Fixed16 ToFixed16(float factor) {
  const FixedPoint fixed = ToFixedPoint(factor);
  const int64_t rounded = (int64_t{fixed.multiplier} + (1 << 15)) >> 16;
  return {std::min<int64_t>(rounded, INT16_MAX), fixed.shift};
}

// x relu6(x + 3) / 6, where the second factor is a number of 16 bits from 0 to 1.
int64_t HardSwishOf(int64_t q, const Affine& in, const Affine& out) {
  const float fine = in.scale / 128.0F;  // x has 7 more bits
  const Fixed16 to_out = ToFixed16(fine / out.scale), to_unit = ToFixed16(fine / (3.0F / 32768.0F));
  const int64_t x = (q - in.zero_point) * 128;
  const int64_t scaled = HighProduct16(x, to_out.multiplier);
  int64_t part = x;
  if (to_unit.exponent > 0) part = Saturated16(part << (to_unit.exponent - 1));
  part = HighProduct16(part, to_unit.multiplier);
  if (to_unit.exponent > 0) part = Saturated16(part * 2);
  if (to_unit.exponent < 0) part = RoundedShift(part, -to_unit.exponent);
  part = (part + (1 << 15)) >> 1;
  const int64_t product = Saturated16(part * scaled / (1 << 15));
  return RoundedShift(product, -to_out.exponent) + out.zero_point;
}

Results HardSwish(OpContext& n) {
  if (IsQuantised8(n.OutInfo())) {
    const Affine in = AffineOf(n, n.InInfo(0)), out = AffineOf(n, n.OutInfo());
    return {LookedUp(n, 0, TableOf(n, 0, [&](int64_t q) { return HardSwishOf(q, in, out); }))};
  }
  return {Quantised(n, n.Call("nn.hard_swish", {Real(n, 0)}))};
}

// -- Softmax.

// The exponentials of differences come from a table of float32, and sums are float32.
GraphVar QuantisedSoftmax(OpContext& n, float beta) {
  const Affine in = AffineOf(n, n.InInfo(0)), out = AffineOf(n, n.OutInfo());
  const DataType i32 = DataType::Int(32), real = DataType::Float(32);
  std::vector<double> table;
  const float factor = -in.scale * beta;
  for (int i = 0; i < 256; ++i) table.push_back(std::exp(factor * static_cast<float>(255 - i)));
  const ir::Dict last{{"axis", IntsAttr({-1})}, {"keepdims", BoolAttr(true)}};
  const GraphVar x = n.Cast(n.In(0), i32);
  const GraphVar place =
      n.Add(n.Sub(x, n.Call("max", {x}, last)), n.Constant(MakeInts({255}, {}, i32)));
  const GraphVar e =
      n.Call("take", {n.Constant(MakeFloats(table, {256}, real)), place}, {{"axis", IntAttr(0)}});
  const GraphVar sum = n.Call("sum", {e}, last);
  const GraphVar inverse = n.Div(n.Scalar(1, real), n.Mul(sum, n.Scalar(out.scale, real)));
  GraphVar y = n.Mul(e, inverse);
  y = n.OutInfo().type == kUInt8 ? n.Call("floor", {n.Add(y, n.Scalar(0.5, real))})
                                 : n.Call("round", {y});
  return Finished(n, n.Cast(y, i32), RangeOf(n.OutType()));
}

Results Softmax(OpContext& n) {
  const double beta = n.Float(0, "beta");
  if (IsQuantised8(n.InInfo(0)) && IsQuantised8(n.OutInfo())) {
    return {QuantisedSoftmax(n, static_cast<float>(beta))};
  }
  GraphVar x = Real(n, 0);
  if (beta != 1) x = n.Mul(x, n.Scalar(beta, Maker::DTypeOf(x)));
  return {Quantised(n, n.Call("nn.softmax", {x}, {{"axis", IntAttr(-1)}}))};
}

Results LogSoftmax(OpContext& n) {
  return {Quantised(n, n.Call("nn.log_softmax", {Real(n, 0)}, {{"axis", IntAttr(-1)}}))};
}

// -- Norms.

Results L2Normalisation(OpContext& n) {
  const GraphVar x = Real(n, 0);
  const int64_t rank = Maker::RankOf(x);
  const GraphVar y =
      n.Call("nn.l2_normalize", {x}, {{"eps", FloatAttr(1e-6)}, {"axis", IntsAttr({rank - 1})}});
  return {Quantised(n, Activated(n, y, n.Byte(0, "the fused activation")))};
}

// x / (bias + alpha * sum of squares of the neighbours)^beta.
Results LocalResponse(OpContext& n) {
  const int64_t radius = n.Number(0, "radius");
  if (radius < 0) n.Fail("has a negative radius", "0 and more", std::to_string(radius));
  const auto size = static_cast<double>(2 * radius + 1);
  return {n.Call("nn.lrn", {n.In(0)},
                 {{"size", IntAttr(2 * radius + 1)},
                  {"axis", IntAttr(Maker::RankOf(n.In(0)) - 1)},
                  {"bias", FloatAttr(n.Float(1, "bias"))},
                  {"alpha", FloatAttr(n.Float(2, "alpha") * size)},
                  {"beta", FloatAttr(n.Float(3, "beta"))}})};
}

// -- Quantising.

Results Quantize(OpContext& n) {
  const TensorInfo& in = n.InInfo(0);
  if (!IsQuantised(in)) return {Quantised(n, n.In(0))};
  const Affine from = AffineOf(n, in), to = AffineOf(n, n.OutInfo());
  const double factor = static_cast<double>(from.scale) / static_cast<double>(to.scale);
  if (IsQuantised8(in)) {
    const FixedPoint fixed = ToFixedPoint(factor);
    return {LookedUp(n, 0, TableOf(n, 0, [&](int64_t q) {
                       return Multiply(q - from.zero_point, fixed) + to.zero_point;
                     }))};
  }
  return {Finished(n, Rescaled(n, Centred(n, 0), {factor}), RangeOf(n.OutType()))};
}

Results Dequantize(OpContext& n) {
  const GraphVar x = n.In(0);
  if (Maker::DTypeOf(x).is_float()) return {n.Cast(x, n.OutType())};
  if (!IsQuantised(n.InInfo(0))) n.Fail("has an input without a scale", "a quantised tensor", "");
  return {n.Cast(Real(n, 0), n.OutType())};
}

// The bounds are moved so that 0 is one of the numbers.
Results FakeQuant(OpContext& n) {
  const double low = n.Float(0, "min"), high = n.Float(1, "max");
  const int64_t bits = n.Number(2, "num_bits");
  const bool narrow = n.Flag(3, "narrow_range");
  if (bits < 2 || bits > 16 || !(low < high)) n.Fail("has impossible bounds or bits");
  const double least = narrow ? 1 : 0, most = std::ldexp(1, static_cast<int>(bits)) - 1;
  const double scale = (high - low) / (most - least);
  const double zero = std::clamp(std::round(least - low / scale), least, most);
  const double from = (least - zero) * scale, to = (most - zero) * scale;
  const DataType real = DataType::Float(32);
  const GraphVar x = Clip(n, n.In(0), from, to);
  const GraphVar steps = n.Mul(n.Sub(x, n.Scalar(from, real)), n.Scalar(1 / scale, real));
  const GraphVar whole = n.Call("floor", {n.Add(steps, n.Scalar(0.5, real))});
  return {n.Add(n.Mul(whole, n.Scalar(scale, real)), n.Scalar(from, real))};
}

}  // namespace

std::vector<Conversion> Activations() {
  return {
      {"RELU", 0, Bounded(0, INFINITY)},
      {"RELU6", 0, Bounded(0, 6)},
      {"RELU_N1_TO_1", 0, Bounded(-1, 1)},
      {"RELU_0_TO_1", 0, Bounded(0, 1)},
      {"LEAKY_RELU", kLeakyReluOptions, LeakyRelu},
      {"PRELU", 0, Prelu},
      {"LOGISTIC", 0, Smooth("sigmoid", [](float x) { return 1 / (1 + std::exp(-x)); })},
      {"TANH", 0, Smooth("tanh", [](float x) { return std::tanh(x); })},
      {"ELU", 0, Smooth("nn.elu", [](float x) { return x < 0 ? std::exp(x) - 1 : x; })},
      {"GELU", kGeluOptions, Gelu},
      {"HARD_SWISH", 0, HardSwish},
      {"SOFTMAX", kSoftmaxOptions, Softmax},
      {"LOG_SOFTMAX", 0, LogSoftmax},
      {"L2_NORMALIZATION", kL2NormOptions, L2Normalisation},
      {"LOCAL_RESPONSE_NORMALIZATION", kLrnOptions, LocalResponse},
      {"QUANTIZE", 0, Quantize},
      {"DEQUANTIZE", 0, Dequantize},
      {"FAKE_QUANT", kFakeQuantOptions, FakeQuant},
  };
}

}  // namespace lathe::graph::tflite
