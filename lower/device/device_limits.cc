#include "lower/device/device_limits.h"

#include <algorithm>
#include <unordered_map>

#include "arith/analyzer.h"
#include "base/error.h"
#include "base/planted.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "ir/rewrite.h"
#include "ir/thread_scopes.h"
#include "lathe/abi/names.h"
#include "lower/device/kernel_axes.h"
#include "lower/device/split_device.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

const DataType kI64 = DataType::Int(64);

class Limits {
 public:
  explicit Limits(const target::Machine& machine) : machine_(machine) {}

  // 0: not limited.
  int64_t Named(std::string_view name) const { return machine_.Limit(name); }
  int64_t SharedBytes() const {
    const int64_t named = Named(LATHE_PROPERTY_MAX_SHARED_MEMORY_PER_BLOCK);
    const target::MemoryScope* shared = machine_.FindMemory(memory_scope::kShared);
    const int64_t scope = shared == nullptr ? 0 : static_cast<int64_t>(shared->bytes);
    return named == 0 ? scope : scope == 0 ? named : std::min(named, scope);
  }
  int64_t Axis(const std::string& tag, const Func& kernel) const {
    if (const target::ThreadAxis* axis = machine_.FindAxis(tag)) return axis->max;
    std::vector<std::string> known;
    for (const target::ThreadAxis& axis : machine_.axes) known.push_back(axis.tag);
    throw Error(
        Diagnostic{.name = "device-axis",
                   .message = "kernel `" + kernel->name + "` is bound to `" + tag +
                              "`, an axis that the device does not have",
                   .expected = known.empty() ? "no thread axes" : "one of " + QuotedList(known),
                   .found = "`" + tag + "`",
                   .help = "bind the loop to an axis that the target declares"});
  }
  void CheckScope(const BufferNode& buffer, const Func& kernel) const {
    if (machine_.memory.empty()) return;
    const std::string scope = ScopeOf(buffer);
    const std::string base = scope.substr(0, scope.find('.'));
    // Every machine has a thread's own memory.
    if (base == memory_scope::kLocal || machine_.FindMemory(scope) != nullptr ||
        machine_.FindMemory(base) != nullptr)
      return;
    std::vector<std::string> known;
    for (const target::MemoryScope& memory : machine_.memory) known.push_back(memory.scope);
    throw Error(Diagnostic{.name = "device-scope",
                           .message = "buffer `" + buffer.name + "` of kernel `" + kernel->name +
                                      "` lies in memory that the device does not have",
                           .expected = "one of " + QuotedList(known),
                           .found = "\"" + scope + "\"",
                           .help = "give the stage another scope"});
  }

  static void Require(int64_t value, int64_t most, const std::string& limit,
                      const std::string& what, const Func& kernel) {
    if (most == 0 || value <= most || Planted(PlantedBug::kLimitUnchecked)) return;
    throw Error(Diagnostic{.name = "device-limit",
                           .message = "kernel `" + kernel->name + "` exceeds the device's limit " +
                                      limit + ": " + what,
                           .expected = "at most " + std::to_string(most),
                           .found = std::to_string(value),
                           .help = "use smaller tiles, or another target"});
  }

 private:
  const target::Machine& machine_;
};

struct LaunchCheck {
  Expr value;  // in the kernel's parameters
  int64_t most;
  std::string limit;
};

// The checks that could not be decided here.
std::vector<LaunchCheck> CheckKernel(const Func& kernel, const Limits& limits) {
  std::vector<LaunchCheck> open;
  arith::Analyzer analyzer;
  auto require = [&](const Expr& value, int64_t most, const std::string& limit,
                     const std::string& what) {
    if (most == 0) return;
    const Expr simple = analyzer.Simplify(value);
    if (const int64_t* number = AsConstInt(simple))
      Limits::Require(*number, most, limit, what, kernel);
    else if (!analyzer.CanProve(simple <= Int(most, kI64)))
      open.push_back({simple, most, limit});
  };
  Expr threads = Int(1, kI64), shared = Int(0, kI64);
  PostOrder(kernel->body, [&](const Node& node) {
    if (const auto* loop = As<For>(&node); loop != nullptr && IsHardwareLoop(*loop)) {
      const Expr extent = MakeCast(kI64, loop->extent);
      require(extent, limits.Axis(loop->thread_tag, kernel), "of axis " + loop->thread_tag,
              "its extent");
      if (loop->thread_tag.starts_with(thread_tag::kThreadPrefix)) threads = threads * extent;
    } else if (const auto* allocate = As<Allocate>(&node)) {
      limits.CheckScope(*allocate->buffer, kernel);
      if (ScopeRank(allocate->buffer->scope) != 1) return;
      Expr bytes = Int(allocate->buffer->dtype.bytes(), kI64);
      for (const Expr& extent : allocate->buffer->shape) bytes = bytes * MakeCast(kI64, extent);
      shared = shared + bytes;
    } else if (IsExpr(&node) || As<For>(&node) != nullptr) {
      const int64_t most = limits.Named(LATHE_PROPERTY_MAX_VECTOR_BYTES);
      if (most == 0) return;
      if (const auto* load = As<Load>(&node); load != nullptr && load->dtype.lanes() > 1)
        Limits::Require(load->dtype.bytes(), most, LATHE_PROPERTY_MAX_VECTOR_BYTES,
                        "bytes that a vector operation loads", kernel);
    } else if (const auto* store = As<Store>(&node)) {
      const int64_t most = limits.Named(LATHE_PROPERTY_MAX_VECTOR_BYTES);
      if (store->value->dtype.lanes() > 1)
        Limits::Require(store->value->dtype.bytes(), most, LATHE_PROPERTY_MAX_VECTOR_BYTES,
                        "bytes that a vector operation stores", kernel);
    }
  });
  // Vectorized loops, before they become vectors: each element once per iteration.
  ForEach<For>(kernel->body, [&](const For& loop) {
    if (loop.for_kind != ForKind::kVectorized) return;
    const int64_t* lanes = AsConstInt(loop.extent);
    if (lanes == nullptr) return;
    ForEach<Store>(loop.body, [&](const Store& store) {
      Limits::Require(*lanes * store.value->dtype.bytes(),
                      limits.Named(LATHE_PROPERTY_MAX_VECTOR_BYTES),
                      LATHE_PROPERTY_MAX_VECTOR_BYTES,
                      "bytes that vectorized loop `" + loop.var->name + "` stores at once", kernel);
    });
  });
  require(threads, limits.Named(LATHE_PROPERTY_MAX_THREADS_PER_BLOCK),
          LATHE_PROPERTY_MAX_THREADS_PER_BLOCK, "the threads of a block");
  require(shared, limits.SharedBytes(), LATHE_PROPERTY_MAX_SHARED_MEMORY_PER_BLOCK,
          "the bytes of shared memory of a block");
  return open;
}

// Puts asserts before the launches of kernels with undecided checks.
class LaunchGuard final : public Mutator {
 public:
  LaunchGuard(const Module& module,
              const std::unordered_map<std::string, std::vector<LaunchCheck>>& checks)
      : module_(module), checks_(checks) {}

 protected:
  NodeRef Enter(const NodeRef& node) override { return IsExpr(node.get()) ? node : nullptr; }
  NodeRef Leave(const NodeRef&, NodeRef after) override {
    const auto* evaluate = As<Evaluate>(after);
    const auto* call = evaluate != nullptr ? As<Call>(evaluate->value) : nullptr;
    if (call == nullptr || call->op != intrinsic::kCallPacked) return after;
    const auto* name = As<StringImm>(call->args[0]);
    auto it = name != nullptr ? checks_.find(name->value) : checks_.end();
    if (it == checks_.end() || it->second.empty()) return after;
    const Func kernel = FindFunc(module_, name->value);
    VarMap values;
    for (size_t i = 0; i < kernel->params.size(); ++i) {
      if (const Var var = RefAs<VarNode>(kernel->params[i])) values[var] = call->arg(i + 1);
    }
    std::vector<Stmt> stmts;
    for (const LaunchCheck& check : it->second) {
      const Expr value = Substitute(check.value, values);
      stmts.push_back(MakeAssert(value <= Int(check.most, kI64), "device-limit",
                                 "kernel `" + name->value + "` exceeds the device's limit " +
                                     check.limit + "\n  expected: at most " +
                                     std::to_string(check.most) + "\n  found: {0}",
                                 {value}));
    }
    stmts.push_back(RefStmt(after));
    return MakeSeq(std::move(stmts));
  }

 private:
  const Module& module_;
  const std::unordered_map<std::string, std::vector<LaunchCheck>>& checks_;
};

}  // namespace

Module CheckDeviceLimits(const Module& module, const PassContext& context) {
  if (!context.device) return module;
  const Limits limits(*context.device);
  std::unordered_map<std::string, std::vector<LaunchCheck>> checks;
  bool open = false;
  for (const Func& func : module->functions) {
    if (!IsKernel(func)) continue;
    checks[func->name] = CheckKernel(func, limits);
    open = open || !checks[func->name].empty();
  }
  if (!open) return module;
  return MapFunctions(module, [&](const Func& func) {
    return IsKernel(func) ? func : WithBody(func, LaunchGuard(module, checks).Run(func->body));
  });
}

}  // namespace lathe::lower
