// Reductions over some dimensions.
#include <algorithm>

#include "graph/ops/extremes.h"
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

// A reduction of f(place in the input, place in the result).
Tensor ReduceAt(const ComputeContext& c, ReduceFn how,
                const std::function<Expr(const std::vector<Expr>&, const Indices&)>& f) {
  const Reducing r(c);
  return te::Compute(
      c.shape(),
      [&](const Indices& i) {
        const Expr x = f(r.Place(i), i);
        return r.axes.empty() ? x : how(x, r.axes, {}, {});
      },
      "y");
}

// The mean of the squared distances from the mean. The mean is computed first, so that nothing
// cancels.
Results Variance(const ComputeContext& c, bool root) {
  const Tensor mean = Mean(c)[0];
  const Tensor sum = ReduceAt(c, te::Sum, [&](const std::vector<Expr>& at, const Indices& i) {
    const Expr distance = At(c.in(0), at) - At(mean, AsExprs(i));
    return distance * distance;
  });
  const Expr count = Reducing(c).count - (c.attrs.Bool("unbiased") ? 1 : 0);
  return One(
      c.shape(),
      [&](const Indices& i) {
        const Expr variance = At(sum, AsExprs(i)) / ir::MakeCast(c.dtype(), count);
        return root ? Fn(fn::kSqrt, {variance}) : variance;
      },
      "y");
}

OpDef Spread(std::string name, std::string doc, bool root) {
  OpDef op = Reduction(std::move(name), std::move(doc), kFloats,
                       [root](const ComputeContext& c) { return Variance(c, root); });
  op.attrs.push_back(Flag("unbiased", "is the divisor the number of elements less 1?", false));
  op.examples.push_back({{"T[n, 5]"}, {{"axis", IntsAttr({1})}, {"unbiased", BoolAttr(true)}}});
  return op;
}

// ln(sum of e^x), with the greatest element taken out, so that nothing overflows.
Results LogSumExp(const ComputeContext& c) {
  const Tensor greatest = ReduceOnce(c, te::Max);
  // Infinite ones would make NaN.
  const auto base = [&](const Indices& i) {
    const Expr x = At(greatest, AsExprs(i));
    return ir::MakeSelect(Fn(fn::kIsfinite, {x}), x, Num(0, x->dtype));
  };
  const Tensor sum = ReduceAt(c, te::Sum, [&](const std::vector<Expr>& at, const Indices& i) {
    return Fn(fn::kExp, {At(c.in(0), at) - base(i)});
  });
  return One(
      c.shape(), [&](const Indices& i) { return Fn(fn::kLog, {At(sum, AsExprs(i))}) + base(i); },
      "y");
}

Expr Magnitude(const Expr& x) { return x->dtype.is_uint() ? x : Fn(fn::kAbs, {x}); }

// A reduction of map(x), then `finish` of the result.
OpDef Mapped(std::string name, std::string doc, TypeSet types, std::function<Expr(const Expr&)> map,
             const char* finish = nullptr) {
  return Reduction(std::move(name), std::move(doc), types,
                   [map = std::move(map), finish](const ComputeContext& c) {
                     const Tensor sum = ReduceOnce(c, te::Sum, map);
                     if (finish == nullptr) return Results{sum};
                     return One(
                         c.shape(),
                         [&](const Indices& i) { return Fn(finish, {At(sum, AsExprs(i))}); }, "y");
                   });
}

using PairReduceFn = std::vector<Expr> (*)(Expr, Expr, std::vector<ir::IterVar>, Expr);

OpDef ArgReduction(std::string name, std::string doc, PairReduceFn how) {
  OpDef op =
      Reduction(std::move(name),
                doc +
                    " int32. Of several dimensions, it is the place in row-major order. NaN is "
                    "found before all numbers.",
                kNumbers, [how](const ComputeContext& c) {
                  const Reducing r(c);
                  if (r.axes.empty()) {
                    return One(c.shape(), [&](const Indices&) { return Num(0, c.dtype()); }, "y");
                  }
                  const bool last = c.attrs.Bool("select_last_index");
                  const Expr end = ir::MakeCast(c.dtype(), r.count - 1);
                  // The reducers keep the smallest index of equal elements: count from the end for
                  // the last.
                  const std::vector<Tensor> found = te::ComputeTuple(
                      c.shape(),
                      [&](const Indices& i) {
                        Expr place = ir::Int(0);
                        for (const ir::IterVar& axis : r.axes) {
                          place = place * axis->domain->extent + axis->var;
                        }
                        place = ir::MakeCast(c.dtype(), place);
                        return how(last ? end - place : place, At(c.in(0), r.Place(i)), r.axes, {});
                      },
                      "found");
                  return One(
                      c.shape(),
                      [&](const Indices& i) {
                        const Expr place = At(found[0], AsExprs(i));
                        return last ? end - place : place;
                      },
                      "y");
                });
  op.type = [](const TypeContext& c) -> TypeResult {
    return TensorOf(DataType::Int(32), ReducedShape(c));
  };
  op.attrs.push_back(
      Flag("select_last_index", "the last of equal elements, not the first?", false));
  op.examples.push_back(
      {{"int8[n, 9]"}, {{"axis", IntsAttr({1})}, {"select_last_index", BoolAttr(true)}}});
  op.examples.push_back({{"int8[n, 9]"}, {{"axis", IntsAttr({1})}}});
  return op;
}

}  // namespace

std::vector<OpDef> Reductions() {
  std::vector<OpDef> ops;
  const auto add = [&](OpDef op) { ops.push_back(std::move(op)); };
  add(Simple("sum", "The sum.", kNumbers, te::Sum));
  add(Simple("prod", "The product.", kNumbers, te::Prod));
  add(Simple("max", "The greatest element; NaN if one is NaN.", kNumbers, Greatest));
  add(Simple("min", "The smallest element; NaN if one is NaN.", kNumbers, Least));
  add(Simple("all", "Whether all elements hold.", kBool, te::All));
  add(Simple("any", "Whether an element holds.", kBool, te::Any));
  add(Reduction("mean", "The mean.", kFloats, [](const ComputeContext& c) { return Mean(c); }));
  add(Spread("variance", "The mean of the squared distances from the mean.", false));
  add(Spread("std", "The standard deviation: the square root of the variance.", true));
  add(Reduction("logsumexp", "ln(sum of e^x), without overflow.", kFloats, LogSumExp));
  add(Mapped("norm_l1", "The sum of |x|.", kNumbers, Magnitude));
  add(Mapped(
      "norm_l2", "sqrt(sum of x^2).", kFloats, [](const Expr& x) { return x * x; }, fn::kSqrt));
  add(Mapped("sum_square", "The sum of x^2.", kNumbers, [](const Expr& x) { return x * x; }));
  add(Mapped("log_sum", "ln(sum of x).", kFloats, [](const Expr& x) { return x; }, fn::kLog));
  for (OpExample& example : ops.back().examples) example.inputs[0] += " in 0.1:2";
  add(ArgReduction("argmax", "The place of the greatest element.", PlaceOfGreatest));
  add(ArgReduction("argmin", "The place of the smallest element.", PlaceOfLeast));
  return ops;
}

}  // namespace lathe::graph::ops
