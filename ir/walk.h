// Walking nodes without recursion on the C++ stack.
//
// Fields are visited in the order of the field list, lists and dicts in their order. A walk
// descends into owned children and definitions, but not into references (the buffer of a Load, the
// operation of a Tensor), see FieldRole.
//
// An expression is a graph: several nodes may use the same node. If each of n nodes uses the one
// below it twice, the tree has 2^n nodes. So a walk must have a reason to visit each use
// separately.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "ir/node.h"

namespace lathe::ir {

// The path from a node to one of its children.
struct Edge {
  const Node* parent = nullptr;
  const FieldInfo* field = nullptr;
  size_t index = 0;      // in a list
  std::string_view key;  // in a dict

  bool Is(std::string_view field_name) const {
    return field != nullptr && field->name == field_name;
  }
};

// What a walk does when it meets a shared expression again. Variables and constants are visited at
// every use.
enum class Sharing {
  kEachUse,  // visits it again: for walks whose result depends on the path to it
  kPerRoot,  // skips it within the same root. A root is an expression that is the child of a
             // statement, a range or the like. For context that differs only between statements
  kOnce,     // skips it, wherever it met it before
};

class Visitor {
 public:
  explicit Visitor(Sharing sharing = Sharing::kEachUse) : sharing_(sharing) {}
  virtual ~Visitor() = default;
  void Visit(const Node& root);
  template <class T>
  void Visit(const Ref<const T>& root) {
    if (root) Visit(static_cast<const Node&>(*root));
  }

 protected:
  // Called before the children. If it returns false, the children and Leave are skipped.
  virtual bool Enter(const Node& node) { return (void)node, true; }
  virtual void Leave(const Node& node) { (void)node; }
  // Called before and after each child, with the edge from the parent. Open and close scopes here.
  virtual void BeforeChild(const Edge& edge) { (void)edge; }
  virtual void AfterChild(const Edge& edge) { (void)edge; }

 private:
  bool MetBefore(const Node* parent, const Node& node);

  const Sharing sharing_;
  std::unordered_set<const Node*> met_;  // shared expressions
};

// Calls `visit` on every node, children first.
void PostOrder(const Node& root, const std::function<void(const Node&)>& visit,
               Sharing sharing = Sharing::kOnce);
template <class T, class F>
void PostOrder(const Ref<const T>& root, F visit, Sharing sharing = Sharing::kOnce) {
  if (root) PostOrder(static_cast<const Node&>(*root), visit, sharing);
}
// Calls `visit` on every node, parents first; false skips the children.
void PreOrder(const Node& root, const std::function<bool(const Node&)>& visit,
              Sharing sharing = Sharing::kOnce);
template <class T, class F>
void PreOrder(const Ref<const T>& root, F visit, Sharing sharing = Sharing::kOnce) {
  if (root) PreOrder(static_cast<const Node&>(*root), visit, sharing);
}
// Calls `visit` on every T below (and including) root, children first, each once.
template <class T, class Root, class F>
void ForEach(const Ref<const Root>& root, F visit) {
  PostOrder(root, [&](const Node& node) {
    if (const T* hit = As<T>(&node)) visit(*hit);
  });
}

// The variables used in `root` that it does not define, each once, in order of first use.
std::vector<Var> FreeVars(const NodeRef& root);
// Is any of `vars` used in `root`?
bool UsesAnyVar(const NodeRef& root, const std::unordered_set<const Node*>& vars);
bool UsesVar(const NodeRef& root, const Var& var);
// The number of nodes in the tree: a shared node counts once per use. Counting stops at `limit`.
size_t CountNodes(const NodeRef& root, size_t limit = SIZE_MAX);

// The largest tree, in nodes, for output that must be a tree (text of another language, code for
// the two arms of a choice). Shared nodes count at every use.
inline constexpr size_t kMaxTree = size_t{1} << 20;
// Throws Error "tree-too-large". `where` names the stage or function that unfolds the tree.
[[noreturn]] void ThrowTreeTooLarge(const std::string& where);

namespace internal {
// An expression without children: visiting it again costs nothing.
inline bool IsLeaf(NodeKind kind) {
  return kind == NodeKind::kVarNode || kind == NodeKind::kIntImm || kind == NodeKind::kFloatImm ||
         kind == NodeKind::kStringImm;
}
// Iterates over the children of `node` as edges, in order. Walkers and rewriters share it.
struct ChildCursor {
  const Node* node;
  std::span<const FieldInfo> fields;
  size_t field = 0;
  size_t index = 0;
  Dict::const_iterator dict_at;
  bool in_dict = false;
  explicit ChildCursor(const Node& owner) : node(&owner), fields(FieldsOf(owner.node_kind())) {}
  // Moves to the next child; false if there is none. Nulls are skipped.
  bool Next(Edge* edge, const Node** child);
};
// Does a walk descend into a child that it meets through a field of this role?
inline bool Descends(FieldRole role, const Node& child) {
  return role != FieldRole::kRefer || IsExpr(child.node_kind());
}
}  // namespace internal

}  // namespace lathe::ir
