// Walking nodes without recursion on the C++ stack.
//
// Fields are visited in the order of the field list, lists and dicts in order. Owned children and
// definitions are descended into; references (a Load's buffer, a Tensor's operation) are not, see
// FieldRole.
//
// An expression is a graph: a node may be used by several others, and a chain of n nodes that each
// use the one below twice has a tree of 2^n. Who walks each use by itself must have a reason.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "ir/node.h"

namespace lathe::ir {

// The way from a node to one of its children.
struct Edge {
  const Node* parent = nullptr;
  const FieldInfo* field = nullptr;
  size_t index = 0;      // in a list
  std::string_view key;  // in a dict

  bool Is(std::string_view field_name) const {
    return field != nullptr && field->name == field_name;
  }
};

// What a walk does where it meets a shared expression again. Variables and constants are met at
// every use.
enum class Sharing {
  kEachUse,  // walks it again: for those whose result depends on the way to it
  kPerRoot,  // passes by, where it met it in the same root: the expression that a statement, a range
             // or the like has as its child. For those whose context is that of statements
  kOnce,     // passes by, wherever it met it
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
  // Before the children. False: the children are skipped, and so is Leave.
  virtual bool Enter(const Node& node) { return (void)node, true; }
  virtual void Leave(const Node& node) { (void)node; }
  // Around each child, with the parent's node; where scopes are opened and closed.
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
// Nodes of the tree (shared ones once per use, counting stops at `limit`).
size_t CountNodes(const NodeRef& root, size_t limit = SIZE_MAX);

// What can be written as a tree only (text of another language, code for two arms of a choice)
// has at most this many nodes, where shared ones count at every use.
inline constexpr size_t kMaxTree = size_t{1} << 20;
// Throws Error "tree-too-large": `where` says which stage or function it is, and who unfolds it.
[[noreturn]] void ThrowTreeTooLarge(const std::string& where);

namespace internal {
// An expression without parts: to meet it again costs nothing.
inline bool IsLeaf(NodeKind kind) {
  return kind == NodeKind::kVarNode || kind == NodeKind::kIntImm || kind == NodeKind::kFloatImm ||
         kind == NodeKind::kStringImm;
}
// The i-th step of walking `node`: its children as edges, in order. Shared by walkers and
// rewriters.
struct ChildCursor {
  const Node* node;
  std::span<const FieldInfo> fields;
  size_t field = 0;
  size_t index = 0;
  Dict::const_iterator dict_at;
  bool in_dict = false;
  explicit ChildCursor(const Node& owner) : node(&owner), fields(FieldsOf(owner.node_kind())) {}
  // Moves to the next child; false when there is none. Nulls are skipped.
  bool Next(Edge* edge, const Node** child);
};
// Does walking descend into a child met over a field of this role?
inline bool Descends(FieldRole role, const Node& child) {
  return role != FieldRole::kRefer || IsExpr(child.node_kind());
}
}  // namespace internal

}  // namespace lathe::ir
