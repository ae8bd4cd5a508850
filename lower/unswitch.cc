#include "lower/unswitch.h"

#include <utility>
#include <vector>

#include "arith/analyzer.h"
#include "ir/intrinsic_names.h"
#include "ir/rewrite.h"
#include "ir/walk.h"
#include "lower/movable.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

// The limit for the nodes of a body, of which a copy is made.
constexpr size_t kMaxNodes = 1 << 13;

// The condition of `if likely(condition) { ... }` without an else, if it is the same in every
// iteration; else null.
Expr SteadyGuard(const For& loop, const Stmt& stmt) {
  const auto* branch = As<If>(stmt);
  if (branch == nullptr || branch->else_case) return nullptr;
  const auto* call = As<Call>(branch->condition);
  if (call == nullptr || call->op != intrinsic::kLikely) return nullptr;
  const Expr condition = call->arg(0);
  return IsMovable(condition) && !UsesVar(condition, loop.var) ? condition : nullptr;
}

class Unswitcher final : public Mutator {
 protected:
  NodeRef Enter(const NodeRef& node) override { return IsExpr(node.get()) ? node : nullptr; }

  NodeRef Leave(const NodeRef&, NodeRef after) override {
    const auto* loop = As<For>(after);
    if (loop == nullptr || loop->for_kind != ForKind::kSerial) return after;
    const auto* body = As<Seq>(loop->body);
    if (body == nullptr || CountNodes(loop->body, kMaxNodes) >= kMaxNodes) return after;

    Expr first;
    arith::Analyzer analyzer;
    std::vector<Stmt> rest;
    for (const Stmt& stmt : body->stmts) {
      const Expr guard = SteadyGuard(*loop, stmt);
      if (guard && !first) {
        first = guard;
        analyzer.Assume(LogicalNot(guard));
      }
      if (!guard || !analyzer.CanProve(LogicalNot(guard))) rest.push_back(stmt);
    }
    if (!first) return after;
    if (rest.empty()) return MakeIf(first, RefStmt(after));
    const Stmt copy = MakeFor(loop->var, loop->min, loop->extent, loop->for_kind,
                              MakeSeq(std::move(rest)), loop->thread_tag, loop->annotations);
    return MakeIf(first, RefStmt(after), Refresh(copy));
  }
};

}  // namespace

Module Unswitch(const Module& module, const PassContext& context) {
  (void)context;
  return MapFunctions(module, [](const Func& func) {
    bool guarded = false;
    ForEach<Call>(func->body,
                  [&](const Call& call) { guarded = guarded || call.op == intrinsic::kLikely; });
    return guarded ? WithBody(func, Unswitcher().Run(func->body)) : func;
  });
}

}  // namespace lathe::lower
