#include "lower/device/kernel_reports.h"

#include <string>
#include <utility>
#include <vector>

#include "base/message.h"
#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "ir/rewrite.h"
#include "ir/stmt.h"
#include "ir/walk.h"
#include "lower/device/kernel_axes.h"
#include "runtime/device_words.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

const DataType kI32 = DataType::Int(32);
const DataType kI64 = DataType::Int(64);

// Where a kernel reports, and what.
struct Report {
  Buffer code = MakeBuffer("report.code", kI32, {Int(1)});
  Buffer values = MakeBuffer("report.values", kI64, {Int(static_cast<int64_t>(kMostShown))});
  std::vector<const Assert*> asserts;  // number k + 1 is asserts[k]
  std::vector<Stmt> kept;              // keeps them alive
};

// Does the statement consist of assertions, under conditions and lets?
bool OnlyAsserts(const Stmt& stmt) {
  bool only = true, any = false;
  PostOrder(stmt, [&](const Node& node) {
    if (IsExpr(node.node_kind()) || node.node_kind() == NodeKind::kBufferNode) return;
    const NodeKind kind = node.node_kind();
    any = any || kind == NodeKind::kAssert;
    only = only && (kind == NodeKind::kAssert || kind == NodeKind::kIf ||
                    kind == NodeKind::kLetStmt || kind == NodeKind::kSeq);
  });
  return only && any;
}

// Assertions become reports. Nothing is evaluated behind one that failed: it may rely on it.
class Reporter final : public Mutator {
 public:
  Reporter(Report* report, Buffer ok) : report_(report), ok_(std::move(ok)) {}

 protected:
  NodeRef Enter(const NodeRef& node) override { return IsExpr(node.get()) ? node : NodeRef(); }

  NodeRef Leave(const NodeRef&, NodeRef after) override {
    if (As<If>(after) != nullptr || As<LetStmt>(after) != nullptr) return IfOk(RefStmt(after));
    const auto* check = As<Assert>(after);
    if (check == nullptr) return after;
    report_->kept.push_back(RefStmt(after));
    report_->asserts.push_back(check);
    const Expr number = Int(static_cast<int64_t>(report_->asserts.size()));
    std::vector<Stmt> values;
    for (size_t i = 0; i < check->values.size() && i < kMostShown; ++i) {
      const Expr& shown = check->values[i];
      if (shown->dtype.is_scalar() && !shown->dtype.is_handle()) {
        values.push_back(
            MakeStore(report_->values, MakeCast(kI64, shown), {Int(static_cast<int64_t>(i))}));
      }
    }
    const Expr before = CallIntrinsic(intrinsic::kAtomicCompareExchange,
                                      {MakeLoad(report_->code, {Int(0)}), Int(0), number});
    const Stmt failed = MakeSeq({MakeIf(Equal(before, Int(0)), MakeSeq(std::move(values))),
                                 MakeStore(ok_, Int(0), {Int(0)})});
    return IfOk(MakeIf(LogicalNot(check->condition), failed));
  }

 private:
  Stmt IfOk(const Stmt& stmt) const {
    return MakeIf(NotEqual(MakeLoad(ok_, {Int(0)}), Int(0)), stmt);
  }

  Report* report_;
  Buffer ok_;
};

class KernelRewriter final : public Mutator {
 public:
  explicit KernelRewriter(Report* report) : report_(report) {}

 protected:
  NodeRef Enter(const NodeRef& node) override {
    if (IsExpr(node.get()) || As<BufferNode>(node) != nullptr) return node;
    if (As<Assert>(node) != nullptr) return Checked({RefStmt(node)}, nullptr);
    const auto* seq = As<Seq>(node);
    if (seq == nullptr) return nullptr;
    std::vector<Stmt> out, checks;
    for (const Stmt& stmt : seq->stmts) {
      if (OnlyAsserts(stmt)) {
        checks.push_back(stmt);
        continue;
      }
      const Stmt done = KernelRewriter(report_).Run(stmt);
      out.push_back(checks.empty() ? done : Checked(std::exchange(checks, {}), done));
    }
    if (!checks.empty()) out.push_back(Checked(std::move(checks), nullptr));
    return MakeSeq(std::move(out));
  }

 private:
  // `checks`, then `stmt`, which may be null.
  Stmt Checked(std::vector<Stmt> checks, const Stmt& stmt) {
    const Buffer ok = MakeBuffer("check.ok", kI32, {Int(1)}, memory_scope::kLocal);
    std::vector<Stmt> out = {MakeStore(ok, Int(1), {Int(0)})};
    Reporter reporter(report_, ok);
    for (const Stmt& check : checks) out.push_back(reporter.Run(check));
    const bool leaf = stmt && (As<Store>(stmt) != nullptr || As<Evaluate>(stmt) != nullptr);
    if (leaf) out.push_back(MakeIf(NotEqual(MakeLoad(ok, {Int(0)}), Int(0)), stmt));
    const Stmt made = MakeAllocate(ok, MakeSeq(std::move(out)));
    return stmt && !leaf ? MakeSeq({made, stmt}) : made;
  }

  Report* report_;
};

Expr CallRuntime(DataType type, const char* function, std::vector<NodeRef> args) {
  args.insert(args.begin(), String(function));
  return MakeCall(type, intrinsic::kCallPacked, std::move(args));
}

// Raises the error of the assertion whose number is in report.code.
Stmt RaiseReported(const Report& report) {
  const Var code = MakeVar("report.number", kI64);
  std::vector<Var> vars;
  for (size_t i = 0; i < kMostShown; ++i) vars.push_back(MakeVar("report.value", kI64));
  std::vector<Stmt> raises;
  for (size_t k = 0; k < report.asserts.size(); ++k) {
    const Assert& check = *report.asserts[k];
    std::vector<Expr> shown;
    for (size_t i = 0; i < check.values.size() && i < kMostShown; ++i) shown.emplace_back(vars[i]);
    raises.push_back(MakeAssert(NotEqual(code, Int(static_cast<int64_t>(k) + 1, kI64)), check.name,
                                check.message, std::move(shown)));
  }
  Stmt body = MakeSeq(std::move(raises));
  for (size_t i = kMostShown; i-- > 0;) {
    body = MakeLetStmt(vars[i],
                       CallRuntime(kI64, runtime::kDeviceLoad,
                                   {report.values, Int(static_cast<int64_t>(i), kI64)}),
                       body);
  }
  return MakeLetStmt(code, CallRuntime(kI64, runtime::kDeviceLoad, {report.code, Int(0, kI64)}),
                     MakeIf(NotEqual(code, Int(0, kI64)), body));
}

class HostRewriter final : public Mutator {
 protected:
  NodeRef Enter(const NodeRef& node) override {
    if (IsExpr(node.get()) || As<BufferNode>(node) != nullptr) return node;
    const auto* loop = As<For>(node);
    if (loop == nullptr || !IsHardwareLoop(*loop)) return nullptr;
    Report report;
    const Stmt kernel = KernelRewriter(&report).Run(RefStmt(node));
    if (report.asserts.empty()) return node;
    const Stmt clear = MakeEvaluate(CallRuntime(DataType::Void(), runtime::kDeviceStore,
                                                {report.code, Int(0, kI64), Int(0, kI64)}));
    return MakeAllocate(
        report.code, MakeAllocate(report.values, MakeSeq({clear, kernel, RaiseReported(report)})));
  }
};

}  // namespace

Func ReportFromKernels(const Func& func) { return WithBody(func, HostRewriter().Run(func->body)); }

}  // namespace lathe::lower
