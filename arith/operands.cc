#include "arith/operands.h"

#include "base/error.h"

namespace lathe::arith::internal {

using ir::As;
using ir::Expr;
using ir::NodeKind;

void AppendOperands(const ir::ExprNode& expr, Exprs* out) {
  if (const ir::Operands binary = ir::BinaryOperands(&expr)) {
    out->push_back(*binary.a);
    out->push_back(*binary.b);
    return;
  }
  switch (expr.node_kind()) {
    case NodeKind::kCast:
      out->push_back(static_cast<const ir::Cast&>(expr).value);
      break;
    case NodeKind::kNot:
      out->push_back(static_cast<const ir::Not&>(expr).a);
      break;
    case NodeKind::kSelect: {
      const auto& node = static_cast<const ir::Select&>(expr);
      out->insert(out->end(), {node.condition, node.true_value, node.false_value});
      break;
    }
    case NodeKind::kLoad: {
      const auto& node = static_cast<const ir::Load&>(expr);
      out->insert(out->end(), node.indices.begin(), node.indices.end());
      if (node.mask) out->push_back(node.mask);
      break;
    }
    case NodeKind::kRamp: {
      const auto& node = static_cast<const ir::Ramp&>(expr);
      out->insert(out->end(), {node.base, node.stride});
      break;
    }
    case NodeKind::kBroadcast:
      out->push_back(static_cast<const ir::Broadcast&>(expr).value);
      break;
    case NodeKind::kShuffle: {
      const auto& node = static_cast<const ir::Shuffle&>(expr);
      out->insert(out->end(), node.vectors.begin(), node.vectors.end());
      break;
    }
    case NodeKind::kCall:
      for (const ir::NodeRef& arg : static_cast<const ir::Call&>(expr).args) {
        if (Expr e = ir::RefExpr(arg)) out->push_back(std::move(e));
      }
      break;
    default:
      break;
  }
}

Expr WithOperands(const Expr& expr, const Exprs& operands) {
  Exprs before;
  AppendOperands(*expr, &before);
  LATHE_CHECK(before.size() == operands.size());
  bool same = true;
  for (size_t i = 0; i < before.size(); ++i) same = same && before[i].same_as(operands[i]);
  if (same) return expr;
  if (ir::BinaryOperands(expr.get())) {
    return ir::MakeBinary(expr->node_kind(), operands[0], operands[1]);
  }
  const Ref<ir::Node> copy = ir::CloneNode(*expr);
  switch (expr->node_kind()) {
    case NodeKind::kCast:
      static_cast<ir::Cast&>(*copy).value = operands[0];
      break;
    case NodeKind::kNot:
      static_cast<ir::Not&>(*copy).a = operands[0];
      break;
    case NodeKind::kSelect: {
      auto& node = static_cast<ir::Select&>(*copy);
      node.condition = operands[0];
      node.true_value = operands[1];
      node.false_value = operands[2];
      break;
    }
    case NodeKind::kLoad: {
      auto& node = static_cast<ir::Load&>(*copy);
      for (size_t i = 0; i < node.indices.size(); ++i) node.indices[i] = operands[i];
      if (node.mask) node.mask = operands.back();
      break;
    }
    case NodeKind::kRamp:
      static_cast<ir::Ramp&>(*copy).base = operands[0];
      static_cast<ir::Ramp&>(*copy).stride = operands[1];
      break;
    case NodeKind::kBroadcast:
      static_cast<ir::Broadcast&>(*copy).value = operands[0];
      break;
    case NodeKind::kShuffle:
      static_cast<ir::Shuffle&>(*copy).vectors.assign(operands.begin(), operands.end());
      break;
    case NodeKind::kCall: {
      auto& node = static_cast<ir::Call&>(*copy);
      size_t next = 0;
      for (ir::NodeRef& arg : node.args) {
        if (ir::IsExpr(arg.get())) arg = operands[next++];
      }
      break;
    }
    default:
      LATHE_CHECK(false) << "no operands in " << ir::NodeKindName(expr->node_kind());
  }
  return Expr(static_cast<const ir::ExprNode*>(copy.get()));
}

}  // namespace lathe::arith::internal
