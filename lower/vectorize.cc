#include "lower/vectorize.h"

#include <algorithm>
#include <unordered_set>

#include "base/error.h"
#include "base/planted.h"
#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "ir/rewrite.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

// The limit for nodes with masks in one loop: each arm has its own mask, so nodes that several arms
// share are written once for each. Beyond the limit the statement runs lane by lane.
constexpr size_t kMaxMasked = 1 << 16;

bool IsVector(const Expr& e) { return e && !e->dtype.is_scalar(); }

// Adds a mask to every load and store below. A value that is the same in all lanes is read per
// lane, so that the mask applies to it, too. `possible` becomes false if something cannot be
// masked.
class Masker final : public Mutator {
 public:
  Masker(Expr mask, int lanes) : Mutator(Memo::kPerRoot), mask_(std::move(mask)), lanes_(lanes) {}
  bool possible = true;
  size_t nodes = 0;  // visited

 protected:
  NodeRef Enter(const NodeRef& node) override {
    ++nodes;
    switch (node->node_kind()) {
      case NodeKind::kBroadcast: {
        // A value common to all lanes: a single load becomes a masked gather; a computation with
        // loads cannot be masked.
        const auto* broadcast = As<Broadcast>(node);
        if (const auto* load = As<Load>(broadcast->value);
            load != nullptr && !load->mask && load->indices.size() == 1) {
          return MakeLoad(load->source, {MakeBroadcast(load->indices[0], lanes_)}, mask_);
        }
        ForEach<Load>(broadcast->value, [&](const Load&) { possible = false; });
        return node;
      }
      case NodeKind::kCall: {
        const Intrinsic* intrinsic = FindIntrinsic(static_cast<const Call&>(*node).op);
        if (intrinsic == nullptr || intrinsic->effect != CallEffect::kPure) possible = false;
        return nullptr;
      }
      case NodeKind::kStore:
      case NodeKind::kFor:
      case NodeKind::kSeq:
      case NodeKind::kLetStmt:
        return nullptr;
      default:
        if (IsStmt(node.get())) possible = false;
        return nullptr;
    }
  }

  NodeRef Leave(const NodeRef&, NodeRef after) override {
    if (const auto* load = As<Load>(after)) {
      if (load->dtype.is_scalar() || load->indices.size() > 1) {
        possible = false;  // in an address or a loop's extent; images have no masks
        return after;
      }
      return MakeLoad(load->source, load->indices,
                      load->mask ? LogicalAnd(mask_, load->mask) : mask_);
    }
    if (const auto* store = As<Store>(after)) {
      if (!IsVector(store->value) || store->indices.size() > 1) {
        possible = false;
        return after;
      }
      if (Planted(PlantedBug::kStoreUnmasked)) return after;
      return MakeStore(store->buffer, store->value, store->indices,
                       store->mask ? LogicalAnd(mask_, store->mask) : mask_);
    }
    return after;
  }

 private:
  Expr mask_;
  int lanes_;
};

// Rewrites the body of one vectorized loop.
class LoopVectorizer final : public Mutator {
 public:
  LoopVectorizer(const For& loop, int lanes)
      : Mutator(Memo::kPerRoot),
        var_(loop.var),
        ramp_(MakeRamp(loop.min, Const(1, loop.var->dtype), lanes)),
        min_(loop.min),
        lanes_(lanes) {}

 protected:
  NodeRef Enter(const NodeRef& node) override {
    if (node.get() == var_.get()) return ramp_;
    if (node->node_kind() == NodeKind::kVarNode && defining_ && let_type_ != DataType::Void()) {
      Var vector = MakeVar(static_cast<const VarNode&>(*node).name, let_type_);
      let_type_ = DataType::Void();
      return vector;
    }
    if (IsStmt(node.get())) {
      open_.push_back({});
      if (const auto* allocate = As<Allocate>(node)) {
        // One copy per lane, next to each other.
        Buffer grown = CopyBuffer(allocate->buffer, [&](BufferNode& copy) {
          copy.shape = {copy.shape[0] * (Planted(PlantedBug::kLanesShareMemory) ? 1 : lanes_)};
          copy.data = MakeVar(copy.name, DataType::Handle());
        });
        Rename(allocate->buffer->data, grown->data);
        Rename(allocate->buffer, grown);
        grown_buffers_.insert(grown.get());
        ++shared_by_lanes_;
        made_[allocate->buffer.get()] = grown;
      }
    } else if (auto it = made_.find(node.get()); it != made_.end()) {
      return it->second;
    }
    return nullptr;
  }

  void BeforeChild(const Edge& edge) override {
    defining_ = edge.field->role == FieldRole::kDefine;
  }
  void AfterChild(const Edge& edge, const NodeRef& rewritten) override {
    const NodeKind kind = edge.parent->node_kind();
    if ((kind == NodeKind::kLet || kind == NodeKind::kLetStmt) && edge.Is("value")) {
      const Expr value = RefExpr(rewritten);
      let_type_ = IsVector(value) ? value->dtype : DataType::Void();
      if (kind == NodeKind::kLetStmt && IsVector(value) && !Planted(PlantedBug::kLaneOfVectorLet)) {
        open_.back().defines_vector = true;
        ++shared_by_lanes_;
      }
    }
  }

  NodeRef Leave(const NodeRef& before, NodeRef after) override {
    if (IsExpr(after.get())) {
      Expr out = LeaveExpr(RefExpr(after));
      if (!out) {
        open_.back().impossible = true;
        return before;  // any well-formed node: the statement is discarded
      }
      return out;
    }
    if (!IsStmt(after.get())) return after;
    const OpenStmt open = open_.back();
    Stmt out = open.impossible ? Stmt() : LeaveStmt(RefStmt(before), RefStmt(after));
    open_.pop_back();
    if (before->node_kind() == NodeKind::kAllocate) --shared_by_lanes_;
    if (open.defines_vector) --shared_by_lanes_;
    if (out) return out;
    if (shared_by_lanes_ == 0) return LaneByLane(RefStmt(before));
    // A part of the statement uses memory with a copy per lane, or a variable with a value per
    // lane: so the whole allocation or definition goes lane by lane.
    open_.back().impossible = true;
    return before;
  }

 private:
  // The statement once per lane.
  Stmt LaneByLane(const Stmt& stmt) {
    Var lane = MakeVar(var_->name + ".lane", var_->dtype);
    return MakeFor(lane, min_, Const(lanes_, var_->dtype), ForKind::kSerial,
                   Refresh(Substitute(stmt, {{var_, lane}})));
  }

  Expr Widen(const Expr& e) { return IsVector(e) ? e : MakeBroadcast(e, lanes_); }

  // The expression with operands of the same number of lanes; null if it has no vector form.
  Expr LeaveExpr(const Expr& e) {
    if (const Operands operands = BinaryOperands(e.get())) {
      const Expr &a = *operands.a, &b = *operands.b;
      if (!IsVector(a) && !IsVector(b)) return e;
      if (Expr ramp = RampArithmetic(e->node_kind(), a, b)) return ramp;
      return MakeBinary(e->node_kind(), Widen(a), Widen(b));
    }
    switch (e->node_kind()) {
      case NodeKind::kNot: {
        const auto& node = static_cast<const Not&>(*e);
        return IsVector(node.a) ? LogicalNot(node.a) : e;
      }
      case NodeKind::kCast: {
        const auto& node = static_cast<const Cast&>(*e);
        if (!IsVector(node.value)) return e;
        const DataType element = node.dtype.element_of();
        const auto* ramp = As<Ramp>(node.value);
        // Index arithmetic does not overflow, so a ramp widens to a ramp.
        if (ramp != nullptr && element.is_int() && element.bits() >= 32 &&
            ramp->base->dtype.is_int() && ramp->base->dtype.bits() >= 32) {
          return MakeRamp(MakeCast(element, ramp->base), MakeCast(element, ramp->stride), lanes_);
        }
        return MakeCast(element.with_lanes(lanes_), node.value);
      }
      case NodeKind::kSelect: {
        const auto& node = static_cast<const Select&>(*e);
        if (!IsVector(node.condition) && !IsVector(node.true_value) && !IsVector(node.false_value))
          return e;
        return MakeSelect(node.condition, Widen(node.true_value), Widen(node.false_value));
      }
      case NodeKind::kLoad:
        return LeaveLoad(static_cast<const Load&>(*e), e);
      case NodeKind::kLet: {
        const auto& node = static_cast<const Let&>(*e);
        return MakeLet(node.var, node.value, node.body);
      }
      case NodeKind::kCall:
        return LeaveCall(static_cast<const Call&>(*e), e);
      case NodeKind::kRamp: {
        const auto& node = static_cast<const Ramp&>(*e);
        return IsVector(node.base) || IsVector(node.stride) ? Expr() : e;
      }
      case NodeKind::kBroadcast:
        return IsVector(static_cast<const Broadcast&>(*e).value) ? Expr() : e;
      case NodeKind::kShuffle: {
        return e;
      }
      default:
        return e;
    }
  }

  // ramp + scalar, ramp * scalar, ... as ramps; otherwise null. Only for integers of index type:
  // these do not overflow.
  Expr RampArithmetic(NodeKind kind, const Expr& a, const Expr& b) {
    const auto* left = As<Ramp>(a);
    const auto* right = As<Ramp>(b);
    if (!a->dtype.is_int() || a->dtype.bits() < 32) return nullptr;
    if (left != nullptr && !IsVector(b)) {
      if (kind == NodeKind::kAdd) return MakeRamp(left->base + b, left->stride, lanes_);
      if (kind == NodeKind::kSub) return MakeRamp(left->base - b, left->stride, lanes_);
      if (kind == NodeKind::kMul) return MakeRamp(left->base * b, left->stride * b, lanes_);
    }
    if (right != nullptr && !IsVector(a)) {
      if (kind == NodeKind::kAdd) return MakeRamp(a + right->base, right->stride, lanes_);
      if (kind == NodeKind::kSub)
        return MakeRamp(a - right->base, Const(0, right->stride->dtype) - right->stride, lanes_);
      if (kind == NodeKind::kMul) return MakeRamp(a * right->base, a * right->stride, lanes_);
    }
    if (left != nullptr && right != nullptr) {
      if (kind == NodeKind::kAdd)
        return MakeRamp(left->base + right->base, left->stride + right->stride, lanes_);
      if (kind == NodeKind::kSub)
        return MakeRamp(left->base - right->base, left->stride - right->stride, lanes_);
    }
    return nullptr;
  }

  // Memory of several dimensions (images) allows only vectors of neighbours in a row.
  bool IsPartOfRow(const BufferNode& buffer, const std::vector<Expr>& indices) const {
    if (grown_buffers_.count(&buffer) != 0 || !buffer.dtype.is_scalar()) return false;
    for (size_t i = 0; i + 1 < indices.size(); ++i)
      if (IsVector(indices[i])) return false;
    const auto* ramp = As<Ramp>(indices.back());
    return ramp != nullptr && IsOne(ramp->stride);
  }

  // In a buffer with a copy per lane: the index in the lane's own copy.
  Expr IndexIn(const Node* buffer, const Expr& index) {
    if (grown_buffers_.count(buffer) == 0) return index;
    const Expr lane =
        MakeRamp(Const(0, index->dtype.element_of()), Const(1, index->dtype.element_of()), lanes_);
    if (!IsVector(index)) return MakeRamp(index * lanes_, Const(1, index->dtype), lanes_);
    return index * Const(lanes_, index->dtype.element_of()) + lane;
  }

  Expr LeaveLoad(const Load& load, const Expr& e) {
    if (load.indices.size() > 1) {
      if (!IsVector(load.mask) && std::none_of(load.indices.begin(), load.indices.end(), IsVector))
        return e;
      const auto* image = As<BufferNode>(load.source);
      if (load.mask || image == nullptr || !IsPartOfRow(*image, load.indices)) return nullptr;
      return MakeLoad(load.source, load.indices);
    }
    const Expr index = IndexIn(load.source.get(), load.indices[0]);
    if (!IsVector(index) && !IsVector(load.mask)) return e;
    const auto* buffer = As<BufferNode>(load.source);
    if (buffer == nullptr || !buffer->dtype.is_scalar()) return nullptr;
    return MakeLoad(load.source, {Widen(index)}, load.mask ? Widen(load.mask) : Expr());
  }

  Expr LeaveCall(const Call& call, const Expr& e) {
    bool vector = false;
    for (size_t i = 0; i < call.args.size(); ++i) vector = vector || IsVector(call.arg(i));
    const Intrinsic* intrinsic = FindIntrinsic(call.op);
    if (intrinsic == nullptr) return nullptr;
    // Effects must happen once per lane.
    if (intrinsic->effect != CallEffect::kPure && intrinsic->effect != CallEffect::kReads)
      return nullptr;
    if (!vector) return e;
    const DataType type = call.dtype.element_of().with_lanes(lanes_);
    if (call.op == intrinsic::kLikely) return call.arg(0);  // a mask now, not a branch
    if (call.op == intrinsic::kIfThenElse) {
      if (!IsVector(call.arg(0)))
        return IfThenElse(call.arg(0), Widen(call.arg(1)), Widen(call.arg(2)));
      return MaskedSelect(call.arg(0), Widen(call.arg(1)), Widen(call.arg(2)));
    }
    if (!intrinsic->elementwise) return nullptr;
    std::vector<NodeRef> args;
    for (size_t i = 0; i < call.args.size(); ++i) {
      const Expr arg = call.arg(i);
      if (!arg) return nullptr;
      args.push_back(arg->dtype.is_handle() ? arg : Widen(arg));
    }
    return MakeCall(type, call.op, std::move(args), call.attrs);
  }

  // A conditional per lane: the loads of both arms are masked, so that neither arm accesses memory
  // that it must not (S27).
  Expr MaskedSelect(const Expr& condition, const Expr& true_value, const Expr& false_value) {
    if (masked_ > kMaxMasked) return nullptr;
    Masker when_true(condition, lanes_), when_false(LogicalNot(condition), lanes_);
    Expr a = when_true.Run(true_value), b = when_false.Run(false_value);
    masked_ += when_true.nodes + when_false.nodes;
    if (Planted(PlantedBug::kLaneArmsSwapped)) std::swap(a, b);
    return when_true.possible && when_false.possible ? MakeSelect(condition, a, b) : Expr();
  }

  // The statement as vectors; null if it must run lane by lane.
  Stmt LeaveStmt(const Stmt& before, const Stmt& after) {
    switch (after->node_kind()) {
      case NodeKind::kStore: {
        const auto& store = static_cast<const Store&>(*after);
        if (store.indices.size() > 1) {
          if (std::none_of(store.indices.begin(), store.indices.end(), IsVector))
            return IsVector(store.value) || IsVector(store.mask) ? Stmt() : after;
          if (store.mask || !IsPartOfRow(*store.buffer, store.indices)) return nullptr;
          return MakeStore(store.buffer, Widen(store.value), store.indices);
        }
        const Expr index = IndexIn(store.buffer.get(), store.indices[0]);
        if (!IsVector(index)) {
          // All lanes store to the same element: correct only if repeating the store changes
          // nothing.
          bool rereads = false;
          ForEach<Load>(store.value, [&](const Load& load) {
            rereads = rereads || load.source.get() == store.buffer.get();
          });
          return IsVector(store.value) || IsVector(store.mask) || rereads ? Stmt() : after;
        }
        if (!store.buffer->dtype.is_scalar()) return nullptr;
        return MakeStore(store.buffer, Widen(store.value), {index},
                         store.mask ? Widen(store.mask) : Expr());
      }
      case NodeKind::kIf: {
        const auto& node = static_cast<const If&>(*after);
        if (!IsVector(node.condition)) return after;
        Masker when_true(node.condition, lanes_);
        Stmt out = when_true.Run(node.then_case);
        if (!when_true.possible) return nullptr;
        if (node.else_case) {
          Masker when_false(LogicalNot(node.condition), lanes_);
          out = MakeSeq({out, when_false.Run(node.else_case)});
          if (!when_false.possible) return nullptr;
        }
        return out;
      }
      case NodeKind::kFor: {
        const auto& loop = static_cast<const For&>(*after);
        if (IsVector(loop.min) || IsVector(loop.extent)) return nullptr;
        if (loop.for_kind != ForKind::kVectorized) return after;
        return MakeFor(loop.var, loop.min, loop.extent, ForKind::kSerial, loop.body, "",
                       loop.annotations);
      }
      case NodeKind::kWhile:
        return IsVector(static_cast<const While&>(*after).condition) ? Stmt() : after;
      case NodeKind::kEvaluate:
        return IsVector(static_cast<const Evaluate&>(*after).value) ? Stmt() : after;
      case NodeKind::kAssert: {
        const auto& node = static_cast<const Assert&>(*after);
        bool vector = IsVector(node.condition);
        for (const Expr& value : node.values) vector = vector || IsVector(value);
        return vector ? Stmt() : after;
      }
      case NodeKind::kPrefetch: {
        bool vector = false;
        for (const Range& range : static_cast<const Prefetch&>(*after).bounds)
          vector = vector || IsVector(range->min) || IsVector(range->extent);
        return vector ? Stmt() : after;
      }
      case NodeKind::kDeclBuffer:
        return IsVector(static_cast<const DeclBuffer&>(*after).data) ? Stmt() : after;
      case NodeKind::kAllocate: {
        // The size must not depend on the lane.
        const auto& node = static_cast<const Allocate&>(*As<Allocate>(before));
        const bool varies = UsesVar(node.buffer->shape[0], var_);
        return varies || node.buffer->shape.size() > 1 ? Stmt() : after;
      }
      default:
        return after;
    }
  }

  Var var_;
  Expr ramp_, min_;
  int lanes_;
  bool defining_ = false;
  DataType let_type_ = DataType::Void();
  struct OpenStmt {
    bool impossible = false;
    bool defines_vector = false;
  };
  std::vector<OpenStmt> open_;
  int shared_by_lanes_ = 0;  // open allocations and definitions of vectors
  size_t masked_ = 0;        // nodes
  std::unordered_set<const Node*> grown_buffers_;
  std::unordered_map<const Node*, Buffer> made_;
};

class Vectorizer final : public Mutator {
 protected:
  // Outer loops first: an inner vectorized loop then runs serially.
  NodeRef Enter(const NodeRef& node) override {
    if (IsExpr(node.get())) return node;
    const auto* loop = As<For>(node);
    if (loop == nullptr || loop->for_kind != ForKind::kVectorized) return nullptr;
    const int64_t* extent = AsConstInt(loop->extent);
    if (extent == nullptr || *extent > 1024) {
      throw Error(Diagnostic{
          .name = "vectorize-extent",
          .message = "vectorize: loop `" + loop->var->name + "` cannot become one vector",
          .expected = "a constant number of iterations, at most 1024",
          .found =
              extent == nullptr ? "an extent that depends on a variable" : std::to_string(*extent),
          .help = "split the loop by the vector width and vectorize the inner part"});
    }
    if (*extent <= 0) return Nop();
    if (*extent == 1) return Run(NodeRef(Substitute(loop->body, {{loop->var, loop->min}})));
    // Statements without a vector form have become serial loops, which may contain vectorized ones.
    return Run(LoopVectorizer(*loop, static_cast<int>(*extent)).Run(NodeRef(loop->body)));
  }
};

}  // namespace

Module Vectorize(const Module& module, const PassContext&) {
  return MapFunctions(
      module, [](const Func& func) { return WithBody(func, Vectorizer().Run(func->body)); });
}

}  // namespace lathe::lower
