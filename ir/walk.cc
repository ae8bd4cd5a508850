#include "ir/walk.h"

#include <algorithm>

#include "base/error.h"
#include "base/poll.h"
#include "ir/expr.h"

namespace lathe::ir {
void ThrowTreeTooLarge(const std::string& where) {
  throw Error(Diagnostic{
      .name = "tree-too-large",
      .message = where + " is too large once what it shares is written out",
      .expected = "at most " + std::to_string(kMaxTree) + " nodes, shared ones at every use",
      .found = "more",
      .help = "compute what is used repeatedly in a stage of its own (compute_root or compute_at), "
              "and outside of the arms of choices"});
}

namespace internal {

bool ChildCursor::Next(Edge* edge, const Node** child) {
  while (field < fields.size()) {
    const FieldInfo& info = fields[field];
    edge->parent = node;
    edge->field = &info;
    edge->index = 0;
    edge->key = {};
    switch (info.type) {
      case FieldType::kNode:
        ++field;
        *child = info.node(*node);
        break;
      case FieldType::kList:
        if (index >= info.list_size(*node)) {
          ++field;
          index = 0;
          continue;
        }
        edge->index = index;
        *child = info.list_at(*node, index++);
        break;
      case FieldType::kDict: {
        const Dict& dict = info.dict(*node);
        if (!in_dict) {
          in_dict = true;
          dict_at = dict.begin();
        }
        if (dict_at == dict.end()) {
          in_dict = false;
          ++field;
          continue;
        }
        edge->key = dict_at->first;
        *child = dict_at->second.get();
        ++dict_at;
        break;
      }
      default:
        ++field;
        continue;
    }
    if (*child != nullptr) return true;
  }
  return false;
}

}  // namespace internal

// A node with one owner is met only once and is not recorded, so trees cost nothing.
bool Visitor::MetBefore(const Node* parent, const Node& node) {
  if (sharing_ == Sharing::kEachUse || !IsExpr(node.node_kind())) return false;
  const bool is_root = parent == nullptr || !IsExpr(parent->node_kind());
  if (is_root && sharing_ == Sharing::kPerRoot && !met_.empty()) met_ = {};
  if (node.unique() || internal::IsLeaf(node.node_kind())) return false;
  return !met_.insert(&node).second;
}

void Visitor::Visit(const Node& root) {
  struct Frame {
    internal::ChildCursor cursor;
    Edge edge;  // from the parent to this node
  };
  if (MetBefore(nullptr, root) || !Enter(root)) return;
  std::vector<Frame> stack;
  stack.reserve(16);
  stack.push_back({internal::ChildCursor(root), {}});
  while (!stack.empty()) {
    Poll();
    Edge edge;
    const Node* child = nullptr;
    if (!stack.back().cursor.Next(&edge, &child)) {
      Leave(*stack.back().cursor.node);
      const Edge done = stack.back().edge;
      stack.pop_back();
      if (!stack.empty()) AfterChild(done);
      continue;
    }
    BeforeChild(edge);
    if (internal::Descends(edge.field->role, *child) && !MetBefore(edge.parent, *child) &&
        Enter(*child)) {
      stack.push_back({internal::ChildCursor(*child), edge});
    } else {
      AfterChild(edge);
    }
  }
}

namespace {

class FunctionVisitor final : public Visitor {
 public:
  FunctionVisitor(const std::function<bool(const Node&)>* enter,
                  const std::function<void(const Node&)>* leave, Sharing sharing)
      : Visitor(sharing == Sharing::kPerRoot ? sharing : Sharing::kEachUse),
        enter_(enter),
        leave_(leave),
        sharing_(sharing) {}

 protected:
  bool Enter(const Node& node) override {
    // A node with one owner is met only once.
    if (sharing_ == Sharing::kOnce && !node.unique() && !seen_.insert(&node).second) return false;
    return enter_ == nullptr || (*enter_)(node);
  }
  void Leave(const Node& node) override {
    if (leave_ != nullptr) (*leave_)(node);
  }

 private:
  const std::function<bool(const Node&)>* enter_;
  const std::function<void(const Node&)>* leave_;
  Sharing sharing_;
  std::unordered_set<const Node*> seen_;
};

}  // namespace

void PostOrder(const Node& root, const std::function<void(const Node&)>& visit, Sharing sharing) {
  FunctionVisitor(nullptr, &visit, sharing).Visit(root);
}

void PreOrder(const Node& root, const std::function<bool(const Node&)>& visit, Sharing sharing) {
  FunctionVisitor(&visit, nullptr, sharing).Visit(root);
}

std::vector<Var> FreeVars(const NodeRef& root) {
  // Any kDefine edge defines a variable, wherever it is: definitions are unique in a tree.
  class Finder final : public Visitor {
   public:
    Finder() : Visitor(Sharing::kOnce) {}
    std::vector<const VarNode*> used;
    std::unordered_set<const Node*> defined;

   protected:
    void BeforeChild(const Edge& edge) override {
      defining_ = edge.field->role == FieldRole::kDefine;
    }
    bool Enter(const Node& node) override {
      if (const auto* var = As<VarNode>(&node)) {
        if (defining_)
          defined.insert(var);
        else if (seen_.insert(var).second)
          used.push_back(var);
      }
      return true;
    }

   private:
    bool defining_ = false;
    std::unordered_set<const Node*> seen_;
  };
  Finder finder;
  finder.Visit(root);
  std::vector<Var> out;
  for (const VarNode* var : finder.used) {
    if (finder.defined.count(var) == 0) out.emplace_back(var);
  }
  return out;
}

bool UsesAnyVar(const NodeRef& root, const std::unordered_set<const Node*>& vars) {
  bool found = false;
  PreOrder(root, [&](const Node& node) {
    if (node.node_kind() == NodeKind::kVarNode && vars.count(&node) != 0) found = true;
    return !found;
  });
  return found;
}

bool UsesVar(const NodeRef& root, const Var& var) { return UsesAnyVar(root, {var.get()}); }

size_t CountNodes(const NodeRef& root, size_t limit) {
  size_t count = 0;
  PreOrder(root, [&](const Node&) { return ++count < limit; }, Sharing::kEachUse);
  return count;
}

}  // namespace lathe::ir
