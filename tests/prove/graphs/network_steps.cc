// Pieces of networks: what the passes over graphs look for, and what nearly looks like it. Those of
// images are in image_steps.cc.
#include <algorithm>

#include "tests/prove/graphs/generator.h"

namespace lathe::prove::graphs {

using graph::BoolAttr;
using graph::FloatAttr;
using graph::IntAttr;
using graph::IntsAttr;
using graph::ShapeAttr;

namespace {

Shape Ints(const std::vector<int64_t>& extents) {
  Shape shape;
  for (const int64_t extent : extents) shape.push_back(Int64(extent));
  return shape;
}

bool IsFloat(const Value& value) { return DTypeOf(value.var) == DataType::Float(32); }
bool IsImage(const Value& value) {
  return IsFloat(value) && ShapeOf(value.var).size() == 4 && IsNumber(ShapeOf(value.var)[1]) &&
         Number(ShapeOf(value.var)[1]) > 0;
}
bool IsMatrix(const Value& value) {
  return ShapeOf(value.var).size() == 2 && Number(ShapeOf(value.var)[1]) > 0;
}

}  // namespace

void Generator::Network() {
  if (images_ && Chance(65)) {
    if (const auto image = AnyOf(IsImage)) {
      switch (Between(0, 10)) {
        case 10:
          return QuantisedProduct(*image);
        case 0:
        case 1:
        case 2:
        case 3:
          return Convolution(*image);
        case 4:
          return Pool(*image);
        case 5:
          return JoinAndSplit(*image);
        case 6:
          return Pointwise(*image);
        default:
          return BehindConvolution(image->var);
      }
    }
  }
  const auto found = AnyOf(IsFloat);
  if (!found) return FromTable();
  switch (Between(0, 16)) {
    case 16:
      return IsMatrix(*found) ? QuantisedProduct(*found) : Product(*found);
    case 0:
    case 1:
      return Elementwise(*found);
    case 2:
    case 3:
    case 4:
      return Pointwise(*found);
    case 5:
      return Norm(*found);
    case 6:
    case 7:
      return Rearrange(*found);
    case 8:
      return Reduce(*found);
    case 9:
      return JoinAndSplit(*found);
    case 10:
      return SameTwice(*found);
    case 11:
      return Heads(*found);
    default:
      return Product(*found);
  }
}

void Generator::Elementwise(const Value& x) {
  const std::string op =
      OneOf({"nn.relu", "tanh", "sigmoid", "negative", "abs", "nn.gelu", "floor", "cos", "sin",
             "erf", "nn.leaky_relu", "copy", "identity", "optimization_barrier"});
  const bool known = op == "nn.relu" || op == "copy" || op == "identity";
  Keep(Call(op, {x.var}),
       op == "tanh" || op == "sigmoid" || op == "cos" || op == "sin" || op == "erf" ? Range{-1, 1}
       : known                                                                      ? x.range
                                                                                    : Range{});
}

// Something that broadcasts with x.
GraphVar Generator::Partner(const GraphVar& x) {
  if (Chance(60)) {
    const auto other = AnyOf([&](const Value& value) {
      return !value.var.same_as(x) && graph::SameType(value.var->type, x->type);
    });
    if (other) return other->var;
  }
  Shape shape = ShapeOf(x);
  const size_t rank = shape.size();
  for (Expr& extent : shape) {
    if (!IsNumber(extent) || Chance(40)) extent = Int64(1);
  }
  const size_t from = random_.Below(rank + 1);
  shape.erase(shape.begin(), shape.begin() + static_cast<ptrdiff_t>(from));
  return Provide(DataType::Float(32), shape, {-1, 1});
}

void Generator::Pointwise(const Value& x) {
  const GraphVar other = Partner(x.var);
  const std::string op =
      OneOf({"add", "add", "subtract", "maximum", "minimum", "multiply", "multiply"});
  std::vector<GraphVar> args{x.var, other};
  if (Chance(30)) std::swap(args[0], args[1]);
  if (GraphVar y = Try(op, args)) Keep(y);
}

// A constant, or something that is computed from constants.
GraphVar Generator::Weight(const std::vector<int64_t>& shape) {
  const DataType dtype = DataType::Float(32);
  if (Chance(6)) return Provide(dtype, Ints(shape), {-1, 1});
  const GraphVar w = Constant(dtype, Ints(shape));
  switch (Chance(25) ? Between(0, 2) : 3) {
    case 0:
      return Call("multiply", {w, Constant(dtype, {})});
    case 1: {
      std::vector<int64_t> axes, turned;
      for (size_t i = shape.size(); i-- > 0;) {
        axes.push_back(static_cast<int64_t>(i));
        turned.push_back(shape[i]);
      }
      return Call("transpose", {Constant(dtype, Ints(turned))}, {{"axes", IntsAttr(axes)}});
    }
    case 2:
      return Call("reshape", {Constant(dtype, {Int64(CountOf(Ints(shape)))})},
                  {{"newshape", IntsAttr(shape)}});
    default:
      return w;
  }
}

void Generator::Product(const Value& x) {
  const Shape shape = ShapeOf(x.var);
  if (shape.empty() || !IsNumber(shape.back()) || Number(shape.back()) == 0) return Reduce(x);
  const int64_t k = Number(shape.back());
  const int64_t columns = OneOf({1, 3, 4, 8, 16, 32, 32, 48, 64, 5, 20});
  GraphVar y;
  const int what = Between(0, 5);
  if (what <= 1 && shape.size() == 2) {
    y = Try("nn.dense", {x.var, Weight({columns, k})});
  } else if (what <= 3) {
    ir::Dict attrs;
    const bool turned = Chance(40);
    if (turned) attrs["transpose_b"] = BoolAttr(true);
    y = Try("matmul", {x.var, turned ? Weight({columns, k}) : Weight({k, columns})}, attrs);
  } else if (what == 4 && shape.size() == 3) {
    const bool turned = Chance(60);
    const Shape other = turned ? Shape{shape[0], Int64(columns), Int64(k)}
                               : Shape{shape[0], Int64(k), Int64(columns)};
    if (!IsSmall(ir::MakeTensorType(DataType::Float(32), other))) return;
    y = Try("nn.batch_matmul", {x.var, Provide(DataType::Float(32), other, {-1, 1})},
            {{"transpose_b", BoolAttr(turned)}});
  } else if (shape.size() >= 2) {
    // A product with itself.
    y = Try("matmul", {x.var, x.var}, {{"transpose_b", BoolAttr(true)}});
  }
  if (!y) return;
  ++features_["product"];
  for (int i = Between(0, 3); i > 0; --i) {
    const int64_t last = Number(ShapeOf(y).back());
    GraphVar next;
    switch (Between(0, 5)) {
      case 0:
        next =
            Try("nn.bias_add", {y, Weight({last})},
                {{"axis", IntAttr(Chance(50) ? -1 : static_cast<int64_t>(ShapeOf(y).size()) - 1)}});
        break;
      case 1:
        next = Try(OneOf({"add", "multiply"}), {y, Weight({last})});
        break;
      case 2:
        next = Try(OneOf({"add", "multiply", "maximum"}), {y, Partner(y)});
        break;
      case 3:
        next = Try("multiply", {Weight({1, last}), y});
        break;
      default:
        next = Call(OneOf({"nn.relu", "tanh", "nn.gelu", "sigmoid"}), {y});
        break;
    }
    if (!next) continue;
    if (Chance(10)) Keep(y);
    y = next;
  }
  Keep(y);
}

// [..., h * d] -> [..., h, d] -> [h, ..., d] and back: heads of attention.
void Generator::Heads(const Value& x) {
  const Shape shape = ShapeOf(x.var);
  if (shape.size() < 2 || shape.size() > 3 || Number(shape.back()) < 4 ||
      Number(shape.back()) % 2 != 0) {
    return Rearrange(x);
  }
  Shape split = shape;
  split.back() = Int64(2);
  split.push_back(Int64(Number(shape.back()) / 2));
  GraphVar y = Try("reshape", {x.var}, {{"newshape", ShapeAttr(split)}});
  if (!y) return;
  const std::vector<int64_t> order =
      shape.size() == 2 ? std::vector<int64_t>{1, 0, 2} : std::vector<int64_t>{0, 2, 1, 3};
  y = Call("transpose", {y}, {{"axes", IntsAttr(order)}});
  if (Chance(50)) {
    if (GraphVar scores = Try("matmul", {y, y}, {{"transpose_b", BoolAttr(true)}})) {
      scores = Call("nn.softmax", {scores});
      if (GraphVar mixed = Try("matmul", {scores, y})) y = mixed;
    }
  }
  y = Call("transpose", {y}, {{"axes", IntsAttr(order)}});
  if (GraphVar back = Try("reshape", {y}, {{"newshape", ShapeAttr(shape)}})) y = back;
  Keep(y);
}

void Generator::Norm(const Value& x) {
  const auto rank = static_cast<int>(ShapeOf(x.var).size());
  if (rank == 0) return Elementwise(x);
  const int axis = Chance(70) ? rank - 1 : Between(0, rank - 1);
  const Expr extent = ShapeOf(x.var)[static_cast<size_t>(axis)];
  const ir::Dict attrs{{"axis", IntAttr(axis)}};
  if (Chance(40) && IsNumber(extent)) {
    const std::vector<int64_t> vector{Number(extent)};
    if (GraphVar y = Try("nn.layer_norm", {x.var, Weight(vector), Weight(vector)}, attrs)) Keep(y);
    return;
  }
  Keep(Call(OneOf({"nn.softmax", "nn.log_softmax"}), {x.var}, attrs));
}

void Generator::Rearrange(const Value& x) {
  const Shape shape = ShapeOf(x.var);
  const auto rank = static_cast<int>(shape.size());
  const int what = Between(0, 4);
  if (what <= 1 && rank > 0) {
    std::vector<int64_t> axes;
    for (int i = 0; i < rank; ++i) axes.push_back(i);
    random_.Shuffle(axes);
    if (Chance(20)) axes.clear();
    return Keep(
        Call("transpose", {x.var}, axes.empty() ? ir::Dict{} : ir::Dict{{"axes", IntsAttr(axes)}}),
        x.range);
  }
  if (what == 2) {
    Expr flat = Int64(1);
    for (const Expr& extent : shape) flat = flat * extent;
    if (GraphVar y = Try("reshape", {x.var}, {{"newshape", ShapeAttr({flat})}})) {
      Keep(y, x.range);
    }
    return;
  }
  if (what == 3) {
    if (GraphVar y = Try("expand_dims", {x.var}, {{"axis", IntAttr(Between(0, rank))}})) {
      Keep(y, x.range);
    }
    return;
  }
  if (rank == 0) return;
  // A part of one dimension.
  const int axis = Between(0, rank - 1);
  const int begin = Between(0, 1);
  if (GraphVar y = Try("strided_slice", {x.var},
                       {{"begin", IntsAttr({begin})},
                        {"end", IntsAttr({begin + Between(1, 4)})},
                        {"strides", IntsAttr({OneOf({1, 1, 2})})},
                        {"axes", IntsAttr({axis})}})) {
    Keep(y, x.range);
  }
}

void Generator::Reduce(const Value& x) {
  const auto rank = static_cast<int>(ShapeOf(x.var).size());
  if (rank == 0) return Elementwise(x);
  const std::string op = OneOf({"mean", "max", "min", "sum", "variance"});
  ir::Dict attrs{{"keepdims", BoolAttr(Chance(50))}};
  if (Chance(85)) attrs["axis"] = IntsAttr({Between(0, rank - 1)});
  if (Chance(10)) attrs["exclude"] = BoolAttr(true);
  // The largest of no elements is infinite.
  bool empty = false;
  for (const Expr& extent : ShapeOf(x.var)) empty |= Number(extent) == 0;
  if (GraphVar y = Try(op, {x.var}, attrs)) Keep(y, op[0] == 'm' && !empty ? x.range : Range{});
}

void Generator::JoinAndSplit(const Value& x) {
  const Shape shape = ShapeOf(x.var);
  const auto rank = static_cast<int>(shape.size());
  if (rank == 0) return Elementwise(x);
  const int axis = images_ && rank == 4 && Chance(70) ? 1 : Between(0, rank - 1);
  if (Chance(60)) {
    const auto other = AnyOf([&](const Value& value) {
      if (DTypeOf(value.var) != DTypeOf(x.var) || ShapeOf(value.var).size() != shape.size()) {
        return false;
      }
      Shape like = ShapeOf(value.var);
      like[static_cast<size_t>(axis)] = shape[static_cast<size_t>(axis)];
      return graph::SameType(ir::MakeTensorType(DTypeOf(x.var), like), x.var->type);
    });
    std::vector<GraphVar> args{x.var, other ? other->var : x.var};
    if (Chance(20)) args.push_back(x.var);
    const GraphVar y = Try("concatenate", args, {{"axis", IntAttr(axis)}});
    if (!y) return;
    Keep(y);
    if (images_ && rank == 4 && axis == 1 && IsImage(pool_.back()) && Chance(50)) Residual(y);
    return;
  }
  const int64_t extent = Number(shape[static_cast<size_t>(axis)]);
  if (extent < 2) return Elementwise(x);
  const int64_t at = Between(1, static_cast<int>(extent) - 1);
  const GraphVar parts =
      Try("split", {x.var}, {{"sizes", IntsAttr({at, extent - at})}, {"axis", IntAttr(axis)}});
  if (!parts) return;
  ++features_["tuple result"];
  Keep(b_.Get(parts, 1), x.range);
  if (Chance(70)) Keep(b_.Get(parts, 0), x.range);
}

// Equal calls, and calls that are nearly equal.
void Generator::SameTwice(const Value& x) {
  const auto rank = static_cast<int>(ShapeOf(x.var).size());
  GraphVar a, b;
  if (Chance(40)) {
    // The same two operands, perhaps in the other order.
    const GraphVar other = Partner(x.var);
    const std::string op = OneOf({"subtract", "add", "maximum", "divide"});
    a = Try(op, {x.var, other});
    b = Chance(70) ? Try(op, {other, x.var}) : Try(op, {x.var, other});
    if (!a || !b) return;
  } else if (rank > 0 && Chance(50)) {
    const int axis = Between(0, rank - 1);
    const ir::Dict attrs{{"axis", IntAttr(axis)}};
    const ir::Dict others{{"axis", IntAttr(Chance(50) ? axis : Between(0, rank - 1))}};
    a = Call("cumsum", {x.var}, attrs);
    b = Call("cumsum", {x.var}, others);
  } else {
    const int bound = Between(0, 2);
    const ir::Dict attrs{{"a_min", FloatAttr(-bound)}, {"a_max", FloatAttr(bound)}};
    a = Call("clip", {x.var}, attrs);
    b = Call("clip", {x.var},
             {{"a_min", FloatAttr(-bound)}, {"a_max", FloatAttr(Between(bound, 2))}});
  }
  if (GraphVar y = Try("subtract", {a, b})) Keep(y);
  if (Chance(30)) Keep(a);
}

}  // namespace lathe::prove::graphs
