// Frames around tensors, and elements that are moved apart or around.
#include "arith/analyzer.h"
#include "graph/ops/define.h"
#include "graph/ops/elements.h"
#include "graph/ops/families.h"
#include "ir/text/printer.h"
#include "te/tags.h"

namespace lathe::graph::ops {
namespace {

Expr Element(double value, DataType dtype) {
  if (dtype.is_bool()) return ir::Bool(value != 0);
  return dtype.is_float() ? Num(value, dtype) : Num(static_cast<int64_t>(value), dtype);
}

// Padding before and after each dimension.
Shape PadWidths(const TypeContext& c) {
  Shape widths = c.attrs.Shape("pad_width");
  const size_t expected = 2 * c.shape(0).size();
  if (widths.size() != expected) {
    c.FailAttr("pad_width", "has the wrong number of entries", std::to_string(expected),
               std::to_string(widths.size()),
               "two for each dimension: [before 0, after 0, before 1, after 1, ...]");
  }
  return widths;
}

AttrDef PadWidth() {
  return Extents("pad_width",
                 "the padding: [before dimension 0, after it, before dimension 1, ...]; negative: "
                 "what is cut off");
}

TypeResult PaddedType(const TypeContext& c) {
  const Shape widths = PadWidths(c);
  Shape out = c.shape(0);
  for (size_t d = 0; d < out.size(); ++d) out[d] = out[d] + widths[2 * d] + widths[2 * d + 1];
  return TensorOf(c.dtype(0), std::move(out));
}

// A frame that repeats elements needs some.
TypeResult RepeatedType(const TypeContext& c) {
  const Shape widths = PadWidths(c);
  for (size_t d = 0; d < c.shape(0).size(); ++d) {
    if (!ir::IsZero(widths[2 * d]) || !ir::IsZero(widths[2 * d + 1])) NeedElements(c, 0, d);
  }
  return PaddedType(c);
}

// The place in [0, extent) that stands for `place` of the padded dimension.
Expr Inside(const Expr& place, const Expr& extent, const std::string& mode) {
  if (ir::IsZero(extent)) return ir::Int(0);
  const Expr zero = Num(0, place->dtype), last = extent - 1;
  if (mode == "edge") return ir::MakeMax(ir::MakeMin(place, last), zero);
  if (mode == "wrap") return ir::FloorModulo(place, extent);
  if (mode == "symmetric") {
    const Expr at = ir::FloorModulo(place, extent * 2);
    return ir::MakeMin(at, extent * 2 - 1 - at);
  }
  // The first and the last element are not repeated; one element alone is.
  if (ir::IsOne(extent)) return ir::Int(0);
  const Expr period =
      ir::AsConstInt(extent) != nullptr ? last * 2 : ir::MakeMax(last * 2, Num(1, last->dtype));
  const Expr at = ir::FloorModulo(place, period);
  return ir::MakeMin(at, last * 2 - at);
}

// `data` with a frame; `value` is what the frame has in mode "constant".
Results Padded(const ComputeContext& c, const std::string& mode,
               const std::function<Expr()>& value) {
  const Tensor& x = c.in(0);
  const std::vector<Expr> widths = c.attrs.Shape("pad_width");
  return One(
      c.shape(),
      [&](const Indices& i) {
        std::vector<Expr> at, conditions;
        for (size_t d = 0; d < i.size(); ++d) {
          const Expr &before = widths[2 * d], &after = widths[2 * d + 1];
          const Expr place = Expr(i[d]) - Narrow(before);
          const int64_t *low = ir::AsConstInt(before), *high = ir::AsConstInt(after);
          const bool cuts = low != nullptr && high != nullptr && *low <= 0 && *high <= 0;
          if (mode != "constant" && !cuts) {
            at.push_back(Inside(place, x->shape()[d], mode));
            continue;
          }
          at.push_back(place);
          if (low == nullptr || *low > 0) conditions.push_back(place >= 0);
          if (high == nullptr || *high > 0) conditions.push_back(place < x->shape()[d]);
        }
        const Expr inside = ir::Conjunction(conditions);
        return inside ? ir::IfThenElse(inside, At(x, at), value()) : At(x, at);
      },
      "y", te::kInjective);
}

OpDef Pad() {
  return {
      .name = "nn.pad",
      .doc =
          "`data` with a frame around it: extent + before + after in each dimension. A frame "
          "wider than the input goes on with the same rule (NumPy).",
      .inputs = {{"data", "the input"},
                 {"pad_value", "what a constant frame has, []; 0 if left out", kAnyType, 0}},
      .attrs = {PadWidth(),
                Choice("pad_mode",
                       "\"constant\": `pad_value`; \"edge\": the nearest element; \"reflect\": "
                       "mirrored at the first and the last element; \"wrap\": counted around",
                       {"constant", "edge", "reflect", "wrap"})},
      .kind = OpKind::kInjective,
      .optional_inputs = 1,
      .type = [](const TypeContext& c) -> TypeResult {
        if (c.size() > 1) c.NeedRank(1, 0, 0);
        return c.attrs.String("pad_mode") == "constant" ? PaddedType(c) : RepeatedType(c);
      },
      .compute =
          [](const ComputeContext& c) {
            return Padded(c, c.attrs.String("pad_mode"),
                          [&] { return c.size() > 1 ? At(c.in(1), {}) : Element(0, c.dtype()); });
          },
      .examples = {{{"T[n, 3]", "T[]"}, {{"pad_width", IntsAttr({0, 1, 2, 3})}}},
                   {{"float32[n, 3]"}, {{"pad_width", IntsAttr({1, 1, -1, 2})}}},
                   {{"float32[n, 3]"},
                    {{"pad_width", IntsAttr({1, 7, 0, 2})}, {"pad_mode", StringAttr("edge")}}},
                   {{"float32[n, 3]"},
                    {{"pad_width", IntsAttr({3, 2, 6, 7})}, {"pad_mode", StringAttr("reflect")}}},
                   {{"float32[n, 3]"},
                    {{"pad_width", IntsAttr({3, 2, 7, 0})}, {"pad_mode", StringAttr("wrap")}}}}};
}

OpDef MirrorPad() {
  return {.name = "nn.mirror_pad",
          .doc =
              "`data` with a frame of its mirror image: extent + before + after in each dimension. "
              "\"SYMMETRIC\" repeats the first and the last element, \"REFLECT\" does not.",
          .inputs = {{"data", "the input"}},
          .attrs = {PadWidth(), Choice("mode", "the kind of mirror", {"SYMMETRIC", "REFLECT"})},
          .kind = OpKind::kInjective,
          .type = RepeatedType,
          .compute =
              [](const ComputeContext& c) {
                const bool symmetric = c.attrs.String("mode") == "SYMMETRIC";
                return Padded(c, symmetric ? "symmetric" : "reflect", [] { return Expr(); });
              },
          .examples = {{{"T[n, 3]"}, {{"pad_width", IntsAttr({1, 2, 3, 7})}}},
                       {{"T[n, 3]"},
                        {{"pad_width", IntsAttr({2, 0, 2, 1})}, {"mode", StringAttr("REFLECT")}}}}};
}

OpDef Dilate() {
  return {.name = "nn.dilate",
          .doc =
              "The elements of `data` moved apart, with `dilation_value` between them: "
              "(extent - 1) stride + 1 in each dimension.",
          .inputs = {{"data", "the input", kNumbers}},
          .attrs = {Required(Ints("strides", "the distance of neighbours, one for each dimension",
                                  {}, 1)),
                    Number("dilation_value", "what stands between", 0)},
          .kind = OpKind::kInjective,
          .type = [](const TypeContext& c) -> TypeResult {
            const std::vector<int64_t> strides = PerDimension(c, "strides", c.shape(0).size());
            Shape out = c.shape(0);
            arith::Analyzer analyzer;
            for (size_t d = 0; d < out.size(); ++d) {
              if (strides[d] == 1) continue;
              out[d] = ir::MakeMax((out[d] - 1) * strides[d] + 1, ir::Int(0, DataType::Int(64)));
            }
            return TensorOf(c.dtype(0), std::move(out));
          },
          .compute =
              [](const ComputeContext& c) {
                const std::vector<int64_t> strides =
                    PerDimension(c, "strides", c.in(0)->shape().size());
                return One(
                    c.shape(),
                    [&](const Indices& i) {
                      std::vector<Expr> at, conditions;
                      for (size_t d = 0; d < i.size(); ++d) {
                        at.push_back(ir::FloorDivide(i[d], strides[d]));
                        if (strides[d] == 1) continue;
                        conditions.push_back(
                            ir::Equal(ir::FloorModulo(i[d], strides[d]), Num(0, i[d]->dtype)));
                      }
                      const Expr inside = ir::Conjunction(conditions);
                      if (!inside) return At(c.in(0), at);
                      return ir::IfThenElse(inside, At(c.in(0), at),
                                            Element(c.attrs.Float("dilation_value"), c.dtype()));
                    },
                    "y", te::kInjective);
              },
          .examples = {{{"T[2, 3]"}, {{"strides", IntsAttr({2, 3})}}},
                       {{"T[n, 3]"},
                        {{"strides", IntsAttr({2, 1})}, {"dilation_value", FloatAttr(5)}}}}};
}

OpDef Roll() {
  return {.name = "roll",
          .doc =
              "The same shape, with the elements moved along some dimensions; what leaves at one "
              "end comes in at the other (NumPy): y[i] = x[(i - shift) mod extent].",
          .inputs = {{"data", "the input"}},
          .attrs = {Required(Ints("shift", "how far, for each of `axis`", {})),
                    Required(Ints("axis", "the dimensions", {}))},
          .kind = OpKind::kInjective,
          .type = [](const TypeContext& c) -> TypeResult {
            const size_t axes = AxesOf(c, "axis", c.rank(0)).size();
            PerDimension(c, "shift", axes);
            return c.types[0];
          },
          .compute =
              [](const ComputeContext& c) {
                const std::vector<int64_t> axes = AxesOf(c, "axis", c.in(0)->ndim());
                const std::vector<int64_t> shifts = PerDimension(c, "shift", axes.size());
                return One(
                    c.shape(),
                    [&](const Indices& i) {
                      std::vector<Expr> at = AsExprs(i);
                      for (size_t k = 0; k < axes.size(); ++k) {
                        const auto d = static_cast<size_t>(axes[k]);
                        if (ir::IsZero(c.shape()[d])) continue;
                        at[d] = ir::FloorModulo(at[d] - shifts[k], c.shape()[d]);
                      }
                      return At(c.in(0), at);
                    },
                    "y", te::kInjective);
              },
          .examples = {{{"T[n, 5]"}, {{"shift", IntAttr(2)}, {"axis", IntAttr(1)}}},
                       {{"T[n, 5]"}, {{"shift", IntsAttr({-7, 3})}, {"axis", IntsAttr({0, -1})}}}}};
}

}  // namespace

std::vector<OpDef> Pads() { return {Pad(), MirrorPad(), Dilate(), Roll()}; }

}  // namespace lathe::graph::ops
