#include "backends/cuda/tensor_memory.h"

#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "backends/cuda/wgmma_overlap.h"
#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "ir/rewrite.h"
#include "ir/structural.h"
#include "plugins/sdk/value.h"

namespace lathe::cuda {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

constexpr int64_t kRow = 64;  // elements
constexpr int64_t kMostRows = 256;
constexpr std::string_view kWgmma = "lathe_wgmma_";

[[noreturn]] void Refuse(const FuncNode& kernel, const std::string& what, const std::string& help) {
  throw sdk::Error(LATHE_INVALID_ARGUMENT, "cuda-tensor-memory",
                   "kernel `" + kernel.name + "`: " + what, "help: " + help);
}

bool IsWgmma(const Call& call) {
  const auto* name = call.args.empty() ? nullptr : As<StringImm>(call.args[0]);
  return (call.op == intrinsic::kCallExtern || call.op == intrinsic::kCallPureExtern) &&
         name != nullptr && name->value.starts_with(kWgmma);
}

const BufferNode* AddressedBuffer(const NodeRef& address) {
  const auto* call = As<Call>(address);
  if (call == nullptr || (call->op != intrinsic::kAddressOf && call->op != intrinsic::kAccessPtr))
    return nullptr;
  if (const auto* load = As<Load>(call->args[0])) return As<BufferNode>(load->source);
  return As<BufferNode>(call->args[0]);
}

// e = scale * var + rest; nullopt if the expression does not have this form. A null scale means 0.
struct Linear {
  Expr scale, rest;
  bool ok = true;
};
Linear LinearIn(const Expr& e, const Var& var) {
  if (!UsesVar(e, var)) return {nullptr, e};
  if (e.get() == var.get()) return {Const(1, var->dtype), Const(0, var->dtype)};
  const auto plus = [](const Expr& a, const Expr& b) { return !a ? b : !b ? a : a + b; };
  if (const auto* sum = As<Add>(e)) {
    const Linear a = LinearIn(sum->a, var), b = LinearIn(sum->b, var);
    return {plus(a.scale, b.scale), a.rest + b.rest, a.ok && b.ok};
  }
  if (const auto* product = As<Mul>(e)) {
    const bool left = UsesVar(product->a, var);
    if (left && UsesVar(product->b, var)) return {nullptr, nullptr, false};
    const Linear in = LinearIn(left ? product->a : product->b, var);
    if (!in.ok) return in;
    const Expr& by = left ? product->b : product->a;
    return {IsOne(in.scale) ? by : in.scale * by, IsZero(in.rest) ? in.rest : in.rest * by};
  }
  if (const auto* cast = As<Cast>(e); cast != nullptr && cast->dtype.is_int()) {
    const Linear in = LinearIn(cast->value, var);
    if (!in.ok) return in;
    return {MakeCast(cast->dtype, in.scale), MakeCast(cast->dtype, in.rest)};
  }
  return {nullptr, nullptr, false};
}

class Rewriter final : public Mutator {
 public:
  Rewriter(const FuncNode& kernel, std::vector<TensorMap>* maps)
      : Mutator(Memo::kPerRoot), kernel_(kernel), maps_(*maps) {
    for (size_t i = 0; i < kernel.params.size(); ++i)
      params_[kernel.params[i].get()] = static_cast<int64_t>(i);
    ForEach<DeclBuffer>(kernel.body, [&](const DeclBuffer& view) {
      const BufferNode* viewed = AddressedBuffer(view.data);
      if (viewed != nullptr) {
        roots_[view.buffer->data.get()] = RootOf(viewed);
      } else if (params_.count(view.data.get()) != 0) {
        arguments_.emplace(view.buffer->data.get(), &view);
      }
    });
    ForEach<Call>(kernel.body, [&](const Call& call) {
      if (!IsWgmma(call)) return;
      for (size_t i = 2; i < call.args.size(); ++i) {
        const BufferNode* operand = AddressedBuffer(call.args[i]);
        if (operand == nullptr) Refuse(kernel_, "wgmma on memory of unknown origin", "tensorize");
        if (!ScopeOf(*RootOf(operand)).starts_with(memory_scope::kShared))
          Refuse(kernel_,
                 "`" + operand->name + "`, which wgmma reads, lies in " +
                     ScopeOf(*RootOf(operand)) + " memory",
                 "cache_read it in scope \"shared\"");
        operands_.insert(RootOf(operand)->data.get());
        uses_.insert(call.args[i].get());
      }
    });
  }

  bool loads = false;

  // Runs after the loads are replaced: no other statement may access the operands.
  void CheckOthers(const Stmt& body) const {
    std::unordered_set<const Node*> places;
    ForEach<DeclBuffer>(body, [&](const DeclBuffer& view) {
      if (const auto* call = As<Call>(view.data)) {
        places.insert(call);
        places.insert(call->args.empty() ? nullptr : call->args[0].get());
      }
    });
    const auto check = [&](const Node* buffer) {
      const auto* node = As<BufferNode>(buffer);
      if (node == nullptr || operands_.count(RootOf(node)->data.get()) == 0) return;
      Refuse(kernel_, "`" + node->name + "` is an operand of wgmma, and used in another way too",
             "fill it by the intrinsic cuda.tma_* in a loop that is pipelined asynchronously, and "
             "read it by cuda.wgmma_* alone");
    };
    PreOrder(body, [&](const Node& node) {
      if (const auto* store = As<Store>(&node)) check(store->buffer.get());
      if (const auto* load = As<Load>(&node); load != nullptr && places.count(load) == 0)
        check(load->source.get());
      if (const auto* call = As<Call>(&node)) {
        if (places.count(call) != 0 || uses_.count(call) != 0 || IsWgmma(*call)) return true;
        const auto* name = call->args.empty() ? nullptr : As<StringImm>(call->args[0]);
        if (name != nullptr && name->value.starts_with("lathe_tma_")) return false;
        for (const NodeRef& arg : call->args) check(arg.get());
      }
      return true;
    });
  }

 protected:
  NodeRef Leave(const NodeRef& before, NodeRef after) override {
    if (const auto* loop = As<For>(before)) {
      const Stmt load = Load2D(*loop);
      return load ? NodeRef(load) : after;
    }
    return after;
  }

 private:
  const BufferNode* RootOf(const BufferNode* buffer) const {
    auto it = roots_.find(buffer->data.get());
    return it == roots_.end() ? buffer : it->second;
  }

  // Recognises a loop of row copies into an operand and returns its load; null for other
  // statements.
  Stmt Load2D(const For& loop) {
    Expr guard;
    Stmt body = loop.body;
    if (const auto* branch = As<If>(body); branch != nullptr && !branch->else_case) {
      guard = branch->condition;
      body = branch->then_case;
    }
    const auto* evaluate = As<Evaluate>(body);
    const auto* copy = evaluate == nullptr ? nullptr : As<Call>(evaluate->value);
    if (copy == nullptr || copy->op != intrinsic::kAsyncCopy) return nullptr;
    const auto &to = static_cast<const Load&>(*copy->args[0]),
               &from = static_cast<const Load&>(*copy->args[1]);
    const auto* target = As<BufferNode>(to.source);
    const auto* source = As<BufferNode>(from.source);
    if (target == nullptr || source == nullptr || operands_.count(RootOf(target)->data.get()) == 0)
      return nullptr;
    const int64_t *count = AsConstInt(copy->arg(2)), *rows = AsConstInt(loop.extent);
    const Linear there = LinearIn(to.indices.at(0), loop.var),
                 here = LinearIn(from.indices.at(0), loop.var);
    const int64_t* step = there.ok && there.scale ? AsConstInt(there.scale) : nullptr;
    if (count == nullptr || *count != kRow || rows == nullptr || *rows > kMostRows ||
        step == nullptr || *step != kRow || !here.ok || !here.scale || !IsZero(loop.min) ||
        target->dtype.bits() != 16 || (guard && UsesVar(guard, loop.var)))
      Refuse(kernel_, "`" + target->name + "`, an operand of wgmma, is not filled by whole rows",
             "tensorize its stage by cuda.tma_*");
    TensorMap map;
    map.is_bfloat16 = target->dtype.is_bfloat16();
    map.box_rows = *rows;
    map.columns = Number(here.scale);
    const auto whole = arguments_.find(RootOf(source)->data.get());
    if (whole == arguments_.end())
      Refuse(kernel_, "`" + source->name + "` is no argument, and TMA reads only those",
             "cache_read an argument");
    map.param = params_.at(whole->second->data.get());
    for (const Expr& extent : whole->second->buffer->shape) {
      const LaunchNumber times = Number(extent);
      map.elements.constant *= times.constant;
      map.elements.params.insert(map.elements.params.end(), times.params.begin(),
                                 times.params.end());
    }
    const std::string name = TmaFunction(MapNumber(map), map);
    // The tile's position in the tensor follows from the distance to the argument's first element.
    const auto address = [](const BufferNode* buffer, const Expr& index) {
      return CallIntrinsic(intrinsic::kAddressOf, {MakeLoad(Buffer(buffer), {index})});
    };
    Stmt call = MakeEvaluate(
        MakeCall(DataType::Void(), intrinsic::kCallExtern,
                 {String(name), address(target, there.rest), address(source, here.rest),
                  whole->second->data, MakeCast(DataType::Int(64), here.scale)}));
    loads = true;
    return guard ? MakeIf(guard, call) : call;
  }

  // The number of the map; equal maps share one.
  size_t MapNumber(const TensorMap& map) {
    const auto same = [](const LaunchNumber& a, const LaunchNumber& b) {
      return a.constant == b.constant && a.params == b.params;
    };
    for (size_t i = 0; i < maps_.size(); ++i) {
      const TensorMap& other = maps_[i];
      if (other.param == map.param && other.is_bfloat16 == map.is_bfloat16 &&
          other.box_rows == map.box_rows && same(other.columns, map.columns) &&
          same(other.elements, map.elements))
        return i;
    }
    maps_.push_back(map);
    return maps_.size() - 1;
  }

  LaunchNumber Number(const Expr& e) const {
    LaunchNumber out;
    std::vector<Expr> factors = {e};
    while (!factors.empty()) {
      const Expr factor = factors.back();
      factors.pop_back();
      if (const auto* product = As<Mul>(factor)) {
        factors.push_back(product->a);
        factors.push_back(product->b);
      } else if (const auto* cast = As<Cast>(factor)) {
        factors.push_back(cast->value);
      } else if (const int64_t* value = AsConstInt(factor)) {
        out.constant *= *value;
      } else if (params_.count(factor.get()) != 0) {
        out.params.push_back(params_.at(factor.get()));
      } else {
        Refuse(kernel_, "a tensor that TMA reads has a size that is computed",
               "sizes that are products of constants and arguments");
      }
    }
    return out;
  }

  const FuncNode& kernel_;
  std::vector<TensorMap>& maps_;
  std::unordered_map<const Node*, int64_t> params_;
  std::unordered_map<const Node*, const BufferNode*> roots_;      // by a view's data
  std::unordered_map<const Node*, const DeclBuffer*> arguments_;  // by data
  std::unordered_set<const Node*> operands_;                      // data that wgmma reads
  std::unordered_set<const Node*> uses_;                          // passed to wgmma
};

}  // namespace

std::string TmaFunction(size_t number, const TensorMap& map) {
  return "lathe_tma_map" + std::to_string(number) + "_rows" + std::to_string(map.box_rows);
}

bool UsesWgmma(const FuncNode& kernel) {
  bool uses = false;
  ForEach<Call>(kernel.body, [&](const Call& call) { uses = uses || IsWgmma(call); });
  return uses;
}

Func WithTensorMaps(const Func& kernel, std::vector<TensorMap>* maps) {
  if (!UsesWgmma(*kernel)) return kernel;
  Rewriter rewriter(*kernel, maps);
  Stmt body = rewriter.Run(kernel->body);
  rewriter.CheckOthers(body);
  if (!rewriter.loads)
    Refuse(*kernel, "nothing fills the operands of wgmma",
           "cache_read them in scope \"shared\", and tensorize these stages by cuda.tma_*");
  const auto call = [](const std::string& name, std::vector<NodeRef> args) {
    args.insert(args.begin(), String(name));
    return MakeEvaluate(MakeCall(DataType::Void(), intrinsic::kCallExtern, std::move(args)));
  };
  // Other copies, which do not use the ring, keep their own groups.
  body = Rewrite(body, [&](const Evaluate& evaluate) -> Stmt {
    const auto* known = As<Call>(evaluate.value);
    if (known == nullptr) return nullptr;
    if (known->op == intrinsic::kAsyncCommit)
      return MakeSeq({MakeEvaluate(evaluate.value), call("lathe_tma_commit", {})});
    if (known->op == intrinsic::kAsyncWait)
      return MakeSeq({MakeEvaluate(evaluate.value), call("lathe_tma_wait", {known->args[0]})});
    return nullptr;
  });
  return WithBody(kernel, MakeSeq({call("lathe_tma_begin", {}), OverlapWgmma(body)}));
}

}  // namespace lathe::cuda
