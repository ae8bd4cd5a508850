// Gradients of operators that read elements at places, or in an order, that other values say.
#include "graph/ops/gradients/formula.h"

namespace lathe::graph::ops {
namespace {

// The elements in the order that argsort gives; the first k of them for topk.
GradientFn InOrder(bool is_topk) {
  return [is_topk](const GradientContext& c) -> Vars {
    if (!c.gradients[0]) return {};
    return PullBack(c, [&](Builder& b, const Vars& args, const Attrs& attrs) {
      const Value x{&b, args[0]};
      const int64_t axis = FromFront(attrs.Int("axis"), x.rank());
      const Value order = Apply("argsort", {x},
                                {{"axis", IntAttr(axis)},
                                 {"is_ascend", BoolAttr(attrs.Bool("is_ascend"))},
                                 {"dtype", StringAttr("int64")}});
      const Shape& shape = Y(c).shape();
      const Value first = is_topk ? Corner(order, shape) : order;
      const GraphVar y = Apply("gather", {x, first}, {{"axis", IntAttr(axis)}});
      // topk's places have no gradient.
      return c.results.size() == 1 ? y : b.Tuple({y, c.y(1)});
    });
  };
}

// Each of the different elements is the first of its kind.
Vars Unique(const GradientContext& c) {
  if (!c.gradients[0]) return {};
  return PullBack(c, [&](Builder& b, const Vars& args, const Attrs&) {
    Vars fields = c.results;
    fields[0] = Take({&b, args[0]}, Y(c, 1), 0);
    return b.Tuple(std::move(fields));
  });
}

// A matrix [bags, indices] of the rows that belong to each bag.
Value BagMembers(Builder& b, const std::vector<Value>& x, const Attrs& attrs) {
  const DataType type = DataType::Int(64);
  const Expr count = x[1].shape()[0];
  Value begin = Cast(x[2], type), end;
  if (attrs.Bool("include_last_offset")) {
    const Expr bags = begin.shape()[0] - 1;
    end = Part(begin, 0, Int64(1), bags);
    begin = Part(begin, 0, Int64(0), bags);
  } else {
    const Expr others = begin.shape()[0] - 1;
    const Value last = Reshape(NumberOf(b, count, type), {Int64(1)});
    end = Concatenate({Part(begin, 0, Int64(1), others), last}, 0);
  }
  const Value places = Arange(b, count, type);
  const Shape column{begin.shape()[0], Int64(1)};
  return places >= Max(Reshape(begin, column), begin.Like(0)) && places < Reshape(end, column);
}

Value EmbeddingBag(Builder& b, const std::vector<Value>& x, const Attrs& attrs) {
  // Rows may be counted from the end.
  const Value count = NumberOf(b, x[0].shape()[0], x[1].dtype());
  const Value places = Where(x[1] < x[1].Like(0), x[1] + count, x[1]);
  const Value members = BagMembers(b, x, attrs), rows = Take(x[0], places, 0);
  const Value factors = Cast(members, rows.dtype());
  const std::string mode = attrs.String("mode");
  if (mode == "max") {
    const Value wide = Apply("expand_dims", {members}, {{"axis", IntAttr(2)}});
    const Value greatest = Apply("max", {Where(wide, rows, -1e30)}, {{"axis", IntsAttr({1})}});
    const Value is_empty = Sum(factors, {1}, true) == 0.0;
    return Where(is_empty, ZerosLike(greatest), greatest);
  }
  const Value weights = x.size() > 3 ? factors * x[3] : factors;
  const Value sum = Apply("nn.matmul", {weights, rows});
  if (mode == "sum") return sum;
  const Value sizes = Sum(factors, {1}, true);
  return sum / Max(sizes, sizes.Like(1));
}

}  // namespace

Gradients PlaceGradients() {
  Gradients g;
  for (const char* name : {"take", "gather", "gather_nd", "nn.mirror_pad", "dynamic_slice"}) {
    g[name] = ByPlaces();
  }
  g["reverse_sequence"] = [](const GradientContext& c) {
    return Vars{c.builder.Call("reverse_sequence", {c.g(), c.x(1)}, c.given)};
  };
  g["sequence_mask"] = [](const GradientContext& c) {
    ir::Dict attrs = c.given;
    attrs.erase("mask_value");
    return Vars{c.builder.Call("sequence_mask", {c.g(), c.x(1)}, attrs)};
  };
  g["embedding_bag"] = ByComposition(EmbeddingBag);
  g["sort"] = InOrder(false);
  g["topk"] = InOrder(true);
  g["unique"] = Unique;
  return g;
}

}  // namespace lathe::graph::ops
