// Formulas over the tensors of a graph: `g * (1.0 - y * y)` emits two calls of operators.
//
// A Value is a variable and the builder that made it. Arithmetic broadcasts; a number takes the
// element type of the other operand.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "graph/builder.h"
#include "graph/ops/define.h"
#include "graph/ops/gradients/gradients.h"
#include "graph/reverse.h"

namespace lathe::graph::ops {

using Vars = std::vector<GraphVar>;

struct Value {
  Builder* b = nullptr;
  GraphVar var = {};

  operator const GraphVar&() const { return var; }  // NOLINT(google-explicit-constructor)
  const ir::TensorType& type() const { return static_cast<const ir::TensorType&>(*var->type); }
  const Shape& shape() const { return type().shape; }
  DataType dtype() const { return type().dtype; }
  int64_t rank() const { return static_cast<int64_t>(shape().size()); }
  // A tensor of rank 0 with the same element type.
  Value Like(double number) const { return {b, b->Scalar(number, dtype())}; }
};

// A call of an operator.
Value Apply(const std::string& op, const std::vector<Value>& args, ir::Dict attrs = {});
// Field `index` of a tuple.
Value Field(const Value& tuple, int64_t index);

inline Value operator+(const Value& a, const Value& b) { return Apply("add", {a, b}); }
inline Value operator-(const Value& a, const Value& b) { return Apply("subtract", {a, b}); }
inline Value operator*(const Value& a, const Value& b) { return Apply("multiply", {a, b}); }
inline Value operator/(const Value& a, const Value& b) { return Apply("divide", {a, b}); }
inline Value operator+(const Value& a, double b) { return a + a.Like(b); }
inline Value operator-(const Value& a, double b) { return a - a.Like(b); }
inline Value operator*(const Value& a, double b) { return a * a.Like(b); }
inline Value operator/(const Value& a, double b) { return a / a.Like(b); }
inline Value operator-(double a, const Value& b) { return b.Like(a) - b; }
inline Value operator/(double a, const Value& b) { return b.Like(a) / b; }
inline Value operator-(const Value& a) { return Apply("negative", {a}); }
inline Value operator>(const Value& a, const Value& b) { return Apply("greater", {a, b}); }
inline Value operator<(const Value& a, const Value& b) { return Apply("less", {a, b}); }
inline Value operator>=(const Value& a, const Value& b) { return Apply("greater_equal", {a, b}); }
inline Value operator<=(const Value& a, const Value& b) { return Apply("less_equal", {a, b}); }
inline Value operator==(const Value& a, const Value& b) { return Apply("equal", {a, b}); }
inline Value operator>(const Value& a, double b) { return a > a.Like(b); }
inline Value operator<(const Value& a, double b) { return a < a.Like(b); }
inline Value operator>=(const Value& a, double b) { return a >= a.Like(b); }
inline Value operator<=(const Value& a, double b) { return a <= a.Like(b); }
inline Value operator==(const Value& a, double b) { return a == a.Like(b); }
inline Value operator&&(const Value& a, const Value& b) { return Apply("logical_and", {a, b}); }
inline Value operator||(const Value& a, const Value& b) { return Apply("logical_or", {a, b}); }
Value operator!(const Value& a);

inline Value Exp(const Value& x) { return Apply("exp", {x}); }
inline Value Log(const Value& x) { return Apply("log", {x}); }
inline Value Sqrt(const Value& x) { return Apply("sqrt", {x}); }
inline Value Abs(const Value& x) { return Apply("abs", {x}); }
inline Value Sign(const Value& x) { return Apply("sign", {x}); }
inline Value Tanh(const Value& x) { return Apply("tanh", {x}); }
inline Value Sigmoid(const Value& x) { return Apply("sigmoid", {x}); }
inline Value Max(const Value& a, const Value& b) { return Apply("maximum", {a, b}); }
inline Value Min(const Value& a, const Value& b) { return Apply("minimum", {a, b}); }
// x where the condition holds, else y.
inline Value Where(const Value& condition, const Value& x, const Value& y) {
  return Apply("where", {condition, x, y});
}
inline Value Where(const Value& condition, const Value& x, double y) {
  return Where(condition, x, x.Like(y));
}

Value Cast(const Value& x, DataType dtype);
Value Reshape(const Value& x, Shape shape);
// All elements in row-major order.
Value Flat(const Value& x);
Value BroadcastTo(const Value& x, Shape shape);
// Dimension d of the result is dimension axes[d] of `x`.
Value Transpose(const Value& x, std::vector<int64_t> axes);
// The sum over some dimensions, which may stay with extent 1.
Value Sum(const Value& x, std::vector<int64_t> axes, bool keepdims = false);
Value SumAll(const Value& x);
Value Mean(const Value& x, std::vector<int64_t> axes, bool keepdims);
// Slices along one dimension at the places `indices`.
Value Take(const Value& x, const Value& indices, int64_t axis);
Value Concatenate(const std::vector<Value>& parts, int64_t axis);
Value Zeros(Builder& b, const Shape& shape, DataType dtype);
Value Ones(Builder& b, const Shape& shape, DataType dtype);
inline Value ZerosLike(const Value& x) { return Zeros(*x.b, x.shape(), x.dtype()); }
// [begin, begin + extent) along one dimension.
Value Part(const Value& x, int64_t axis, const Expr& begin, const Expr& extent);
// The first elements of every dimension: a tensor of the shape.
Value Corner(const Value& x, const Shape& shape);
// The expression over sizes as a tensor of rank 0.
Value NumberOf(Builder& b, const Expr& number, DataType dtype);
// 0, 1, ... extent - 1.
Value Arange(Builder& b, const Expr& extent, DataType dtype);
// [extent] with the extents of 1 around it that make it broadcast along dimension `axis` of `rank`.
Value AlongAxis(const Value& vector, int64_t axis, int64_t rank);
// `axis` counted from the front.
inline int64_t FromFront(int64_t axis, int64_t rank) { return axis < 0 ? axis + rank : axis; }
std::vector<int64_t> FromFront(std::vector<int64_t> axes, int64_t rank);
Expr ProductOf(const Shape& shape);
// x[..., k, ...] matrix[k, j] along dimension `axis` of x.
Value TimesMatrix(const Value& x, const Value& matrix, int64_t axis);

// The parts of a GradientContext in formulas.
inline Value X(const GradientContext& c, size_t i = 0) { return {&c.builder, c.x(i)}; }
inline Value Y(const GradientContext& c, size_t i = 0) { return {&c.builder, c.y(i)}; }
inline Value G(const GradientContext& c, size_t i = 0) { return {&c.builder, c.g(i)}; }

// -- Whole gradients.

// Of a function of one tensor, element by element: g times the derivative.
GradientFn Derivative(
    std::function<Value(const Value& x, const Value& y, const Attrs& attrs)> derivative);
// Zero everywhere, or not there because elements are no floats.
GradientFn NoneOf();
// The gradient of a composition of other operators that does the same.
using ValueComposition =
    std::function<Value(Builder& b, const std::vector<Value>& x, const Attrs& attrs)>;
GradientFn ByComposition(ValueComposition build);
// For operators each of whose elements is a copy of an element of one of the arguments `operands`,
// or a constant: which one is found out by the operator itself, applied to the numbers of the
// elements. `operands` empty: argument 0.
GradientFn ByPlaces(std::vector<size_t> operands = {0});

}  // namespace lathe::graph::ops
