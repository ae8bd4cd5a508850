// Converts classes and sums to expressions.
#include "arith/canonical.h"
#include "arith/operands.h"

namespace lathe::arith::internal {

Expr TermTable::ToExpr(Id root, DataType dtype) {
  // Converts operands first, with an explicit stack. Uses the canonical operands, because the first
  // expression of a class may have variables that cancel out.
  std::vector<Id> stack{root};
  while (!stack.empty()) {
    const Id id = stack.back();
    ClassInfo& info = classes_[id];
    if (info.canonical) {
      stack.pop_back();
      continue;
    }
    const size_t before = stack.size();
    auto need = [&](Id part) {
      if (!classes_[part].canonical) stack.push_back(part);
    };
    for (Id arg : info.args) need(arg);
    for (const Term& term : info.linear.terms) need(term.atom);
    if (stack.size() > before) continue;
    stack.pop_back();
    switch (info.class_kind) {
      case ClassKind::kSum:
        info.canonical = ToExpr(info.linear, info.dtype);
        break;
      case ClassKind::kProduct:
        info.canonical = ProductExpr(info, info.dtype);
        break;
      case ClassKind::kNode: {
        Exprs operands, canonical;
        AppendOperands(*info.expr, &operands);
        if (info.args.size() == operands.size()) {
          for (size_t i = 0; i < operands.size(); ++i) {
            canonical.push_back(ir::MakeCast(operands[i]->dtype, classes_[info.args[i]].canonical));
          }
          info.canonical = WithOperands(info.expr, canonical);
        } else {
          info.canonical = info.expr;  // a coefficient overflowed
        }
      }
    }
    by_node_.emplace(info.canonical, id);
  }
  const ClassInfo& info = classes_[root];
  if (info.canonical->dtype == dtype) return info.canonical;
  // Computes products in the requested type, because a narrower type might overflow.
  if (info.class_kind == ClassKind::kProduct) return ProductExpr(info, dtype);
  return ir::MakeCast(dtype, info.canonical);
}

Expr TermTable::ProductExpr(const ClassInfo& info, DataType dtype) const {
  Expr product;
  for (Id factor : info.args) {
    const Expr next = ir::MakeCast(dtype, classes_[factor].canonical);
    product = product ? ir::MakeBinary(NodeKind::kMul, product, next) : next;
  }
  return product;
}

Expr TermTable::ToExpr(const Linear& linear, DataType dtype) {
  Expr sum;
  auto scaled = [&](Id atom, int64_t coeff) {
    Expr term = ToExpr(atom, dtype);
    return coeff == 1 ? term : ir::MakeBinary(NodeKind::kMul, term, ir::Int(coeff, dtype));
  };
  for (const Term& term : linear.terms) {
    if (term.coeff < 0) continue;
    Expr next = scaled(term.atom, term.coeff);
    sum = sum ? ir::MakeBinary(NodeKind::kAdd, sum, next) : next;
  }
  const bool constant_first = !sum;
  if (constant_first) sum = ir::Int(linear.constant, dtype);
  for (const Term& term : linear.terms) {
    if (term.coeff > 0) continue;
    // A coefficient of INT64_MIN has no positive counterpart; it does not fit any type's product
    // either.
    sum = ir::MakeBinary(NodeKind::kSub, sum, scaled(term.atom, -term.coeff));
  }
  if (!constant_first && linear.constant != 0) {
    const bool negative = linear.constant < 0 && linear.constant != INT64_MIN;
    sum = ir::MakeBinary(negative ? NodeKind::kSub : NodeKind::kAdd, sum,
                         ir::Int(negative ? -linear.constant : linear.constant, dtype));
  }
  return sum;
}

}  // namespace lathe::arith::internal
