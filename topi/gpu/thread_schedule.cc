#include "topi/gpu/thread_schedule.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "ir/names.h"
#include "lathe/abi/names.h"
#include "schedule/primitives/checks.h"
#include "schedule/primitives/primitives.h"
#include "te/operation.h"
#include "topi/cpu/auto/access.h"
#include "topi/gpu/thread_tile.h"

namespace lathe::topi::gpu {
namespace {

using cpu::Access;
using ir::As;
using ir::IterVar;
using ir::Op;
using schedule::Schedule;
using schedule::Stage;

constexpr char kBlock[] = "blockIdx.x", kThread[] = "threadIdx.x";
constexpr int64_t kThreads = 128;  // of a block, if the machine allows as many
// As many blocks keep all cores of a large device busy.
constexpr int64_t kBlocks = 256;
// A map with more operations than this is not computed again for each reader.
constexpr int kCheapOperations = 8;
// A map is inlined only if its body then stands at no more places than this.
constexpr int64_t kMostPlaces = 64;

constexpr int64_t kMostThreads = 1024;  // of a block, on any device

// Is it a reduction of elements that lie side by side, of which the threads of a block can each
// take a part?
bool CanBeShared(const ir::ComputeOp& compute, const std::vector<Access>& accesses) {
  if (compute.reduce_axis.empty() || compute.body.size() != 1) return false;
  const size_t last = compute.axis.size() + compute.reduce_axis.size() - 1;
  return ir::AsConstInt(compute.reduce_axis.back()->domain->extent) != nullptr &&
         std::ranges::any_of(accesses, [&](const Access& one) { return one.IsContiguous(last); });
}

class Planner {
 public:
  Planner(Schedule s, const target::Machine& machine, Config& config)
      : s_(std::move(s)), config_(config) {
    const int64_t limit = machine.Limit(LATHE_PROPERTY_MAX_THREADS_PER_BLOCK);
    const int64_t most = limit == 0 ? kMostThreads : std::min(limit, kMostThreads);
    const int64_t usual = std::min(most, kThreads);
    threads_ = config.Ask(
        {"threads.per_block", usual, std::min<int64_t>(32, usual), most, "threads of a block"});
    for (const Ref<Stage>& stage : s_->stages) order_.push_back(stage->op);
    for (const Op& op : order_) {
      const auto* compute = As<ir::ComputeOp>(op);
      if (compute == nullptr) {
        for (const ir::Tensor& input : ir::InputsOf(*op)) read_otherwise_.insert(input->op.get());
        continue;
      }
      std::vector<Access> accesses = cpu::AccessesOf(*compute);
      if (!compute->reduce_axis.empty()) PlanReduction(op, accesses, usual, most);
      for (Access& access : accesses) {
        const ir::Node* of = access.tensor->op.get();
        readers_[of].push_back({op, std::move(access)});
      }
    }
  }

  void Run() {
    // Readers first: whether a reader is inlined decides what can be done with what it reads.
    for (size_t i = order_.size(); i-- > 0;) TryInline(order_[i]);
    std::unordered_map<const ir::Node*, Op> sinks;
    for (const Op& op : order_) {
      if (As<ir::ComputeOp>(op) == nullptr || inlined_.contains(op.get())) continue;
      const Op sink = SinkOf(op);
      sinks[op.get()] = sink;
      if (sink) has_sums_.insert(sink.get());
      // The map computes as many results in a thread as the first contraction that it follows.
      if (sink && tiles_.contains(op.get())) contraction_of_.try_emplace(sink.get(), op);
    }
    for (size_t i = order_.size(); i-- > 0;) {
      const Op& op = order_[i];
      const auto found = sinks.find(op.get());
      if (found == sinks.end()) continue;
      if (found->second) {
        Attach(ir::OutputOf(op, 0), found->second);
      } else {
        BindLoops(op);
      }
    }
  }

 private:
  struct Reader {
    Op op;
    Access access;
  };

  // A tile of results for each thread, or all threads of a block for each result.
  void PlanReduction(const Op& op, const std::vector<Access>& accesses, int64_t usual,
                     int64_t most) {
    const auto& compute = static_cast<const ir::ComputeOp&>(*op);
    if (ChooseThreadTile(compute, accesses, {})) {
      const TileLimits limits = {
          config_.Ask({"threads.tile_rows", 8, 1, 8, "rows of results of a thread"}),
          config_.Ask({"threads.tile_columns", 8, 1, 8, "columns of results of a thread"}),
          config_.Ask({"threads.least", usual * kBlocks, 256, 65536,
                       "threads that tiles must leave: of fewer a large device is not busy"})};
      unrolled_ = config_.Ask({"threads.unroll", 0, 0, 64,
                               "steps of a reduction that are unrolled; 0: as the compiler likes"});
      if (const auto tile = ChooseThreadTile(compute, accesses, limits)) tiles_[op.get()] = *tile;
    } else if (CanBeShared(compute, accesses)) {
      shares_ = config_.Ask({"threads.shares", 1, 1, most,
                             "threads of a block that share the reduction of a result"});
      if (shares_ > 1) shared_.insert(op.get());
    }
  }

  const std::vector<Reader>& ReadersOf(const Op& op) const {
    static const std::vector<Reader> none;
    const auto found = readers_.find(op.get());
    return found == readers_.end() ? none : found->second;
  }

  // Would a reader read each element clearly more than once? Broadcasting repeats as well.
  static bool Repeats(const Reader& reader) {
    const auto& compute = static_cast<const ir::ComputeOp&>(*reader.op);
    double elements = 1, places = 1;
    for (const auto* axes : {&compute.axis, &compute.reduce_axis})
      for (const IterVar& axis : *axes) elements *= static_cast<double>(cpu::ExtentOf(axis));
    for (const ir::Expr& extent : reader.access.tensor->shape())
      places *= static_cast<double>(cpu::ExtentOf(extent));
    return elements > 2 * places;
  }

  void TryInline(const Op& op) {
    const auto* compute = As<ir::ComputeOp>(op);
    Stage& stage = s_[op];
    if (compute == nullptr || read_otherwise_.contains(op.get()) ||
        !schedule::WhyNotInlined(stage).empty())
      return;
    const cpu::BodyCost cost = cpu::CostOf(*compute);
    const bool cheap = !cost.has_function && cost.operations <= kCheapOperations;
    bool repeats = ReadersOf(op).size() > 1;
    int64_t places = 0;
    for (const Reader& reader : ReadersOf(op)) {
      repeats = repeats || Repeats(reader);
      const auto at = inlined_.find(reader.op.get());
      places += at == inlined_.end() ? 1 : at->second;
    }
    if ((repeats && !cheap) || places > kMostPlaces) return;
    schedule::ComputeInline(stage);
    inlined_[op.get()] = places;
  }

  // The map in whose threads a reduction can be computed: its only reader, which needs one element
  // of it for each of its own. Null if there is none.
  Op SinkOf(const Op& op) const {
    const auto& compute = static_cast<const ir::ComputeOp&>(*op);
    if (compute.reduce_axis.empty() || s_[op].is_output || read_otherwise_.contains(op.get()) ||
        shared_.contains(op.get()))
      return nullptr;
    Op sink;
    std::vector<Op> pending = {op};
    std::unordered_set<const ir::Node*> met;
    while (!pending.empty()) {
      const Op read = pending.back();
      pending.pop_back();
      for (const Reader& reader : ReadersOf(read)) {
        if (!reader.access.elementwise) return nullptr;
        if (inlined_.contains(reader.op.get())) {
          if (met.insert(reader.op.get()).second) pending.push_back(reader.op);
          continue;
        }
        if (sink && !sink.same_as(reader.op)) return nullptr;
        sink = reader.op;
      }
    }
    if (!sink) return nullptr;
    const auto& reading = static_cast<const ir::ComputeOp&>(*sink);
    const bool is_map = reading.reduce_axis.empty() && !reading.axis.empty() &&
                        reading.axis.size() == compute.axis.size();
    return is_map ? sink : Op();
  }

  // The loop along a side of a tile: within a thread.
  static void WithinThread(Stage& stage, const IterVar& axis, const TileSide& side) {
    if (side.vector) {
      schedule::Vectorize(stage, axis);
    } else {
      schedule::Unroll(stage, axis);
    }
  }

  // Computes the sums `tensor` in the threads of `sink`.
  void Attach(const ir::Tensor& tensor, const Op& sink) {
    Stage& stage = s_[tensor];
    schedule::ComputeAt(stage, s_[sink], thread_of_.at(sink.get()));
    const auto tiled = tile_of_.find(sink.get());
    const auto contraction = contraction_of_.find(sink.get());
    if (tiled == tile_of_.end() || !contraction->second.same_as(stage.origin_op)) return;
    const auto& compute = static_cast<const ir::ComputeOp&>(*stage.op);
    const size_t data = compute.axis.size();
    const std::vector<IterVar> axes = stage.leaf_axes;
    // What is loaded in a step of the reduction serves all results of the thread.
    std::vector<IterVar> order(axes.begin() + static_cast<ptrdiff_t>(data), axes.end());
    for (size_t axis = 0; axis < data; ++axis) {
      if (axis != tiled->second.columns.axis) order.push_back(axes[axis]);
    }
    order.push_back(axes[tiled->second.columns.axis]);
    schedule::Reorder(stage, order);
    if (unrolled_ > 0) schedule::Pragma(stage, order.front(), "auto_unroll_max_step", unrolled_);
    for (const TileSide* side : {&tiled->second.rows, &tiled->second.columns})
      if (side->count > 1) WithinThread(stage, axes[side->axis], *side);
  }

  static void BindTo(Stage& stage, const IterVar& axis, const char* thread) {
    schedule::Bind(stage, axis, schedule::ThreadAxis(thread));
  }

  // A block for each result: its threads reduce a part each, and then combine them.
  void BindShared(const Op& op) {
    const auto& compute = static_cast<const ir::ComputeOp&>(*op);
    Stage& stage = s_[op];
    const IterVar last = compute.reduce_axis.back();
    BindTo(stage, schedule::Fuse(stage, compute.axis), kBlock);
    BindTo(stage, schedule::Split(stage, last, std::min(cpu::ExtentOf(last), shares_)).second,
           kThread);
  }

  // A thread for each element, for a tile of them, or for several that lie a block apart.
  void BindLoops(const Op& op) {
    const auto& compute = static_cast<const ir::ComputeOp&>(*op);
    if (shared_.contains(op.get())) return BindShared(op);
    ir::Tensor sums;
    if (tiles_.contains(op.get())) {
      sums = schedule::CacheWrite(s_, ir::OutputOf(op, 0), ir::memory_scope::kLocal)[0];
      contraction_of_[op.get()] = s_[sums].origin_op;
      tile_of_[op.get()] = tiles_.at(op.get());
    } else if (const auto found = contraction_of_.find(op.get()); found != contraction_of_.end()) {
      tile_of_[op.get()] = tiles_.at(found->second.get());
    }
    Stage& stage = s_[op];
    std::vector<IterVar> outer = compute.axis, inner;
    if (const auto tiled = tile_of_.find(op.get()); tiled != tile_of_.end()) {
      for (const TileSide* side : {&tiled->second.rows, &tiled->second.columns}) {
        if (side->count == 1) continue;
        const auto [rest, own] = schedule::Split(stage, compute.axis[side->axis], side->count);
        outer[side->axis] = rest;
        inner.push_back(own);
      }
      std::vector<IterVar> order = outer;
      order.insert(order.end(), inner.begin(), inner.end());
      schedule::Reorder(stage, order);
      size_t at = 0;
      for (const TileSide* side : {&tiled->second.rows, &tiled->second.columns})
        if (side->count > 1) WithinThread(stage, inner[at++], *side);
    }
    const IterVar all = schedule::Fuse(stage, outer);
    const int64_t threads = ThreadsFor(compute);
    auto [block, thread] = schedule::Split(stage, all, threads * OwnFor(op));
    if (OwnFor(op) > 1) {
      const auto [own, neighbours] = schedule::Split(stage, thread, threads);
      schedule::Reorder(stage, {neighbours, own});
      thread = neighbours;
    }
    BindTo(stage, block, kBlock);
    BindTo(stage, thread, kThread);
    thread_of_[op.get()] = thread;
    if (sums) Attach(sums, op);
  }

  // The elements of a map that a thread computes one after the other.
  int64_t OwnFor(const Op& op) {
    const auto& compute = static_cast<const ir::ComputeOp&>(*op);
    if (!compute.reduce_axis.empty() || has_sums_.contains(op.get())) return 1;
    return config_.Ask({"threads.own", 1, 1, 16, "elements of a map that a thread computes"});
  }

  // The threads of a block: not more than there are results.
  int64_t ThreadsFor(const ir::ComputeOp& compute) const {
    int64_t elements = 1;
    for (const IterVar& axis : compute.axis) {
      const int64_t* extent = ir::AsConstInt(axis->domain->extent);
      if (extent == nullptr || *extent >= threads_) return threads_;
      elements = std::min(elements * *extent, threads_);
    }
    return std::max<int64_t>(elements, 1);
  }

  Schedule s_;
  Config& config_;
  int64_t threads_ = kThreads, unrolled_ = 0, shares_ = 1;
  std::vector<Op> order_;
  std::unordered_map<const ir::Node*, std::vector<Reader>> readers_;
  std::unordered_set<const ir::Node*> read_otherwise_;
  std::unordered_set<const ir::Node*> shared_;    // reductions that the threads of a block share
  std::unordered_set<const ir::Node*> has_sums_;  // maps in whose threads reductions are computed
  std::unordered_map<const ir::Node*, int64_t> inlined_;  // with the number of places
  std::unordered_map<const ir::Node*, IterVar> thread_of_;
  // By contractions, whether or not a tile is used.
  std::unordered_map<const ir::Node*, ThreadTile> tiles_;
  // By operations whose loops are bound: the tile of their threads, and whose it is.
  std::unordered_map<const ir::Node*, ThreadTile> tile_of_;
  std::unordered_map<const ir::Node*, Op> contraction_of_;
};

}  // namespace

bool HasThreads(const target::Machine& machine) {
  return machine.FindAxis(kBlock) != nullptr && machine.FindAxis(kThread) != nullptr;
}

std::string WhyNoThreads(const std::vector<ir::Op>& outputs) {
  std::vector<Op> pending = outputs;
  std::unordered_set<const ir::Node*> met;
  while (!pending.empty()) {
    const Op op = pending.back();
    pending.pop_back();
    if (!met.insert(op.get()).second || As<ir::PlaceholderOp>(op) != nullptr || te::IsConstant(*op))
      continue;
    if (As<ir::ScanOp>(op) != nullptr) return "`" + op->name + "` is a recurrence";
    if (As<ir::ComputeOp>(op) == nullptr)
      return "`" + op->name + "` is made of statements that run one after the other";
    for (const ir::Tensor& input : ir::InputsOf(*op)) pending.push_back(input->op);
  }
  return "";
}

Schedule ScheduleForThreads(std::vector<ir::Op> outputs, const target::Machine& machine,
                            Config& config) {
  Schedule s = schedule::CreateSchedule(std::move(outputs));
  Planner(s, machine, config).Run();
  return s;
}

}  // namespace lathe::topi::gpu
