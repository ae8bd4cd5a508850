// Rewriting nodes without recursion on the C++ stack.
//
// For most passes, typed lambdas:
//
//   Stmt out = Rewrite(stmt, [](const For& loop) -> Stmt {
//     return IsOne(loop.extent) ? loop.body : Stmt();
//   });
//
// A rule gets a node whose children were rewritten already, and returns its replacement; null keeps
// the node. Unchanged input gives the same pointer. To carry state, derive from Mutator.
//
// Definitions: if a definition (the variable of a For, the buffer of an Allocate, a parameter of a
// Func) is replaced, Mutator replaces its uses below, too. Every variable and buffer is defined
// once in a tree; the verifier checks that. References to definitions outside the rewritten tree
// stay as they are.
#pragma once

#include <functional>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/walk.h"

namespace lathe::ir {

class Mutator {
 public:
  enum class Memo {
    kOff,      // each use is rewritten separately: for context that differs within expressions
    kPerRoot,  // a shared expression is rewritten once per root. A root is an expression that is
               // the child of a statement, a range or the like. For context that differs
               // only between statements
    kOn,       // a shared node is rewritten once: for rewriters without context
  };
  explicit Mutator(Memo memo = Memo::kOff) : memo_(memo) {}
  virtual ~Mutator() = default;

  NodeRef Run(const NodeRef& root);
  Stmt Run(const Stmt& root) { return RefStmt(Run(NodeRef(root))); }
  Expr Run(const Expr& root) { return RefExpr(Run(NodeRef(root))); }
  template <class T>
  Ref<const T> RunOn(const Ref<const T>& root) {
    return RefAs<T>(Run(NodeRef(root)));
  }

 protected:
  // Called before the children. If the result is not null, it replaces the node as it is: the
  // children are not visited, and Leave is not called.
  virtual NodeRef Enter(const NodeRef& node) { return (void)node, nullptr; }
  // Called after the children. `after` is `before` with its rewritten children; the same pointer if
  // none changed.
  virtual NodeRef Leave(const NodeRef& before, NodeRef after) { return (void)before, after; }
  virtual void BeforeChild(const Edge& edge) { (void)edge; }
  virtual void AfterChild(const Edge& edge, const NodeRef& rewritten) {
    (void)edge, (void)rewritten;
  }
  // For Leave: its result defines something, so every use needs a result of its own. The result is
  // not remembered, and neither are the nodes that contain it.
  void KeepApart() { apart_ = true; }
  // From now on, uses of `from` become `to`.
  void Rename(const NodeRef& from, NodeRef to) { renamed_[from.get()] = std::move(to); }

 private:
  struct Frame;
  NodeRef Finish(Frame& frame);
  NodeRef Renamed(const Node* node) const;
  bool Remembers(const Node& node, bool shared) const;

  Memo memo_;
  bool apart_ = false;  // set if the running Leave called KeepApart
  std::unordered_map<const Node*, NodeRef> renamed_;
  std::unordered_map<const Node*, std::pair<NodeRef, NodeRef>> memo_table_;  // keys kept alive
};

namespace internal {

using Rule = std::function<NodeRef(const Node&)>;
NodeRef RewriteWith(const NodeRef& root, std::vector<std::pair<NodeKind, Rule>> rules);

template <class F>
struct RuleArgument : RuleArgument<decltype(&F::operator())> {};
template <class C, class R, class T>
struct RuleArgument<R (C::*)(const T&) const> {
  using Type = T;
};
template <class C, class R, class T>
struct RuleArgument<R (C::*)(const T&)> {
  using Type = T;
};

}  // namespace internal

// Rewrites bottom-up, each shared node once. Rules are callables `(const T&) -> Expr | Stmt |
// NodeRef`, at most one per kind T.
template <class T, class... Rules>
Ref<const T> Rewrite(const Ref<const T>& root, Rules... rules) {
  std::vector<std::pair<NodeKind, internal::Rule>> table;
  (table.emplace_back(KindOf<typename internal::RuleArgument<Rules>::Type>::kValue,
                      [rules](const Node& node) mutable -> NodeRef {
                        return rules(
                            static_cast<const typename internal::RuleArgument<Rules>::Type&>(node));
                      }),
   ...);
  NodeRef out = internal::RewriteWith(NodeRef(root), std::move(table));
  return Ref<const T>::Adopt(static_cast<const T*>(out.release()));
}

using VarMap = std::unordered_map<Var, Expr, RefHash, RefEqual>;
// `root`, with uses of the variables in `map` replaced.
Expr Substitute(const Expr& root, const VarMap& map);
Stmt Substitute(const Stmt& root, const VarMap& map);
// `root`, with uses of one buffer replaced by another buffer of the same rank.
Stmt ReplaceBuffer(const Stmt& root, const Buffer& from, const Buffer& to);
// A copy in which every defined variable and buffer is new. Needed to use a statement twice.
Stmt Refresh(const Stmt& root);

}  // namespace lathe::ir
