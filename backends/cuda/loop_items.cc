#include "backends/cuda/loop_items.h"

#include <unordered_set>

#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "ir/rewrite.h"

namespace lathe::cuda {

using namespace ir;  // NOLINT: the nodes' names, in this file only

std::vector<Item> ItemsOf(const Stmt& body) {
  std::vector<Item> out;
  std::vector<Stmt> next = {body};
  while (!next.empty()) {
    const Stmt stmt = next.back();
    next.pop_back();
    if (const auto* seq = As<Seq>(stmt)) {
      next.insert(next.end(), seq->stmts.rbegin(), seq->stmts.rend());
    } else if (const auto* let = As<LetStmt>(stmt)) {
      out.push_back({stmt, true});
      next.push_back(let->body);
    } else if (const auto* view = As<DeclBuffer>(stmt)) {
      out.push_back({stmt, true});
      next.push_back(view->body);
    } else {
      out.push_back({stmt, false});
    }
  }
  return out;
}

Stmt BodyOf(const std::vector<Item>& items) {
  Stmt out;
  for (size_t i = items.size(); i-- > 0;) {
    const Stmt& stmt = items[i].stmt;
    if (!items[i].defines) {
      out = out ? MakeSeq({stmt, out}) : stmt;
      continue;
    }
    const Stmt inner = out ? out : Nop();
    if (const auto* let = As<LetStmt>(stmt)) {
      out = MakeLetStmt(let->var, let->value, inner);
    } else {
      const auto* view = As<DeclBuffer>(stmt);
      out = MakeDeclBuffer(view->buffer, view->data, inner);
    }
  }
  return out ? out : Nop();
}

const Call* CallOf(const Stmt& stmt) {
  const auto* evaluate = As<Evaluate>(stmt);
  return evaluate == nullptr ? nullptr : As<Call>(evaluate->value);
}

std::string_view ForeignName(const Call& call) {
  if ((call.op != intrinsic::kCallExtern && call.op != intrinsic::kCallPureExtern) ||
      call.args.empty())
    return "";
  const auto* name = As<StringImm>(call.args[0]);
  return name == nullptr ? "" : std::string_view(name->value);
}

bool IsSharedBarrier(const Stmt& stmt) {
  const Call* call = CallOf(stmt);
  if (call == nullptr || call->op != intrinsic::kBarrier) return false;
  const auto* scope = As<StringImm>(call->args.at(0));
  return scope != nullptr && scope->value == memory_scope::kShared;
}

bool BeginsCopies(const Stmt& stmt) {
  bool copies = false, others = false;
  std::unordered_set<const Node*> places;  // loads that are addresses
  PreOrder(stmt, [&](const Node& node) {
    if (node.node_kind() == NodeKind::kStore || node.node_kind() == NodeKind::kWhile) others = true;
    if (As<Load>(&node) != nullptr && places.count(&node) == 0) others = true;
    const auto* call = As<Call>(&node);
    if (call == nullptr) return true;
    if (call->op == intrinsic::kAsyncCopy) {
      copies = true;
      places.insert(call->args.at(0).get());
      places.insert(call->args.at(1).get());
    } else if (call->op == intrinsic::kAddressOf) {
      places.insert(call->args.at(0).get());
    } else if (ForeignName(*call).starts_with("lathe_tma_map")) {
      copies = true;
    } else {
      others = others || EffectOf(*call) > CallEffect::kPure;
    }
    return true;
  });
  return copies && !others;
}

}  // namespace lathe::cuda
