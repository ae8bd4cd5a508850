#include "plugins/sdk/index_context.h"

#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/expr.h"
#include "plugins/sdk/index_arithmetic.h"

namespace lathe::sdk {

using ir::As;
using ir::Node;

namespace {

// Visits each node at most twice: as an index, and as something else.
class UsesOfVars {
 public:
  std::unordered_set<const Node*> Run(const ir::Stmt& body) {
    Look({body.get(), false});
    // First assume that every let value is an index: any data expressions inside it are data in
    // either case. This pass also finds the lets inside values.
    for (size_t i = 0; i < lets_.size(); ++i) Look({values_.at(lets_[i]), true});
    // A let variable that is used as data has a value that is data, and so are the variables in it.
    for (size_t i = 0; i < used_otherwise_.size(); ++i) {
      if (const auto let = values_.find(used_otherwise_[i]); let != values_.end())
        Look({let->second, false});
    }
    std::unordered_set<const Node*> index_only(lets_.begin(), lets_.end());
    for (const Node* var : used_otherwise_) index_only.erase(var);
    return index_only;
  }

 private:
  using Place = std::pair<const Node*, bool>;

  void Look(Place from) {
    std::vector<Place> stack = {from};
    while (!stack.empty()) {
      const auto [node, is_index] = stack.back();
      stack.pop_back();
      if (!(is_index ? as_index_ : otherwise_).insert(node).second) continue;
      if (As<ir::VarNode>(node) != nullptr && !is_index) used_otherwise_.push_back(node);
      ir::internal::ChildCursor children(*node);
      ir::Edge edge;
      const Node* child = nullptr;
      while (children.Next(&edge, &child)) {
        if (!ir::internal::Descends(edge.field->role, *child) ||
            edge.field->role == ir::FieldRole::kDefine)
          continue;
        if (edge.Is("value")) {
          const auto* statement = As<ir::LetStmt>(node);
          const auto* let = As<ir::Let>(node);
          if (statement != nullptr || let != nullptr) {
            const Node* var = let != nullptr ? let->var.get() : statement->var.get();
            if (values_.emplace(var, child).second) lets_.push_back(var);
            continue;
          }
        }
        stack.push_back({child, StartsIndexContext(edge) || (is_index && KeepsIndexContext(node))});
      }
    }
  }

  std::unordered_map<const Node*, const Node*> values_;   // of lets, by variable
  std::vector<const Node*> lets_, used_otherwise_;        // variables
  std::unordered_set<const Node*> as_index_, otherwise_;  // nodes seen
};

}  // namespace

bool StartsIndexContext(const ir::Edge& edge) {
  return (edge.Is("indices") && (As<ir::Load>(edge.parent) || As<ir::Store>(edge.parent))) ||
         edge.Is("min") || edge.Is("extent");
}

std::unordered_set<const Node*> IndexOnlyVars(const ir::Stmt& body) {
  return UsesOfVars().Run(body);
}

}  // namespace lathe::sdk
