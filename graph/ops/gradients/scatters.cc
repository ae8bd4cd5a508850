// Gradients of operators that store or combine elements at places.
#include "graph/ops/gradients/formula.h"

namespace lathe::graph::ops {
namespace {

// Reads a tensor of the shape of `data` at the places of the updates. Places outside give what
// they like; `inside` says which those are.
struct Places {
  std::function<Value(const Value&)> read;
  std::function<Value(const Value&)> add;  // updates into zeros
  Value inside;                            // broadcasts with the updates
};

// Is the index within [-extent, extent)?
Value IsInside(const Value& index, const Expr& extent) {
  const Value n = NumberOf(*index.b, extent, index.dtype());
  return index < n && index >= -n;
}

Places AlongOneAxis(const GradientContext& c) {
  const Value data = X(c, 0), indices = X(c, 1);
  const int64_t axis = FromFront(c.attrs.Int("axis"), data.rank());
  const ir::Dict attrs{{"axis", IntAttr(axis)}};
  return {.read = [=](const Value& of) { return Apply("gather", {of, indices}, attrs); },
          .add =
              [=](const Value& updates) {
                return Apply("scatter_add",
                             {Zeros(*data.b, data.shape(), updates.dtype()), indices, updates},
                             attrs);
              },
          .inside = IsInside(indices, data.shape()[static_cast<size_t>(axis)])};
}

// `indices` [m, y...] for updates of rank `rank`.
Places AtPoints(const Value& data, const Value& indices, int64_t rank) {
  const int64_t looked_up = *ir::AsConstInt(indices.shape()[0]);
  Value inside;
  for (int64_t m = 0; m < looked_up; ++m) {
    const Value index = Part(indices, 0, Int64(m), Int64(1));
    const Value one = IsInside(index, data.shape()[static_cast<size_t>(m)]);
    inside = m == 0 ? one : inside && one;
  }
  Shape shape(indices.shape().begin() + 1, indices.shape().end());
  shape.resize(static_cast<size_t>(rank), Int64(1));
  return {.read = [=](const Value& of) { return Apply("gather_nd", {of, indices}); },
          .add =
              [=](const Value& updates) {
                return Apply("scatter_nd",
                             {Zeros(*data.b, data.shape(), updates.dtype()), indices, updates},
                             {{"mode", StringAttr("add")}});
              },
          .inside = Reshape(inside, std::move(shape))};
}

Vars Combined(const GradientContext& c, const std::string& mode, const Places& places,
              const Value& updates) {
  const Value g = G(c), data = X(c, 0), y = Y(c);
  if (mode == "add") return {g, Where(places.inside, places.read(g), 0)};
  if (mode == "mul") {
    // Of the data it is the product of the updates. That of an update divides by it: where one is
    // 0, the gradient is NaN.
    const Value factors{
        data.b, data.b->Call(c.op.name, {Ones(*data.b, data.shape(), data.dtype()), c.x(1), c.x(2)},
                             c.given)};
    const Value by_data = g * factors;
    const Value by_updates = Where(places.inside, places.read(g * y) / updates, 0);
    return {by_data, by_updates};
  }
  // The least or the greatest element; equal ones share the gradient.
  const Value is_data = Cast(data == y, g.dtype());
  const Value is_update = Where(places.inside, Cast(places.read(y) == updates, g.dtype()), 0);
  const Value share = g / (is_data + places.add(is_update));
  return {share * is_data, places.read(share) * is_update};
}

Vars Scatter(const GradientContext& c, const std::string& mode) {
  if (mode == "update") return ByPlaces({0, 2})(c);
  const Vars found = Combined(c, mode, AlongOneAxis(c), X(c, 2));
  return {found[0], nullptr, found[1]};
}

Vars ScatterNd(const GradientContext& c) {
  const std::string mode = c.attrs.String("mode");
  if (mode == "update") return ByPlaces({0, 2})(c);
  const Places places = AtPoints(X(c, 0), X(c, 1), X(c, 2).rank());
  const Vars found = Combined(c, mode, places, X(c, 2));
  return {found[0], nullptr, found[1]};
}

// The indices are broadcast together and become the rows of those of gather_nd.
Vars IndexPut(const GradientContext& c) {
  if (!c.attrs.Bool("accumulate")) return ByPlaces({0, 1})(c);
  Value all = X(c, 2);
  for (size_t k = 3; k < c.args.size(); ++k) all = all + X(c, k);
  std::vector<Value> rows;
  for (size_t k = 2; k < c.args.size(); ++k) rows.push_back(BroadcastTo(X(c, k), all.shape()));
  const Value indices = Apply("stack", rows);
  const auto looked_up = static_cast<int64_t>(rows.size());
  const Places places = AtPoints(X(c, 0), indices, all.rank() + X(c, 0).rank() - looked_up);
  return {c.g(), Where(places.inside, places.read(G(c)), 0)};
}

}  // namespace

Gradients ScatterGradients() {
  Gradients g;
  g["scatter"] = [](const GradientContext& c) { return Scatter(c, "update"); };
  g["scatter_add"] = [](const GradientContext& c) { return Scatter(c, "add"); };
  g["scatter_elements"] = [](const GradientContext& c) {
    return Scatter(c, c.attrs.String("reduction"));
  };
  g["scatter_nd"] = ScatterNd;
  g["index_put"] = IndexPut;
  return g;
}

}  // namespace lathe::graph::ops
