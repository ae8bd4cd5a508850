// Gradients of pools.
//
// The gradient of a maximum pool goes to the elements that the pool took. A mean pool is linear in
// each dimension of space: its matrix is the pool of the rows of an identity matrix.
#include "graph/ops/gradients/formula.h"
#include "graph/ops/layout.h"

namespace lathe::graph::ops {
namespace {

// The elements of `data` whose numbers another operator gives.
GradientFn ByIndices(const std::string& op) {
  return [op](const GradientContext& c) {
    return PullBack(c, [&](Builder& b, const Vars& args, const Attrs&) {
      const Value x{&b, args[0]}, places{&b, b.Call(op, args, c.given)};
      return Take(Flat(x), places, 0).var;
    });
  };
}

// Attributes with one number for each dimension of space, and padding with two.
const char* const kPerDimension[] = {"pool_size", "strides", "dilation", "output_size"};

// The attributes of the pool along dimension d of space alone.
ir::Dict AlongDimension(const GradientContext& c, size_t d, size_t rank) {
  ir::Dict attrs = c.given;
  attrs["layout"] = StringAttr("NCW");
  attrs.erase("out_layout");
  for (const char* name : kPerDimension) {
    if (!attrs.contains(name)) continue;
    const Shape values = c.attrs.Shape(name);
    if (!values.empty()) attrs[name] = ShapeAttr({values[values.size() == 1 ? 0 : d]});
  }
  if (attrs.contains("padding")) {
    const std::vector<int64_t> padding = c.attrs.Ints("padding");
    const size_t count = padding.size();
    const int64_t before = padding[count == 1 ? 0 : d];
    attrs["padding"] = IntsAttr({before, count == 2 * rank ? padding[rank + d] : before});
  }
  return attrs;
}

// g times the transposed matrix of the one-dimensional operator `op`, along each dimension of
// space.
Vars BySeparateMatrices(const GradientContext& c, const std::string& op, size_t rank) {
  Value g = G(c);
  const Layout layout(c.attrs.String("layout"));
  for (size_t d = 0; d < rank; ++d) {
    const size_t axis = layout.At(SpaceLetters(rank)[d]);
    const Expr& extent = X(c).shape()[axis];
    const Value eye{&c.builder, c.builder.Call("eye", {},
                                               {{"n", ShapeAttr({extent})},
                                                {"dtype", StringAttr(g.dtype().ToString())}})};
    // Row i says what element i of the input adds to each element of the result.
    const Value matrix =
        Apply(op, {Reshape(eye, {Int64(1), extent, extent})}, AlongDimension(c, d, rank));
    const Value rows = Reshape(matrix, {extent, matrix.shape()[2]});
    g = TimesMatrix(g, Transpose(rows, {1, 0}), static_cast<int64_t>(axis));
  }
  return {g};
}

std::vector<int64_t> SpaceAxes(const Attrs& attrs, size_t rank) {
  const Layout layout(attrs.String("layout"));
  std::vector<int64_t> axes;
  for (const char letter : SpaceLetters(rank)) {
    axes.push_back(static_cast<int64_t>(layout.At(letter)));
  }
  return axes;
}

// (sum of |x|^p)^(1/p): the sum is a mean pool that counts its frame, times the window's elements.
Vars LpPool(const GradientContext& c, size_t rank) {
  return PullBack(c, [&](Builder& b, const Vars& args, const Attrs& attrs) {
    const auto p = static_cast<double>(attrs.Int("p"));
    const Value x{&b, args[0]};
    const Value power = p == 1 ? Abs(x) : p == 2 ? x * x : Apply("power", {Abs(x), x.Like(p)});
    ir::Dict pool = c.given;
    pool.erase("p");
    pool["count_include_pad"] = BoolAttr(true);
    std::vector<int64_t> size = attrs.Ints("pool_size");
    if (size.size() == 1) size.resize(rank, size[0]);
    double elements = 1;
    for (const int64_t extent : size) elements *= static_cast<double>(extent);
    const std::string name = "nn.avg_pool" + std::to_string(rank) + "d";
    const Value sum = Apply(name, {power}, pool) * elements;
    if (p == 1) return sum.var;
    return (p == 2 ? Sqrt(sum) : Apply("power", {sum, sum.Like(1 / p)})).var;
  });
}

}  // namespace

Gradients PoolGradients() {
  Gradients g;
  for (const size_t rank : {1, 2, 3}) {
    const std::string n = std::to_string(rank) + "d";
    for (const std::string kind : {"nn.max_pool", "nn.adaptive_max_pool"}) {
      g[kind + n] = ByIndices(kind + n + "_indices");
    }
    for (const std::string kind : {"nn.avg_pool", "nn.adaptive_avg_pool"}) {
      g[kind + n] = [kind, rank](const GradientContext& c) {
        return BySeparateMatrices(c, kind + "1d", rank);
      };
    }
    g["nn.global_avg_pool" + n] =
        ByComposition([rank](Builder&, const std::vector<Value>& x, const Attrs& attrs) {
          return Mean(x[0], SpaceAxes(attrs, rank), true);
        });
    g["nn.global_max_pool" + n] =
        ByComposition([rank](Builder&, const std::vector<Value>& x, const Attrs& attrs) {
          return Apply("max", {x[0]},
                       {{"axis", IntsAttr(SpaceAxes(attrs, rank))}, {"keepdims", BoolAttr(true)}});
        });
    g["nn.lp_pool" + n] = [rank](const GradientContext& c) { return LpPool(c, rank); };
  }
  g["nn.max_unpool2d"] = ByPlaces();
  return g;
}

}  // namespace lathe::graph::ops
