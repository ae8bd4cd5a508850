// Random schedules for devices with threads: the loops of outputs become blocks and threads, their
// inputs are computed in shared or private memory, and reductions run across threads.
#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/error.h"
#include "ir/walk.h"
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

  void Run(bool warps) {
    if (random_.Chance(60) && warps) Try([&] { WarpMemory(); });
    Try([&] { Caches(); });
    // Readers before their inputs, so that there is a thread to attach to.
    for (size_t i = schedule_->stages.size(); i-- > 0;) {
      Stage& stage = *schedule_->stages[i];
      if (stage.is_placeholder() || placed_.count(stage.name) != 0) continue;
      Try([&] {
        if (ir::As<ir::ScanOp>(stage.op) != nullptr || ir::As<ir::ExternOp>(stage.op) != nullptr)
          Environment(stage);
        else if (stage.scan != nullptr)
          ScanPart(stage);
        else
          Place(stage);
      });
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
    if (random_.Chance(55)) {
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

  // Puts the whole stage on threads of one block.
  void Environment(Stage& stage) {
    schedule::EnvThreads(
        stage, {ThreadAxis("blockIdx.x", ir::Int(1)), ThreadAxis("threadIdx.x", ir::Int(4))});
    Count("env_threads");
  }

  // A stage that a scan computes in each step: threads share its columns.
  void ScanPart(Stage& stage) {
    const bool part = schedule::IsScanInit(stage) || schedule::IsScanUpdate(stage);
    if (!part) {
      if (random_.Chance(40)) {
        schedule::ComputeInline(stage);
        return;
      }
      schedule::SetScope(stage, "shared");
      Count("set_scope");
    }
    std::vector<IterVar> columns = DataLeaves(stage);
    if (columns.size() < 2) return;
    columns.erase(columns.begin());
    const auto [rest, thread] = schedule::Split(stage, schedule::Fuse(stage, columns), 4);
    (void)rest;
    Bind(stage, thread, "threadIdx.x");
  }

  // Is the last index of all loads of `tensor` the last axis? Then each lane reads what it stored.
  static bool ReadAlong(const ir::ComputeOp& op, const ir::Tensor& tensor) {
    bool along = tensor->ndim() > 0;
    for (const ir::Expr& extent : tensor->shape()) along = along && !ir::IsZero(extent);
    for (const ir::Expr& value : op.body) {
      ir::ForEach<ir::Load>(value, [&](const ir::Load& load) {
        const ir::Tensor from = ir::RefAs<ir::TensorNode>(load.source);
        if (!from || !ir::SameTensor(from, tensor) || load.indices.empty()) return;
        along = along && load.indices.back().get() == op.axis.back()->var.get();
      });
    }
    return along;
  }

  // What a stage reads lies in the lanes of its warp: rows on blocks, lanes along the last
  // dimension.
  void WarpMemory() {
    struct Read {
      Stage* reader;
      ir::Tensor tensor;
    };
    std::vector<Read> reads;
    for (const Ref<Stage>& stage : schedule_->stages) {
      const auto* op = ir::As<ir::ComputeOp>(stage->op);
      if (op == nullptr || stage->scan != nullptr || stage->has_reduction() || op->axis.empty())
        continue;
      for (const ir::Tensor& input : ir::InputsOf(*op)) {
        if (ReadAlong(*op, input)) reads.push_back({stage.get(), input});
      }
    }
    if (reads.empty()) return;
    const Read chosen = random_.Pick(reads);
    Stage& reader = *chosen.reader;
    const ir::Tensor tensor = chosen.tensor;
    Stage& memory = schedule_[schedule::CacheRead(schedule_, tensor, "warp", {reader.op})];
    Count("cache_read");
    const std::vector<IterVar> data = DataLeaves(reader);
    const auto [tiles, lane] = schedule::Split(reader, data.back(), kLanes);
    if (data.size() > 1) {
      const IterVar rows =
          schedule::Fuse(reader, std::vector<IterVar>(data.begin(), data.end() - 1));
      schedule::Reorder(reader, {rows, lane, tiles});
      Bind(reader, rows, "blockIdx.x");
    } else {
      Bind(reader, tiles, "blockIdx.x");
    }
    Bind(reader, lane, "threadIdx.x");
    placed_.insert(reader.name);
    placed_.insert(memory.name);
    schedule::ComputeAt(memory, reader, lane);
    Count("compute_at");
    const auto [rest, own] = schedule::Split(memory, memory.leaf_axes.back(), kLanes);
    (void)rest;
    Bind(memory, own, "threadIdx.x");
  }

  // The only stage that reads `stage`, if it was placed on threads; else null.
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
    // A whole stage on threads, which its inputs may share.
    if (random_.Chance(reader == nullptr ? 12 : 4)) {
      Environment(stage);
      return;
    }
    // Limits the depth, because regions of stages attached within attached stages become long.
    int depth = 0;
    for (const Stage* at = reader; at != nullptr && at->attach_stage != nullptr;
         at = at->attach_stage)
      ++depth;
    if (reader != nullptr && depth < 2 && !reader->leaf_axes.empty() && random_.Chance(60)) {
      const IterVar at = random_.Pick(reader->leaf_axes);
      schedule::ComputeAt(stage, *reader, at);
      Count("compute_at");
      if (stage.scope.empty() && random_.Chance(60)) {
        schedule::SetScope(stage, random_.Pick<const char*>({"shared", "shared", "local", "warp"}));
        Count("set_scope");
      }
      // All threads fill it together, or each thread fills its own.
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

  // Gives the stage a kernel of its own.
  void Blocks(Stage& stage) {
    IterVar data = DataLeaves(stage).empty() ? schedule::Fuse(stage, {})
                                             : schedule::Fuse(stage, DataLeaves(stage));
    if (stage.has_reduction() && random_.Chance(70)) {
      // A reduction across threads.
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

  static constexpr int64_t kLanes = 4;  // of a warp of the device (kernels.h)

  Schedule& schedule_;
  Random random_;
  ScheduleCounts* counts_;
  std::unordered_set<std::string> placed_;  // names of stages
};

}  // namespace

void ApplyKernelSteps(Schedule& schedule, uint64_t seed, ScheduleCounts* counts, bool warps) {
  KernelScheduler(schedule, seed, counts).Run(warps);
}

}  // namespace lathe::prove
