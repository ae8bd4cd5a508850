#include "tune/sketch_space.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>

#include "driver/auto_build.h"
#include "ir/names.h"
#include "ir/tensor_op.h"
#include "ir/walk.h"
#include "runtime/status.h"
#include "schedule/primitives/checks.h"
#include "schedule/primitives/primitives.h"
#include "schedule/queries.h"
#include "target/attribute_names.h"
#include "target/canonical.h"
#include "target/machine_of.h"

namespace lathe::tune {
namespace {

using ir::IterVar;
using ir::Op;
using ir::Tensor;
using runtime::Json;
using schedule::Schedule;
using schedule::Stage;

constexpr int64_t kMostRegisterElements = 1024;  // of a register tile
constexpr int64_t kMostCacheElements = 1 << 16;  // of a tile for a cache
constexpr int64_t kMostTile = 64;                // iterations of a loop of a tile

// Answers questions for knobs: in a first run it notes them, later it has a point's values.
class Choices {
 public:
  int64_t Ask(const std::string& name, std::vector<int64_t> candidates, int64_t otherwise) {
    if (const auto at = values_.find(name); at != values_.end()) return at->second;
    if (std::find(candidates.begin(), candidates.end(), otherwise) == candidates.end())
      otherwise = candidates.front();
    Knob knob{name, KnobKind::kOption, {}};
    for (const int64_t candidate : candidates) knob.candidates.emplace_back(candidate);
    asked.push_back({std::move(knob), otherwise});
    values_[name] = otherwise;
    return otherwise;
  }
  void Set(const std::string& name, int64_t value) { values_[name] = value; }

  std::vector<std::pair<Knob, int64_t>> asked;

 private:
  std::map<std::string, int64_t, std::less<>> values_;
};

// The largest divisor of at most `most`.
int64_t DivisorOf(int64_t extent, int64_t most) {
  for (int64_t size = std::min(extent, most); size > 1; --size) {
    if (extent % size == 0) return size;
  }
  return 1;
}

// Divisors up to `most`, which need no guards; of an extent with few of them also 2, 3, 4, 6, ...
std::vector<int64_t> Sizes(int64_t extent, int64_t most) {
  std::set<int64_t> sizes = {1};
  for (int64_t size = 1; size <= std::min(extent, most); ++size) {
    if (extent % size == 0) sizes.insert(size);
  }
  for (int64_t two = 2; sizes.size() < 4 && two < std::min(extent, most); two *= 2)
    sizes.insert({two, std::min(3 * two / 2, extent)});
  return {sizes.begin(), sizes.end()};
}

int64_t Product(const std::vector<int64_t>& sizes) {
  int64_t product = 1;
  for (const int64_t size : sizes) product *= size;
  return product;
}

// Makes the longest loops shorter, by their divisors, until the tile has `most` elements.
void Shrink(std::vector<int64_t>& sizes, int64_t most) {
  while (Product(sizes) > std::max<int64_t>(most, 1)) {
    const auto longest = std::max_element(sizes.begin(), sizes.end());
    *longest = DivisorOf(*longest, *longest / 2);
  }
}

int64_t Nearest(const std::vector<int64_t>& sizes, int64_t wanted) {
  int64_t best = sizes.front();
  for (const int64_t size : sizes) {
    if (size <= wanted) best = size;
  }
  return best;
}

// 0: not constant.
int64_t ExtentOf(const IterVar& axis) {
  const int64_t* const extent = ir::AsConstInt(axis->domain->extent);
  return extent == nullptr ? 0 : *extent;
}

// What is known of an operation of the program.
struct Part {
  const ir::ComputeOp* compute = nullptr;  // null: another kind, which is left as it is
  std::string name;                        // of its knobs
  std::vector<Op> readers;
  bool is_output = false;
  bool tiled = false;     // a reduction that uses elements several times
  Op fused_into;          // the elementwise operation in whose tiles it is computed
  bool absorbed = false;  // an elementwise operation between the two, which is inlined
};

// Reads of `op` by `reader` at exactly the reader's own point.
bool ReadsInPlace(const ir::ComputeOp& reader, const Op& op) {
  bool in_place = true;
  for (const ir::Expr& body : reader.body) {
    ir::PreOrder(body, [&](const ir::Node& node) {
      const auto* const load = ir::As<ir::Load>(&node);
      const auto* const tensor = load == nullptr ? nullptr : ir::As<ir::TensorNode>(load->source);
      if (tensor == nullptr || !tensor->op.same_as(op)) return true;
      bool same = load->indices.size() == reader.axis.size();
      for (size_t i = 0; same && i < load->indices.size(); ++i)
        same = load->indices[i].get() == reader.axis[i]->var.get();
      in_place = in_place && same;
      return true;
    });
  }
  return in_place;
}

// Does an input's element serve several points? Then some read leaves out a spatial axis.
bool UsesElementsAgain(const ir::ComputeOp& compute) {
  bool again = false;
  for (const ir::Expr& body : compute.body) {
    ir::PreOrder(body, [&](const ir::Node& node) {
      const auto* const load = ir::As<ir::Load>(&node);
      if (load == nullptr) return true;
      std::set<const ir::Node*> used;
      for (const ir::Expr& index : load->indices) {
        for (const ir::Var& var : ir::FreeVars(index)) used.insert(var.get());
      }
      for (const IterVar& axis : compute.axis) {
        if (ExtentOf(axis) > 1 && used.count(axis->var.get()) == 0) again = true;
      }
      return true;
    });
  }
  return again;
}

bool HasConstantExtents(const ir::ComputeOp& compute) {
  const auto constant = [](const IterVar& axis) { return ExtentOf(axis) > 0; };
  return std::all_of(compute.axis.begin(), compute.axis.end(), constant) &&
         std::all_of(compute.reduce_axis.begin(), compute.reduce_axis.end(), constant);
}

// The rules of a program, found once; a schedule for each point.
class Sketch {
 public:
  Sketch(std::vector<Op> outputs, const target::Machine& machine)
      : outputs_(std::move(outputs)), machine_(machine) {
    const schedule::ReadGraph graph = schedule::MakeReadGraph(outputs_);
    std::set<std::string> names;
    for (const auto& [op, inputs] : graph) {
      Part& part = parts_[op.get()];
      order_.push_back(op);
      part.name = op->name;
      for (int i = 1; !names.insert(part.name).second; ++i)
        part.name = op->name + "_" + std::to_string(i);
      part.is_output = std::any_of(outputs_.begin(), outputs_.end(),
                                   [&op = op](const Op& output) { return output.same_as(op); });
      const auto* const compute = ir::As<ir::ComputeOp>(op);
      if (compute != nullptr && HasConstantExtents(*compute)) part.compute = compute;
      std::set<const ir::Node*> read;
      for (const Tensor& input : inputs) {
        if (read.insert(input->op.get()).second) parts_[input->op.get()].readers.push_back(op);
      }
    }
    for (const Op& op : order_) FindTiles(op);
  }

  // The schedule that the choices say. Throws what the primitives throw.
  Schedule Make(Choices& choices) const {
    Schedule s = schedule::CreateSchedule(outputs_);
    std::set<const ir::Node*> inlined;
    for (const Op& op : order_) {
      const Part& part = parts_.at(op.get());
      if (part.compute == nullptr || part.tiled || part.is_output) continue;
      if (!part.absorbed) {
        if (!part.compute->reduce_axis.empty() || IsReaderOfTile(op) || !ReadByComputesOnly(part) ||
            !schedule::WhyNotInlined(s[op]).empty())
          continue;
        AskPlain(op, part, choices);  // what it needs if it has a stage of its own
        if (choices.Ask(part.name + ".inline", {0, 1}, 1) == 0) continue;
      }
      schedule::ComputeInline(s[op]);
      inlined.insert(op.get());
    }
    // Readers first: a stage is attached to loops that are there.
    for (auto at = order_.rbegin(); at != order_.rend(); ++at) {
      const Part& part = parts_.at(at->get());
      if (part.compute == nullptr || inlined.count(at->get()) != 0) continue;
      if (part.tiled) {
        Tile(s, *at, part, choices);
      } else if (!IsReaderOfTile(*at)) {
        Plain(s, *at, part, choices);
      }
    }
    return s;
  }

 private:
  static std::string KnobOf(const Part& part, size_t axis) {
    return part.name + ".axis" + std::to_string(axis);
  }

  bool ReadByComputesOnly(const Part& part) const {
    return std::all_of(part.readers.begin(), part.readers.end(),
                       [](const Op& reader) { return ir::As<ir::ComputeOp>(reader) != nullptr; });
  }

  struct PlainChoices {
    int64_t vectors, threads, unrolled;
    bool partial;
  };
  static PlainChoices AskPlain(const Op& op, const Part& part, Choices& choices) {
    const size_t rank = part.compute->axis.size();
    PlainChoices chosen{choices.Ask(part.name + ".vectors", {0, 1, 2, 4, 8}, 1),
                        choices.Ask(part.name + ".threads", {0, 1, 2}, rank > 1 ? 1 : 0), 0, false};
    if (part.compute->reduce_axis.empty()) return chosen;
    chosen.unrolled = choices.Ask(part.name + ".unroll", {0, 16, 64}, 16);
    if (ir::NumOutputs(*op) == 1)
      chosen.partial = choices.Ask(part.name + ".partial", {0, 1}, 0) == 1;
    return chosen;
  }

  bool IsReaderOfTile(const Op& op) const {
    return std::any_of(parts_.begin(), parts_.end(),
                       [&](const auto& one) { return one.second.fused_into.same_as(op); });
  }

  // Whether the operation is tiled, and with which reader.
  void FindTiles(const Op& op) {
    Part& part = parts_[op.get()];
    if (part.compute == nullptr || part.compute->reduce_axis.empty() ||
        part.compute->axis.empty() || ir::NumOutputs(*op) != 1 || !UsesElementsAgain(*part.compute))
      return;
    part.tiled = true;
    std::vector<Op> chain;
    Op last = op;
    while (!parts_[last.get()].is_output && parts_[last.get()].readers.size() == 1) {
      const Op reader = parts_[last.get()].readers[0];
      const Part& next = parts_[reader.get()];
      if (next.compute == nullptr || !next.compute->reduce_axis.empty() ||
          ir::NumOutputs(*reader) != 1 || next.absorbed || IsReaderOfTile(reader) ||
          !ReadsInPlace(*next.compute, last))
        break;
      chain.push_back(reader);
      last = reader;
    }
    if (chain.empty()) return;
    part.fused_into = chain.back();
    chain.pop_back();
    for (const Op& between : chain) parts_[between.get()].absorbed = true;
  }

  int64_t LanesOf(const Op& op) const {
    return std::max<int64_t>(machine_.Lanes(ir::OutputType(*op, 0)), 1);
  }

  // Loops around a tile, for threads; `count` of them.
  static void Share(Stage& stage, const std::vector<IterVar>& loops) {
    if (loops.empty()) return;
    schedule::Parallel(stage, loops.size() == 1 ? loops[0] : schedule::Fuse(stage, loops));
  }

  static std::vector<IterVar> Joined(std::initializer_list<std::vector<IterVar>> lists) {
    std::vector<IterVar> all;
    for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
    return all;
  }

  void Tile(Schedule& s, const Op& op, const Part& part, Choices& choices) const {
    const size_t rank = part.compute->axis.size();
    std::vector<int64_t> registers(rank), caches(rank), outer(rank);
    for (size_t i = 0; i < rank; ++i) {
      const std::string knob = KnobOf(part, i);
      const int64_t extent = ExtentOf(part.compute->axis[i]);
      const std::vector<int64_t> sizes = Sizes(extent, kMostTile);
      const int64_t wanted = i + 1 == rank ? 2 * LanesOf(op) : i + 2 == rank ? 4 : 1;
      registers[i] = choices.Ask(knob + ".register", sizes, Nearest(sizes, wanted));
      caches[i] = choices.Ask(knob + ".cache", sizes, Nearest(sizes, 4));
      outer[i] = choices.Ask(knob + ".outer", sizes, 1);
    }
    Shrink(registers, kMostRegisterElements);
    for (size_t i = 0; i < rank; ++i) {
      const int64_t extent = ExtentOf(part.compute->axis[i]);
      // As large as it can be without guards.
      if (extent % registers[i] == 0) caches[i] = DivisorOf(extent / registers[i], caches[i]);
    }
    Shrink(caches, kMostCacheElements / Product(registers));
    for (size_t i = 0; i < rank; ++i) {
      const int64_t extent = ExtentOf(part.compute->axis[i]), tile = registers[i] * caches[i];
      if (extent % tile == 0) outer[i] = DivisorOf(extent / tile, outer[i]);
    }
    std::vector<int64_t> steps;
    for (size_t j = 0; j < part.compute->reduce_axis.size(); ++j) {
      const std::vector<int64_t> sizes = Sizes(ExtentOf(part.compute->reduce_axis[j]), kMostTile);
      steps.push_back(
          choices.Ask(part.name + ".reduce" + std::to_string(j), sizes, Nearest(sizes, 4)));
    }
    const int64_t unrolled = choices.Ask(part.name + ".unroll", {0, 16, 64, 256}, 64);
    const bool copied = part.fused_into || choices.Ask(part.name + ".cache_write", {0, 1}, 1) == 1;

    Op producer = op;
    if (copied && !part.fused_into)
      producer = schedule::CacheWrite(s, ir::OutputOf(op, 0), ir::memory_scope::kLocal)[0]->op;
    Stage& reduced = s[producer];
    std::vector<IterVar> shared, tiles;
    if (copied) {
      Stage& reader = s[part.fused_into ? part.fused_into : op];
      std::vector<IterVar> inner;
      for (size_t i = 0; i < rank; ++i) {
        const IterVar axis = reader.root_axes[i];
        auto [rest, tile] = schedule::Split(reader, axis, registers[i] * caches[i]);
        auto [thread, block] = schedule::Split(reader, rest, outer[i]);
        shared.push_back(thread);
        tiles.push_back(block);
        inner.push_back(tile);
      }
      schedule::Reorder(reader, Joined({shared, tiles, inner}));
      schedule::ComputeAt(reduced, reader, tiles.back());
      VectorizeLast(reader, inner.back(), registers.back() * caches.back(), LanesOf(op));
      Share(reader, shared);
    }
    // The reduction itself: cache tile, steps of the reduction, register tile.
    std::vector<IterVar> cache, tile, far, near;
    for (size_t i = 0; i < rank; ++i) {
      IterVar axis = reduced.root_axes[i];
      if (!copied) {
        auto [rest, within] = schedule::Split(reduced, axis, registers[i] * caches[i]);
        shared.push_back(rest);
        axis = within;
      }
      auto [rest, within] = schedule::Split(reduced, axis, registers[i]);
      cache.push_back(rest);
      tile.push_back(within);
    }
    for (size_t j = 0; j < steps.size(); ++j) {
      auto [rest, within] = schedule::Split(reduced, reduced.root_axes[rank + j], steps[j]);
      far.push_back(rest);
      near.push_back(within);
    }
    schedule::Reorder(reduced,
                      Joined({copied ? std::vector<IterVar>() : shared, far, cache, near, tile}));
    if (unrolled > 0) schedule::Pragma(reduced, cache.front(), "auto_unroll_max_step", unrolled);
    VectorizeLast(reduced, tile.back(), registers.back(), LanesOf(op));
    if (!copied) Share(reduced, shared);
  }

  // The innermost loop as vectors of `lanes`, or as one vector if it is shorter.
  static void VectorizeLast(Stage& stage, const IterVar& axis, int64_t extent, int64_t lanes) {
    if (extent <= 1) return;
    schedule::Vectorize(stage, extent <= lanes ? axis : schedule::Split(stage, axis, lanes).second);
  }

  // Loops in their order: the outer ones shared by threads, the last one in vectors. A reduction to
  // few elements in partial results side by side.
  void Plain(Schedule& s, const Op& op, const Part& part, Choices& choices) const {
    const size_t rank = part.compute->axis.size();
    const int64_t lanes = LanesOf(op);
    const bool reduces = !part.compute->reduce_axis.empty();
    const auto [vectors, threads, unrolled, partial] = AskPlain(op, part, choices);
    if (partial) {
      const IterVar last = s[op].root_axes.back();
      const int64_t side = std::min(ExtentOf(part.compute->reduce_axis.back()),
                                    std::max<int64_t>(vectors, 1) * lanes);
      const IterVar within = schedule::Split(s[op], last, side).second;
      const Tensor results = schedule::RFactor(s, ir::OutputOf(op, 0), within, -1)[0];
      Stage& before = s[results];
      const IterVar lane = before.root_axes[rank];
      // The partial results are the innermost loop: below the rest of the reduction.
      std::vector<IterVar> loops;
      for (const IterVar& leaf : before.leaf_axes) {
        if (!leaf.same_as(lane)) loops.push_back(leaf);
      }
      loops.push_back(lane);
      schedule::Reorder(before, loops);
      VectorizeLast(before, lane, side, lanes);
      if (rank > 0) schedule::ComputeAt(before, s[op], s[op].root_axes[rank - 1]);
    }
    Stage& stage = s[op];
    std::vector<IterVar> spatial(stage.root_axes.begin(),
                                 stage.root_axes.begin() + static_cast<std::ptrdiff_t>(rank));
    if (rank == 0) return;
    const int64_t extent = ExtentOf(part.compute->axis.back());
    IterVar innermost;
    if (vectors > 0 && !partial && extent > 1) {
      auto [rest, within] =
          schedule::Split(stage, spatial.back(), std::min(extent, vectors * lanes));
      spatial.back() = rest;
      innermost = within;
      // Elements side by side are reduced at once.
      std::vector<IterVar> loops = spatial;
      for (size_t j = rank; j < stage.root_axes.size(); ++j) loops.push_back(stage.root_axes[j]);
      loops.push_back(within);
      schedule::Reorder(stage, loops);
      VectorizeLast(stage, within, std::min(extent, vectors * lanes), lanes);
    }
    if (unrolled > 0 && reduces && !partial)
      schedule::Pragma(stage, stage.root_axes[rank], "auto_unroll_max_step", unrolled);
    // The last loop that is left has work for the vectors, or the place of the partial results.
    const auto count = std::min<size_t>(static_cast<size_t>(threads), innermost ? rank : rank - 1);
    Share(stage, {spatial.begin(), spatial.begin() + static_cast<std::ptrdiff_t>(count)});
  }

  const std::vector<Op> outputs_;
  const target::Machine machine_;
  std::vector<Op> order_;  // each after what it reads
  std::unordered_map<const ir::Node*, Part> parts_;
};

std::vector<int64_t> ValuesOf(const Knob& knob) {
  std::vector<int64_t> values;
  for (const Json& candidate : knob.candidates) values.push_back(candidate.int_value());
  return values;
}

}  // namespace

absl::StatusOr<ScheduleSpace> MakeSketchSpace(std::vector<ir::NodeRef> args, std::string name,
                                              const target::Target& target,
                                              const lower::PassContext& context,
                                              driver::CompileCache* cache) {
  if (!target.HasKey(target::kCpuKey))
    return runtime::MakeStatus(
        absl::StatusCode::kUnimplemented, "tune-sketch-target",
        {"schedules without a template are made for processors with caches\nfound: ",
         target.ToString(), "\nhelp: write a template (lathe.autotvm)"});
  driver::ProgramToCompile plain{{}, std::move(args), std::move(name), target, context};
  LATHE_ASSIGN_OR_RETURN(plain.target, cache == nullptr ? target::CanonicalTarget(target)
                                                        : cache->KnownCanonicalTarget(target));
  const auto sketch = std::make_shared<const Sketch>(driver::OutputsOf(plain.args),
                                                     target::MachineOf(plain.target));
  Choices first;
  sketch->Make(first);
  ScheduleSpace result;
  for (auto& [knob, otherwise] : first.asked) {
    const std::vector<int64_t> values = ValuesOf(knob);
    const auto at = std::find(values.begin(), values.end(), otherwise);
    result.otherwise.push_back(static_cast<uint32_t>(at - values.begin()));
    LATHE_RETURN_IF_ERROR(result.space.Add(std::move(knob)));
  }
  if (result.space.knobs().empty())
    return runtime::MakeStatus(absl::StatusCode::kFailedPrecondition, "tune-no-knobs",
                               {"there is nothing to choose: `", plain.name,
                                "` has no computation with loops of constant extents"});
  result.make = [plain, sketch, knobs = result.space.knobs()](const Point& point) {
    Choices choices;
    for (size_t i = 0; i < knobs.size(); ++i)
      choices.Set(knobs[i].name, knobs[i].candidates[point[i]].int_value());
    driver::ProgramToCompile program = plain;
    program.schedule = sketch->Make(choices);
    return program;
  };
  return result;
}

}  // namespace lathe::tune
