#include "topi/gpu/thread_schedule.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "lathe/abi/names.h"
#include "schedule/primitives/checks.h"
#include "schedule/primitives/primitives.h"
#include "te/operation.h"
#include "topi/cpu/auto/access.h"

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
// A map with more operations than this is not computed again for each reader.
constexpr int kCheapOperations = 8;
// A map is inlined only if its body then stands at no more places than this.
constexpr int64_t kMostPlaces = 64;

class Planner {
 public:
  Planner(Schedule s, const target::Machine& machine) : s_(std::move(s)) {
    const int64_t limit = machine.Limit(LATHE_PROPERTY_MAX_THREADS_PER_BLOCK);
    threads_ = limit == 0 ? kThreads : std::min(limit, kThreads);
    for (const Ref<Stage>& stage : s_->stages) order_.push_back(stage->op);
    for (const Op& op : order_) {
      const auto* compute = As<ir::ComputeOp>(op);
      if (compute == nullptr) {
        for (const ir::Tensor& input : ir::InputsOf(*op)) read_otherwise_.insert(input->op.get());
        continue;
      }
      for (Access& access : cpu::AccessesOf(*compute)) {
        const ir::Node* of = access.tensor->op.get();
        readers_[of].push_back({op, std::move(access)});
      }
    }
  }

  void Run() {
    // Readers first: whether a reader is inlined decides what can be done with what it reads.
    for (size_t i = order_.size(); i-- > 0;) TryInline(order_[i]);
    for (size_t i = order_.size(); i-- > 0;) {
      const Op& op = order_[i];
      if (As<ir::ComputeOp>(op) == nullptr || inlined_.contains(op.get())) continue;
      if (const Op sink = SinkOf(op)) {
        schedule::ComputeAt(s_[op], s_[sink], thread_of_.at(sink.get()));
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
    if (compute.reduce_axis.empty() || s_[op].is_output || read_otherwise_.contains(op.get()))
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
                        reading.axis.size() == compute.axis.size() &&
                        thread_of_.contains(sink.get());
    return is_map ? sink : Op();
  }

  // A thread for each element.
  void BindLoops(const Op& op) {
    const auto& compute = static_cast<const ir::ComputeOp&>(*op);
    Stage& stage = s_[op];
    int64_t elements = 1;
    bool known = true;
    for (const IterVar& axis : compute.axis) {
      const int64_t* extent = ir::AsConstInt(axis->domain->extent);
      known = known && extent != nullptr && *extent < threads_;
      if (known) elements = std::min(elements * *extent, threads_);
    }
    const int64_t factor = known ? std::max<int64_t>(elements, 1) : threads_;
    const IterVar all = schedule::Fuse(stage, compute.axis);
    const auto [block, thread] = schedule::Split(stage, all, factor);
    schedule::Bind(stage, block, schedule::ThreadAxis(kBlock));
    schedule::Bind(stage, thread, schedule::ThreadAxis(kThread));
    thread_of_[op.get()] = thread;
  }

  Schedule s_;
  int64_t threads_ = kThreads;
  std::vector<Op> order_;
  std::unordered_map<const ir::Node*, std::vector<Reader>> readers_;
  std::unordered_set<const ir::Node*> read_otherwise_;
  std::unordered_map<const ir::Node*, int64_t> inlined_;  // with the number of places
  std::unordered_map<const ir::Node*, IterVar> thread_of_;
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

Schedule ScheduleForThreads(std::vector<ir::Op> outputs, const target::Machine& machine) {
  Schedule s = schedule::CreateSchedule(std::move(outputs));
  Planner(s, machine).Run();
  return s;
}

}  // namespace lathe::topi::gpu
