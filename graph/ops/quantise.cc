// Quantised numbers: q stands for scale (q - zero point). Scales and zero points are operands.
#include "graph/ops/define.h"
#include "graph/ops/families.h"
#include "graph/ops/quantised.h"
#include "te/tags.h"

namespace lathe::graph::ops {
namespace {

namespace fn = ir::intrinsic;

const DataType kReal = DataType::Float(32);

AttrDef RoundingAttr(const std::string& first) {
  std::vector<std::string> choices{"UPWARD", "TONEAREST", "NEAREST_EVEN"};
  std::erase(choices, first);
  choices.insert(choices.begin(), first);
  return Choice("rounding",
                std::string("where halves go: up, away from zero, or to the even number") +
                    (first == "None" ? "; \"None\": up" : ""),
                std::move(choices));
}

// `x` as an integer of type `dtype`, with the zero point added; what does not fit is clipped.
Expr Quantised(const Expr& x, const std::string& rounding, const Expr& zero, DataType dtype) {
  const DataType real = x->dtype;
  const Expr whole = rounding == "NEAREST_EVEN" ? Fn(fn::kNearbyint, {x})
                     : rounding == "TONEAREST"  ? Fn(fn::kRound, {x})
                                                : Fn(fn::kFloor, {x + Num(0.5, real)});
  // The greatest float32 that is an int32 is smaller than the greatest int32.
  const bool rounds = dtype.bits() == 32 && real.bits() == 32;
  const Expr low = ir::MakeCast(real, te::MinValue(dtype));
  const Expr high = rounds ? Num(dtype.is_int() ? 2147483520.0 : 4294967040.0, real)
                           : ir::MakeCast(real, te::MaxValue(dtype));
  return ir::MakeCast(dtype, ir::MakeMax(ir::MakeMin(whole + ir::MakeCast(real, zero), high), low));
}

// An element of a scale or a zero point: of rank 0 or [1], or one for each place along `axis`.
Expr ParameterAt(const Tensor& parameter, const std::vector<Expr>& at, int64_t axis) {
  if (parameter->ndim() == 0) return At(parameter, {});
  if (ir::IsOne(parameter->shape()[0])) return At(parameter, {ir::Int(0)});
  const auto rank = static_cast<int64_t>(at.size());
  return At(parameter, {at[static_cast<size_t>(axis < 0 ? axis + rank : axis)]});
}

void CheckParameter(const TypeContext& c, size_t i, const Expr& extent, const std::string& of) {
  c.NeedRank(i, 0, 1);
  if (c.rank(i) == 1 && !ir::IsOne(c.shape(i)[0])) c.NeedExtent(i, 0, extent, of);
}
// Parameters along `axis` of operand `data`.
void CheckAlong(const TypeContext& c, size_t data, const char* attr, std::vector<size_t> inputs) {
  for (const size_t i : inputs) {
    c.NeedRank(i, 0, 1);
    if (c.rank(i) == 0 || ir::IsOne(c.shape(i)[0])) continue;
    const int64_t axis = AxisOf(c, attr, c.rank(data));
    c.NeedExtent(i, 0, c.shape(data)[static_cast<size_t>(axis)], "the extent along the axis");
  }
}

// data - zero point, as integers that hold it.
Expr Centred(const Expr& data, const Expr& zero) {
  const DataType wide = DataType::Int(data->dtype.bits() < 32 || data->dtype.is_int() ? 32 : 64);
  const DataType type = data->dtype.bits() > 32 ? DataType::Int(64) : wide;
  return ir::MakeCast(type, data) - ir::MakeCast(type, zero);
}

OpDef Quantize() {
  return {
      .name = "qnn.quantize",
      .doc = "data / scale, rounded, + zero point, clipped to the type [ONNX's QuantizeLinear].",
      .inputs = {{"data", "numbers", kFloats},
                 {"output_scale", "the scale: rank 0, or [extent of `axis`]", kFloats},
                 {"output_zero_point", "what stands for 0: rank 0, or [extent of `axis`]",
                  kIntegers}},
      .attrs = {Int("axis", "the dimension with scales of its own", -1), QuantisedType("int8"),
                RoundingAttr("TONEAREST")},
      .kind = OpKind::kBroadcast,
      .type = [](const TypeContext& c) -> TypeResult {
        CheckAlong(c, 0, "axis", {1, 2});
        return TensorOf(QuantisedTypeOf(c), c.shape(0));
      },
      .compute =
          [](const ComputeContext& c) {
            const int64_t axis = c.attrs.Int("axis");
            return One(
                c.shape(),
                [&](const Indices& i) {
                  const std::vector<Expr> at = AsExprs(i);
                  const Expr scale = ir::MakeCast(kReal, ParameterAt(c.in(1), at, axis));
                  return Quantised(ir::MakeCast(kReal, At(c.in(0), at)) / scale,
                                   c.attrs.String("rounding"), ParameterAt(c.in(2), at, axis),
                                   c.dtype());
                },
                "q", te::kBroadcast);
          },
      .examples = {{{"T[n, 7] in -3:3", "float32[] in 0.1:0.2", "int32[] in -3:3"}},
                   {{"T[n, 3, 5] in -3:3", "float32[3] in 0.01:0.02", "int8[3] in -3:3"},
                    {{"axis", IntAttr(1)},
                     {"out_dtype", StringAttr("uint8")},
                     {"rounding", StringAttr("NEAREST_EVEN")}}},
                   {{"T[n] in -3:3", "float32[1] in 0.01:0.02", "int32[1] in -3:3"},
                    {{"out_dtype", StringAttr("int16")}, {"rounding", StringAttr("UPWARD")}}}}};
}

OpDef Dequantize() {
  return {.name = "qnn.dequantize",
          .doc = "(data - zero point) scale [ONNX's DequantizeLinear].",
          .inputs = {{"data", "quantised numbers", kIntegers},
                     {"input_scale", "the scale: rank 0, or [extent of `axis`]", kFloats},
                     {"input_zero_point", "what stands for 0: rank 0, or [extent of `axis`]",
                      kIntegers}},
          .attrs = {Int("axis", "the dimension with scales of its own", -1)},
          .kind = OpKind::kBroadcast,
          .type = [](const TypeContext& c) -> TypeResult {
            CheckAlong(c, 0, "axis", {1, 2});
            return TensorOf(c.dtype(1), c.shape(0));
          },
          .compute =
              [](const ComputeContext& c) {
                const int64_t axis = c.attrs.Int("axis");
                return One(
                    c.shape(),
                    [&](const Indices& i) {
                      const std::vector<Expr> at = AsExprs(i);
                      const Expr centred = Centred(At(c.in(0), at), ParameterAt(c.in(2), at, axis));
                      return ir::MakeCast(c.dtype(), centred) * ParameterAt(c.in(1), at, axis);
                    },
                    "y", te::kBroadcast);
              },
          .examples = {{{"T[n, 7]", "float32[] in 0.1:0.2", "int32[] in -3:3"}},
                       {{"int8[n, 3, 5]", "float16[3] in 0.1:0.2", "int8[3] in -3:3"},
                        {{"axis", IntAttr(1)}}}}};
}

OpDef Requantize() {
  AttrDef rounding = RoundingAttr("None");
  return {
      .name = "qnn.requantize",
      .doc =
          "Other scales for the same numbers: (data - zero point) input scale / output scale, "
          "rounded, + output zero point, clipped to the type. The parameters of the input may be "
          "per place along `axis`.",
      .inputs = {{"data", "quantised numbers, or sums of products of them", kIntegers},
                 {"input_scale", "rank 0, or [extent of `axis`]", kFloats},
                 {"input_zero_point", "rank 0, or [extent of `axis`]", kIntegers},
                 {"output_scale", "rank 0, or [extent of `axis`]", kFloats},
                 {"output_zero_point", "rank 0, or [extent of `axis`]", kIntegers}},
      .attrs = {Int("axis", "the dimension with scales of its own", -1), rounding,
                Choice("compute_dtype",
                       "the type that is multiplied and rounded in; \"None\": float32",
                       {"None", "float32", "float64"}),
                QuantisedType("int8")},
      .kind = OpKind::kBroadcast,
      .type = [](const TypeContext& c) -> TypeResult {
        CheckAlong(c, 0, "axis", {1, 2, 3, 4});
        return TensorOf(QuantisedTypeOf(c), c.shape(0));
      },
      .compute =
          [](const ComputeContext& c) {
            const int64_t axis = c.attrs.Int("axis");
            const DataType real =
                c.attrs.String("compute_dtype") == "float64" ? DataType::Float(64) : kReal;
            return One(
                c.shape(),
                [&](const Indices& i) {
                  const std::vector<Expr> at = AsExprs(i);
                  const auto parameter = [&](size_t k) { return ParameterAt(c.in(k), at, axis); };
                  const Expr ratio =
                      ir::MakeCast(real, parameter(1)) / ir::MakeCast(real, parameter(3));
                  const Expr x = ir::MakeCast(real, Centred(At(c.in(0), at), parameter(2)));
                  return Quantised(x * ratio, c.attrs.String("rounding"), parameter(4), c.dtype());
                },
                "q", te::kBroadcast);
          },
      .examples = {{{"T[n, 7] in -90:90", "float32[] in 0.1:0.2", "int32[] in -3:3",
                     "float32[] in 0.2:0.3", "int32[] in -3:3"}},
                   {{"int32[n, 3, 5] in -900:900", "float32[3] in 0.1:0.2", "int32[] in 0:0",
                     "float32[] in 0.3:0.9", "uint8[] in 90:99"},
                    {{"axis", IntAttr(1)},
                     {"rounding", StringAttr("TONEAREST")},
                     {"out_dtype", StringAttr("uint8")}}},
                   {{"int32[n] in -900:900", "float32[] in 0.1:0.2", "int32[] in 0:0",
                     "float32[] in 0.3:0.9", "int8[] in -9:9"},
                    {{"rounding", StringAttr("NEAREST_EVEN")},
                     {"compute_dtype", StringAttr("float64")}}}}};
}

OpDef DynamicQuantize() {
  return {
      .name = "qnn.dynamic_quantize",
      .doc =
          "Quantised numbers with a scale that fits them: (q, scale, zero point) [ONNX's "
          "DynamicQuantizeLinear]. The scale is (max - min) / (the type's range), with 0 between "
          "min and max; halves are rounded to even. All zeros have the scale 0.",
      .inputs = {{"data", "numbers", kFloats}},
      .attrs = {Choice("out_dtype", "the type of q", {"uint8", "int8"})},
      .type = [](const TypeContext& c) -> TypeResult {
        DataType dtype;
        DataType::Parse(c.attrs.String("out_dtype"), &dtype);
        return TupleOf({TensorOf(dtype, c.shape(0)), TensorOf(kReal, {}), TensorOf(dtype, {})});
      },
      .compute =
          [](const ComputeContext& c) {
            const Tensor& x = c.in(0);
            std::vector<ir::IterVar> k;
            std::vector<Expr> at;
            const auto extreme = [&](auto how, const char* name) {
              k.clear();
              at.clear();
              for (const Expr& extent : x->shape()) {
                k.push_back(te::ReduceAxis(ir::Int(0), extent, "k"));
                at.push_back(k.back()->var);
              }
              return te::Compute(
                  {},
                  [&](const Indices&) {
                    const Expr element = ir::MakeCast(kReal, At(x, at));
                    return k.empty() ? element : how(element, k, {}, {});
                  },
                  name);
            };
            const Tensor most = extreme(te::Max, "most"), least = extreme(te::Min, "least");
            const Expr none = Num(0, kReal);
            const double low = c.dtype().is_int() ? -128 : 0;
            const Expr bottom = ir::MakeMin(At(least, {}), none);
            const Tensor scale = te::Compute(
                {},
                [&](const Indices&) {
                  return (ir::MakeMax(At(most, {}), none) - bottom) / Num(255, kReal);
                },
                "scale");
            const auto divide = [&](const Expr& value) {
              const Expr s = At(scale, {});
              return value / ir::MakeSelect(ir::Equal(s, none), Num(1, kReal), s);
            };
            const Tensor zero = te::Compute(
                {},
                [&](const Indices&) {
                  return Quantised(Num(low, kReal) - divide(bottom), "NEAREST_EVEN", ir::Int(0),
                                   c.dtype());
                },
                "zero");
            const Tensor q = te::Compute(
                x->shape(),
                [&](const Indices& i) {
                  return Quantised(divide(ir::MakeCast(kReal, At(x, AsExprs(i)))), "NEAREST_EVEN",
                                   At(zero, {}), c.dtype());
                },
                "q");
            return Results{q, scale, zero};
          },
      .examples = {{{"T[n, 7]"}}, {{"T[3, n]"}, {{"out_dtype", StringAttr("int8")}}}}};
}

// -- Sums and products of two tensors.

OpDef Arithmetic(std::string name, std::string doc, bool is_product) {
  const std::string scale = "float32[] in 0.1:0.2", zero = "int32[] in -3:3";
  return {
      .name = std::move(name),
      .doc = std::move(doc) + " The operands are broadcast; halves are rounded up, as in Relay.",
      .inputs = {{"lhs", "quantised numbers", kIntegers},
                 {"rhs", "quantised numbers of the same type", kIntegers, 0},
                 {"lhs_scale", "rank 0, or [extent of `lhs_axis`]", kFloats},
                 {"lhs_zero_point", "rank 0, or [extent of `lhs_axis`]", kIntegers},
                 {"rhs_scale", "rank 0, or [extent of `rhs_axis`]", kFloats},
                 {"rhs_zero_point", "rank 0, or [extent of `rhs_axis`]", kIntegers},
                 {"output_scale", "rank 0", kFloats},
                 {"output_zero_point", "rank 0", kIntegers}},
      .attrs = {Int("lhs_axis", "the dimension of `lhs` with scales of its own", -1),
                Int("rhs_axis", "the dimension of `rhs` with scales of its own", -1)},
      .kind = OpKind::kBroadcast,
      .type = [](const TypeContext& c) -> TypeResult {
        CheckAlong(c, 0, "lhs_axis", {2, 3});
        CheckAlong(c, 1, "rhs_axis", {4, 5});
        for (const size_t i : {6, 7}) {
          CheckParameter(c, i, ir::Int(1, DataType::Int(64)), "one for the result");
        }
        if (c.dtype(0).bits() > 32) {
          c.FailArgument(0, "has the wrong element type", "an integer of at most 32 bits",
                         c.dtype(0).ToString());
        }
        TypeContext operands = c;
        operands.types.resize(2);
        return TensorOf(c.dtype(0), BroadcastShape(operands));
      },
      .compute =
          [is_product](const ComputeContext& c) {
            return One(
                c.shape(),
                [&](const Indices& i) {
                  const auto real = [&](size_t k, const char* axis) {
                    const Tensor& x = c.in(k);
                    std::vector<Expr> at(i.end() - x->ndim(), i.end());
                    for (size_t d = 0; d < at.size(); ++d) {
                      if (ir::IsOne(x->shape()[d])) at[d] = ir::Int(0);
                    }
                    const int64_t along = c.attrs.Int(axis);
                    const Expr zero = ParameterAt(c.in(2 * k + 3), at, along);
                    return ir::MakeCast(kReal, Centred(At(x, at), zero)) *
                           ir::MakeCast(kReal, ParameterAt(c.in(2 * k + 2), at, along));
                  };
                  const Expr a = real(0, "lhs_axis"), b = real(1, "rhs_axis");
                  const Expr scale = ir::MakeCast(kReal, ParameterAt(c.in(6), {}, 0));
                  return Quantised((is_product ? a * b : a + b) / scale, "UPWARD",
                                   ParameterAt(c.in(7), {}, 0), c.dtype());
                },
                "q", te::kBroadcast);
          },
      .examples = {{{"int8[n, 7]", "int8[n, 7]", scale, zero, scale, zero, scale, zero}},
                   {{"uint8[n, 3, 5]", "uint8[3, 1]", "float32[3] in 0.1:0.2", "int32[3] in -3:3",
                     scale, zero, scale, zero},
                    {{"lhs_axis", IntAttr(1)}}}}};
}

}  // namespace

std::vector<OpDef> Quantise() {
  return {Quantize(),
          Dequantize(),
          Requantize(),
          DynamicQuantize(),
          Arithmetic("qnn.add", "The sum of two tensors of quantised numbers.", false),
          Arithmetic("qnn.mul", "The product of two tensors of quantised numbers.", true)};
}

}  // namespace lathe::graph::ops
