// Random schedules for devices with threads: the loops of outputs become blocks and threads, what
// they read is computed in shared or private memory, reductions run across threads.
#include <algorithm>
#include <vector>

#include "base/error.h"
#include "schedule/primitives/primitives.h"
#include "tests/prove/random.h"
#include "tests/prove/random_schedule.h"

namespace lathe::prove {
namespace {

using ir::IterVar;
using schedule::Schedule;
using schedule::Stage;
using schedule::ThreadAxis;

class KernelScheduler {
 public:
  KernelScheduler(Schedule& schedule, uint64_t seed, ScheduleCounts* counts)
      : schedule_(schedule), random_(seed), counts_(counts) {}

  void Run() {
    Try([&] { Caches(); });
    // Readers before what they read, so that there is a thread to attach to.
    for (size_t i = schedule_->stages.size(); i-- > 0;) {
      Stage& stage = *schedule_->stages[i];
      if (ir::As<ir::ComputeOp>(stage.op) == nullptr || stage.scan != nullptr) continue;
      Try([&] { Place(stage); });
    }
  }

 private:
  template <class F>
  void Try(F apply) {
    try {
      apply();
    } catch (const Error& e) {
      ++counts_->refused[e.name()];
    }
  }
  void Count(const char* primitive) { ++counts_->applied[primitive]; }

  void Caches() {
    if (random_.Chance(40)) {
      Stage& stage = *random_.Pick(schedule_->stages);
      schedule::CacheRead(schedule_, ir::OutputOf(stage.op, 0),
                          random_.Pick<const char*>({"shared", "shared", "local"}),
                          std::vector<ir::Op>{});
      Count("cache_read");
    }
    if (random_.Chance(40)) {
      Stage& stage = *random_.Pick(schedule_->stages);
      schedule::CacheWrite(schedule_, ir::OutputOf(stage.op, 0),
                           random_.Pick<const char*>({"local", "local", "shared"}));
      Count("cache_write");
    }
  }

  // The only stage that reads `stage`, where it was placed on threads; else null.
  Stage* OnlyReader(const Stage& stage) {
    Stage* found = nullptr;
    for (const Ref<Stage>& other : schedule_->stages) {
      for (const ir::Tensor& input : ir::InputsOf(*other->op)) {
        if (!input->op.same_as(stage.op)) continue;
        if (found != nullptr && found != other.get()) return nullptr;
        found = other.get();
      }
    }
    return found;
  }

  void Place(Stage& stage) {
    Stage* reader = stage.is_output ? nullptr : OnlyReader(stage);
    if (reader != nullptr && random_.Chance(15)) {
      schedule::ComputeInline(stage);
      return;
    }
    if (reader != nullptr && !reader->leaf_axes.empty() && random_.Chance(60)) {
      const IterVar at = random_.Pick(reader->leaf_axes);
      schedule::ComputeAt(stage, *reader, at);
      Count("compute_at");
      if (stage.scope.empty() && random_.Chance(30)) {
        schedule::SetScope(stage, random_.Pick<const char*>({"shared", "local", "warp"}));
        Count("set_scope");
      }
      // Threads fill it together, or each thread its own.
      if (random_.Chance(50)) Threads(stage, random_.Pick<int64_t>({2, 4, 8}));
      return;
    }
    Blocks(stage);
  }

  std::vector<IterVar> DataLeaves(const Stage& stage) {
    std::vector<IterVar> leaves;
    for (const IterVar& leaf : stage.leaf_axes) {
      if (leaf->iter_kind == ir::IterKind::kData) leaves.push_back(leaf);
    }
    return leaves;
  }

  void Bind(Stage& stage, const IterVar& axis, const char* tag) {
    schedule::Bind(stage, axis, ThreadAxis(tag));
    Count("bind");
  }

  // The stage's own kernel.
  void Blocks(Stage& stage) {
    IterVar data = DataLeaves(stage).empty() ? schedule::Fuse(stage, {})
                                             : schedule::Fuse(stage, DataLeaves(stage));
    if (stage.has_reduction() && random_.Chance(45)) {
      // Across threads.
      Bind(stage, data, "blockIdx.x");
      IterVar reduce = stage.leaf_axes.back();
      if (random_.Chance(60)) {
        const auto [outer, inner] =
            schedule::Split(stage, reduce, random_.Pick<int64_t>({2, 3, 4, 5, 8}));
        reduce = random_.Chance(80) ? inner : outer;
        if (reduce.same_as(outer)) schedule::Reorder(stage, {outer, inner});
      }
      Bind(stage, reduce, "threadIdx.x");
      Count("cross_thread");
      return;
    }
    const auto [block, thread] = schedule::Split(stage, data, random_.Pick<int64_t>({2, 3, 4, 8}));
    Bind(stage, block, "blockIdx.x");
    if (random_.Chance(25)) {
      const auto [virtual_thread, rest] = schedule::SplitParts(stage, thread, 2);
      Bind(stage, virtual_thread, "vthread");
      Count("vthread");
      Bind(stage, rest, "threadIdx.x");
      return;
    }
    Bind(stage, thread, "threadIdx.x");
  }

  void Threads(Stage& stage, int64_t threads) {
    if (DataLeaves(stage).empty()) return;
    const IterVar data = schedule::Fuse(stage, DataLeaves(stage));
    const auto [rest, thread] = schedule::Split(stage, data, threads);
    (void)rest;
    Bind(stage, thread, "threadIdx.x");
  }

  Schedule& schedule_;
  Random random_;
  ScheduleCounts* counts_;
};

}  // namespace

void ApplyKernelSteps(Schedule& schedule, uint64_t seed, ScheduleCounts* counts) {
  KernelScheduler(schedule, seed, counts).Run();
}

}  // namespace lathe::prove
