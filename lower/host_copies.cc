#include "lower/host_copies.h"

#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "ir/rewrite.h"

namespace lathe::lower {

using namespace ir;  // NOLINT: the nodes' names, in this file only

namespace {

class CopyLowering final : public Mutator {
 protected:
  NodeRef Enter(const NodeRef& node) override {
    if (IsExpr(node.get())) return node;
    const auto* evaluate = As<Evaluate>(node);
    const auto* call = evaluate == nullptr ? nullptr : As<Call>(evaluate->value);
    if (call == nullptr) return nullptr;
    if (call->op == intrinsic::kAsyncCommit || call->op == intrinsic::kAsyncWait) return Nop();
    return call->op == intrinsic::kAsyncCopy ? NodeRef(Copy(*call)) : nullptr;
  }

 private:
  static Stmt Copy(const Call& call) {
    const auto& to = static_cast<const Load&>(*call.args[0]);
    const auto& from = static_cast<const Load&>(*call.args[1]);
    const Expr count = call.arg(2);
    auto element = [&](const Expr& i) {
      auto at = [&](const Load& first) {
        std::vector<Expr> indices = first.indices;
        if (!indices.empty()) indices.back() = indices.back() + i;
        return indices;
      };
      return MakeStore(RefAs<BufferNode>(to.source), MakeLoad(from.source, at(from)), at(to));
    };
    if (IsOne(count)) return element(Const(0, count->dtype));
    const Var var = MakeVar("element", count->dtype);
    return MakeFor(var, Const(0, count->dtype), count, ForKind::kSerial, element(var));
  }
};

}  // namespace

Module LowerHostCopies(const Module& module, const PassContext&) {
  return MapFunctions(module, [](const Func& func) {
    if (StringAttr(func->attrs, func_attr::kCallingConvention) == convention::kKernel) return func;
    return WithBody(func, CopyLowering().Run(func->body));
  });
}

}  // namespace lathe::lower
