#include "lower/allreduce.h"

#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "ir/rewrite.h"
#include "ir/thread_scopes.h"
#include "lower/kernel_axes.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

// What a marked reduction consists of.
struct Reduction {
  std::vector<const For*> threads;  // outermost first
  Stmt combine;                     // outs[k] = f(outs..., parts...)
  Expr guard;                       // around the combination; null: none
  std::vector<const Store*> stores;
  std::vector<Buffer> outs, parts;
  Stmt loops;  // all that is marked but the initialisation
};

class PartFinder final : public Visitor {
 public:
  explicit PartFinder(Reduction* out) : out_(out) {}

 protected:
  bool Enter(const Node& node) override {
    if (IsExpr(node.node_kind())) return false;
    if (const auto* loop = As<For>(&node)) {
      if (!IsHardwareLoop(*loop)) return false;
      out_->threads.push_back(loop);
      return true;
    }
    if (const auto* allocate = As<Allocate>(&node)) {
      out_->parts.push_back(allocate->buffer);
      return true;
    }
    if (const auto* branch = As<If>(&node)) {
      const auto* attr = As<Attr>(branch->then_case);
      if (attr == nullptr || attr->key != "cross_thread_combine") return false;
      out_->guard = branch->condition;
      return true;
    }
    if (const auto* attr = As<Attr>(&node)) {
      if (attr->key != "cross_thread_combine") return false;
      out_->combine = attr->body;
      ForEach<Store>(attr->body, [&](const Store& store) {
        out_->stores.push_back(&store);
        out_->outs.push_back(store.buffer);
      });
      return false;
    }
    return node.node_kind() == NodeKind::kSeq;
  }

 private:
  Reduction* out_;
};

class Lowering final : public Mutator {
 protected:
  NodeRef Enter(const NodeRef& node) override { return IsExpr(node.get()) ? node : nullptr; }
  void BeforeChild(const Edge& edge) override {
    const auto* loop = As<For>(edge.parent);
    if (loop != nullptr && edge.Is("body") && IsHardwareLoop(*loop)) open_.push_back(loop);
  }
  void AfterChild(const Edge& edge, const NodeRef&) override {
    const auto* loop = As<For>(edge.parent);
    if (loop != nullptr && edge.Is("body") && IsHardwareLoop(*loop)) open_.pop_back();
  }
  NodeRef Leave(const NodeRef&, NodeRef after) override {
    const auto* attr = As<Attr>(after);
    if (attr == nullptr || attr->key != "cross_thread_reduction") return after;
    return Lower(*attr);
  }

 private:
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
    // The last statement holds the loops; before it lies the initialisation.
    r.loops = parts.back();
    PartFinder(&r).Visit(r.loops);
    int64_t total = 1;
    for (const For* loop : r.threads) total *= ExtentOf(*loop);
    if (!r.combine || total <= 1) return attr.body;
    LATHE_CHECK(r.outs.size() == r.parts.size())
        << "a reduction over threads combines " << r.parts.size() << " parts into "
        << r.outs.size();
    return Tree(r, total);
  }

  // The loops around that the reduction is repeated over at once: of each other axis the innermost.
  std::vector<const For*> Around(const Reduction& r) const {
    std::vector<const For*> out;
    for (size_t i = 0; i < open_.size(); ++i) {
      const std::string& tag = open_[i]->thread_tag;
      bool hidden = !SharedAmong("shared", tag);
      for (const For* other : r.threads) hidden = hidden || other->thread_tag == tag;
      for (size_t j = i + 1; j < open_.size(); ++j) hidden = hidden || open_[j]->thread_tag == tag;
      if (!hidden) out.push_back(open_[i]);
    }
    return out;
  }

  NodeRef Tree(const Reduction& r, int64_t total) {
    const DataType t = DataType::Int(32);
    std::vector<Expr> shape, place;
    for (const For* loop : Around(r)) {
      shape.push_back(MakeCast(t, loop->min + loop->extent));
      place.push_back(MakeCast(t, loop->var));
    }
    shape.push_back(Int(total));
    std::vector<Buffer> shared;
    for (const Buffer& out : r.outs)
      shared.push_back(MakeBuffer(out->name + ".reduce", out->dtype, shape, "shared"));
    auto at = [&](const Expr& lane) {
      std::vector<Expr> indices = place;
      indices.push_back(lane);
      return indices;
    };

    std::vector<Stmt> stmts;
    stmts.push_back(Parts(r, shared, at(Lane(r.threads))));
    int64_t count = total, step = 1;
    while (step * 2 < total) step *= 2;
    for (; step >= 1; step /= 2) {
      stmts.push_back(Step(r, shared, at, step, std::min(step, count - step)));
      count = step;
    }
    std::vector<Stmt> last;
    for (size_t k = 0; k < r.outs.size(); ++k)
      last.push_back(MakeStore(r.outs[k], MakeLoad(shared[k], at(Int(0))), r.stores[k]->indices));
    Stmt result = MakeSeq(std::move(last));
    stmts.push_back(r.guard ? MakeIf(r.guard, result) : result);
    Stmt body = MakeSeq(std::move(stmts));
    for (size_t k = shared.size(); k-- > 0;) body = MakeAllocate(shared[k], body);
    return body;
  }

  // The number of a thread among those of the reduction.
  static Expr Lane(const std::vector<const For*>& threads) {
    Expr lane = Int(0);
    for (const For* loop : threads)
      lane = lane * ExtentOf(*loop) + MakeCast(DataType::Int(32), loop->var);
    return lane;
  }

  // The loops, storing each thread's part in place of combining it.
  static Stmt Parts(const Reduction& r, const std::vector<Buffer>& shared,
                    const std::vector<Expr>& indices) {
    class Replacer final : public Mutator {
     public:
      Replacer(const Stmt& store) : store_(store) {}

     protected:
      NodeRef Enter(const NodeRef& node) override {
        if (IsExpr(node.get())) return node;
        const auto* branch = As<If>(node);
        const auto* attr = As<Attr>(branch != nullptr ? branch->then_case.get() : node.get());
        if (attr != nullptr && attr->key == "cross_thread_combine") return store_;
        return nullptr;
      }

     private:
      const Stmt& store_;
    };
    std::vector<Stmt> stores;
    for (size_t k = 0; k < shared.size(); ++k)
      stores.push_back(MakeStore(shared[k], MakeLoad(r.parts[k], {Int(0)}), indices));
    const Stmt store = MakeSeq(std::move(stores));
    return Replacer(store).Run(r.loops);
  }

  // Lanes [0, active) take in those `step` further on.
  template <class At>
  static Stmt Step(const Reduction& r, const std::vector<Buffer>& shared, const At& at,
                   int64_t step, int64_t active) {
    // Loops of their own, with the same axes.
    std::vector<Var> vars;
    Expr lane = Int(0);
    for (const For* loop : r.threads) {
      vars.push_back(MakeVar(loop->var->name, loop->var->dtype));
      lane = lane * ExtentOf(*loop) + MakeCast(DataType::Int(32), vars.back());
    }
    const std::vector<Expr> to = at(lane), from = at(lane + step);
    auto index_of = [](const std::vector<Buffer>& list, const Node* node) {
      for (size_t k = 0; k < list.size(); ++k) {
        if (list[k].get() == node) return static_cast<int>(k);
      }
      return -1;
    };
    Stmt body = Rewrite(
        Refresh(r.combine),
        [&](const Load& load) -> Expr {
          const int part = index_of(r.parts, load.source.get());
          if (part >= 0) return MakeLoad(shared[static_cast<size_t>(part)], from);
          const int out = index_of(r.outs, load.source.get());
          return out < 0 ? Expr() : MakeLoad(shared[static_cast<size_t>(out)], to);
        },
        [&](const Store& store) -> Stmt {
          const int out = index_of(r.outs, store.buffer.get());
          return out < 0 ? Stmt() : MakeStore(shared[static_cast<size_t>(out)], store.value, to);
        });
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

  std::vector<const For*> open_;
};

}  // namespace

Module Allreduce(const Module& module, const PassContext&) {
  return MapFunctions(module,
                      [](const Func& func) { return WithBody(func, Lowering().Run(func->body)); });
}

}  // namespace lathe::lower
