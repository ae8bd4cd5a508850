#include "graph/import/tflite/quantised.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lathe::graph::tflite {
namespace {

// ActivationFunctionType of the schema.
enum Activation : int8_t {
  kNone = 0,
  kRelu = 1,
  kReluN1To1 = 2,
  kRelu6 = 3,
  kTanh = 4,
  kSignBit = 5
};

[[noreturn]] void FailActivation(const OpContext& n, int64_t activation) {
  constexpr std::array kNames = {"NONE", "RELU", "RELU_N1_TO_1", "RELU6", "TANH", "SIGN_BIT"};
  const bool known = activation >= 0 && activation < static_cast<int64_t>(kNames.size());
  n.Fail(
      "has a fused activation that is not supported", "NONE, RELU, RELU6 or RELU_N1_TO_1",
      known ? kNames[static_cast<size_t>(activation)] : "activation " + std::to_string(activation));
}

GraphVar Int32Constant(const OpContext& n, const std::vector<int64_t>& values) {
  const DataType i32 = DataType::Int(32);
  const bool one = values.size() == 1;
  return n.Constant(one ? MakeInts(values, {}, i32)
                        : MakeInts(values, {static_cast<int64_t>(values.size())}, i32));
}

GraphVar Clipped(const OpContext& n, const GraphVar& x, const Range& range) {
  return n.Call("clip", {x},
                {{"a_min", FloatAttr(static_cast<double>(range.low))},
                 {"a_max", FloatAttr(static_cast<double>(range.high))}});
}

}  // namespace

bool IsQuantised(const TensorInfo& tensor) {
  if (tensor.quantisation.scale.empty()) return false;
  const std::optional<DataType> type = DTypeOf(tensor.type);
  return type && (type->is_int() || type->is_uint());
}

bool IsQuantised8(const TensorInfo& tensor) {
  return IsQuantised(tensor) && (tensor.type == kInt8 || tensor.type == kUInt8);
}

Affine AffineOf(const OpContext& n, const TensorInfo& tensor) {
  const Quantisation& q = tensor.quantisation;
  if (q.scale.size() != 1 || q.zero_point.size() > 1 || q.is_blockwise) {
    n.Fail("needs one scale for tensor `" + std::string(tensor.name) + "`", "1",
           q.is_blockwise ? "scales of blocks" : std::to_string(q.scale.size()));
  }
  const Affine affine{q.scale[0], q.zero_point.empty() ? 0 : q.zero_point[0]};
  if (!(affine.scale > 0) || !std::isfinite(affine.scale)) {
    n.Fail("has an impossible scale for tensor `" + std::string(tensor.name) + "`",
           "a positive number", std::to_string(affine.scale));
  }
  const Range range = RangeOf(*DTypeOf(tensor.type));
  if (affine.zero_point < range.low || affine.zero_point > range.high) {
    n.Fail("has a zero point beyond the element type of tensor `" + std::string(tensor.name) + "`",
           std::to_string(range.low) + " to " + std::to_string(range.high),
           std::to_string(affine.zero_point));
  }
  return affine;
}

bool SameAffine(const TensorInfo& a, const TensorInfo& b) {
  return a.quantisation.scale == b.quantisation.scale &&
         a.quantisation.zero_point == b.quantisation.zero_point;
}

Range RangeOf(DataType type) {
  const int bits = std::min(type.bits(), 32);
  if (!type.is_int()) return {0, (int64_t{1} << bits) - 1};
  const int64_t half = int64_t{1} << (bits - 1);
  return {-half, half - 1};
}

Range ActivationRange(const OpContext& n, int64_t activation, const TensorInfo& tensor) {
  Range range = RangeOf(*DTypeOf(tensor.type));
  if (activation == kNone) return range;
  const Affine affine = AffineOf(n, tensor);
  const auto place = [&](float x) {
    return affine.zero_point + static_cast<int64_t>(std::round(x / affine.scale));
  };
  switch (activation) {
    case kRelu:
      range.low = std::max(range.low, place(0));
      break;
    case kRelu6:
      range = {std::max(range.low, place(0)), std::min(range.high, place(6))};
      break;
    case kReluN1To1:
      range = {std::max(range.low, place(-1)), std::min(range.high, place(1))};
      break;
    default:
      FailActivation(n, activation);
  }
  if (range.low > range.high) n.Fail("has an activation that leaves no number of its result");
  return range;
}

GraphVar Centred(const OpContext& n, size_t input) {
  const DataType i32 = DataType::Int(32);
  const int64_t zero = AffineOf(n, n.InInfo(input)).zero_point;
  const GraphVar x = n.Cast(n.In(input), i32);
  return zero == 0 ? x : n.Sub(x, Int32Constant(n, {zero}));
}

GraphVar Rescaled(const OpContext& n, const GraphVar& sum, const std::vector<double>& factors,
                  int64_t axis, Rounds rounds) {
  std::vector<int64_t> multipliers, shifts;
  const bool equal = std::ranges::all_of(factors, [&](double f) { return f == factors[0]; });
  for (size_t i = 0; i < (equal ? 1 : factors.size()); ++i) {
    if (!(factors[i] >= 0) || !std::isfinite(factors[i])) n.Fail("has an impossible scale");
    const FixedPoint fixed = ToFixedPoint(factors[i]);
    if (fixed.shift > 30) n.Fail("has scales that are too far apart");
    multipliers.push_back(fixed.multiplier);
    shifts.push_back(fixed.shift);
  }
  return n.Call("qnn.fixed_point_multiply",
                {sum, Int32Constant(n, multipliers), Int32Constant(n, shifts)},
                {{"axis", IntAttr(axis)},
                 {"rounding", StringAttr(rounds == Rounds::kOnce ? "ONCE" : "TWICE")}});
}

GraphVar Finished(const OpContext& n, const GraphVar& sum, const Range& range) {
  const int64_t zero = AffineOf(n, n.OutInfo()).zero_point;
  const GraphVar shifted = zero == 0 ? sum : n.Add(sum, Int32Constant(n, {zero}));
  return n.Cast(Clipped(n, shifted, range), n.OutType());
}

GraphVar LookedUp(const OpContext& n, size_t input, const std::vector<int64_t>& table) {
  const DataType i32 = DataType::Int(32);
  const int64_t low = RangeOf(Maker::DTypeOf(n.In(input))).low;
  GraphVar index = n.Cast(n.In(input), i32);
  if (low != 0) index = n.Sub(index, Int32Constant(n, {low}));
  const GraphVar values =
      n.Constant(MakeInts(table, {static_cast<int64_t>(table.size())}, n.OutType()));
  return n.Call("take", {values, index}, {{"axis", IntAttr(0)}});
}

std::vector<int64_t> TableOf(const OpContext& n, size_t input,
                             const std::function<int64_t(int64_t q)>& function) {
  const Range in = RangeOf(Maker::DTypeOf(n.In(input))), out = RangeOf(n.OutType());
  std::vector<int64_t> table;
  for (int64_t q = in.low; q <= in.high; ++q) {
    table.push_back(std::clamp(function(q), out.low, out.high));
  }
  return table;
}

std::vector<int64_t> TableOfReal(const OpContext& n, size_t input,
                                 const std::function<float(float x)>& function) {
  const Affine in = AffineOf(n, n.InInfo(input)), out = AffineOf(n, n.OutInfo());
  const float inverse = 1 / out.scale;
  return TableOf(n, input, [&](int64_t q) {
    const float x = in.scale * static_cast<float>(q - in.zero_point);
    // Beyond the range of int32, any number that is clipped will do.
    const float y = std::clamp(std::round(function(x) * inverse), -1e6F, 1e6F);
    return std::isnan(y) ? out.zero_point : static_cast<int64_t>(y) + out.zero_point;
  });
}

GraphVar Real(const OpContext& n, size_t input) {
  const TensorInfo& tensor = n.InInfo(input);
  if (!IsQuantised(tensor)) return n.In(input);
  const Quantisation& q = tensor.quantisation;
  if (q.is_blockwise) AffineOf(n, tensor);
  const int64_t rank = Maker::RankOf(n.In(input));
  const auto count = static_cast<int64_t>(q.scale.size());
  const bool one = count == 1;
  std::vector<double> scales(q.scale.begin(), q.scale.end());
  std::vector<int64_t> zeros = q.zero_point;
  if (zeros.size() != q.scale.size()) zeros.assign(q.scale.size(), zeros.empty() ? 0 : zeros[0]);
  return n.Call("qnn.dequantize",
                {n.In(input),
                 n.Constant(MakeFloats(scales, one ? std::vector<int64_t>{} : std::vector{count},
                                       DataType::Float(32))),
                 n.Constant(MakeInts(zeros, one ? std::vector<int64_t>{} : std::vector{count},
                                     DataType::Int(32)))},
                {{"axis", IntAttr(one ? -1 : n.Axis(q.axis, rank))}});
}

GraphVar Quantised(const OpContext& n, const GraphVar& real, size_t output) {
  const TensorInfo& tensor = n.OutInfo(output);
  if (!IsQuantised(tensor)) return real;
  const Affine affine = AffineOf(n, tensor);
  return n.Call(
      "qnn.quantize",
      {real, n.Scalar(affine.scale, DataType::Float(32)), Int32Constant(n, {affine.zero_point})},
      {{"out_dtype", StringAttr(n.OutType(output).ToString())},
       {"rounding", StringAttr("TONEAREST")}});
}

GraphVar Activated(const OpContext& n, const GraphVar& x, int64_t activation) {
  const auto clip = [&](double low, double high) {
    return n.Call("clip", {x}, {{"a_min", FloatAttr(low)}, {"a_max", FloatAttr(high)}});
  };
  switch (activation) {
    case kNone:
      return x;
    case kRelu:
      return n.Call("nn.relu", {x});
    case kRelu6:
      return clip(0, 6);
    case kReluN1To1:
      return clip(-1, 1);
    case kTanh:
      return n.Call("tanh", {x});
    default:
      FailActivation(n, activation);
  }
}

}  // namespace lathe::graph::tflite
