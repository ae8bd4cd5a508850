#include "lower/device/barriers.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/planted.h"
#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "ir/rewrite.h"
#include "ir/thread_scopes.h"
#include "lower/device/access_finder.h"
#include "lower/device/barrier_errors.h"
#include "lower/device/kernel_axes.h"
#include "lower/device/thread_access.h"
#include "lower/device/uniformity.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

using Accesses = std::vector<ThreadAccess>;

// The accesses of a statement, for the statements around it.
struct Summary {
  Accesses exposed;    // before its first barrier
  Accesses trailing;   // after its last one
  bool waits = false;  // surely passes a barrier of the block
};

void Append(Accesses& to, const Accesses& from) { to.insert(to.end(), from.begin(), from.end()); }

class Inserter final : public Mutator {
 public:
  // `grid_barrier`: whether all blocks can wait for each other.
  Inserter(const For& kernel, bool grid_barrier)
      : accesses_(kernel, &analyzer_), grid_barrier_(grid_barrier) {}

 protected:
  NodeRef Enter(const NodeRef& node) override {
    if (IsExpr(node.get())) return node;
    if (const auto* loop = As<For>(node)) EnterLoop(*loop);
    if (const auto* let = As<LetStmt>(node)) {
      varying_.insert(let->var.get());
      by_thread_.AddDerived(let->var, {let->value});
      by_block_.AddDerived(let->var, {let->value});
    }
    return nullptr;
  }
  void BeforeChild(const Edge& edge) override {
    by_thread_.Enter(edge);
    by_block_.Enter(edge);
    if (const auto* loop = As<For>(edge.parent); loop != nullptr && edge.Is("body")) {
      varying_.erase(loop->var.get());
    } else if (const auto* let = As<LetStmt>(edge.parent); let != nullptr && edge.Is("body")) {
      varying_.erase(let->var.get());
    } else if (const auto* branch = As<If>(edge.parent);
               branch != nullptr && edge.Is("then_case")) {
      pins_.push_back(PinsWith(branch->condition));
      guards_.push_back(GuardsWith(branch->condition));
    }
  }
  void AfterChild(const Edge& edge, const NodeRef&) override {
    by_thread_.Leave(edge);
    by_block_.Leave(edge);
    if (const auto* loop = As<For>(edge.parent); loop != nullptr && edge.Is("body")) {
      varying_.insert(loop->var.get());
    } else if (const auto* let = As<LetStmt>(edge.parent); let != nullptr && edge.Is("body")) {
      varying_.insert(let->var.get());
    } else if (As<If>(edge.parent) != nullptr && edge.Is("then_case")) {
      pins_.pop_back();
      guards_.pop_back();
    }
  }

  NodeRef Leave(const NodeRef&, NodeRef after) override {
    Stmt stmt = RefStmt(after);
    if (!stmt) return after;
    Summary summary = Summarize(stmt);
    if (As<Seq>(stmt) != nullptr) {
      stmt = Sequence(static_cast<const Seq&>(*stmt), &summary);
    } else if (const auto* loop = As<For>(stmt); loop != nullptr && !IsHardwareLoop(*loop)) {
      stmt = Repeated(*loop, &summary);
    } else if (const auto* loop = As<While>(stmt)) {
      Carried(loop->body, nullptr);
    }
    summaries_[stmt.get()] = {stmt, std::move(summary)};
    return stmt;
  }

 private:
  void EnterLoop(const For& loop) {
    if (IsHardwareLoop(loop)) {
      const bool single = IsOne(loop.extent);
      threads_.push_back({loop.var, IsBlockAxis(loop.thread_tag), single});
      if (threads_.back().block && !single)
        blocks_.push_back("`" + loop.var->name + "` (" + loop.thread_tag + ")");
      if (!single && !threads_.back().block) by_thread_.AddVarying(loop.var);
      if (!single) by_block_.AddVarying(loop.var);
    } else {
      varying_.insert(loop.var.get());
      by_thread_.AddDerived(loop.var, {loop.min, loop.extent});
      by_block_.AddDerived(loop.var, {loop.min, loop.extent});
    }
    analyzer_.Bind(loop.var, MakeRange(loop.min, loop.extent));
  }

  using Pins = std::unordered_map<const Node*, Expr>;
  std::shared_ptr<const Pins> PinsWith(const Expr& condition) const {
    auto out = std::make_shared<Pins>();
    if (!pins_.empty()) *out = *pins_.back();
    for (Expr part : SplitConjunction(condition)) {
      if (const auto* call = As<Call>(part); call != nullptr && call->op == intrinsic::kLikely)
        part = call->arg(0);
      const auto* equal = As<EQ>(part);
      if (equal == nullptr) continue;
      for (const ThreadIndex& thread : threads_) {
        if (equal->a.get() == thread.var.get() && AsConstInt(equal->b) != nullptr)
          (*out)[thread.var.get()] = equal->b;
        if (equal->b.get() == thread.var.get() && AsConstInt(equal->a) != nullptr)
          (*out)[thread.var.get()] = equal->a;
      }
    }
    return out;
  }

  std::shared_ptr<const std::vector<Expr>> GuardsWith(const Expr& condition) const {
    auto out = std::make_shared<std::vector<Expr>>();
    if (!guards_.empty()) *out = *guards_.back();
    for (const Expr& part : SplitConjunction(condition)) {
      if (!by_thread_.IsSame(part)) out->push_back(part);
    }
    return out;
  }

  // -- What statements access.

  AccessPlace Here() const {
    AccessPlace place;
    if (!pins_.empty()) place.pins = pins_.back();
    if (!guards_.empty()) place.guards = guards_.back();
    return place;
  }

  void AddReads(Accesses& out, const NodeRef& root, const Node* origin) {
    accesses_.InExpressions(root, origin, Here(), &out);
  }

  Summary Leaf(const NodeRef& stmt) {
    Summary out;
    accesses_.OfLeaf(stmt, Here(), &out.exposed);
    out.trailing = out.exposed;
    return out;
  }

  const Summary& Of(const Stmt& stmt) const { return summaries_.at(stmt.get()).second; }

  // Computed before barriers are put into the statement itself.
  Summary Summarize(const Stmt& stmt) {
    Summary out;
    auto with = [&](const NodeRef& first, const Stmt& body) {
      AddReads(out.exposed, first, stmt.get());
      const Summary& inner = Of(body);
      out.waits = inner.waits;
      if (!inner.waits) out.trailing = out.exposed;
      Append(out.exposed, inner.exposed);
      Append(out.trailing, inner.trailing);
    };
    if (const auto* evaluate = As<Evaluate>(stmt)) {
      const auto* call = As<Call>(evaluate->value);
      const auto* scope = call != nullptr && call->op == intrinsic::kBarrier
                              ? As<StringImm>(call->args[0])
                              : nullptr;
      if (scope != nullptr && scope->value != memory_scope::kWarp) {
        RequireConvergence(nullptr);
        out.waits = true;
        return out;
      }
      return Leaf(stmt);
    }
    if (const auto* loop = As<For>(stmt)) {
      with(loop->extent, loop->body);
    } else if (const auto* loop = As<While>(stmt)) {
      with(loop->condition, loop->body);
      out.waits = false;
      Append(out.trailing, out.exposed);
    } else if (const auto* let = As<LetStmt>(stmt)) {
      with(let->value, let->body);
    } else if (const auto* allocate = As<Allocate>(stmt)) {
      with(nullptr, allocate->body);
    } else if (const auto* allocate = As<AllocConst>(stmt)) {
      with(nullptr, allocate->body);
    } else if (const auto* view = As<DeclBuffer>(stmt)) {
      with(nullptr, view->body);
    } else if (const auto* attr = As<Attr>(stmt)) {
      with(attr->value, attr->body);
    } else if (const auto* branch = As<If>(stmt)) {
      AddReads(out.exposed, branch->condition, stmt.get());
      out.trailing = out.exposed;
      out.waits = static_cast<bool>(branch->else_case);
      for (const Stmt& arm : {branch->then_case, branch->else_case}) {
        if (!arm) continue;
        const Summary& inner = Of(arm);
        out.waits = out.waits && inner.waits;
        Append(out.exposed, inner.exposed);
        Append(out.trailing, inner.trailing);
      }
    } else if (As<Seq>(stmt) == nullptr) {
      return Leaf(stmt);
    }
    return out;
  }

  // -- Where barriers go.

  Conflict Between(const Accesses& earlier, const Accesses& later) {
    const AccessContext context{&threads_, &varying_, &analyzer_};
    Conflict worst = Conflict::kNone;
    for (const ThreadAccess& a : earlier) {
      for (const ThreadAccess& b : later) {
        if (Planted(PlantedBug::kReduceTreeUnsynchronised) && b.buffer->name.ends_with(".reduce"))
          continue;
        const Conflict found = ConflictOf(a, b, context);
        if (found > worst) {
          worst = found;
          earlier_ = a;
          later_ = b;
        }
        if (worst == Conflict::kGrid) return worst;
      }
    }
    return worst;
  }

  void RequireConvergence(const BufferNode* buffer) const {
    if (!by_thread_.divergent().empty())
      RefuseDivergentThreads(*by_thread_.divergent().back(), buffer);
  }

  Stmt Barrier(Conflict conflict) const {
    RequireConvergence(later_.buffer.get());
    const bool grid = conflict == Conflict::kGrid;
    if (grid && !grid_barrier_) RefuseGridBarrier(earlier_, later_, blocks_);
    if (grid && !by_block_.divergent().empty())
      RefuseDivergentBlocks(*by_block_.divergent().back(), *later_.buffer);
    return MakeEvaluate(CallIntrinsic(
        intrinsic::kBarrier, {String(grid ? memory_scope::kGlobal : memory_scope::kShared)}));
  }

  // Puts barriers between the statements of a sequence. `pending` has the accesses before it.
  Stmt Sequence(const Seq& seq, Summary* summary) {
    std::vector<Stmt> out;
    Summary total;
    Accesses pending;
    for (const Stmt& stmt : seq.stmts) {
      const Summary& inner = Of(stmt);
      if (const Conflict conflict = Between(pending, inner.exposed); conflict != Conflict::kNone) {
        out.push_back(Barrier(conflict));
        pending.clear();
        total.waits = true;
      }
      if (!total.waits) Append(total.exposed, inner.exposed);
      if (inner.waits) {
        pending.clear();
        total.waits = true;
      }
      Append(pending, inner.trailing);
      out.push_back(stmt);
    }
    total.trailing = std::move(pending);
    *summary = std::move(total);
    return out.size() == seq.stmts.size() ? Stmt(&seq) : Remember(MakeSeq(std::move(out)));
  }

  Stmt Remember(Stmt stmt) {
    kept_.push_back(stmt);
    return stmt;
  }

  // A loop whose iterations run in order.
  Stmt Repeated(const For& loop, Summary* summary) {
    const Stmt body = Carried(loop.body, &loop);
    Stmt out = Stmt(&loop);
    if (!body.same_as(loop.body)) {
      out = MakeFor(loop.var, loop.min, loop.extent, loop.for_kind, body, loop.thread_tag,
                    loop.annotations);
      *summary = Summarize(out);
    }
    if (summary->waits && !analyzer_.CanProveGE(loop.extent, 1)) summary->waits = false;
    return out;
  }

  // The body with a barrier if an iteration must wait for the previous one.
  Stmt Carried(const Stmt& body, const For* loop) {
    const Summary& inner = Of(body);
    // With a barrier in every iteration, only the next iteration can conflict with this one.
    auto next = [&](Accesses accesses) {
      if (loop == nullptr || !inner.waits) return accesses;
      for (ThreadAccess& access : accesses) {
        for (Expr& index : access.indices)
          index = Substitute(index, {{loop->var, Expr(loop->var) + 1}});
      }
      return accesses;
    };
    const bool adjacent = loop != nullptr && inner.waits;
    if (adjacent) varying_.erase(loop->var.get());
    const Conflict conflict = Planted(PlantedBug::kLoopCarriedForgotten)
                                  ? Conflict::kNone
                                  : Between(inner.trailing, next(inner.exposed));
    Stmt out = body;
    if (conflict != Conflict::kNone) {
      LATHE_CHECK(loop != nullptr) << "a while loop needs a barrier";
      out = WithBarrier(body, inner.trailing, next, conflict);
    }
    if (adjacent) varying_.insert(loop->var.get());
    return out;
  }

  // Puts it before the first statement of `body` that conflicts with earlier accesses.
  template <class Next>
  Stmt WithBarrier(const Stmt& body, const Accesses& before, const Next& next, Conflict conflict) {
    std::vector<Stmt> wrappers;  // allocations and the like around the sequence
    Stmt at = body;
    while (true) {
      if (const auto* allocate = As<Allocate>(at)) {
        wrappers.push_back(at);
        at = allocate->body;
      } else if (const auto* view = As<DeclBuffer>(at)) {
        wrappers.push_back(at);
        at = view->body;
      } else if (const auto* attr = As<Attr>(at)) {
        wrappers.push_back(at);
        at = attr->body;
      } else {
        break;
      }
    }
    std::vector<Stmt> stmts;
    const auto* seq = As<Seq>(at);
    bool done = false;
    for (const Stmt& stmt : seq != nullptr ? seq->stmts : std::vector<Stmt>{at}) {
      auto known = summaries_.find(stmt.get());
      if (!done && known != summaries_.end() &&
          Between(before, next(known->second.second.exposed)) != Conflict::kNone) {
        stmts.push_back(Barrier(conflict));
        done = true;
      }
      stmts.push_back(stmt);
    }
    if (!done) stmts.insert(stmts.begin(), Barrier(conflict));
    Stmt out = MakeSeq(std::move(stmts));
    Accept(out);
    for (size_t i = wrappers.size(); i-- > 0;) {
      if (const auto* allocate = As<Allocate>(wrappers[i]))
        out = MakeAllocate(allocate->buffer, out, allocate->annotations);
      else if (const auto* view = As<DeclBuffer>(wrappers[i]))
        out = MakeDeclBuffer(view->buffer, view->data, out);
      else if (const auto* attr = As<Attr>(wrappers[i]))
        out = MakeAttr(attr->node, attr->key, attr->value, out);
      Accept(out);
    }
    return out;
  }

  // Records the summaries of new statements, from the inside out.
  void Accept(const Stmt& stmt) {
    Summary summary;
    if (const auto* seq = As<Seq>(stmt)) {
      for (const Stmt& part : seq->stmts) {
        if (summaries_.count(part.get()) == 0) {
          summaries_[part.get()] = {part, Summarize(part)};
        }
      }
      Accesses pending;
      for (const Stmt& part : seq->stmts) {
        const Summary& inner = Of(part);
        if (!summary.waits) Append(summary.exposed, inner.exposed);
        if (inner.waits) pending.clear();
        summary.waits = summary.waits || inner.waits;
        Append(pending, inner.trailing);
      }
      summary.trailing = std::move(pending);
    } else {
      summary = Summarize(stmt);
    }
    summaries_[stmt.get()] = {stmt, std::move(summary)};
  }

  arith::Analyzer analyzer_;
  AccessFinder accesses_;
  std::vector<ThreadIndex> threads_;
  std::unordered_set<const Node*> varying_;  // loops and lets: other values at another time
  Uniformity by_thread_, by_block_;          // within a block; of all blocks
  std::vector<std::shared_ptr<const Pins>> pins_;
  std::vector<std::shared_ptr<const std::vector<Expr>>> guards_;
  std::unordered_map<const Node*, std::pair<Stmt, Summary>> summaries_;
  std::vector<Stmt> kept_;
  bool grid_barrier_;
  std::vector<std::string> blocks_;  // the axes of blocks, for messages
  ThreadAccess earlier_, later_;     // the worst conflict that was found last
};

class Finder final : public Mutator {
 public:
  explicit Finder(bool grid_barrier) : grid_barrier_(grid_barrier) {}

 protected:
  NodeRef Enter(const NodeRef& node) override {
    if (IsExpr(node.get())) return node;
    const auto* loop = As<For>(node);
    return loop != nullptr && IsHardwareLoop(*loop) ? Inserter(*loop, grid_barrier_).Run(node)
                                                    : NodeRef();
  }

 private:
  const bool grid_barrier_;
};

}  // namespace

Module InsertBarriers(const Module& module, const PassContext& context) {
  const bool grid_barrier = context.device == nullptr || context.device->grid_barrier;
  return MapFunctions(module, [&](const Func& func) {
    return WithBody(func, Finder(grid_barrier).Run(func->body));
  });
}

}  // namespace lathe::lower
