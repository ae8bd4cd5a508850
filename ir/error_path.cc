#include "ir/error_path.h"

#include "ir/expr.h"

namespace lathe::ir {
namespace {

const Call* CallOf(const Expr& e, const char* op) {
  const auto* call = As<Call>(e);
  return call != nullptr && call->op == op ? call : nullptr;
}

}  // namespace

bool IsErrorPath(const Node& stmt) {
  const auto* let = As<LetStmt>(&stmt);
  if (let == nullptr || CallOf(let->value, "stack_values") == nullptr) return false;
  const auto* seq = As<Seq>(let->body);
  if (seq == nullptr) return false;
  for (const Stmt& one : seq->stmts) {
    const auto* evaluate = As<Evaluate>(one);
    const Call* call = evaluate == nullptr ? nullptr : CallOf(evaluate->value, "runtime_call");
    const auto* name = call == nullptr ? nullptr : As<StringImm>(call->args[0]);
    if (name != nullptr && name->value == "raise") return true;
  }
  return false;
}

}  // namespace lathe::ir
