#include "lower/operands.h"

#include <utility>

#include "base/error.h"
#include "ir/walk.h"

namespace lathe::lower {

using namespace ir;  // NOLINT: the nodes' names, in this file only

namespace {

// Calls `visit(edge, child)` for what OperandsOf lists.
template <class F>
void ForOperands(const Node& node, F visit) {
  if (node.node_kind() == NodeKind::kAttr) return;  // an annotation, not a computation
  ir::internal::ChildCursor cursor(node);
  Edge edge;
  const Node* child = nullptr;
  while (cursor.Next(&edge, &child)) {
    if (edge.field->role == FieldRole::kDefine || edge.field->type == FieldType::kDict) continue;
    if (!IsExpr(child)) continue;
    visit(edge, static_cast<const ExprNode*>(child));
  }
}

}  // namespace

OperandList OperandsOf(const Node& node) {
  OperandList out;
  if (IsExpr(&node)) {
    if (const Operands binary = BinaryOperands(static_cast<const ExprNode*>(&node))) {
      out.push_back(binary.a->get());
      out.push_back(binary.b->get());
      return out;
    }
  }
  ForOperands(node, [&](const Edge&, const ExprNode* child) { out.push_back(child); });
  return out;
}

NodeRef WithOperands(const NodeRef& node, const std::vector<Expr>& with) {
  Ref<Node> copy;
  size_t at = 0;
  ForOperands(*node, [&](const Edge& edge, const ExprNode* child) {
    const Expr& next = with[at++];
    if (next.get() == child) return;
    if (!copy) copy = CloneNode(*node);
    bool fits = true;
    if (edge.field->type == FieldType::kList) {
      std::vector<NodeRef> list;
      for (size_t i = 0; i < edge.field->list_size(*copy); ++i)
        list.emplace_back(edge.field->list_at(*copy, i));
      list[edge.index] = next;
      fits = edge.field->set_list(*copy, std::move(list));
    } else {
      fits = edge.field->set_node(*copy, next);
    }
    LATHE_CHECK(fits) << "an operand does not fit into " << NodeKindName(node->node_kind());
  });
  return copy ? NodeRef(copy) : node;
}

}  // namespace lathe::lower
