#include "lower/device/thread_axes.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "arith/analyzer.h"
#include "arith/linear.h"
#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "ir/rewrite.h"
#include "ir/structural.h"
#include "ir/thread_scopes.h"
#include "lower/device/kernel_axes.h"
#include "lower/device/private_memory.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

struct HoistedAxis {
  KernelAxis axis;
  Var index;
  bool single;  // one index only
};

class KernelRewriter final : public Mutator {
 public:
  KernelRewriter(const std::vector<HoistedAxis>& axes, arith::Analyzer* analyzer)
      : axes_(axes), analyzer_(analyzer) {}

  // The data variables of private memory that is filled by a loop over threads within its
  // allocation: in the original loops, one iteration could read what another stored.
  std::unordered_set<const Node*> divided;

 protected:
  NodeRef Enter(const NodeRef& node) override {
    if (const auto* allocate = As<Allocate>(node))
      allocated_at_[allocate->buffer.get()] = open_.size();
    if (const auto* view = As<DeclBuffer>(node)) {
      if (const BufferNode* viewed = AddressedBuffer(view->data))
        roots_[view->buffer.get()] = RootOf(viewed);
    }
    return IsExpr(node.get()) ? node : nullptr;
  }
  void BeforeChild(const Edge& edge) override {
    const auto* loop = As<For>(edge.parent);
    if (loop == nullptr || !edge.Is("body")) return;
    if (IsHardwareLoop(*loop)) open_.push_back({loop, Narrower(*loop)});
  }
  void AfterChild(const Edge& edge, const NodeRef&) override {
    const auto* loop = As<For>(edge.parent);
    if (loop != nullptr && edge.Is("body") && IsHardwareLoop(*loop)) open_.pop_back();
  }

  NodeRef Leave(const NodeRef& before, NodeRef after) override {
    if (const auto* store = As<Store>(before)) {
      const BufferNode* const root = RootOf(store->buffer.get());
      const size_t inside = AllocatedAt(*root);
      for (size_t i = inside; i < open_.size(); ++i) {
        const std::string& tag = open_[i].loop->thread_tag;
        if (!IsBlockAxis(tag) && !SharedAmong(ScopeOf(*root), tag))
          divided.insert(root->data.get());
      }
      return Guarded(RefStmt(after), root, store->indices);
    }
    if (const auto* evaluate = As<Evaluate>(before)) return Effect(*evaluate, RefStmt(after));
    if (const auto* loop = As<For>(after)) {
      if (IsHardwareLoop(*static_cast<const For*>(before.get()))) {
        const HoistedAxis& axis = AxisOf(loop->thread_tag);
        const Expr value = MakeCast(loop->var->dtype, axis.index);
        return Substitute(loop->body, {{loop->var, value}});
      }
      return OutOfLoop(*loop, RefStmt(after));
    }
    if (const auto* seq = As<Seq>(after)) return Merged(*seq);
    if (const auto* let = As<LetStmt>(after)) return LetWithin(*let, RefStmt(after));
    if (const auto* branch = As<If>(after)) return Asked(*branch, RefStmt(after));
    return after;
  }

 private:
  struct OpenLoop {
    const For* loop;
    Expr guard;  // null: the loop is as wide as its axis
  };

  const HoistedAxis& AxisOf(const std::string& tag) const {
    return *std::find_if(axes_.begin(), axes_.end(),
                         [&](const HoistedAxis& a) { return a.axis.tag == tag; });
  }

  Expr Narrower(const For& loop) {
    const HoistedAxis& axis = AxisOf(loop.thread_tag);
    const DataType t = axis.axis.dtype;
    const Expr index = axis.index;
    std::vector<Expr> conditions;
    if (!IsZero(loop.min)) conditions.push_back(index >= MakeCast(t, loop.min));
    const Expr end = MakeCast(t, loop.min + loop.extent);
    if (!analyzer_->CanProve(axis.axis.extent <= end))
      conditions.push_back(IsOne(end) ? Equal(index, Const(0, t)) : index < end);
    return Conjunction(conditions);
  }

  // The buffer behind a view of its address (an operand of a tensor intrinsic); for others the
  // buffer itself.
  const BufferNode* RootOf(const BufferNode* buffer) const {
    auto it = roots_.find(buffer);
    return it == roots_.end() ? buffer : it->second;
  }

  size_t AllocatedAt(const BufferNode& buffer) const {
    auto it = allocated_at_.find(&buffer);
    return it == allocated_at_.end() ? 0 : it->second;
  }

  // True if the statement reads private memory that not all threads wrote.
  bool ReadsNarrow(const Stmt& stmt) const {
    bool reads = false;
    PostOrder(stmt, [&](const Node& node) {
      const auto* load = As<Load>(&node);
      const auto* buffer = load != nullptr ? As<BufferNode>(load->source) : nullptr;
      reads = reads || (buffer != nullptr && narrow_.count(RootOf(buffer)->data.get()) != 0);
    });
    return reads;
  }

  // A loop of no iterations must not read what has no elements.
  bool Runs(const For& loop) const {
    return analyzer_->CanProve(loop.extent > Const(0, loop.extent->dtype));
  }
  static bool ReadsOthers(const Stmt& stmt, const BufferNode* target) {
    bool reads = false;
    ForEach<Load>(stmt, [&](const Load& load) { reads = reads || load.source.get() != target; });
    return reads;
  }

  // Adds the guard for the threads that write `target` at `indices`; `target` null: memory that all
  // share.
  Stmt Guarded(Stmt stmt, const BufferNode* target, const std::vector<Expr>& indices) {
    const std::string scope = target != nullptr ? ScopeOf(*target) : memory_scope::kGlobal;
    const size_t inside = target != nullptr ? AllocatedAt(*target) : 0;
    std::vector<Expr> conditions;
    for (const HoistedAxis& axis : axes_) {
      const OpenLoop* innermost = nullptr;
      bool divided = false;  // the axis's indices divide the work
      for (size_t i = 0; i < open_.size(); ++i) {
        if (open_[i].loop->thread_tag != axis.axis.tag) continue;
        innermost = &open_[i];
        divided = i >= inside;
        // An index that is outside the allocation still distinguishes elements.
        for (const Expr& index : indices) divided = divided || UsesVar(index, open_[i].loop->var);
      }
      if (SharedAmong(scope, axis.axis.tag) && !divided) {
        if (!axis.single) conditions.push_back(Equal(axis.index, Const(0, axis.axis.dtype)));
      } else if (innermost != nullptr && innermost->guard) {
        // Private memory may be read by more threads inside than the loop around its allocation
        // has; so a value that is the same for all is stored by all.
        const bool around = innermost < open_.data() + inside;
        const bool own = !SharedAmong(scope, axis.axis.tag);
        if (around && own && !UsesVar(stmt, innermost->loop->var) && !ReadsNarrow(stmt) &&
            (Runs(*innermost->loop) || !ReadsOthers(stmt, target)))
          continue;
        if (own && target != nullptr) narrow_.insert(target->data.get());
        conditions.push_back(innermost->guard);
      }
    }
    return conditions.empty() ? stmt : MakeIf(Conjunction(conditions), std::move(stmt));
  }

  // A call that writes counts as a store to its first buffer; a wait runs on all threads.
  Stmt Effect(const Evaluate& evaluate, Stmt stmt) {
    const auto* call = As<Call>(evaluate.value);
    if (call == nullptr || EffectOf(evaluate.value) < CallEffect::kWrites) return stmt;
    if (call->op == intrinsic::kBarrier || call->op == intrinsic::kAsyncCommit ||
        call->op == intrinsic::kAsyncWait)
      return stmt;
    const BufferNode* target = nullptr;
    for (const NodeRef& arg : call->args) {
      if (target != nullptr) break;
      target = As<BufferNode>(arg);
      if (const auto* load = As<Load>(arg)) target = As<BufferNode>(load->source);
    }
    if (target != nullptr && call->op == intrinsic::kAsyncCopy) target = RootOf(target);
    return Guarded(std::move(stmt), target, {});
  }

  // The guard for the threads that the innermost loops of the axes leave out; null if there are
  // none.
  Expr NarrowerGuard() const {
    std::vector<Expr> conditions;
    for (const HoistedAxis& axis : axes_) {
      for (size_t i = open_.size(); i-- > 0;) {
        if (open_[i].loop->thread_tag != axis.axis.tag) continue;
        if (open_[i].guard) conditions.push_back(open_[i].guard);
        break;
      }
    }
    return Conjunction(conditions);
  }

  // Threads that the loops leave out must not read memory.
  NodeRef LetWithin(const LetStmt& let, Stmt whole) const {
    // Other calls, such as shuffles, must run on all threads.
    if (EffectOf(let.value) > CallEffect::kReads) return whole;
    const auto* branch = As<If>(let.body);
    if (branch != nullptr && !branch->else_case && !UsesVar(branch->condition, let.var) &&
        CanEvaluateEarly(branch->condition))
      return MakeIf(branch->condition, MakeLetStmt(let.var, let.value, branch->then_case));
    if (EffectOf(let.value) != CallEffect::kReads) return whole;
    const Expr guard = NarrowerGuard();
    if (!guard || !let.value->dtype.is_scalar() || let.value->dtype.is_handle()) return whole;
    return MakeLetStmt(let.var, IfThenElse(guard, let.value, Const(0, let.value->dtype)), let.body);
  }
  NodeRef Asked(const If& branch, Stmt whole) const {
    if (EffectOf(branch.condition) == CallEffect::kPure) return whole;
    const Expr guard = NarrowerGuard();
    if (!guard) return whole;
    return MakeIf(IfThenElse(guard, branch.condition, Bool(false)), branch.then_case,
                  branch.else_case);
  }

  // for i: if c: s  -->  if c: for i: s
  static NodeRef OutOfLoop(const For& loop, Stmt whole) {
    const auto* branch = As<If>(loop.body);
    if (branch == nullptr || branch->else_case || UsesVar(branch->condition, loop.var) ||
        !CanEvaluateEarly(branch->condition) || MayNeedBarrier(branch->then_case))
      return whole;
    return MakeIf(branch->condition, MakeFor(loop.var, loop.min, loop.extent, loop.for_kind,
                                             branch->then_case, loop.thread_tag, loop.annotations));
  }

  // if c: s; if c: t  -->  if c: { s; t }
  static NodeRef Merged(const Seq& seq) {
    std::vector<Stmt> out;
    bool changed = false;
    for (const Stmt& stmt : seq.stmts) {
      const auto* next = As<If>(stmt);
      const auto* last = out.empty() ? nullptr : As<If>(out.back());
      if (next != nullptr && last != nullptr && !next->else_case && !last->else_case &&
          CanEvaluateEarly(next->condition) && StructuralEqual(next->condition, last->condition)) {
        Stmt both = MakeSeq({last->then_case, next->then_case});
        if (!MayNeedBarrier(both)) {
          out.back() = MakeIf(last->condition, std::move(both));
          changed = true;
          continue;
        }
      }
      out.push_back(stmt);
    }
    return changed ? NodeRef(MakeSeq(std::move(out))) : NodeRef(&seq);
  }

  const std::vector<HoistedAxis>& axes_;
  arith::Analyzer* analyzer_;
  std::vector<OpenLoop> open_;
  std::unordered_set<const Node*> narrow_;  // data of the memory for ReadsNarrow
  std::unordered_map<const Node*, size_t> allocated_at_;
  std::unordered_map<const Node*, const BufferNode*> roots_;  // of views
};

class Hoister final : public Mutator {
 protected:
  NodeRef Enter(const NodeRef& node) override {
    const auto* loop = As<For>(node);
    if (loop != nullptr && IsHardwareLoop(*loop)) return Kernel(*loop);
    return IsExpr(node.get()) ? node : nullptr;
  }

 private:
  Stmt Kernel(const For& loop) {
    arith::Analyzer::Scope scope = analyzer_.OpenScope();
    std::vector<HoistedAxis> axes;
    for (KernelAxis& axis : AxesOfKernel(loop, &analyzer_)) {
      const Var index = MakeVar(axis.tag, axis.dtype);
      const bool single = analyzer_.CanProve(axis.extent <= Const(1, axis.dtype));
      analyzer_.Bind(index, MakeRange(Const(0, axis.dtype), axis.extent));
      axes.push_back({std::move(axis), index, single});
    }
    std::vector<Var> indices;
    for (const HoistedAxis& axis : axes) indices.push_back(axis.index);
    const Stmt whole = Stmt(&loop);
    KernelRewriter rewriter(axes, &analyzer_);
    Stmt body = rewriter.Run(whole);
    body = ShrinkPrivateMemory(body, indices, rewriter.divided, &analyzer_);
    for (size_t i = axes.size(); i-- > 0;) {
      const HoistedAxis& axis = axes[i];
      body = MakeFor(axis.index, Const(0, axis.axis.dtype), axis.axis.extent, ForKind::kThread,
                     std::move(body), axis.axis.tag);
    }
    return body;
  }

  arith::Analyzer analyzer_;
};

}  // namespace

Module ThreadAxes(const Module& module, const PassContext&) {
  return MapFunctions(module,
                      [](const Func& func) { return WithBody(func, Hoister().Run(func->body)); });
}

}  // namespace lathe::lower
