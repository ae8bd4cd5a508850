#include "graph/import/operator_context.h"

namespace lathe::graph {

using ir::Expr;
using ir::GraphVar;

std::vector<int64_t> OperatorContext::FixedShape(const GraphVar& var, const char* what) const {
  std::vector<int64_t> shape;
  for (const Expr& extent : ShapeOf(var)) {
    const int64_t* number = ir::AsConstInt(extent);
    if (number == nullptr) {
      Fail(std::string("needs ") + what + " of a known shape", "numbers", TypeText(var->type),
           "give the model's inputs a shape at import");
    }
    shape.push_back(*number);
  }
  return shape;
}

std::optional<TensorValue> OperatorContext::Known(size_t i) const {
  return Has(i) ? values_.ConstantOf(In(i)) : std::nullopt;
}

std::vector<int64_t> OperatorContext::Ints(size_t i, const char* what) const {
  const std::optional<TensorValue> value = values_.ConstantOf(In(i));
  if (!value) FailValue(i, what);
  return IntsOf(*value);
}

std::vector<double> OperatorContext::Floats(size_t i, const char* what) const {
  const std::optional<TensorValue> value = values_.ConstantOf(In(i));
  if (!value) FailValue(i, what);
  return FloatsOf(*value);
}

int64_t OperatorContext::Int(size_t i, const char* what) const {
  const std::vector<int64_t> values = Ints(i, what);
  if (values.size() != 1) {
    Fail("has a wrong input " + std::to_string(i), "one number",
         std::to_string(values.size()) + " numbers");
  }
  return values[0];
}

bool OperatorContext::AreKnown(size_t i) const {
  return values_.b().ValueOf(In(i)) != nullptr || Known(i);
}

std::vector<Expr> OperatorContext::Extents(size_t i, const char* what) const {
  if (const std::vector<Expr>* known = values_.b().ValueOf(In(i))) {
    std::vector<Expr> extents;
    for (const Expr& extent : *known) extents.push_back(ir::MakeCast(DataType::Int(64), extent));
    return extents;
  }
  return AsExtents(Ints(i, what));
}

int64_t OperatorContext::Axis(int64_t axis, int64_t rank) const {
  if (axis < -rank || axis >= rank) {
    Fail("has an axis that its input lacks",
         std::to_string(-rank) + " to " + std::to_string(rank - 1), std::to_string(axis));
  }
  return axis < 0 ? axis + rank : axis;
}

std::vector<int64_t> OperatorContext::Axes(std::vector<int64_t> axes, int64_t rank) const {
  for (int64_t& axis : axes) axis = Axis(axis, rank);
  return axes;
}

}  // namespace lathe::graph
