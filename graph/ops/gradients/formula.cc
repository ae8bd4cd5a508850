#include "graph/ops/gradients/formula.h"

#include "arith/analyzer.h"

namespace lathe::graph::ops {

Value Apply(const std::string& op, const std::vector<Value>& args, ir::Dict attrs) {
  Builder& b = *args.at(0).b;
  return {&b, b.Call(op, {args.begin(), args.end()}, std::move(attrs))};
}

Value Field(const Value& tuple, int64_t index) { return {tuple.b, tuple.b->Get(tuple.var, index)}; }

Value operator!(const Value& a) { return Apply("logical_not", {a}); }

Value Cast(const Value& x, DataType dtype) {
  if (x.dtype() == dtype) return x;
  return Apply("cast", {x}, {{"dtype", StringAttr(dtype.ToString())}});
}
Value Reshape(const Value& x, Shape shape) {
  if (graph::SameType(x.var->type, ir::MakeTensorType(x.dtype(), shape))) return x;
  return Apply("reshape", {x}, {{"newshape", ShapeAttr(std::move(shape))}});
}
Value Flat(const Value& x) { return Reshape(x, {ProductOf(x.shape())}); }
Value BroadcastTo(const Value& x, Shape shape) {
  return Apply("broadcast_to", {x}, {{"shape", ShapeAttr(std::move(shape))}});
}
Value Transpose(const Value& x, std::vector<int64_t> axes) {
  bool is_same = true;
  for (size_t d = 0; d < axes.size(); ++d) is_same &= axes[d] == static_cast<int64_t>(d);
  return is_same ? x : Apply("transpose", {x}, {{"axes", IntsAttr(std::move(axes))}});
}
Value Sum(const Value& x, std::vector<int64_t> axes, bool keepdims) {
  if (axes.empty()) return x;
  return Apply("sum", {x}, {{"axis", IntsAttr(std::move(axes))}, {"keepdims", BoolAttr(keepdims)}});
}
Value SumAll(const Value& x) { return Apply("sum", {x}); }
Value Mean(const Value& x, std::vector<int64_t> axes, bool keepdims) {
  return Apply("mean", {x},
               {{"axis", IntsAttr(std::move(axes))}, {"keepdims", BoolAttr(keepdims)}});
}
Value Take(const Value& x, const Value& indices, int64_t axis) {
  return Apply("take", {x, indices}, {{"axis", IntAttr(axis)}});
}
Value Concatenate(const std::vector<Value>& parts, int64_t axis) {
  return Apply("concatenate", parts, {{"axis", IntAttr(axis)}});
}
Value Zeros(Builder& b, const Shape& shape, DataType dtype) {
  return {&b, b.Call("zeros", {},
                     {{"shape", ShapeAttr(shape)}, {"dtype", StringAttr(dtype.ToString())}})};
}
Value Ones(Builder& b, const Shape& shape, DataType dtype) {
  return {&b, b.Call("ones", {},
                     {{"shape", ShapeAttr(shape)}, {"dtype", StringAttr(dtype.ToString())}})};
}
Value Part(const Value& x, int64_t axis, const Expr& begin, const Expr& extent) {
  return Apply("strided_slice", {x},
               {{"begin", ShapeAttr({begin})},
                {"end", ShapeAttr({extent})},
                {"slice_mode", StringAttr("size")},
                {"axes", IntsAttr({axis})}});
}
Value Corner(const Value& x, const Shape& shape) {
  if (graph::SameType(x.var->type, ir::MakeTensorType(x.dtype(), shape))) return x;
  return Apply("strided_slice", {x},
               {{"begin", ShapeAttr(Shape(shape.size(), Int64(0)))},
                {"end", ShapeAttr(shape)},
                {"slice_mode", StringAttr("size")}});
}
Value NumberOf(Builder& b, const Expr& number, DataType dtype) {
  if (const int64_t* known = ir::AsConstInt(number)) {
    return {&b, b.Scalar(static_cast<double>(*known), dtype)};
  }
  const Value one{&b, b.Call("arange", {},
                             {{"start", ShapeAttr({number})},
                              {"stop", ShapeAttr({number + 1})},
                              {"dtype", StringAttr(dtype.ToString())}})};
  return Reshape(one, {});
}
Value Arange(Builder& b, const Expr& extent, DataType dtype) {
  return {&b, b.Call("arange", {},
                     {{"stop", ShapeAttr({extent})}, {"dtype", StringAttr(dtype.ToString())}})};
}
Value AlongAxis(const Value& vector, int64_t axis, int64_t rank) {
  Shape shape(static_cast<size_t>(rank - axis), Int64(1));
  shape[0] = vector.shape()[0];
  return Reshape(vector, std::move(shape));
}
std::vector<int64_t> FromFront(std::vector<int64_t> axes, int64_t rank) {
  for (int64_t& axis : axes) axis = FromFront(axis, rank);
  return axes;
}
Expr ProductOf(const Shape& shape) {
  Expr product = Int64(1);
  for (const Expr& extent : shape) product = product * extent;
  return arith::Analyzer().Simplify(product);
}
Value TimesMatrix(const Value& x, const Value& matrix, int64_t axis) {
  std::vector<int64_t> to_last, back;
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (d != axis) to_last.push_back(d);
    back.push_back(d < axis ? d : d == axis ? x.rank() - 1 : d - 1);
  }
  to_last.push_back(axis);
  const Value moved = Transpose(x, std::move(to_last));
  Shape rows{ProductOf({moved.shape().begin(), moved.shape().end() - 1}), moved.shape().back()};
  const Value product = Apply("nn.matmul", {Reshape(moved, std::move(rows)), matrix});
  Shape out = moved.shape();
  out.back() = matrix.shape()[1];
  return Transpose(Reshape(product, std::move(out)), std::move(back));
}

GradientFn Derivative(
    std::function<Value(const Value& x, const Value& y, const Attrs& attrs)> derivative) {
  return [derivative = std::move(derivative)](const GradientContext& c) {
    return Vars{G(c) * derivative(X(c), Y(c), c.attrs)};
  };
}

GradientFn NoneOf() {
  return [](const GradientContext&) { return Vars(); };
}

GradientFn ByComposition(ValueComposition build) {
  return [build = std::move(build)](const GradientContext& c) {
    return PullBack(c, [&](Builder& b, const Vars& args, const Attrs& attrs) {
      std::vector<Value> values;
      for (const GraphVar& arg : args) values.push_back({&b, arg});
      return build(b, values, attrs).var;
    });
  };
}

GradientFn ByPlaces(std::vector<size_t> operands) {
  return [operands = std::move(operands)](const GradientContext& c) {
    Builder& b = c.builder;
    const DataType type = DataType::Int(64);
    // Element numbers begin with 1: what is no element of an operand is 0.
    Vars args = c.args;
    std::vector<Expr> first{Int64(1)};
    for (const size_t i : operands) {
      if (i >= args.size()) break;
      const Expr end = first.back() + ProductOf(X(c, i).shape());
      const Value numbers{&b, b.Call("arange", {},
                                     {{"start", ShapeAttr({first.back()})},
                                      {"stop", ShapeAttr({end})},
                                      {"dtype", StringAttr(type.ToString())}})};
      args[i] = Reshape(numbers, X(c, i).shape());
      first.push_back(arith::Analyzer().Simplify(end));
    }
    const Value places{&b, b.Call(c.op.name, args, c.given)};
    const Value sums =
        Apply("scatter_add", {Zeros(b, {first.back()}, G(c).dtype()), Flat(places), Flat(G(c))});
    Vars gradients(args.size());
    for (size_t k = 0; k + 1 < first.size(); ++k) {
      const Shape& shape = X(c, operands[k]).shape();
      gradients[operands[k]] = Reshape(Part(sums, 0, first[k], ProductOf(shape)), shape);
    }
    return gradients;
  };
}

}  // namespace lathe::graph::ops
