// Reductions over some dimensions.
#include <algorithm>

#include "graph/ops/define.h"
#include "graph/ops/families.h"

namespace lathe::graph::ops {
namespace {

namespace fn = ir::intrinsic;

std::vector<AttrDef> ReduceAttrs() {
  return {Ints("axis", "the dimensions; empty: all", {}),
          Flag("keepdims", "do they stay, with extent 1?", false),
          Flag("exclude", "all dimensions but those of `axis`?", false)};
}

template <class Context>
std::vector<bool> Reduced(const Context& c, size_t rank) {
  const std::vector<int64_t> axes = AxesOf(c, "axis", static_cast<int64_t>(rank));
  std::vector<bool> reduced(rank, axes.empty());
  for (const int64_t axis : axes) reduced[static_cast<size_t>(axis)] = true;
  if (c.attrs.Bool("exclude") && !axes.empty()) reduced.flip();
  return reduced;
}

Shape ReducedShape(const TypeContext& c) {
  const std::vector<bool> reduced = Reduced(c, c.shape(0).size());
  Shape out;
  for (size_t d = 0; d < reduced.size(); ++d) {
    if (!reduced[d]) {
      out.push_back(c.shape(0)[d]);
    } else if (c.attrs.Bool("keepdims")) {
      out.push_back(ir::Int(1, DataType::Int(64)));
    }
  }
  return out;
}

// The axes that are reduced, and the number of elements that each result is made of.
struct Reducing {
  explicit Reducing(const ComputeContext& c)
      : reduced(Reduced(c, c.in(0)->shape().size())), keep(c.attrs.Bool("keepdims")) {
    for (size_t d = 0; d < reduced.size(); ++d) {
      if (!reduced[d]) continue;
      axes.push_back(te::ReduceAxis(ir::Int(0), c.in(0)->shape()[d], "k"));
      count = count * c.in(0)->shape()[d];
    }
  }
  // The element's place in the input.
  std::vector<Expr> Place(const Indices& i) const {
    std::vector<Expr> at;
    size_t next = 0, k = 0;
    for (const bool is_reduced : reduced) {
      at.push_back(is_reduced ? Expr(axes[k++]->var) : Expr(i[next]));
      if (!is_reduced || keep) ++next;
    }
    return at;
  }
  std::vector<bool> reduced;
  bool keep;
  std::vector<ir::IterVar> axes;
  Expr count = ir::Int(1);
};

using ReduceFn = Expr (*)(Expr, std::vector<ir::IterVar>, Expr, Expr);

// One reduction of map(x), and then `finish` of it and the number of elements.
Tensor ReduceOnce(const ComputeContext& c, ReduceFn how,
                  const std::function<Expr(const Expr&)>& map = {}) {
  const Reducing r(c);
  return te::Compute(
      c.shape(),
      [&](const Indices& i) {
        const Expr x = At(c.in(0), r.Place(i));
        return r.axes.empty() ? (map ? map(x) : x) : how(map ? map(x) : x, r.axes, {}, {});
      },
      "y");
}

OpDef Reduction(std::string name, std::string doc, TypeSet types,
                std::function<Results(const ComputeContext&)> compute) {
  return {.name = std::move(name),
          .doc = std::move(doc),
          .inputs = {{"data", "the input", types}},
          .attrs = ReduceAttrs(),
          .kind = OpKind::kReduction,
          .type = [](const TypeContext& c) -> TypeResult {
            return TensorOf(c.dtype(0), ReducedShape(c));
          },
          .compute = std::move(compute),
          .examples = {{{"T[n, 5]"}},
                       {{"T[n, 3, 5]"}, {{"axis", IntsAttr({-1})}, {"keepdims", BoolAttr(true)}}},
                       {{"T[2, n, 5]"}, {{"axis", IntsAttr({0, 2})}}},
                       {{"T[2, n, 5]"}, {{"axis", IntsAttr({1})}, {"exclude", BoolAttr(true)}}}}};
}

OpDef Simple(std::string name, std::string doc, TypeSet types, ReduceFn how) {
  return Reduction(std::move(name), std::move(doc), types,
                   [how](const ComputeContext& c) { return Results{ReduceOnce(c, how)}; });
}

// The mean of map(x), then `finish`.
Results Mean(const ComputeContext& c, const std::function<Expr(const Expr&)>& map = {}) {
  const Tensor sum = ReduceOnce(c, te::Sum, map);
  const Reducing r(c);
  return One(
      c.shape(),
      [&](const Indices& i) { return At(sum, AsExprs(i)) / ir::MakeCast(c.dtype(), r.count); },
      "y");
}

}  // namespace

std::vector<OpDef> Reductions() {
  std::vector<OpDef> ops;
  const auto add = [&](OpDef op) { ops.push_back(std::move(op)); };
  add(Simple("sum", "The sum.", kNumbers, te::Sum));
  add(Simple("prod", "The product.", kNumbers, te::Prod));
  add(Simple("max", "The greatest element.", kNumbers, te::Max));
  add(Simple("min", "The smallest element.", kNumbers, te::Min));
  add(Simple("all", "Whether all elements hold.", kBool, te::All));
  add(Simple("any", "Whether an element holds.", kBool, te::Any));
  add(Reduction("mean", "The mean.", kFloats, [](const ComputeContext& c) { return Mean(c); }));
  return ops;
}

}  // namespace lathe::graph::ops
