#include "graph/uses.h"

#include "ir/walk.h"

namespace lathe::graph {

void ForEachUse(const ir::Node& value,
                const std::function<void(const ir::GraphVarNode& var)>& visit) {
  const auto look = [&](const ir::Node* node) {
    if (const auto* var = ir::As<ir::GraphVarNode>(node)) visit(*var);
  };
  ir::PostOrder(value, [&](const ir::Node& node) {
    for (const ir::FieldInfo& field : ir::FieldsOf(node.node_kind())) {
      if (field.role != ir::FieldRole::kRefer) continue;
      if (field.type == ir::FieldType::kNode) {
        look(field.node(node));
      } else if (field.type == ir::FieldType::kList) {
        for (size_t i = 0, n = field.list_size(node); i < n; ++i) look(field.list_at(node, i));
      }
    }
  });
}

}  // namespace lathe::graph
