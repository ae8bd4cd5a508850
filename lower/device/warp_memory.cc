#include "lower/device/warp_memory.h"

#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "arith/analyzer.h"
#include "arith/linear.h"
#include "base/error.h"
#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "ir/rewrite.h"
#include "ir/thread_scopes.h"
#include "lathe/abi/names.h"
#include "lower/device/kernel_axes.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

// How a buffer is spread over the lanes.
struct Spread {
  size_t dim = 0;
  int64_t distance = 1;  // between the elements of neighbouring lanes
  Buffer own;            // the part that a lane keeps
  bool partly = false;   // a store is under a condition on the lane
  bool zeroed = false;   // a lane may have to give an element that it did not store
};

[[noreturn]] void BadAccess(const BufferNode& buffer, std::string expected, std::string found) {
  throw Error(Diagnostic{
      .name = "warp-memory-access",
      .message = "buffer `" + buffer.name + "` of scope \"warp\" cannot be spread over the lanes",
      .expected = std::move(expected),
      .found = std::move(found),
      .help = "give the stage the scope \"shared\", or split its loops so that threadIdx.x is the "
              "innermost bound one"});
}

class Lowering final : public Mutator {
 public:
  Lowering(const For& lanes, int64_t warp, const Stmt& kernel)
      : lane_(lanes.var), warp_(warp), kernel_(kernel) {
    ForEach<For>(kernel, [&](const For& loop) {
      analyzer_.Bind(loop.var, MakeRange(loop.min, loop.extent));
    });
  }

 protected:
  NodeRef Enter(const NodeRef& node) override {
    if (IsExpr(node.get())) return node;
    const auto* allocate = As<Allocate>(node);
    if (allocate != nullptr && ScopeRank(allocate->buffer->scope) == 2) Plan(*allocate);
    if (const auto* branch = As<If>(node)) {
      if (EffectOf(branch->condition) == CallEffect::kPure && !UsesVar(branch->condition, lane_))
        return nullptr;
      return Lifted(RefStmt(node), node);
    }
    if (As<Store>(node) != nullptr && Chooses(node)) return Lifted(RefStmt(node), node);
    if (const auto* let = As<LetStmt>(node); let != nullptr && Chooses(let->value))
      return Lifted(RefStmt(node), let->value);
    return nullptr;
  }

  NodeRef Leave(const NodeRef& before, NodeRef after) override {
    if (const auto* store = As<Store>(after)) return Stored(*store);
    if (const auto* evaluate = As<Evaluate>(after)) {
      return MakeEvaluate(WithLoads(evaluate->value));
    }
    if (const auto* let = As<LetStmt>(after))
      return MakeLetStmt(let->var, WithLoads(let->value), let->body);
    const auto* allocate = As<Allocate>(before);
    auto it = allocate != nullptr ? spreads_.find(allocate->buffer.get()) : spreads_.end();
    if (it == spreads_.end()) return after;
    Stmt body = static_cast<const Allocate&>(*after).body;
    if (it->second.zeroed) body = MakeSeq({Zeroed(*it->second.own, it->second.own), body});
    return MakeAllocate(it->second.own, body);
  }

 private:
  // Finds the dimension that determines the lane, from the stores into the buffer.
  void Plan(const Allocate& allocate) {
    const Buffer& buffer = allocate.buffer;
    std::vector<const Store*> stores;
    ForEach<Store>(kernel_, [&](const Store& store) {
      if (store.buffer.same_as(buffer)) stores.push_back(&store);
    });
    for (size_t d = 0; d < buffer->shape.size(); ++d) {
      Spread spread;
      spread.dim = d;
      bool fits = !stores.empty();
      for (const Store* store : stores) {
        const auto linear = arith::DetectLinear(store->indices[d], {lane_}, &analyzer_);
        const int64_t* distance = linear ? AsConstInt(linear->coefficients[0]) : nullptr;
        fits = fits && distance != nullptr && *distance >= 1;
        if (!fits) break;
        if (store == stores[0]) spread.distance = *distance;
        fits = analyzer_.CanProveEqual(LaneOf(spread, store->indices[d]),
                                       MakeCast(store->indices[d]->dtype, lane_));
      }
      if (!fits) continue;
      spread.own = CopyBuffer(buffer, [&](BufferNode& copy) {
        const Expr extent = copy.shape[d];
        const DataType t = extent->dtype;
        copy.shape[d] = analyzer_.Simplify(CeilDivide(extent, Const(spread.distance * warp_, t)) *
                                           spread.distance);
        copy.scope = memory_scope::kLocal;
        copy.data = MakeVar(copy.name, DataType::Handle());
      });
      ForEach<If>(kernel_, [&](const If& branch) {
        if (!UsesVar(branch.condition, lane_)) return;
        ForEach<Store>(Stmt(&branch), [&](const Store& store) {
          spread.partly = spread.partly || store.buffer.same_as(buffer);
        });
      });
      spreads_[buffer.get()] = spread;
      return;
    }
    BadAccess(*buffer, "stores in which neighbouring lanes store at a constant distance",
              stores.empty() ? "no store" : "another order of elements");
  }

  Expr LaneOf(const Spread& spread, const Expr& index) {
    return analyzer_.Simplify(FloorModulo(FloorDivide(index, spread.distance), warp_));
  }
  // The place of the element in the lane's own memory.
  Expr PlaceOf(const Spread& spread, const Expr& index) {
    const Expr within = analyzer_.Simplify(FloorModulo(index, spread.distance));
    // One element per lane covers the whole dimension.
    if (analyzer_.CanProveEqual(spread.own->shape[spread.dim],
                                Const(spread.distance, spread.own->shape[spread.dim]->dtype)))
      return within;
    return analyzer_.Simplify(FloorDivide(index, spread.distance * warp_) * spread.distance +
                              within);
  }
  std::vector<Expr> OwnIndices(const Spread& spread, std::vector<Expr> indices) {
    indices[spread.dim] = PlaceOf(spread, indices[spread.dim]);
    return indices;
  }

  NodeRef Stored(const Store& store) {
    const Expr value = WithLoads(store.value);
    auto it = spreads_.find(store.buffer.get());
    if (it == spreads_.end()) return MakeStore(store.buffer, value, store.indices, store.mask);
    return MakeStore(it->second.own, value, OwnIndices(it->second, store.indices), store.mask);
  }

  Expr WithLoads(const Expr& value) {
    return Rewrite(value, [&](const Load& load) -> Expr {
      auto it = spreads_.find(load.source.get());
      return it == spreads_.end() ? Expr() : Loaded(it->second, load);
    });
  }

  bool IsOwn(const Spread& spread, const Load& load) {
    const Expr& index = load.indices[spread.dim];
    return analyzer_.CanProveEqual(LaneOf(spread, index), MakeCast(index->dtype, lane_));
  }

  Expr Loaded(Spread& spread, const Load& load, bool lifted = false) {
    std::vector<Expr> indices = OwnIndices(spread, load.indices);
    for (size_t d = 0; lifted && d < indices.size(); ++d)
      indices[d] = Within(indices[d], spread.own->shape[d]);
    const Expr own = MakeLoad(spread.own, indices, load.mask);
    if (IsOwn(spread, load)) return own;
    for (const Expr& index : indices) {
      if (!UsesVar(index, lane_)) continue;
      BadAccess(static_cast<const BufferNode&>(*load.source),
                "loads of the same one of each lane's elements",
                "a place within the lane that depends on threadIdx.x");
    }
    // All lanes take part in a shuffle, including those whose value nobody reads.
    spread.zeroed = spread.zeroed || spread.partly;
    const DataType mask = DataType::UInt(warp_ > 32 ? 64 : 32);
    const uint64_t all = warp_ == 64 ? ~uint64_t{0} : (uint64_t{1} << warp_) - 1;
    const Expr lane = MakeCast(DataType::Int(32), LaneOf(spread, load.indices[spread.dim]));
    return CallIntrinsic(intrinsic::kWarpShuffle,
                         {Const(static_cast<int64_t>(all), mask), own, lane, Int(warp_)});
  }

  // True if some operands may be evaluated by some lanes only.
  static bool Chooses(const NodeRef& root) {
    bool chooses = false;
    PostOrder(root, [&](const Node& node) {
      const auto* call = As<Call>(&node);
      chooses = chooses || (call != nullptr && call->op == intrinsic::kIfThenElse) ||
                node.node_kind() == NodeKind::kAnd || node.node_kind() == NodeKind::kOr;
    });
    return chooses;
  }

  // Clamps the index to the memory, because the load no longer is under its condition.
  Expr Within(const Expr& index, const Expr& extent) {
    const Expr zero = Const(0, index->dtype), last = MakeCast(index->dtype, extent) - 1;
    if (analyzer_.CanProve(index >= zero) && analyzer_.CanProve(index <= last)) return index;
    return MakeMax(MakeMin(index, last), zero);
  }

  // if c: C[i] = f(shuffle)  -->  let s = shuffle; if c: C[i] = f(s)
  //
  // For the loads in `part` of the statement; null where none asks another lane.
  NodeRef Lifted(const Stmt& stmt, const NodeRef& part) {
    std::vector<const Load*> asked;  // from other lanes
    std::unordered_set<const Node*> inner;
    PostOrder(part, [&](const Node& node) {
      if (const auto* loop = As<For>(&node)) inner.insert(loop->var.get());
      if (const auto* let = As<LetStmt>(&node)) inner.insert(let->var.get());
      const auto* load = As<Load>(&node);
      auto it = load != nullptr ? spreads_.find(load->source.get()) : spreads_.end();
      if (it != spreads_.end() && !IsOwn(it->second, *load)) asked.push_back(load);
    });
    if (asked.empty()) return nullptr;
    std::vector<std::pair<Var, Expr>> lets;
    std::unordered_map<const Node*, Expr> values;
    for (const Load* load : asked) {
      Spread& spread = spreads_.at(load->source.get());
      for (const Expr& index : load->indices) {
        // An index that may only be read under the condition cannot be read before it.
        if (EffectOf(index) != CallEffect::kPure)
          BadAccess(static_cast<const BufferNode&>(*load->source),
                    "loads that all lanes take part in",
                    "a load under a condition, of an element whose number lies in memory");
        if (UsesAnyVar(index, inner))
          BadAccess(static_cast<const BufferNode&>(*load->source),
                    "loads that all lanes take part in",
                    "a load in a loop under a condition that differs between lanes");
      }
      spread.zeroed = true;
      const Var var = MakeVar(spread.own->name + ".at", load->dtype);
      lets.emplace_back(var, Loaded(spread, *load, true));
      values[load] = var;
    }
    class Replacer final : public Mutator {
     public:
      explicit Replacer(const std::unordered_map<const Node*, Expr>& values)
          : Mutator(Memo::kPerRoot), values_(values) {}

     protected:
      NodeRef Enter(const NodeRef& node) override {
        auto it = values_.find(node.get());
        return it == values_.end() ? NodeRef() : NodeRef(it->second);
      }

     private:
      const std::unordered_map<const Node*, Expr>& values_;
    };
    // Then the rest of the statement, with its own loads and stores.
    Stmt body = Run(Replacer(values).Run(stmt));
    for (size_t k = lets.size(); k-- > 0;) body = MakeLetStmt(lets[k].first, lets[k].second, body);
    return body;
  }

  static Stmt Zeroed(const BufferNode& node, const Buffer& buffer) {
    std::vector<Expr> indices;
    std::vector<Var> vars;
    for (const Expr& extent : node.shape) {
      vars.push_back(MakeVar("z", extent->dtype));
      indices.push_back(vars.back());
    }
    Stmt body = MakeStore(buffer, Const(0, node.dtype), indices);
    for (size_t d = vars.size(); d-- > 0;)
      body = MakeFor(vars[d], Const(0, vars[d]->dtype), node.shape[d], ForKind::kSerial, body);
    return body;
  }

  const Var lane_;
  const int64_t warp_;
  const Stmt& kernel_;
  arith::Analyzer analyzer_;
  std::unordered_map<const Node*, Spread> spreads_;
};

class Finder final : public Mutator {
 public:
  explicit Finder(int64_t warp) : warp_(warp) {}

 protected:
  NodeRef Enter(const NodeRef& node) override {
    if (IsExpr(node.get())) return node;
    const auto* kernel = As<For>(node);
    if (kernel == nullptr || !IsHardwareLoop(*kernel)) return nullptr;
    const BufferNode* buffer = nullptr;
    ForEach<Allocate>(Stmt(kernel), [&](const Allocate& allocate) {
      if (ScopeRank(allocate.buffer->scope) == 2) buffer = allocate.buffer.get();
    });
    if (buffer == nullptr) return node;
    const For* lanes = nullptr;
    for (const For* loop = kernel; loop != nullptr && IsHardwareLoop(*loop);
         loop = As<For>(loop->body)) {
      if (loop->thread_tag == thread_tag::kThreadX) lanes = loop;
    }
    const int64_t* extent = lanes != nullptr ? AsConstInt(lanes->extent) : nullptr;
    if (warp_ == 0 || extent == nullptr || *extent != warp_) {
      throw Error(Diagnostic{
          .name = "warp-memory-extent",
          .message = "buffer `" + buffer->name + "` lies in the memory of a warp",
          .expected = warp_ == 0 ? "a device with warps (its limit warp_size)"
                                 : "threadIdx.x of extent " + std::to_string(warp_) +
                                       ", the lanes of a warp",
          .found = lanes == nullptr    ? "no loop bound to threadIdx.x"
                   : extent == nullptr ? "an extent that depends on a variable"
                                       : "an extent of " + std::to_string(*extent),
          .help = "split by the warp's size and bind the inner loop, or use scope \"shared\""});
    }
    const Stmt whole = Stmt(kernel);
    return Lowering(*lanes, warp_, whole).Run(node);
  }

 private:
  const int64_t warp_;
};

}  // namespace

Module LowerWarpMemory(const Module& module, const PassContext& context) {
  int64_t warp = 0;
  if (context.device) {
    const int64_t size = context.device->Limit(LATHE_PROPERTY_WARP_SIZE);
    if (size > 1 && size <= 64) warp = size;
  }
  return MapFunctions(
      module, [&](const Func& func) { return WithBody(func, Finder(warp).Run(func->body)); });
}

}  // namespace lathe::lower
