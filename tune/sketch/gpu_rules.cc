#include "tune/sketch/gpu_rules.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "arith/analyzer.h"
#include "ir/names.h"
#include "ir/walk.h"
#include "lathe/abi/names.h"
#include "schedule/primitives/primitives.h"
#include "topi/cpu/auto/access.h"

namespace lathe::tune::sketch {
namespace {

using ir::IterVar;
using ir::Op;
using ir::Tensor;
using schedule::Schedule;
using schedule::Stage;

constexpr int64_t kMostThreads = 1024;  // of a block, unless the device takes fewer
constexpr int64_t kMostOwn = 64;        // elements that a thread computes
constexpr int64_t kMostShared = 32768;  // bytes of a block, unless the device says so

// The box around all reads of a tensor: elements of each dimension.
using Box = std::vector<int64_t>;

bool IsFromMemory(const ir::Expr& index) {
  bool found = false;
  ir::PreOrder(index, [&](const ir::Node& node) {
    found |= ir::As<ir::Load>(&node) != nullptr;
    return !found;
  });
  return found;
}

// Of each tensor that is read with bounds which are known before, by its operation.
std::map<const ir::Node*, Box> BoxesOf(const std::vector<topi::cpu::Access>& accesses,
                                       arith::Analyzer& analyzer) {
  std::map<const ir::Node*, std::vector<arith::ConstBound>> bounds;
  for (const topi::cpu::Access& access : accesses) {
    std::vector<arith::ConstBound>& all = bounds[access.tensor->op.get()];
    all.resize(access.indices.size(), arith::ConstBound::Nothing());
    for (size_t d = 0; d < all.size(); ++d)
      all[d] =
          arith::Union(all[d], IsFromMemory(access.indices[d]) ? arith::ConstBound::Everything()
                                                               : analyzer.Bound(access.indices[d]));
  }
  std::map<const ir::Node*, Box> boxes;
  for (const auto& [op, all] : bounds) {
    Box box;
    for (const arith::ConstBound& bound : all) {
      if (bound.has_min() && bound.has_max()) box.push_back(bound.max - bound.min + 1);
    }
    if (box.size() == all.size()) boxes[op] = std::move(box);
  }
  return boxes;
}

class ThreadRules {
 public:
  ThreadRules(const Parts& parts, const target::Machine& machine) : parts_(parts) {
    const int64_t limit = machine.Limit(LATHE_PROPERTY_MAX_THREADS_PER_BLOCK);
    most_threads_ = limit == 0 ? kMostThreads : std::min(limit, kMostThreads);
    const int64_t shared = machine.Limit(LATHE_PROPERTY_MAX_SHARED_MEMORY_PER_BLOCK);
    most_shared_ = shared == 0 ? kMostShared : shared;
  }

  Schedule Make(Choices& choices) const {
    Schedule s = schedule::CreateSchedule(parts_.outputs());
    std::set<const ir::Node*> placed;  // inlined, or computed for a tile that reads them
    for (const Op& op : parts_.order()) {
      const Part& part = parts_.of(op);
      if (part.compute == nullptr) continue;
      if (part.absorbed) {
        schedule::ComputeInline(s[op]);
        placed.insert(op.get());
      } else if (!part.tiled && parts_.CanBeInlined(s, op)) {
        AskPlain(part, choices);  // what it needs if it has a kernel of its own
        const bool inlined = choices.Ask(part.name + ".inline", {0, 1}, 1) == 1;
        if (CopiedFor(op, choices)) {
          placed.insert(op.get());  // it is the copy in shared memory
        } else if (inlined) {
          schedule::ComputeInline(s[op]);
          placed.insert(op.get());
        }
      }
    }
    for (auto at = parts_.order().rbegin(); at != parts_.order().rend(); ++at) {
      const Part& part = parts_.of(*at);
      if (part.compute == nullptr || placed.count(at->get()) != 0) continue;
      if (part.tiled) {
        Tile(s, *at, part, choices);
      } else if (!parts_.IsReaderOfTile(*at)) {
        Plain(s, *at, part, choices);
      }
    }
    return s;
  }

 private:
  // Whether an elementwise operation is computed into shared memory, for the tile that is its only
  // reader.
  bool CopiedFor(const Op& op, Choices& choices) const {
    const Part& part = parts_.of(op);
    if (part.readers.size() != 1) return false;
    const Part& reader = parts_.of(part.readers[0]);
    if (!reader.tiled) return false;
    const TileChoices tile = AskTile(reader, choices);
    return tile.shared && CopiesOf(*reader.compute, tile).contains(op.get());
  }

  static void BindTo(Stage& stage, const IterVar& axis, const char* thread) {
    schedule::Bind(stage, axis, schedule::ThreadAxis(thread));
  }

  struct TileChoices {
    std::vector<int64_t> own, threads, steps;  // of each axis, and of each reduced one
    bool strided, shared;
    int64_t unrolled;
  };
  TileChoices AskTile(const Part& part, Choices& choices) const {
    const ir::ComputeOp& compute = *part.compute;
    const size_t rank = compute.axis.size();
    TileChoices tile;
    for (size_t i = 0; i < rank; ++i) {
      const std::string knob = KnobOf(part, i);
      const int64_t extent = ExtentOf(compute.axis[i]);
      const std::vector<int64_t> sizes = Sizes(extent, 64), few = Sizes(extent, 16);
      const int64_t wanted = i + 1 == rank ? 16 : i + 2 == rank ? 8 : 1;
      tile.own.push_back(choices.Ask(knob + ".own", few, Nearest(few, i + 2 >= rank ? 4 : 1)));
      tile.threads.push_back(choices.Ask(knob + ".threads", sizes, Nearest(sizes, wanted)));
    }
    for (size_t j = 0; j < compute.reduce_axis.size(); ++j) {
      const std::vector<int64_t> sizes = Sizes(ExtentOf(compute.reduce_axis[j]), 64);
      tile.steps.push_back(
          choices.Ask(part.name + ".reduce" + std::to_string(j), sizes, Nearest(sizes, 8)));
    }
    tile.strided = choices.Ask(part.name + ".strided", {0, 1}, 0) == 1;
    tile.shared = choices.Ask(part.name + ".shared", {0, 1}, 1) == 1;
    tile.unrolled = choices.Ask(part.name + ".unroll", {0, 16, 64, 256}, 64);
    Shrink(tile.own, kMostOwn);
    for (size_t i = 0; i < rank; ++i) {
      const int64_t extent = ExtentOf(compute.axis[i]);
      // As many as there can be without guards.
      if (extent % tile.own[i] == 0)
        tile.threads[i] = DivisorOf(extent / tile.own[i], tile.threads[i]);
      else
        tile.threads[i] = std::min(tile.threads[i], (extent - 1) / tile.own[i] + 1);
    }
    Shrink(tile.threads, most_threads_);
    // Shorter steps first: they cost the least.
    for (std::vector<int64_t>* sizes : {&tile.steps, &tile.threads, &tile.own}) {
      while (tile.shared && Product(*sizes) > 1 && BytesOfStep(compute, tile) > most_shared_)
        Shrink(*sizes, Product(*sizes) - 1);
    }
    tile.shared = tile.shared && BytesOfStep(compute, tile) <= most_shared_;
    return tile;
  }

  // The tensors that a step of the reduction can copy, by their operations, with the bytes that a
  // block needs for each: their box has the same size for each tile.
  static std::map<const ir::Node*, int64_t> CopiesOf(const ir::ComputeOp& compute,
                                                     const TileChoices& tile) {
    const std::vector<topi::cpu::Access> accesses = topi::cpu::AccessesOf(compute);
    std::map<const ir::Node*, Box> boxes;
    for (const int64_t place : {0, 1, 2}) {
      arith::Analyzer analyzer;
      for (size_t i = 0; i < compute.axis.size(); ++i)
        BindPlace(analyzer, compute.axis[i], place, tile.own[i] * tile.threads[i]);
      for (size_t j = 0; j < tile.steps.size(); ++j)
        BindPlace(analyzer, compute.reduce_axis[j], place, tile.steps[j]);
      const std::map<const ir::Node*, Box> here = BoxesOf(accesses, analyzer);
      if (place == 0) boxes = here;
      std::erase_if(boxes, [&](const auto& one) {
        const auto same = here.find(one.first);
        return same == here.end() || same->second != one.second;
      });
    }
    std::map<const ir::Node*, int64_t> bytes;
    for (const topi::cpu::Access& access : accesses) {
      const auto box = boxes.find(access.tensor->op.get());
      if (box != boxes.end())
        bytes[box->first] = Product(box->second) * access.tensor->dtype().bits() / 8;
    }
    return bytes;
  }
  static int64_t BytesOfStep(const ir::ComputeOp& compute, const TileChoices& tile) {
    int64_t all = 0;
    for (const auto& [op, bytes] : CopiesOf(compute, tile)) all += bytes;
    return all;
  }
  static void BindPlace(arith::Analyzer& analyzer, const IterVar& axis, int64_t place,
                        int64_t count) {
    const DataType dtype = axis->var->dtype;
    analyzer.Bind(axis->var, ir::MakeRange(ir::Int(place * count, dtype), ir::Int(count, dtype)));
  }

  // Tiles of three levels: blocks, threads, and the elements of a thread; the reduction in steps,
  // whose inputs all threads of a block copy to shared memory together.
  void Tile(Schedule& s, const Op& op, const Part& part, Choices& choices) const {
    const size_t rank = part.compute->axis.size();
    const TileChoices tile = AskTile(part, choices);
    Op producer = op;
    if (!part.fused_into)
      producer = schedule::CacheWrite(s, ir::OutputOf(op, 0), ir::memory_scope::kLocal)[0]->op;
    Stage& reduced = s[producer];
    Stage& reader = s[part.fused_into ? part.fused_into : op];
    const std::vector<Tensor> copies =
        tile.shared ? Copy(s, CopiesOf(*part.compute, tile), reduced) : std::vector<Tensor>();

    std::vector<IterVar> blocks, block, within;
    for (size_t i = 0; i < rank; ++i) {
      auto [rest, all] =
          schedule::Split(reader, reader.root_axes[i], tile.own[i] * tile.threads[i]);
      // The elements of a thread lie side by side, or those of neighbouring threads do.
      auto [outer, inner] =
          schedule::Split(reader, all, tile.strided ? tile.threads[i] : tile.own[i]);
      blocks.push_back(rest);
      block.push_back(tile.strided ? inner : outer);
      within.push_back(tile.strided ? outer : inner);
    }
    schedule::Reorder(reader, Joined({blocks, block, within}));
    BindTo(reader, schedule::Fuse(reader, blocks), "blockIdx.x");
    const IterVar thread = schedule::Fuse(reader, block);
    BindTo(reader, thread, "threadIdx.x");
    schedule::ComputeAt(reduced, reader, thread);

    std::vector<IterVar> far, near;
    for (size_t j = 0; j < tile.steps.size(); ++j) {
      auto [rest, step] = schedule::Split(reduced, reduced.root_axes[rank + j], tile.steps[j]);
      far.push_back(rest);
      near.push_back(step);
    }
    const std::vector<IterVar> spatial(reduced.root_axes.begin(),
                                       reduced.root_axes.begin() + static_cast<ptrdiff_t>(rank));
    schedule::Reorder(reduced, Joined({far, near, spatial}));
    if (tile.unrolled > 0)
      schedule::Pragma(reduced, near.front(), "auto_unroll_max_step", tile.unrolled);
    for (const Tensor& copy : copies) {
      Stage& stage = s[copy];
      schedule::ComputeAt(stage, reduced, far.back());
      const IterVar all = schedule::Fuse(stage, stage.root_axes);
      BindTo(stage, schedule::Split(stage, all, Product(tile.threads)).second, "threadIdx.x");
    }
  }

  // What the reduction reads, in shared memory: copies, or operations that are computed there.
  std::vector<Tensor> Copy(Schedule& s, const std::map<const ir::Node*, int64_t>& which,
                           const Stage& reduced) const {
    std::vector<Tensor> inputs = ir::InputsOf(*reduced.op), copies;
    std::set<const ir::Node*> seen;
    for (const Tensor& input : inputs) {
      Stage& stage = s[input];
      if (!which.contains(stage.origin_op.get()) || !seen.insert(input->op.get()).second) continue;
      if (stage.attach == schedule::AttachKind::kInline) continue;
      const auto known = std::find_if(parts_.order().begin(), parts_.order().end(),
                                      [&](const Op& op) { return op.same_as(stage.origin_op); });
      const bool elementwise = known != parts_.order().end() &&
                               parts_.of(*known).readers.size() == 1 &&
                               parts_.CanBeInlined(s, *known);
      if (elementwise) {
        schedule::SetScope(stage, ir::memory_scope::kShared);
        copies.push_back(input);
      } else {
        copies.push_back(schedule::CacheRead(s, input, ir::memory_scope::kShared, {reduced.op}));
      }
    }
    return copies;
  }

  struct PlainChoices {
    int64_t threads, own, cross;
  };
  static PlainChoices AskPlain(const Part& part, Choices& choices) {
    PlainChoices chosen{choices.Ask(part.name + ".threads", {32, 64, 128, 256, 512, 1024}, 128),
                        choices.Ask(part.name + ".own", {1, 2, 4, 8}, 1), 0};
    if (!part.compute->reduce_axis.empty() && part.compute->body.size() == 1)
      chosen.cross = choices.Ask(part.name + ".cross", {0, 32, 64, 128, 256}, 0);
    return chosen;
  }

  // A thread for each element, or for several; or the threads of a block for the reduction of each.
  void Plain(Schedule& s, const Op& op, const Part& part, Choices& choices) const {
    const auto [asked_threads, own, cross] = AskPlain(part, choices);
    const int64_t threads = std::min(asked_threads, most_threads_);
    Stage& stage = s[op];
    const auto rank = static_cast<ptrdiff_t>(part.compute->axis.size());
    const std::vector<IterVar> spatial(stage.root_axes.begin(), stage.root_axes.begin() + rank);
    if (cross > 0) {
      const IterVar last = stage.root_axes.back();
      const int64_t side = std::min({ExtentOf(last), cross, most_threads_});
      BindTo(stage, schedule::Fuse(stage, spatial), "blockIdx.x");
      BindTo(stage, schedule::Split(stage, last, side).second, "threadIdx.x");
      return;
    }
    int64_t elements = 1;
    for (const IterVar& axis : part.compute->axis) elements *= ExtentOf(axis);
    const IterVar all = schedule::Fuse(stage, spatial);
    auto [rest, within] = schedule::Split(stage, all, std::min(elements, threads * own));
    if (own > 1) {
      const auto [mine, thread] = schedule::Split(stage, within, std::min(elements, threads));
      schedule::Reorder(stage, {thread, mine});
      within = thread;
    }
    BindTo(stage, rest, "blockIdx.x");
    BindTo(stage, within, "threadIdx.x");
  }

  const Parts& parts_;
  int64_t most_threads_ = 0, most_shared_ = 0;
};

}  // namespace

Schedule ScheduleForThreads(const Parts& parts, const target::Machine& machine, Choices& choices) {
  return ThreadRules(parts, machine).Make(choices);
}

}  // namespace lathe::tune::sketch
