#include "lower/device/verify_memory.h"

#include "base/error.h"
#include "base/planted.h"
#include "ir/intrinsic.h"
#include "ir/names.h"
#include "ir/thread_scopes.h"
#include "ir/walk.h"
#include "lower/device/kernel_axes.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

class Checker final : public Visitor {
 public:
  explicit Checker(const Func& func) : Visitor(Sharing::kPerRoot), func_(func) {}

 protected:
  void BeforeChild(const Edge& edge) override {
    const auto* loop = As<For>(edge.parent);
    if (loop == nullptr || !edge.Is("body")) return;
    if (kernels_ > 0 && loop->for_kind == ForKind::kParallel) ParallelInKernel(*loop);
    kernels_ += IsHardwareLoop(*loop);
    loops_.push_back(loop);
  }
  void AfterChild(const Edge& edge) override {
    const auto* loop = As<For>(edge.parent);
    if (loop == nullptr || !edge.Is("body")) return;
    kernels_ -= IsHardwareLoop(*loop);
    loops_.pop_back();
  }
  bool Enter(const Node& node) override {
    if (const auto* allocate = As<Allocate>(&node)) CheckPlace(*allocate->buffer);
    if (kernels_ > 0 || Planted(PlantedBug::kUnboundLoopTaken)) return true;
    if (const auto* store = As<Store>(&node)) Unbound(*store->buffer, "written");
    if (const auto* load = As<Load>(&node)) {
      if (const auto* buffer = As<BufferNode>(load->source)) Unbound(*buffer, "read");
    }
    return true;
  }

 private:
  [[noreturn]] void Unbound(const BufferNode& buffer, const char* how) const {
    std::string loops;
    for (const For* loop : loops_) loops += (loops.empty() ? "`" : ", `") + loop->var->name + "`";
    throw Error(Diagnostic{
        .name = "unbound-device-loop",
        .message = "`" + buffer.name + "`, which lies in the device's memory, is " + how +
                   " outside a kernel of `" + func_->name + "`; did you forget to bind?",
        .expected = "every loop nest within a loop that is bound to a thread axis",
        .found = loops.empty() ? "a statement outside all loops" : "the plain loops " + loops,
        .help = "bind a loop of the stage to \"blockIdx.x\" or \"threadIdx.x\", attach the stage "
                "to one that is bound, or inline it"});
  }

  // Lowering keeps the stage's name in its buffer: that which the loop stores.
  [[noreturn]] void ParallelInKernel(const For& parallel) const {
    std::string stage;
    ForEach<Store>(parallel.body, [&](const Store& store) {
      if (stage.empty()) stage = store.buffer->name;
    });
    std::string threads;
    for (const For* loop : loops_) {
      if (!IsHardwareLoop(*loop)) continue;
      threads += (threads.empty() ? "`" : ", `") + loop->var->name + "` (" + loop->thread_tag + ")";
    }
    throw Error(Diagnostic{
        .name = "parallel-in-kernel",
        .message = "loop `" + parallel.var->name + "`" +
                   (stage.empty() ? std::string() : " of stage `" + stage + "`") +
                   " is parallel within a kernel of `" + func_->name + "`",
        .expected = "parallel loops only outside loops that are bound to thread axes",
        .found = "one within " + threads,
        .help = "bind the axis to a thread axis instead of parallel, or use unroll or vectorize"});
  }

  void CheckPlace(const BufferNode& buffer) const {
    const bool global = ScopeRank(buffer.scope) == 0;
    if (global == (kernels_ == 0)) return;
    throw Error(Diagnostic{
        .name = "memory-misplaced",
        .message = "buffer `" + buffer.name + "` of scope \"" + ScopeOf(buffer) +
                   "\" is allocated " + (global ? "within" : "outside") + " a kernel of `" +
                   func_->name + "`",
        .expected = global ? "memory of all blocks allocated before the kernel starts"
                           : "memory of a block or thread allocated within the kernel that uses it",
        .found = loops_.empty() ? "an allocation outside all loops"
                                : "one within loop `" + loops_.back()->var->name + "`",
        .help = global ? "give the stage the scope \"shared\" or \"local\", or compute it at root"
                       : "attach the stage to a loop that is bound to a thread axis"});
  }

  const Func& func_;
  int kernels_ = 0;
  std::vector<const For*> loops_;
};

}  // namespace

Module VerifyMemory(const Module& module, const PassContext&) {
  for (const Func& func : module->functions) {
    const std::string convention = StringAttr(func->attrs, func_attr::kCallingConvention);
    if (convention.empty() || convention == convention::kPacked) Checker(func).Visit(func->body);
  }
  return module;
}

}  // namespace lathe::lower
