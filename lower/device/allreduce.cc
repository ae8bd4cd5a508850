#include "lower/device/allreduce.h"

#include <algorithm>
#include <unordered_set>

#include "arith/analyzer.h"
#include "base/error.h"
#include "base/planted.h"
#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "ir/rewrite.h"
#include "ir/structural.h"
#include "ir/thread_scopes.h"
#include "lathe/abi/names.h"
#include "lower/device/kernel_axes.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

// The parts of a marked reduction.
struct Reduction {
  std::vector<const For*> threads;  // outermost first
  Stmt combine;                     // outs[k] = f(outs..., parts...)
  Expr guard;                       // around the combination; null: none
  std::vector<const Store*> stores;
  std::vector<Buffer> outs, parts;
  Stmt loops;  // all marked statements except the initialisation
};

// Descends to the combination. Statements around it belong to the reduction; statements beside it
// (stages attached within, with their own threads and memory) do not.
class PartFinder final : public Visitor {
 public:
  explicit PartFinder(Reduction* out) : out_(out) {}

 protected:
  bool Enter(const Node& node) override {
    if (IsExpr(node.node_kind())) return false;
    if (const auto* loop = As<For>(&node)) {
      if (!IsHardwareLoop(*loop)) return false;
      threads_.push_back(loop);
      return true;
    }
    if (const auto* allocate = As<Allocate>(&node)) {
      parts_.push_back(allocate->buffer);
      return true;
    }
    if (const auto* branch = As<If>(&node)) {
      const auto* attr = As<Attr>(branch->then_case);
      if (attr == nullptr || attr->key != attr_key::kCrossThreadCombine) return false;
      out_->guard = branch->condition;
      return true;
    }
    if (const auto* attr = As<Attr>(&node)) {
      if (attr->key != attr_key::kCrossThreadCombine) return false;
      out_->combine = attr->body;
      out_->threads = threads_;
      out_->parts = parts_;
      ForEach<Store>(attr->body, [&](const Store& store) {
        out_->stores.push_back(&store);
        out_->outs.push_back(store.buffer);
      });
      return false;
    }
    return node.node_kind() == NodeKind::kSeq;
  }
  void Leave(const Node& node) override {
    if (As<For>(&node) != nullptr) threads_.pop_back();
    if (As<Allocate>(&node) != nullptr) parts_.pop_back();
  }

 private:
  Reduction* out_;
  std::vector<const For*> threads_;  // around
  std::vector<Buffer> parts_;
};

class Lowering final : public Mutator {
 public:
  // `warp`: the number of lanes that can exchange values; 0: none.
  explicit Lowering(int64_t warp) : warp_(warp) {}

 protected:
  NodeRef Enter(const NodeRef& node) override {
    const auto* loop = As<For>(node);
    if (loop != nullptr && open_.empty() && IsHardwareLoop(*loop)) {
      arith::Analyzer analyzer;
      axes_ = AxesOfKernel(*loop, &analyzer);
    }
    return IsExpr(node.get()) ? node : nullptr;
  }
  void BeforeChild(const Edge& edge) override {
    if (MayDiverge(edge)) ++divergent_;
    const auto* loop = As<For>(edge.parent);
    if (loop != nullptr && edge.Is("body") && IsHardwareLoop(*loop)) open_.push_back(loop);
  }
  void AfterChild(const Edge& edge, const NodeRef&) override {
    if (MayDiverge(edge)) --divergent_;
    const auto* loop = As<For>(edge.parent);
    if (loop != nullptr && edge.Is("body") && IsHardwareLoop(*loop)) open_.pop_back();
  }
  NodeRef Leave(const NodeRef&, NodeRef after) override {
    const auto* attr = As<Attr>(after);
    if (attr == nullptr || attr->key != attr_key::kCrossThreadReduction) return after;
    return Lower(*attr);
  }

 private:
  // True if the statement behind the edge may not run for all threads of the kernel.
  bool MayDiverge(const Edge& edge) const {
    if (As<If>(edge.parent) != nullptr) return !edge.Is("condition");
    if (As<While>(edge.parent) != nullptr) return edge.Is("body");
    const auto* loop = As<For>(edge.parent);
    if (loop == nullptr || !edge.Is("body")) return false;
    if (IsHardwareLoop(*loop)) return !IsWhole(*loop);
    std::unordered_set<const Node*> threads;
    for (const For* open : open_) threads.insert(open->var.get());
    return EffectOf(loop->extent) != CallEffect::kPure || UsesAnyVar(loop->extent, threads) ||
           UsesAnyVar(loop->min, threads);
  }

  // True if the loop has as many iterations as its axis has threads.
  bool IsWhole(const For& loop) const {
    const int64_t* extent = AsConstInt(loop.extent);
    for (const KernelAxis& axis : axes_) {
      if (axis.tag != loop.thread_tag) continue;
      const int64_t* all = AsConstInt(axis.extent);
      return StructuralEqual(axis.extent, loop.extent) ||
             (extent != nullptr && all != nullptr && *extent == *all);
    }
    return false;
  }

  static int64_t ExtentOf(const For& loop) {
    const int64_t* extent = AsConstInt(loop.extent);
    if (extent != nullptr) return *extent;
    throw Error(Diagnostic{
        .name = "allreduce-extent",
        .message = "a reduction over loop `" + loop.var->name + "`, which is bound to `" +
                   loop.thread_tag + "`, has no constant number of threads",
        .expected = "a constant extent",
        .found = "an extent that depends on a variable",
        .help = "split the reduction axis by a constant factor and bind the inner part"});
  }

  NodeRef Lower(const Attr& attr) {
    Reduction r;
    const auto* seq = As<Seq>(attr.body);
    std::vector<Stmt> parts = seq != nullptr ? seq->stmts : std::vector<Stmt>{attr.body};
    // The last statement contains the loops; the initialisation comes before it.
    r.loops = parts.back();
    PartFinder(&r).Visit(r.loops);
    int64_t total = 1;
    for (const For* loop : r.threads) total *= ExtentOf(*loop);
    if (r.combine && total <= 1 && open_.empty() && !r.threads.empty())
      return Kernel(*r.threads[0], attr.body);
    if (!r.combine || total <= 1) return attr.body;
    // Buffers of stages attached within are not parts.
    std::erase_if(r.parts, [&](const Buffer& buffer) {
      bool combined = false;
      ForEach<Load>(r.combine, [&](const Load& load) {
        combined = combined || load.source.get() == buffer.get();
      });
      return !combined;
    });
    LATHE_CHECK(r.outs.size() == r.parts.size())
        << "a reduction over threads combines " << r.parts.size() << " parts into "
        << r.outs.size();
    const int64_t lanes = ShuffledLanes(r, total);
    Stmt out = RefStmt(lanes > 0 ? Shuffled(r, total, lanes) : Tree(r, total));
    return open_.empty() && As<For>(out) == nullptr ? NodeRef(Kernel(*r.threads[0], out)) : out;
  }

  // A kernel for the reduction alone: everything made from it inside the loop over its first axis.
  static Stmt Kernel(const For& loop, const Stmt& body) {
    const Var index = MakeVar(loop.var->name, loop.var->dtype);
    // For no elements the result is the identity, which a thread must store.
    const Expr extent = IsZero(loop.extent) ? Const(1, loop.extent->dtype) : loop.extent;
    return MakeFor(index, Const(0, index->dtype), extent, ForKind::kThread, body, loop.thread_tag);
  }

  // The number of lanes that can be combined by shuffles first; 0: none. The reduction must cover
  // all of threadIdx.x, so that its lanes are neighbours, and all threads must reach it; warps must
  // be full, or there must be only one (S18).
  int64_t ShuffledLanes(const Reduction& r, int64_t total) const {
    if (warp_ <= 1 || divergent_ > 0 || r.threads.size() != 1) return 0;
    const For& loop = *r.threads[0];
    if (loop.thread_tag != thread_tag::kThreadX || !IsWhole(loop)) return 0;
    const bool power = (total & (total - 1)) == 0;
    if (total <= warp_ ? !power : total % warp_ != 0) return 0;
    const int64_t block = BlockSize();
    if (block <= 0 || (block > warp_ && block % warp_ != 0)) return 0;
    return std::min(total, warp_);
  }

  // The threads of a block; 0 if that is not constant.
  int64_t BlockSize() const {
    int64_t block = 1;
    for (const KernelAxis& axis : axes_) {
      if (IsBlockAxis(axis.tag)) continue;
      const int64_t* extent = AsConstInt(axis.extent);
      if (extent == nullptr || !axis.tag.starts_with(thread_tag::kThreadPrefix)) return 0;
      block *= *extent;
    }
    return block;
  }

  Expr Mask() const {
    const int64_t lanes = std::min(BlockSize(), warp_);
    const uint64_t bits = lanes == 64 ? ~uint64_t{0} : (uint64_t{1} << lanes) - 1;
    return Const(static_cast<int64_t>(bits), DataType::UInt(warp_ > 32 ? 64 : 32));
  }

  // Steps after which each of `lanes` neighbours has the combined value of all. Values are loaded
  // into variables before any is stored.
  Stmt Butterfly(const Reduction& r, int64_t lanes) const {
    std::vector<Stmt> steps;
    for (int64_t step = lanes / 2; step >= 1; step /= 2) {
      std::vector<Var> others;
      for (const Buffer& part : r.parts)
        others.push_back(MakeVar(part->name + ".other", part->dtype));
      Stmt body = Combined(
          r, [&](size_t k) { return MakeLoad(r.parts[k], {Int(0)}); },
          [&](size_t k) { return Expr(others[k]); },
          [&](size_t k, const Expr& value) { return MakeStore(r.parts[k], value, {Int(0)}); });
      for (size_t k = others.size(); k-- > 0;) {
        body = MakeLetStmt(
            others[k],
            CallIntrinsic(intrinsic::kWarpShuffleXor,
                          {Mask(), MakeLoad(r.parts[k], {Int(0)}), Int(step), Int(lanes)}),
            body);
      }
      steps.push_back(body);
    }
    return MakeSeq(std::move(steps));
  }

  NodeRef Shuffled(const Reduction& r, int64_t total, int64_t lanes) {
    const Expr lane = Lane(r.threads);
    if (total == lanes) {
      std::vector<Stmt> result;
      for (size_t k = 0; k < r.outs.size(); ++k)
        result.push_back(
            MakeStore(r.outs[k], MakeLoad(r.parts[k], {Int(0)}), r.stores[k]->indices));
      const Expr first = Equal(lane, Int(0));
      return WithoutCombine(
          r, MakeSeq({Butterfly(r, lanes), MakeIf(r.guard ? LogicalAnd(first, r.guard) : first,
                                                  MakeSeq(std::move(result)))}));
    }
    // One value per warp goes into the tree.
    const Shared shared = MakeShared(r, total / lanes);
    std::vector<Stmt> stores;
    for (size_t k = 0; k < r.outs.size(); ++k)
      stores.push_back(MakeStore(shared.buffers[k], MakeLoad(r.parts[k], {Int(0)}),
                                 shared.At(FloorDivide(lane, lanes))));
    const Stmt keep = MakeIf(Equal(FloorModulo(lane, lanes), Int(0)), MakeSeq(std::move(stores)));
    return Reduced(r, shared, total / lanes,
                   WithoutCombine(r, MakeSeq({Butterfly(r, lanes), keep})));
  }

  // The loops around the reduction that run at the same time: for each other axis the innermost
  // loop.
  std::vector<const For*> Around(const Reduction& r) const {
    std::vector<const For*> out;
    for (size_t i = 0; i < open_.size(); ++i) {
      const std::string& tag = open_[i]->thread_tag;
      bool hidden = !SharedAmong(memory_scope::kShared, tag);
      for (const For* other : r.threads) hidden = hidden || other->thread_tag == tag;
      for (size_t j = i + 1; j < open_.size(); ++j) hidden = hidden || open_[j]->thread_tag == tag;
      if (!hidden) out.push_back(open_[i]);
    }
    return out;
  }

  // Memory for `count` parts, for each index of the axes around.
  struct Shared {
    std::vector<Buffer> buffers;
    std::vector<Expr> place;
    std::vector<Expr> At(const Expr& lane) const {
      std::vector<Expr> indices = place;
      indices.push_back(lane);
      return indices;
    }
  };
  Shared MakeShared(const Reduction& r, int64_t count) const {
    const DataType t = DataType::Int(32);
    Shared out;
    std::vector<Expr> shape;
    for (const For* loop : Around(r)) {
      shape.push_back(MakeCast(t, loop->min + loop->extent));
      out.place.push_back(MakeCast(t, loop->var));
    }
    shape.push_back(Int(count));
    for (const Buffer& buffer : r.outs)
      out.buffers.push_back(
          MakeBuffer(buffer->name + ".reduce", buffer->dtype, shape, memory_scope::kShared));
    return out;
  }

  NodeRef Tree(const Reduction& r, int64_t total) {
    const Shared shared = MakeShared(r, total);
    std::vector<Stmt> stores;
    for (size_t k = 0; k < shared.buffers.size(); ++k)
      stores.push_back(
          MakeStore(shared.buffers[k], MakeLoad(r.parts[k], {Int(0)}), shared.At(Lane(r.threads))));
    return Reduced(r, shared, total, WithoutCombine(r, MakeSeq(std::move(stores))));
  }

  // `fill`, then the tree over `count` parts, then the result.
  static Stmt Reduced(const Reduction& r, const Shared& shared, int64_t count, const Stmt& fill) {
    std::vector<Stmt> stmts = {fill};
    int64_t step = 1;
    while (step * 2 < count) step *= 2;
    if (Planted(PlantedBug::kOddThreadsForgotten)) step = count / 2;
    for (; step >= 1 && count > 1; step /= 2) {
      stmts.push_back(Step(r, shared, step, std::min(step, count - step)));
      count = step;
    }
    std::vector<Stmt> last;
    for (size_t k = 0; k < r.outs.size(); ++k)
      last.push_back(MakeStore(r.outs[k], MakeLoad(shared.buffers[k], shared.At(Int(0))),
                               r.stores[k]->indices));
    Stmt result = MakeSeq(std::move(last));
    // A separate loop, so that one thread stores.
    const DataType t = r.threads[0]->var->dtype;
    result = MakeFor(MakeVar(r.threads[0]->var->name, t), Const(0, t), Const(1, t),
                     ForKind::kThread, result, r.threads[0]->thread_tag);
    stmts.push_back(r.guard ? MakeIf(r.guard, result) : result);
    Stmt body = MakeSeq(std::move(stmts));
    for (size_t k = shared.buffers.size(); k-- > 0;) body = MakeAllocate(shared.buffers[k], body);
    return body;
  }

  // The thread's number among the threads of the reduction.
  static Expr Lane(const std::vector<const For*>& threads) {
    Expr lane = Int(0);
    for (const For* loop : threads)
      lane = lane * ExtentOf(*loop) + MakeCast(DataType::Int(32), loop->var);
    return lane;
  }

  // The loops, with `instead` in place of the combination.
  static Stmt WithoutCombine(const Reduction& r, const Stmt& instead) {
    class Replacer final : public Mutator {
     public:
      explicit Replacer(const Stmt& instead) : instead_(instead) {}

     protected:
      NodeRef Enter(const NodeRef& node) override {
        if (IsExpr(node.get())) return node;
        const auto* branch = As<If>(node);
        const auto* attr = As<Attr>(branch != nullptr ? branch->then_case.get() : node.get());
        if (attr != nullptr && attr->key == attr_key::kCrossThreadCombine) return instead_;
        return nullptr;
      }

     private:
      const Stmt& instead_;
    };
    return Replacer(instead).Run(r.loops);
  }

  // The combination with other values and another destination.
  template <class Old, class New, class Put>
  static Stmt Combined(const Reduction& r, const Old& old_value, const New& new_value,
                       const Put& put) {
    auto index_of = [](const std::vector<Buffer>& list, const Node* node) {
      for (size_t k = 0; k < list.size(); ++k) {
        if (list[k].get() == node) return static_cast<int>(k);
      }
      return -1;
    };
    return Rewrite(
        Refresh(r.combine),
        [&](const Load& load) -> Expr {
          const int part = index_of(r.parts, load.source.get());
          if (part >= 0) return new_value(static_cast<size_t>(part));
          const int out = index_of(r.outs, load.source.get());
          return out < 0 ? Expr() : old_value(static_cast<size_t>(out));
        },
        [&](const Store& store) -> Stmt {
          const int out = index_of(r.outs, store.buffer.get());
          return out < 0 ? Stmt() : put(static_cast<size_t>(out), store.value);
        });
  }

  // Each lane in [0, active) combines its value with that of lane + step.
  static Stmt Step(const Reduction& r, const Shared& shared, int64_t step, int64_t active) {
    // New loops over the same axes.
    std::vector<Var> vars;
    Expr lane = Int(0);
    for (const For* loop : r.threads) {
      vars.push_back(MakeVar(loop->var->name, loop->var->dtype));
      lane = lane * ExtentOf(*loop) + MakeCast(DataType::Int(32), vars.back());
    }
    const std::vector<Expr> to = shared.At(lane), from = shared.At(lane + step);
    Stmt body = Combined(
        r, [&](size_t k) { return MakeLoad(shared.buffers[k], to); },
        [&](size_t k) { return MakeLoad(shared.buffers[k], from); },
        [&](size_t k, const Expr& value) { return MakeStore(shared.buffers[k], value, to); });
    const bool one = r.threads.size() == 1;
    if (!one) body = MakeIf(lane < active, body);
    for (size_t i = vars.size(); i-- > 0;) {
      const DataType t = vars[i]->dtype;
      const Expr extent = one ? Const(active, t) : Const(ExtentOf(*r.threads[i]), t);
      body =
          MakeFor(vars[i], Const(0, t), extent, ForKind::kThread, body, r.threads[i]->thread_tag);
    }
    return body;
  }

  const int64_t warp_;
  std::vector<KernelAxis> axes_;
  std::vector<const For*> open_;
  int divergent_ = 0;
};

}  // namespace

Module Allreduce(const Module& module, const PassContext& context) {
  int64_t warp = 0;
  if (context.device) {
    const int64_t size = context.device->Limit(LATHE_PROPERTY_WARP_SIZE);
    if (size <= 64) warp = size;
  }
  return MapFunctions(
      module, [&](const Func& func) { return WithBody(func, Lowering(warp).Run(func->body)); });
}

}  // namespace lathe::lower
