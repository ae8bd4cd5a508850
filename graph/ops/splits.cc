// Tensors cut into parts.
#include "arith/analyzer.h"
#include "graph/ops/define.h"
#include "graph/ops/families.h"
#include "ir/text/printer.h"
#include "te/tags.h"

namespace lathe::graph::ops {
namespace {

// Where the parts of a split begin, and how long they are.
struct Part {
  Expr begin, extent;
};
template <class Context>
std::vector<Part> PartsOf(const Context& c, const Expr& whole) {
  const std::vector<int64_t> places = c.attrs.Ints("indices_or_sections");
  const std::vector<Expr> sizes = c.attrs.Shape("sizes");
  const Expr zero = ir::Int(0, DataType::Int(64));
  std::vector<Part> parts;
  if (places.size() == 1) {
    const Expr extent = ir::FloorDivide(whole, places[0]);
    for (int64_t k = 0; k < places[0]; ++k) parts.push_back({extent * k, extent});
  } else if (!places.empty()) {
    Expr begin = zero;
    for (const int64_t place : places) {
      const Expr end = ir::Int(place, DataType::Int(64));
      parts.push_back({begin, end - begin});
      begin = end;
    }
    parts.push_back({begin, whole - begin});
  } else {
    Expr rest = whole;
    for (const Expr& size : sizes) {
      if (!ir::IsConstInt(size, -1)) rest = rest - size;
    }
    Expr begin = zero;
    for (const Expr& size : sizes) {
      const Expr extent = ir::IsConstInt(size, -1) ? rest : size;
      parts.push_back({begin, extent});
      begin = begin + extent;
    }
  }
  return parts;
}

void CheckSplit(const TypeContext& c, const Expr& whole) {
  const std::vector<int64_t> places = c.attrs.Ints("indices_or_sections");
  const std::vector<Expr> sizes = c.attrs.Shape("sizes");
  if (places.empty() == sizes.empty()) {
    c.FailAttr("indices_or_sections", "must be given, or else `sizes`", "one of them",
               places.empty() ? "none" : "both");
  }
  if (places.size() == 1) {
    const Expr sections = ir::Int(places[0], DataType::Int(64));
    if (places[0] < 1 || !SameExtent(ir::FloorDivide(whole, sections) * sections, whole)) {
      c.FailAttr("indices_or_sections", "does not divide the extent",
                 "a divisor of " + ExtentText(whole), std::to_string(places[0]),
                 "`sizes` gives the extent of each part");
    }
  }
  for (size_t k = 1; k < places.size(); ++k) {
    if (places[k] < places[k - 1]) {
      c.FailAttr("indices_or_sections", "decreases", "at least " + std::to_string(places[k - 1]),
                 std::to_string(places[k]));
    }
  }
  Expr sum = ir::Int(0, DataType::Int(64));
  int rests = 0;
  for (const Expr& size : sizes) {
    if (ir::IsConstInt(size, -1)) {
      ++rests;
    } else {
      sum = sum + size;
    }
  }
  if (rests > 1) c.FailAttr("sizes", "has several entries of -1", "one", std::to_string(rests));
  sum = arith::Analyzer().Simplify(sum);
  if (!sizes.empty() && rests == 0 &&
      !c.Assume(SizeAssumption::Kind::kEqual, sum, whole, "the sum of `sizes` of split")) {
    c.FailAttr("sizes", "has another sum than the extent", ExtentText(whole), ExtentText(sum));
  }
}

OpDef Split() {
  return {
      .name = "split",
      .doc =
          "The input cut into parts along one dimension; a tuple. The parts are equally long, or "
          "begin at given places, or have given extents.",
      .inputs = {{"data", "the input"}},
      .attrs = {Ints("indices_or_sections",
                     "one number: so many equal parts; several: where the parts after the first "
                     "begin",
                     {}, 0),
                Int("axis", "the dimension", 0),
                {.name = "sizes",
                 .type = AttrType::kShape,
                 .doc = "instead: the extents of the parts, of which one may be -1: what is left",
                 .fallback = ShapeAttr({})}},
      .kind = OpKind::kOpaque,
      .type = [](const TypeContext& c) -> TypeResult {
        const auto axis = static_cast<size_t>(AxisOf(c, "axis", c.rank(0)));
        CheckSplit(c, c.shape(0)[axis]);
        std::vector<ir::NodeRef> fields;
        for (const Part& part : PartsOf(c, c.shape(0)[axis])) {
          Shape shape = c.shape(0);
          shape[axis] = part.extent;
          fields.push_back(TensorOf(c.dtype(0), std::move(shape)));
        }
        return TupleOf(std::move(fields));
      },
      .compute =
          [](const ComputeContext& c) {
            const auto axis = static_cast<size_t>(AxisOf(c, "axis", c.in(0)->ndim()));
            const Expr whole = ir::MakeCast(DataType::Int(64), c.in(0)->shape()[axis]);
            const std::vector<Part> parts = PartsOf(c, whole);
            Results results;
            for (size_t k = 0; k < parts.size(); ++k) {
              results.push_back(One(
                  c.output_shapes[k],
                  [&](const Indices& i) {
                    std::vector<Expr> at = AsExprs(i);
                    at[axis] = at[axis] + Narrow(parts[k].begin);
                    return At(c.in(0), at);
                  },
                  "y" + std::to_string(k), te::kInjective)[0]);
            }
            return results;
          },
      .examples = {{{"T[n, 6]"}, {{"indices_or_sections", IntAttr(3)}, {"axis", IntAttr(1)}}},
                   {{"T[n, 6]"},
                    {{"indices_or_sections", IntsAttr({1, 4})}, {"axis", IntAttr(-1)}}},
                   {{"T[n, 3]"}, {{"sizes", IntsAttr({2, -1, 1})}}}}};
}

OpDef Unbind() {
  return {.name = "unbind",
          .doc =
              "The slices of the input along one dimension, without that dimension; a tuple with a "
              "field for each place (PyTorch).",
          .inputs = {{"data", "the input"}},
          .attrs = {Int("axis", "the dimension; its extent must be a number", 0)},
          .kind = OpKind::kOpaque,
          .type = [](const TypeContext& c) -> TypeResult {
            const int64_t axis = AxisOf(c, "axis", c.rank(0));
            Shape shape = c.shape(0);
            const int64_t* count = ir::AsConstInt(shape[static_cast<size_t>(axis)]);
            if (count == nullptr) {
              c.FailAttr("axis", "names a dimension whose extent is not known",
                         "a dimension whose extent is a number",
                         ExtentText(shape[static_cast<size_t>(axis)]));
            }
            const auto fields = static_cast<size_t>(*count);
            shape.erase(shape.begin() + axis);
            return TupleOf(std::vector<ir::NodeRef>(fields, TensorOf(c.dtype(0), shape)));
          },
          .compute =
              [](const ComputeContext& c) {
                const int64_t axis = AxisOf(c, "axis", c.in(0)->ndim());
                Results results;
                for (size_t k = 0; k < c.output_shapes.size(); ++k) {
                  results.push_back(One(
                      c.output_shapes[k],
                      [&](const Indices& i) {
                        std::vector<Expr> at = AsExprs(i);
                        at.insert(at.begin() + axis, ir::Int(static_cast<int64_t>(k)));
                        return At(c.in(0), at);
                      },
                      "y" + std::to_string(k), te::kInjective)[0]);
                }
                return results;
              },
          .examples = {{{"T[3, n]"}}, {{"T[n, 2]"}, {{"axis", IntAttr(-1)}}}}};
}

}  // namespace

std::vector<OpDef> Splits() { return {Split(), Unbind()}; }

}  // namespace lathe::graph::ops
