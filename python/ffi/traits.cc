#include "python/ffi/traits.h"

#include <limits>

#include "ir/expr.h"

namespace lathe::python {

using ir::Expr;

Expr ExprOf(const lathe_value& value) {
  switch (value.kind) {
    case LATHE_VALUE_BOOL:
      return ir::Bool(value.v_int != 0);
    case LATHE_VALUE_INT:
      return ir::Int(value.v_int, value.v_int >= std::numeric_limits<int32_t>::min() &&
                                          value.v_int <= std::numeric_limits<int32_t>::max()
                                      ? DataType::Int(32)
                                      : DataType::Int(64));
    case LATHE_VALUE_FLOAT:
      return ir::Float(value.v_float);
    default:
      break;
  }
  if (const ir::Node* node = NodeOf(value)) {
    if (ir::IsExpr(node)) return Expr(static_cast<const ir::ExprNode*>(node));
    if (const auto* axis = ir::As<ir::IterVarNode>(node)) return axis->var;
    return {};
  }
  std::string_view text;
  if (runtime::ValueTraits<std::string_view>::Get(value, &text) == runtime::Conversion::kOk)
    return ir::String(std::string(text));
  return {};
}

Expr ExprLike(const lathe_value& value, DataType like) {
  const bool is_number = like.is_integral() || like.is_float();
  if (value.kind == LATHE_VALUE_INT && is_number) {
    if (like.is_float()) return ir::Const(value.v_int, like);
    // If the type cannot hold the number, the wider type wins, as with other operands.
    if (like.is_integral()) {
      const Expr own = ExprOf(value);
      return own->dtype.bits() > like.bits() ? own : ir::Const(value.v_int, like);
    }
  }
  if (value.kind == LATHE_VALUE_FLOAT && like.is_float()) return ir::Const(value.v_float, like);
  return ExprOf(value);
}

}  // namespace lathe::python

namespace lathe::runtime {

Conversion ValueTraits<ir::Dict>::Get(const lathe_value& value, ir::Dict* out) {
  out->clear();
  const std::vector<Value>* items = ArrayElements(value);
  if (items == nullptr) return Conversion::kWrongKind;
  for (const Value& item : *items) {
    const std::vector<Value>* pair = ArrayElements(item.c());
    if (pair == nullptr || pair->size() != 2 || !(*pair)[0].Is<std::string>())
      return Conversion::kWrongKind;
    ir::NodeRef node;
    if (const Conversion c = ValueTraits<ir::NodeRef>::Get((*pair)[1].c(), &node);
        c != Conversion::kOk)
      return c;
    if (!node) return Conversion::kWrongKind;
    (*out)[(*pair)[0].As<std::string>()] = node;
  }
  return Conversion::kOk;
}

lathe_value ValueTraits<ir::Dict>::Own(const ir::Dict& items) {
  std::vector<Value> pairs;
  pairs.reserve(items.size());
  for (const auto& [key, node] : items) {
    std::vector<Value> pair;
    pair.emplace_back(key);
    pair.emplace_back(node);
    pairs.emplace_back(std::move(pair));
  }
  return ValueTraits<std::vector<Value>>::Own(std::move(pairs));
}

}  // namespace lathe::runtime
