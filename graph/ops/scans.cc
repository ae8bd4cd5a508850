// Running sums, products, maxima and minima along one dimension.
#include "graph/ops/extremes.h"
#include "graph/ops/families.h"
#include "graph/ops/loops.h"
#include "ir/text/printer.h"

namespace lathe::graph::ops {
namespace {

using Combine = Expr (*)(const Expr&, const Expr&);

// No axis: all elements in row-major order, as one dimension.
bool IsFlat(const Attrs& attrs) { return attrs.Ints("axis").empty(); }

Expr ProductOf(const std::vector<Expr>& shape, const Expr& one) {
  Expr product = one;
  for (const Expr& extent : shape) product = product * extent;
  return product;
}

TypeResult ScanType(const TypeContext& c) {
  const std::vector<int64_t> axes = AxesOf(c, "axis", c.rank(0));
  if (axes.size() > 1) {
    c.FailAttr("axis", "has several entries", "at most 1", std::to_string(axes.size()));
  }
  DataType dtype = c.attrs.Type("dtype");
  if (dtype.is_void()) dtype = c.dtype(0);
  if (dtype.is_bool()) c.FailAttr("dtype", "has no numbers", "a number type", "bool");
  if (!IsFlat(c.attrs)) return TensorOf(dtype, c.shape(0));
  return TensorOf(dtype, {ProductOf(c.shape(0), ir::Int(1, DataType::Int(64)))});
}

// The axis of the result.
size_t ScanAxis(const ComputeContext& c) {
  return IsFlat(c.attrs) ? 0 : static_cast<size_t>(AxisOf(c, "axis", c.in(0)->ndim()));
}

Results Scan(const ComputeContext& c, Combine combine, const Expr& identity) {
  const size_t axis = ScanAxis(c);
  const bool exclusive = c.attrs.Bool("exclusive"), reverse = c.attrs.Bool("reverse");
  const te::Shape& from = c.in(0)->shape();
  return OneExtern(
      c.shape(), c.dtype(), c.inputs, [&](const std::vector<Buffer>& in, const Buffer& out) {
        return ForEach(out->shape, [&](const std::vector<Expr>& step) {
          const Expr zero = Num(0, step[axis]->dtype), one = Num(1, step[axis]->dtype);
          // The place along the axis of step t.
          const auto place = [&](const Expr& t) {
            std::vector<Expr> at = step;
            at[axis] = reverse ? ir::MakeCast(t->dtype, out->shape[axis]) - one - t : t;
            return at;
          };
          const auto element = [&](const Expr& t) {
            std::vector<Expr> at = place(t);
            if (IsFlat(c.attrs)) {
              Expr flat = at[0];
              at.resize(from.size());
              for (size_t d = from.size(); d-- > 0;) {
                const Expr extent = ir::MakeCast(flat->dtype, from[d]);
                at[d] = d == 0 ? flat : ir::FloorModulo(flat, extent);
                if (d > 0) flat = ir::FloorDivide(flat, extent);
              }
            }
            return ir::MakeCast(c.dtype(), LoadAt(in[0], at));
          };
          const Expr t = step[axis];
          const std::vector<Expr> here = place(t);
          const Expr value = element(exclusive ? t - one : t);
          return ir::MakeIf(ir::Equal(t, zero), StoreAt(out, exclusive ? identity : value, here),
                            StoreAt(out, combine(LoadAt(out, place(t - one)), value), here));
        });
      });
}

OpDef Running(std::string name, const std::string& what, Combine combine,
              Expr (*identity)(DataType)) {
  return {
      .name = std::move(name),
      .doc = "The running " + what +
             " along one dimension: element i of the result is made of elements 0 to i of the "
             "input. The shape of `data`, or without an axis [the number of elements].",
      .inputs = {{"data", "the input", kNumbers}},
      .attrs = {Ints("axis", "the dimension; empty: all elements in row-major order", {}),
                ElementType("dtype", "the type that is computed in; \"\": that of `data`"),
                Flag("exclusive", "is element i left out? The first one is then neutral", false),
                Flag("reverse", "from the last element to the first?", false)},
      .kind = OpKind::kOpaque,
      .type = ScanType,
      .compute = [combine, identity](
                     const ComputeContext& c) { return Scan(c, combine, identity(c.dtype())); },
      .examples = {
          {{"T[n, 5] in 0.5:1.5"}, {{"axis", IntAttr(1)}}},
          {{"float32[5, n]"}, {{"axis", IntAttr(0)}, {"exclusive", BoolAttr(true)}}},
          {{"int8[2, 5, n] in -2:2"},
           {{"axis", IntAttr(-2)}, {"reverse", BoolAttr(true)}, {"dtype", StringAttr("int64")}}},
          {{"float32[n, 5]"},
           {{"axis", IntAttr(1)}, {"exclusive", BoolAttr(true)}, {"reverse", BoolAttr(true)}}},
          {{"float32[n, 2]"}}}};
}

}  // namespace

std::vector<OpDef> Scans() {
  return {Running(
              "cumsum", "sum", [](const Expr& a, const Expr& b) { return a + b; },
              [](DataType t) { return Num(0, t); }),
          Running(
              "cumprod", "product", [](const Expr& a, const Expr& b) { return a * b; },
              [](DataType t) { return Num(1, t); }),
          Running("cummax", "maximum", Greater, te::MinValue),
          Running("cummin", "minimum", Smaller, te::MaxValue)};
}

}  // namespace lathe::graph::ops
