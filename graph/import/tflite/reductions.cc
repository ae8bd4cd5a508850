// Reductions, extremes and their places, sums along a dimension.
#include <algorithm>
#include <bit>

#include "graph/import/tflite/operators.h"
#include "graph/import/tflite/quantised.h"

namespace lathe::graph::tflite {
namespace {

// Options of the schema.
enum Options : int32_t {
  kReducerOptions = 27,
  kTopKOptions = 34,
  kArgMaxOptions = 40,
  kArgMinOptions = 57,
  kUniqueOptions = 80,
  kCumsumOptions = 102
};

std::vector<int64_t> AxesOf(OpContext& n) {
  std::vector<int64_t> axes = n.Axes(n.Ints(1, "axis"), Maker::RankOf(n.In(0)));
  std::ranges::sort(axes);
  axes.erase(std::ranges::unique(axes).begin(), axes.end());
  return axes;
}

GraphVar Reduced(OpContext& n, const std::string& op, const GraphVar& x,
                 const std::vector<int64_t>& axes) {
  return n.Call(op, {x},
                {{"axis", IntsAttr(axes)}, {"keepdims", BoolAttr(n.Flag(0, "keep_dims"))}});
}

// The sum of the numbers without their zero points, by the scales. For a mean, the factor is
// divided by the number of elements.
GraphVar QuantisedSum(OpContext& n, const std::vector<int64_t>& axes, bool is_mean) {
  const Affine in = AffineOf(n, n.InInfo(0)), out = AffineOf(n, n.OutInfo());
  FixedPoint factor = ToFixedPoint(static_cast<double>(in.scale) / static_cast<double>(out.scale));
  if (is_mean) {
    int64_t count = 1;
    const std::vector<int64_t> shape = n.FixedShape(n.In(0), "an input");
    for (const int64_t axis : axes) count *= shape[static_cast<size_t>(axis)];
    if (count < 1) n.Fail("has the mean of no elements");
    const int whole = std::bit_width(static_cast<uint64_t>(count)) - 1;
    const int bits = std::min({whole, 32, static_cast<int>(31 + factor.shift)});
    factor.multiplier =
        static_cast<int32_t>((static_cast<int64_t>(factor.multiplier) << bits) / count);
    factor.shift -= bits;
  }
  const DataType i32 = DataType::Int(32);
  const auto number = [&](int64_t value) { return n.Constant(MakeInts({value}, {}, i32)); };
  const GraphVar sum = n.Call(
      "qnn.fixed_point_multiply",
      {Reduced(n, "sum", Centred(n, 0), axes), number(factor.multiplier), number(factor.shift)});
  return Finished(n, sum, RangeOf(n.OutType()));
}

Converter SumOf(bool is_mean) {
  return [is_mean](OpContext& n) -> Results {
    const std::vector<int64_t> axes = AxesOf(n);
    if (axes.empty()) return {n.Call("identity", {n.In(0)})};
    if (IsQuantised8(n.OutInfo())) return {QuantisedSum(n, axes, is_mean)};
    const GraphVar x = Real(n, 0);
    if (is_mean && !Maker::DTypeOf(x).is_float()) {
      // Whole numbers: the sum, divided towards 0.
      std::vector<int64_t> shape = n.FixedShape(x, "an input");
      int64_t count = 1;
      for (const int64_t axis : axes) count *= shape[static_cast<size_t>(axis)];
      const DataType type = Maker::DTypeOf(x);
      return {n.Call("trunc_divide",
                     {Reduced(n, "sum", x, axes), n.Constant(MakeInts({count}, {}, type))})};
    }
    return {Quantised(n, Reduced(n, is_mean ? "mean" : "sum", x, axes))};
  };
}

// Extremes do not change with the scale.
Converter ReductionOf(const std::string& op) {
  return [op](OpContext& n) -> Results {
    const std::vector<int64_t> axes = AxesOf(n);
    if (axes.empty()) return {n.Call("identity", {n.In(0)})};
    const bool extreme = op == "max" || op == "min";
    const bool plain =
        !IsQuantised(n.OutInfo()) || (extreme && SameAffine(n.InInfo(0), n.OutInfo()));
    if (plain) return {Reduced(n, op, n.In(0), axes)};
    return {Quantised(n, Reduced(n, op, Real(n, 0), axes))};
  };
}

Converter PlaceOf(const std::string& op) {
  return [op](OpContext& n) -> Results {
    const int64_t axis = n.Axis(n.Int(1, "axis"), Maker::RankOf(n.In(0)));
    return {n.Cast(n.Call(op, {n.In(0)}, {{"axis", IntsAttr({axis})}}), n.OutType())};
  };
}

Results TopK(OpContext& n) {
  const GraphVar pair = n.Call("topk", {n.In(0)},
                               {{"k", ShapeAttr({Int64(n.Int(1, "k"))})},
                                {"axis", IntAttr(Maker::RankOf(n.In(0)) - 1)},
                                {"ret_type", StringAttr("both")},
                                {"dtype", StringAttr("int32")}});
  return n.Fields(pair);
}

Results CumulativeSum(OpContext& n) {
  const int64_t axis = n.Axis(n.Int(1, "axis"), Maker::RankOf(n.In(0)));
  return {n.Call("cumsum", {n.In(0)},
                 {{"axis", IntAttr(axis)},
                  {"exclusive", BoolAttr(n.Flag(0, "exclusive"))},
                  {"reverse", BoolAttr(n.Flag(1, "reverse"))}})};
}

}  // namespace

std::vector<Conversion> Reductions() {
  return {
      {"MEAN", kReducerOptions, SumOf(true)},
      {"SUM", kReducerOptions, SumOf(false)},
      {"REDUCE_PROD", kReducerOptions, ReductionOf("prod")},
      {"REDUCE_MAX", kReducerOptions, ReductionOf("max")},
      {"REDUCE_MIN", kReducerOptions, ReductionOf("min")},
      {"REDUCE_ANY", kReducerOptions, ReductionOf("any")},
      {"REDUCE_ALL", kReducerOptions, ReductionOf("all")},
      {"ARG_MAX", kArgMaxOptions, PlaceOf("argmax")},
      {"ARG_MIN", kArgMinOptions, PlaceOf("argmin")},
      {"TOPK_V2", kTopKOptions, TopK},
      {"CUMSUM", kCumsumOptions, CumulativeSum},
  };
}

}  // namespace lathe::graph::tflite
