// Products with fixed-point factors, as quantised models of TFLite compute them.
#include "graph/ops/define.h"
#include "graph/ops/families.h"
#include "te/tags.h"

namespace lathe::graph::ops {
namespace {

Expr Left(const Expr& x, const Expr& places) { return Fn(ir::intrinsic::kShiftLeft, {x, places}); }
Expr Right(const Expr& x, const Expr& places) {
  return Fn(ir::intrinsic::kShiftRight, {x, places});
}

// Argument i must be broadcast to the shape of the data.
void NeedBroadcast(const TypeContext& c, size_t i) {
  c.NeedRank(i, 0, static_cast<int>(c.rank(0)));
  const auto behind = static_cast<size_t>(c.rank(0) - c.rank(i));
  for (size_t d = 0; d < c.shape(i).size(); ++d) {
    if (!ir::IsOne(c.shape(i)[d]))
      c.NeedExtent(i, d, c.shape(0)[d + behind], "the data's extent, or 1");
  }
}

OpDef FixedPointMultiply() {
  return {
      .name = "qnn.fixed_point_multiply",
      .doc =
          "data multiplier 2^(shift - 31) as TFLite's reference kernels compute it. TWICE: the "
          "product by 2^31 is rounded with halves up, and then, if the shift is negative, by "
          "2^-shift with halves away from 0; ONCE: all together, with halves up [Jacob et al., "
          "Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only "
          "Inference, 2018].",
      .inputs = {{"data", "whole numbers, usually sums of products", kInts},
                 {"multiplier",
                  "not negative; rank 0, [extent of `axis`], or of more dimensions: broadcast",
                  kInts},
                 {"shift", "-31 to 30; of such a shape, too", kInts}},
      .attrs = {Int("axis", "the dimension with factors of its own", -1),
                Choice("rounding", "how often the product is rounded", {"TWICE", "ONCE"})},
      .kind = OpKind::kBroadcast,
      .type = [](const TypeContext& c) -> TypeResult {
        for (const size_t i : {1, 2}) {
          if (c.rank(i) == 0) continue;
          if (c.rank(i) > 1) {
            NeedBroadcast(c, i);
            continue;
          }
          const int64_t axis = AxisOf(c, "axis", c.rank(0));
          c.NeedExtent(i, 0, c.shape(0)[static_cast<size_t>(axis)], "the extent along the axis");
        }
        return TensorOf(DataType::Int(32), c.shape(0));
      },
      .compute =
          [](const ComputeContext& c) {
            const DataType wide = DataType::Int(64);
            return One(
                c.shape(),
                [&](const Indices& i) {
                  const std::vector<Expr> at = AsExprs(i);
                  const auto parameter = [&](size_t k) {
                    if (c.in(k)->ndim() != 1) return ir::MakeCast(wide, BroadcastAt(c.in(k), at));
                    const int64_t axis = AxisOf(c, "axis", static_cast<int64_t>(c.shape().size()));
                    return ir::MakeCast(wide, At(c.in(k), {at[static_cast<size_t>(axis)]}));
                  };
                  const Expr zero = Num(0, wide), one = Num(1, wide);
                  const Expr shift = parameter(2);
                  if (c.attrs.String("rounding") == "ONCE") {
                    const Expr places = Num(31, wide) - shift;
                    const Expr half = Left(one, places - one);
                    const Expr product = ir::MakeCast(wide, At(c.in(0), at)) * parameter(1);
                    return ir::MakeCast(DataType::Int(32), Right(product + half, places));
                  }
                  const Expr left = ir::MakeMax(shift, zero);
                  const Expr right = ir::MakeMax(zero - shift, zero);
                  const Expr x = Left(ir::MakeCast(wide, At(c.in(0), at)), left);
                  const Expr high =
                      Right(x * parameter(1) + Num(int64_t{1} << 30, wide), Num(31, wide));
                  const Expr half = Right(Left(one, right), one);
                  const Expr less = ir::MakeSelect(high < zero, ir::MakeMin(half, one), zero);
                  return ir::MakeCast(DataType::Int(32), Right(high + (half - less), right));
                },
                "q", te::kBroadcast);
          },
      .examples =
          {{{"int32[n, 7] in -9000:9000", "int32[] in 1073741824:2147483647", "int32[] in -9:3"}},
           {{"int32[n, 3, 5] in -9000:9000", "int32[3] in 1073741824:2147483647",
             "int32[3] in -9:3"},
            {{"axis", IntAttr(1)}}},
           {{"int32[n, 3, 2, 4] in -9000:9000", "int32[3, 1, 4] in 1073741824:2147483647",
             "int32[3, 1, 4] in -9:3"}},
           {{"int64[n] in -9000:9000", "int64[] in 1073741824:2147483647", "int64[] in -31:0"},
            {{"rounding", StringAttr("ONCE")}}}}};
}

}  // namespace

std::vector<OpDef> FixedPoint() { return {FixedPointMultiply()}; }

}  // namespace lathe::graph::ops
