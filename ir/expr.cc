#include "ir/expr.h"

#include <cmath>

#include "base/error.h"
#include "base/float_formats.h"
#include "ir/buffer.h"
#include "ir/expr_checks.h"
#include "ir/intrinsic_names.h"

namespace lathe::ir {
namespace {

using internal::Checked;
using internal::FitsInt;
using internal::Promote;
using internal::TypeMismatch;

Expr MakeVector(Expr value, int lanes) {
  return lanes == 1 ? value : MakeBroadcast(std::move(value), lanes);
}

}  // namespace

Var MakeVar(std::string name, DataType dtype) {
  Ref<VarNode> node = Make<VarNode>();
  node->name = std::move(name);
  node->dtype = dtype;
  return node;
}

Var MakeSizeVar(std::string name, DataType dtype) {
  Ref<VarNode> node = Make<VarNode>();
  node->name = std::move(name);
  node->dtype = dtype;
  node->is_size = true;
  return node;
}

Expr Int(int64_t value, DataType dtype) {
  const DataType scalar = dtype.element_of();
  if (!scalar.is_integral() && !scalar.is_bool())
    TypeMismatch("an integer constant", "an integer type or bool", dtype.ToString());
  if (scalar.is_bool())
    value = value != 0;
  else if (!(scalar.is_uint() && scalar.bits() == 64) && !FitsInt(value, scalar)) {
    throw Error(Diagnostic{.name = "constant-out-of-range",
                           .message = "the constant does not fit its type",
                           .expected = "a value of " + scalar.ToString(),
                           .found = std::to_string(value),
                           .help = "use a wider type"});
  }
  Ref<IntImm> node = Make<IntImm>();
  node->dtype = scalar;
  node->value = value;
  return MakeVector(node, dtype.is_scalar() ? 1 : dtype.lanes());
}

Expr Float(double value, DataType dtype) {
  const DataType scalar = dtype.element_of();
  if (!scalar.is_float()) TypeMismatch("a floating constant", "a floating type", dtype.ToString());
  Ref<FloatImm> node = Make<FloatImm>();
  node->dtype = scalar;
  node->value = RoundToType(value, scalar);
  return MakeVector(node, dtype.is_scalar() ? 1 : dtype.lanes());
}

Expr Bool(bool value, int lanes) {
  Ref<IntImm> node = Make<IntImm>();
  node->dtype = DataType::Bool();
  node->value = value ? 1 : 0;
  return MakeVector(node, lanes);
}

Expr String(std::string value) {
  Ref<StringImm> node = Make<StringImm>();
  node->value = std::move(value);
  return node;
}

Expr Const(double value, DataType dtype) {
  if (dtype.is_float()) return Float(value, dtype);
  if (value != std::floor(value) || std::fabs(value) > 9.2e18) {
    throw Error(Diagnostic{.name = "constant-out-of-range",
                           .message = "the constant does not fit its type",
                           .expected = "a value of " + dtype.ToString(),
                           .found = std::to_string(value),
                           .help = "cast explicitly if truncation is wanted"});
  }
  return Int(static_cast<int64_t>(value), dtype);
}

Expr Const(int64_t value, DataType dtype) {
  return dtype.is_float() ? Float(static_cast<double>(value), dtype) : Int(value, dtype);
}

Expr operator>=(const Expr& a, int64_t b) { return a >= Const(b, a->dtype.element_of()); }

Expr MakeCast(DataType dtype, Expr value) {
  LATHE_CHECK(value) << "cast of nothing";
  if (value->dtype == dtype) return value;
  if (dtype.is_scalar()) {
    if (const auto* imm = As<IntImm>(value)) {
      if (dtype.is_float() && !(imm->dtype.is_uint() && imm->value < 0))
        return Float(static_cast<double>(imm->value), dtype);
      if (dtype.is_bool()) return Bool(imm->value != 0);
      if (dtype.is_integral() && FitsInt(imm->value, dtype) &&
          !(imm->dtype.is_uint() && imm->value < 0))
        return Int(imm->value, dtype);
    } else if (const auto* number = As<FloatImm>(value); number != nullptr && dtype.is_float()) {
      return Float(number->value, dtype);
    }
  }
  Ref<Cast> node = Make<Cast>();
  node->dtype = dtype;
  node->value = std::move(value);
  return Checked(std::move(node));
}

Expr MakeSelect(Expr condition, Expr true_value, Expr false_value) {
  Promote(true_value, false_value, "select");
  if (const int64_t* c = AsConstInt(condition)) return *c != 0 ? true_value : false_value;
  Ref<Select> node = Make<Select>();
  node->dtype = true_value->dtype;
  node->condition = std::move(condition);
  node->true_value = std::move(true_value);
  node->false_value = std::move(false_value);
  return Checked(std::move(node));
}

Expr MakeRamp(Expr base, Expr stride, int lanes) {
  Promote(base, stride, "ramp");
  if (lanes == 1) return base;
  Ref<Ramp> node = Make<Ramp>();
  node->dtype = base->dtype.with_lanes(lanes);
  node->base = std::move(base);
  node->stride = std::move(stride);
  return Checked(std::move(node));
}

Expr MakeBroadcast(Expr value, int lanes) {
  if (lanes == 1) return value;
  Ref<Broadcast> node = Make<Broadcast>();
  node->dtype = value->dtype.with_lanes(lanes);
  node->value = std::move(value);
  return Checked(std::move(node));
}

Expr MakeShuffle(std::vector<Expr> vectors, std::vector<int> indices) {
  Ref<Shuffle> node = Make<Shuffle>();
  LATHE_CHECK(!vectors.empty()) << "shuffle of nothing";
  node->dtype = vectors[0]->dtype.element_of().with_lanes(static_cast<int>(indices.size()));
  node->vectors = std::move(vectors);
  for (int i : indices) node->indices.push_back(Int(i));
  return Checked(std::move(node));
}

Expr MakeLet(Var var, Expr value, Expr body) {
  Ref<Let> node = Make<Let>();
  node->dtype = body->dtype;
  node->var = std::move(var);
  node->value = std::move(value);
  node->body = std::move(body);
  return Checked(std::move(node));
}

Expr MakeCall(DataType dtype, std::string op, std::vector<NodeRef> args, Dict attrs) {
  Ref<Call> node = Make<Call>();
  node->dtype = dtype;
  node->op = std::move(op);
  node->args = std::move(args);
  node->attrs = std::move(attrs);
  return Checked(std::move(node));
}

Expr MakeReduce(Reducer reducer, std::vector<Expr> sources, std::vector<IterVar> axis,
                Expr condition, int64_t value_index, std::vector<Expr> init) {
  Ref<Reduce> node = Make<Reduce>();
  LATHE_CHECK(value_index >= 0 && static_cast<size_t>(value_index) < sources.size());
  node->dtype = sources[static_cast<size_t>(value_index)]->dtype;
  node->reducer = std::move(reducer);
  node->sources = std::move(sources);
  node->axis = std::move(axis);
  node->condition = condition ? std::move(condition) : Bool(true);
  node->value_index = value_index;
  node->init = std::move(init);
  return Checked(std::move(node));
}

Expr IfThenElse(Expr condition, Expr true_value, Expr false_value) {
  Promote(true_value, false_value, intrinsic::kIfThenElse);
  if (const int64_t* c = AsConstInt(condition)) return *c != 0 ? true_value : false_value;
  if (!condition->dtype.is_bool())
    TypeMismatch("the condition of if_then_else", "bool", condition->dtype.ToString());
  const DataType dtype = true_value->dtype;
  return MakeCall(dtype, intrinsic::kIfThenElse,
                  {std::move(condition), std::move(true_value), std::move(false_value)});
}

Expr Likely(Expr condition) {
  if (AsConstInt(condition) != nullptr) return condition;
  if (const auto* call = As<Call>(condition); call != nullptr && call->op == intrinsic::kLikely)
    return condition;
  const DataType dtype = condition->dtype;
  return MakeCall(dtype, intrinsic::kLikely, {std::move(condition)});
}

const int64_t* AsConstInt(const Expr& expr) {
  if (const auto* imm = As<IntImm>(expr)) return &imm->value;
  if (const auto* broadcast = As<Broadcast>(expr)) {
    if (const auto* imm = As<IntImm>(broadcast->value)) return &imm->value;
  }
  return nullptr;
}

bool IsConstInt(const Expr& expr, int64_t value) {
  const int64_t* held = AsConstInt(expr);
  return held != nullptr && *held == value;
}

std::vector<Expr> SplitConjunction(const Expr& condition) {
  std::vector<Expr> out, stack;
  if (condition) stack.push_back(condition);
  while (!stack.empty()) {
    Expr top = stack.back();
    stack.pop_back();
    if (const auto* both = As<And>(top)) {
      stack.push_back(both->b);
      stack.push_back(both->a);
    } else if (const int64_t* value = AsConstInt(top); value == nullptr || *value == 0) {
      out.push_back(std::move(top));
    }
  }
  return out;
}

Expr Conjunction(const std::vector<Expr>& conditions) {
  Expr out;
  for (const Expr& condition : conditions) out = out ? LogicalAnd(out, condition) : condition;
  return out;
}

}  // namespace lathe::ir
