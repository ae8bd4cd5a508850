#include "lower/loop_partition.h"

#include <algorithm>
#include <utility>

#include "arith/analyzer.h"
#include "arith/linear.h"
#include "arith/region.h"
#include "base/planted.h"
#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "ir/rewrite.h"
#include "ir/thread_scopes.h"
#include "lower/hint_notes.h"
#include "lower/movable.h"
#include "lower/option_names.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only
using arith::Analyzer;
using arith::IntSet;

// The limit for the nodes of a body and its copies together.
constexpr size_t kMaxNodes = 1 << 15;
// The limit for nested loops that are cut.
constexpr int kMaxDepth = 32;

// The interval in which the guards below one loop are true.
struct Cut {
  std::unordered_set<const Node*> guards;  // the `likely` calls that hold in [begin, end)
  Expr begin, end;
};

// Finds the guards in a loop's body that hold for an interval of its variable, and the interval in
// which all hold.
class GuardFinder final : public Visitor {
 public:
  GuardFinder(const For& loop, bool vectors_only, Analyzer* analyzer)
      : Visitor(Sharing::kPerRoot), loop_(loop), vectors_only_(vectors_only), analyzer_(analyzer) {
    inner_.insert(loop.var.get());
  }

  Cut Find() {
    Visit(loop_.body);
    Cut cut;
    for (const Guard& guard : found_) {
      // Variables that the body defines cannot be used before the loop.
      if (!Movable(guard.holds.min) || !Movable(guard.holds.max)) continue;
      cut.guards.insert(guard.call);
      if (guard.holds.min)
        cut.begin = cut.begin ? MakeMax(cut.begin, guard.holds.min) : guard.holds.min;
      if (guard.holds.max) {
        const Expr end = guard.holds.max + (Planted(PlantedBug::kPieceEndsLate) ? 2 : 1);
        cut.end = cut.end ? MakeMin(cut.end, end) : end;
      }
    }
    return cut;
  }

 protected:
  void BeforeChild(const Edge& edge) override {
    if (edge.field->role == FieldRole::kDefine) defining_ = true;
    if (const auto* loop = As<For>(edge.parent); loop != nullptr && edge.Is("body"))
      EnterLoop(*loop);
  }
  void AfterChild(const Edge& edge) override {
    defining_ = false;
    if (const auto* loop = As<For>(edge.parent); loop != nullptr && edge.Is("body")) {
      domains_.erase(loop->var);
      vectors_ -= loop->for_kind == ForKind::kVectorized;
    }
  }
  bool Enter(const Node& node) override {
    if (defining_ && node.node_kind() == NodeKind::kVarNode) inner_.insert(&node);
    const auto* call = As<Call>(&node);
    if (call != nullptr && call->op == intrinsic::kLikely) EnterGuard(*call);
    return true;
  }

 private:
  struct Guard {
    const Call* call;
    IntSet holds;
  };

  void EnterLoop(const For& loop) {
    vectors_ += loop.for_kind == ForKind::kVectorized;
    IntSet set = arith::EvalSet(MakeRange(loop.min, loop.extent), domains_, analyzer_);
    const bool unknown =
        (set.min && UsesVar(set.min, loop_.var)) || (set.max && UsesVar(set.max, loop_.var));
    domains_[loop.var] = unknown ? IntSet::Everything() : std::move(set);
  }

  void EnterGuard(const Call& call) {
    const Expr condition = call.arg(0);
    if (vectors_only_ && vectors_ == 0) return;
    if (!condition || !UsesVar(condition, loop_.var) || EffectOf(condition) != CallEffect::kPure)
      return;
    IntSet holds = arith::DeduceBound(loop_.var, condition, domains_, analyzer_);
    if (!holds.nothing && (holds.min || holds.max)) found_.push_back({&call, std::move(holds)});
  }

  // The bounds of a cut are computed even if the loop would not run.
  bool Movable(const Expr& end) const {
    return !end || (IsMovable(end) && !UsesAnyVar(end, inner_));
  }

  const For& loop_;
  const bool vectors_only_;
  Analyzer* analyzer_;
  arith::DomMap domains_;  // of the loops around the current node, inside loop_
  std::unordered_set<const Node*> inner_;
  int vectors_ = 0;
  bool defining_ = false;
  std::vector<Guard> found_;
};

// `stmt`, where the `guards` are replaced by true.
Stmt Decided(const Stmt& stmt, const std::unordered_set<const Node*>& guards) {
  class Decider final : public Mutator {
   public:
    explicit Decider(const std::unordered_set<const Node*>& guards)
        : Mutator(Memo::kPerRoot), guards_(guards) {}

   protected:
    NodeRef Enter(const NodeRef& node) override {
      return guards_.count(node.get()) != 0 ? NodeRef(Bool(true)) : nullptr;
    }

   private:
    const std::unordered_set<const Node*>& guards_;
  };
  return Decider(guards).Run(stmt);
}

bool IsHinted(const For& loop) {
  const auto hint = loop.annotations.find(pragma::kLoopPartitionHint);
  return hint != loop.annotations.end() && IsOne(RefExpr(hint->second));
}

class Partitioner final : public Mutator {
 public:
  // `copies`: the number of copies made so far. `threads`: the indices of the threads of a block
  // around it. `notes` (may be null): what becomes of hints.
  Partitioner(Analyzer* analyzer, bool constant_loops, int copies, int depth,
              std::unordered_set<const Node*>* threads, HintNotes* notes)
      : analyzer_(analyzer),
        constant_loops_(constant_loops),
        copies_(copies),
        depth_(depth),
        threads_(threads),
        notes_(notes) {}

 protected:
  NodeRef Enter(const NodeRef& node) override {
    const auto* loop = As<For>(node);
    if (loop == nullptr) return IsExpr(node.get()) ? node : nullptr;
    const char* reason = "only serial and parallel loops are cut";
    Stmt cut;
    if (loop->for_kind == ForKind::kSerial || loop->for_kind == ForKind::kParallel)
      cut = Partition(*loop, &reason);
    if (notes_ != nullptr && IsHinted(*loop)) {
      if (cut)
        notes_->HasEffect(pragma::kLoopPartitionHint, *loop);
      else
        notes_->HasNone(pragma::kLoopPartitionHint, *loop, reason);
    }
    return cut;
  }

  void BeforeChild(const Edge& edge) override {
    if (const auto* loop = As<For>(edge.parent); loop != nullptr && edge.Is("body")) {
      scopes_.push_back(analyzer_->OpenScope());
      analyzer_->Bind(loop->var, MakeRange(loop->min, loop->extent));
      if (loop->for_kind == ForKind::kThread &&
          SharedAmong(memory_scope::kShared, loop->thread_tag))
        threads_->insert(loop->var.get());
    } else if (const auto* branch = As<If>(edge.parent);
               branch != nullptr && !edge.Is("condition")) {
      scopes_.push_back(analyzer_->With(edge.Is("then_case") ? branch->condition : Expr()));
    }
  }
  void AfterChild(const Edge& edge, const NodeRef&) override {
    const bool scoped = (As<For>(edge.parent) != nullptr && edge.Is("body")) ||
                        (As<If>(edge.parent) != nullptr && !edge.Is("condition"));
    if (scoped) scopes_.pop_back();
  }

 private:
  // Null if the loop is not cut, for the reason `*why`.
  Stmt Partition(const For& loop, const char** why) {
    auto not_cut = [&](const char* reason) -> Stmt {
      *why = reason;
      return nullptr;
    };
    if (depth_ >= kMaxDepth) return not_cut("too many loops around it are cut");
    if (analyzer_->Bound(loop.extent).max <= 1) return not_cut("it has at most one iteration");
    // The bounds are evaluated for each piece, after the stores of the earlier pieces.
    if (EffectOf(loop.min) != CallEffect::kPure || EffectOf(loop.extent) != CallEffect::kPure)
      return not_cut("its bounds depend on memory");
    const bool constant = AsConstInt(loop.min) != nullptr && AsConstInt(loop.extent) != nullptr;
    const bool asked = IsHinted(loop);
    Cut cut = GuardFinder(loop, constant && !constant_loops_ && !asked, analyzer_).Find();
    if (cut.guards.empty())
      return not_cut("no guard in it holds for a range of its iterations that is known before it");
    if (!StaysTogether(loop, cut)) return not_cut("threads take part in its iterations together");

    const DataType type = loop.var->dtype;
    const Expr begin = loop.min;
    // Not before the start, even if the loop is empty.
    const Expr end = analyzer_->Simplify(MakeMax(loop.min + loop.extent, begin));
    auto clipped = [&](const Expr& at) {
      if (Planted(PlantedBug::kPieceBeginsEarly))
        return analyzer_->Simplify(MakeMin(MakeCast(type, at), end));
      return analyzer_->Simplify(MakeMax(MakeMin(MakeCast(type, at), end), begin));
    };
    const Expr low = cut.begin ? clipped(cut.begin) : begin;
    const Expr high = cut.end ? analyzer_->Simplify(MakeMax(clipped(cut.end), low)) : end;
    if (analyzer_->CanProve(high <= low))
      return not_cut("each iteration has a guard that may fail");
    const bool before = !analyzer_->CanProve(Equal(low, begin));
    const bool after = !analyzer_->CanProve(Equal(high, end));

    const bool parallel = loop.for_kind == ForKind::kParallel;
    const int pieces = parallel ? 1 + (before || after) : 1 + before + after;
    if (!asked && copies_ * pieces > kMaxPartitionCopies) return not_cut("its copies are too many");
    if (pieces > 1 && CountNodes(loop.body, kMaxNodes) * static_cast<size_t>(pieces) > kMaxNodes)
      return not_cut("its body is too large for copies");

    if (parallel) {
      const Stmt main = Inside(loop, begin, end, Decided(loop.body, cut.guards), pieces);
      if (pieces == 1) return Piece(loop, begin, end, main);
      const Expr var = loop.var;
      const Expr condition =
          LogicalAnd(before ? var >= low : Bool(true), after ? var < high : Bool(true));
      const Stmt rest = Refresh(Inside(loop, begin, end, loop.body, pieces));
      return Piece(loop, begin, end, MakeIf(analyzer_->Simplify(condition), main, rest));
    }
    auto piece = [&](const Expr& from, const Expr& to, const Stmt& body) {
      return Piece(loop, from, to, Inside(loop, from, to, body, pieces));
    };
    std::vector<Stmt> out;
    if (before) out.push_back(Refresh(piece(begin, low, loop.body)));
    out.push_back(piece(low, high, Decided(loop.body, cut.guards)));
    if (after && !Planted(PlantedBug::kLastPieceLost))
      out.push_back(Refresh(piece(high, end, loop.body)));
    return MakeSeq(std::move(out));
  }

  // Threads take part in a reduction, and in loops over it, together (S21): such a body is not cut
  // at a bound that depends on the thread.
  bool StaysTogether(const For& loop, const Cut& cut) const {
    const bool by_thread = (cut.begin && UsesAnyVar(cut.begin, *threads_)) ||
                           (cut.end && UsesAnyVar(cut.end, *threads_)) ||
                           UsesAnyVar(loop.min, *threads_) || UsesAnyVar(loop.extent, *threads_);
    bool together = true;
    PostOrder(loop.body, [&](const Node& node) {
      const auto* inner = As<For>(&node);
      const auto* attr = As<Attr>(&node);
      if (attr != nullptr && attr->key == attr_key::kCrossThreadReduction) together = false;
      if (inner != nullptr && by_thread && inner->for_kind == ForKind::kThread &&
          SharedAmong(memory_scope::kShared, inner->thread_tag))
        together = false;
    });
    return together;
  }

  // The body for variable values in [from, to), with the loops inside it partitioned.
  Stmt Inside(const For& loop, const Expr& from, const Expr& to, const Stmt& body, int pieces) {
    Analyzer::Scope scope = analyzer_->OpenScope();
    analyzer_->Bind(loop.var, MakeRange(from, analyzer_->Simplify(to - from)));
    return Partitioner(analyzer_, constant_loops_, copies_ * pieces, depth_ + 1, threads_, notes_)
        .Run(body);
  }

  Stmt Piece(const For& loop, const Expr& from, const Expr& to, const Stmt& body) {
    return MakeFor(loop.var, from, analyzer_->Simplify(to - from), loop.for_kind, body,
                   loop.thread_tag, loop.annotations);
  }

  Analyzer* analyzer_;
  const bool constant_loops_;
  const int copies_, depth_;
  std::unordered_set<const Node*>* threads_;
  HintNotes* notes_;
  std::vector<Analyzer::Scope> scopes_;
};

}  // namespace

Module LoopPartition(const Module& module, const PassContext& context) {
  const bool constant_loops = context.Option(option::kPartitionConstantLoops) != 0;
  return MapFunctions(module, [&](const Func& func) {
    bool guarded = false, hinted = false;
    ForEach<Call>(func->body,
                  [&](const Call& call) { guarded = guarded || call.op == intrinsic::kLikely; });
    if (context.note)
      ForEach<For>(func->body, [&](const For& loop) { hinted = hinted || IsHinted(loop); });
    if (!guarded && !hinted) return func;
    Analyzer analyzer;
    std::unordered_set<const Node*> threads;
    HintNotes notes;
    const Stmt body =
        Partitioner(&analyzer, constant_loops, 1, 0, &threads, hinted ? &notes : nullptr)
            .Run(func->body);
    if (hinted) notes.Report(context, "leave it out, or see `explain` for the guards that remain");
    return WithBody(func, body);
  });
}

}  // namespace lathe::lower
