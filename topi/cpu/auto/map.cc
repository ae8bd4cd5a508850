// Maps: vectors along the contiguous axis, threads over the other axes.
#include <algorithm>
#include <unordered_set>

#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "ir/walk.h"
#include "schedule/primitives/primitives.h"
#include "topi/cpu/auto/stages.h"
#include "topi/cpu/loops.h"
#include "topi/cpu/transpose_block.h"

namespace lathe::topi::cpu {
namespace {

using ir::IterVar;

// All operands are read at the position of the element itself, so the shape does not matter.
bool IsFlat(const Facts& facts) {
  return std::all_of(facts.accesses.begin(), facts.accesses.end(),
                     [](const Access& access) { return access.elementwise; });
}

// The number of the first of the last axes that may be one loop, because every operand moves
// through memory as if they were: the rows and columns of a plane, whichever channels are read. The
// last axis itself if there are none.
size_t FirstOfOneLoop(const Facts& facts) {
  const std::vector<IterVar>& axes = facts.compute->axis;
  size_t first = axes.size() - 1;
  for (; first > 0; --first) {
    const int64_t* extent = ir::AsConstInt(axes[first]->domain->extent);
    if (extent == nullptr) break;
    const bool together =
        std::all_of(facts.accesses.begin(), facts.accesses.end(), [&](const Access& access) {
          const AxisStep &outer = access.steps[first - 1], &inner = access.steps[first];
          if (!outer.used && !inner.used) return true;
          return outer.used && inner.used && outer.linear && inner.linear &&
                 outer.step == inner.step * *extent;
        });
    if (!together) break;
  }
  // Conditions and values that depend on one of them would need quotients.
  std::unordered_set<const ir::Node*> vars;
  for (size_t axis = first; axis < axes.size(); ++axis) vars.insert(axes[axis]->var.get());
  bool only_in_reads = true;
  for (const ir::Expr& body : facts.compute->body) {
    ir::PreOrder(body, [&](const ir::Node& node) {
      only_in_reads = only_in_reads && vars.count(&node) == 0;
      return ir::As<ir::Load>(&node) == nullptr;
    });
  }
  return only_in_reads ? first : axes.size() - 1;
}

// If an operand is contiguous along another axis than the output, returns the number of that axis;
// else -1.
int TurnedAxis(const Facts& facts, size_t inner) {
  for (const Access& access : facts.accesses) {
    if (!access.Uses(inner) || access.IsContiguous(inner)) continue;
    for (size_t axis = inner; axis-- > 0;) {
      if (access.IsContiguous(axis)) return static_cast<int>(axis);
    }
  }
  return -1;
}

// Does the stage only copy elements of one tensor? (If a stage is inlined into the source, the copy
// computes it too.)
bool IsCopy(const StageWork& work) {
  const ir::ComputeOp& compute = *work.facts.compute;
  return compute.body.size() == 1 && ir::As<ir::Load>(compute.body[0]) != nullptr &&
         work.facts.accesses.size() == 1 &&
         work.schedule[work.facts.accesses[0].tensor].attach != schedule::AttachKind::kInline;
}

// Is this a plain copy of a tensor in whole blocks, where the tensor's last axis runs along
// `other`?
bool IsTurnedCopy(const StageWork& work, size_t other) {
  const ir::ComputeOp& compute = *work.facts.compute;
  if (work.rows != 0 || !work.at_root() || !IsCopy(work)) return false;
  const Access& access = work.facts.accesses[0];
  for (const ir::Expr& index : access.indices) {
    if (ir::As<ir::VarNode>(index) == nullptr) return false;
  }
  const int64_t lanes = work.lanes();
  const DataType dtype = work.tensor->dtype();
  if (lanes < 4 || dtype.bits() < 32 || dtype.lanes() != 1 || !access.IsContiguous(other))
    return false;
  for (const IterVar& axis : {compute.axis[other], compute.axis.back()}) {
    const int64_t* extent = ir::AsConstInt(axis->domain->extent);
    if (extent == nullptr || *extent == 0 || *extent % lanes != 0) return false;
  }
  return access.Uses(compute.axis.size() - 1);
}

// The size of the blocks that a tensor has along `axis`: its last index is axis % size, another one
// axis / size, and all others are axes. 0 if the indices are others.
int64_t BlockAlong(const Access& access, const ir::VarNode* axis) {
  if (access.indices.empty()) return 0;
  const auto* last = ir::As<ir::FloorMod>(access.indices.back());
  const int64_t* size = last == nullptr ? nullptr : ir::AsConstInt(last->b);
  if (size == nullptr || last->a.get() != axis) return 0;
  int blocks = 0;
  for (size_t i = 0; i + 1 < access.indices.size(); ++i) {
    if (const auto* div = ir::As<ir::FloorDiv>(access.indices[i]);
        div != nullptr && div->a.get() == axis) {
      const int64_t* by = ir::AsConstInt(div->b);
      if (by == nullptr || *by != *size) return 0;
      ++blocks;
    } else if (access.indices[i].get() == axis ||
               ir::As<ir::VarNode>(access.indices[i]) == nullptr) {
      return 0;
    }
  }
  return blocks == 1 ? *size : 0;
}

// A copy from blocks of channels into planes: which axis runs along the blocks, and the largest
// tile that can be transposed in registers, because it divides the blocks and both extents.
struct FromBlocks {
  size_t axis = 0;
  int64_t tile = 0;    // 0: there is none
  bool whole = false;  // whole vectors lie along the blocks
};
FromBlocks FromBlocksOf(const StageWork& work) {
  const ir::ComputeOp& result = *work.facts.compute;
  const DataType dtype = work.tensor->dtype();
  if (work.rows != 0 || !work.at_root() || dtype.bits() < 32 || dtype.lanes() != 1) return {};
  // The copy, or the one that is inlined into it and has its elements at the same places.
  const ir::ComputeOp* copy = &result;
  std::vector<Access> accesses = work.facts.accesses;
  const auto is_copy = [&] {
    return copy != nullptr && copy->body.size() == 1 &&
           ir::As<ir::Load>(copy->body[0]) != nullptr && accesses.size() == 1;
  };
  while (is_copy() && accesses[0].elementwise &&
         work.schedule[accesses[0].tensor].attach == schedule::AttachKind::kInline) {
    copy = ir::As<ir::ComputeOp>(accesses[0].tensor->op);
    if (copy != nullptr) accesses = AccessesOf(*copy);
  }
  if (!is_copy() || work.schedule[accesses[0].tensor].attach == schedule::AttachKind::kInline)
    return {};
  const Access& access = accesses[0];
  const int64_t* inner = ir::AsConstInt(result.axis.back()->domain->extent);
  if (inner == nullptr || !access.Uses(result.axis.size() - 1)) return {};
  for (size_t i = 0; i + 1 < result.axis.size(); ++i) {
    const int64_t size = BlockAlong(access, copy->axis[i]->var.get());
    const int64_t* extent = ir::AsConstInt(result.axis[i]->domain->extent);
    if (size == 0 || extent == nullptr) continue;
    for (int64_t tile = work.lanes(); tile >= 4; tile /= 2) {
      if (size % tile == 0 && *extent % tile == 0 && *inner % tile == 0) return {i, tile};
    }
    if (size % work.lanes() == 0 && *extent % work.lanes() == 0) return {i, 0, true};
  }
  return {};
}

bool IsOneOf(const IterVar& axis, const std::vector<IterVar>& axes) {
  return std::ranges::any_of(axes, [&](const IterVar& one) { return one.same_as(axis); });
}

// The loops of `outer` that decide conditions by themselves, as those of a concatenation: cut into
// ranges, they need no condition for each vector. At most two: each makes two or three ranges.
std::vector<IterVar> DecidedByLoops(const Facts& facts, const std::vector<IterVar>& outer) {
  std::vector<IterVar> found;
  if (!facts.cost.has_condition) return found;
  const auto note = [&](const ir::Expr& condition) {
    const std::vector<ir::Var> vars = ir::FreeVars(condition);
    for (const IterVar& axis : outer) {
      const bool decides = vars.size() == 1 && vars[0].same_as(axis->var);
      if (decides && found.size() < 2 && !IsOneOf(axis, found)) found.push_back(axis);
    }
  };
  for (const ir::Expr& body : facts.compute->body) {
    ir::ForEach<ir::Call>(body, [&](const ir::Call& call) {
      if (call.op == ir::intrinsic::kIfThenElse) note(call.arg(0));
    });
  }
  return found;
}

// The largest power of two within the extent.
int64_t LargestPower(int64_t extent) {
  int64_t power = 1;
  while (2 * power <= extent) power *= 2;
  return power;
}

// Writes results past the caches, if they would have left the caches anyway when all are complete.
void Stream(const StageWork& work, const IterVar& outermost) {
  if (!outermost || !work.stage().is_output) return;
  int64_t bytes = work.tensor->dtype().bytes();
  for (const IterVar& axis : work.facts.compute->axis) bytes *= ExtentOf(axis);
  StreamResults(work.stage(), outermost, bytes, work.machine);
}

// The other loops outside, those that select inside and unrolled, vectors innermost.
void ScheduleSelecting(const StageWork& work) {
  const std::vector<size_t>& selecting = work.facts.selecting;
  schedule::Stage& stage = work.stage();
  const std::vector<IterVar> axes = stage.leaf_axes;
  std::vector<IterVar> outer, unrolled;
  for (size_t axis = work.rows; axis + 1 < axes.size(); ++axis) {
    const bool selects = std::find(selecting.begin(), selecting.end(), axis) != selecting.end();
    (selects ? unrolled : outer).push_back(axes[axis]);
  }
  auto [vectors, vector] = schedule::Split(
      stage, axes.back(), std::min(work.lanes(), LargestPower(ExtentOf(axes.back()))));
  std::vector<IterVar> order = outer;
  order.push_back(vectors);
  order.insert(order.end(), unrolled.begin(), unrolled.end());
  order.push_back(vector);
  schedule::Reorder(stage, order);
  for (const IterVar& axis : unrolled) schedule::Unroll(stage, axis);
  schedule::Vectorize(stage, vector);
  if (ForThreads(work) && work.rows == 0) ParallelOver(stage, outer);
}

// Few channels side by side, from operands that have them in planes: vectors run along the axis of
// the planes, one channel after the other.
constexpr int64_t kMostChannels = 4;
void ScheduleChannels(const StageWork& work, size_t along) {
  schedule::Stage& stage = work.stage();
  const std::vector<IterVar> axes = stage.leaf_axes;
  auto [outer, vector] =
      schedule::Split(stage, axes[along], work.machine.Lanes(DataType::Float(32)));
  std::vector<IterVar> order(axes.begin() + static_cast<int64_t>(work.rows), axes.end() - 1);
  order[along - work.rows] = outer;
  const std::vector<IterVar> loops = order;
  order.push_back(axes.back());
  order.push_back(vector);
  schedule::Reorder(stage, order);
  schedule::Unroll(stage, axes.back());
  schedule::Vectorize(stage, vector);
  if (ForThreads(work) && work.rows == 0) ParallelOver(stage, loops);
}

// Tiles of both axes are transposed in registers: element by element a vector would be gathered. If
// there are no tiles, because rows are odd, vectors are read along the blocks and scattered: each
// lane writes a row of its own.
void ScheduleFromBlocks(const StageWork& work, const FromBlocks& blocks) {
  schedule::Stage& stage = work.stage();
  const std::vector<IterVar> axes = stage.leaf_axes;
  if (blocks.tile == 0) {
    auto [channels, lane] = schedule::Split(stage, axes[blocks.axis], work.lanes());
    std::vector<IterVar> order = axes;
    order[blocks.axis] = channels;
    const std::vector<IterVar> outer_axes(order.begin(), order.end() - 1);
    order.push_back(lane);
    schedule::Reorder(stage, order);
    schedule::Vectorize(stage, lane);
    if (ForThreads(work)) ParallelOver(stage, outer_axes);
    return;
  }
  auto [other_outer, other_inner] = schedule::Split(stage, axes[blocks.axis], blocks.tile);
  auto [outer, inner] = schedule::Split(stage, axes.back(), blocks.tile);
  std::vector<IterVar> order(axes.begin(), axes.end() - 1);
  order[blocks.axis] = other_outer;
  const std::vector<IterVar> outer_axes = order;
  for (const IterVar& axis : {outer, other_inner, inner}) order.push_back(axis);
  schedule::Reorder(stage, order);
  if (ForThreads(work)) Stream(work, ParallelOver(stage, outer_axes));
  schedule::Tensorize(stage, other_inner, TransposeBlock(blocks.tile, work.tensor->dtype()));
}

// Rows of a few vectors and a tail: whole planes have fewer tails. Fuses the last of `axes`, if
// they may be one loop. Returns the extent of the last one.
int64_t FusePlane(const StageWork& work, std::vector<IterVar>& axes) {
  const size_t first = std::max(FirstOfOneLoop(work.facts), work.rows);
  const int64_t row = ExtentOf(axes.back());
  int64_t whole = 1;
  for (size_t i = first; i < axes.size(); ++i) whole *= ExtentOf(axes[i]);
  if (whole == row) return row;
  const std::vector<IterVar> plane(axes.begin() + static_cast<int64_t>(first), axes.end());
  axes.resize(first);
  axes.push_back(schedule::Fuse(work.stage(), plane));
  return whole;
}

// An operand is contiguous along the axis number `other`: blocks of both axes, so that each cache
// line of both sides is touched once.
void ScheduleTurned(const StageWork& work, const std::vector<IterVar>& axes, size_t other) {
  schedule::Stage& stage = work.stage();
  const bool in_registers = IsTurnedCopy(work, other);
  const int64_t block = in_registers ? work.lanes() : std::max<int64_t>(16, work.lanes());
  auto [other_outer, other_inner] = schedule::Split(stage, axes[other], block);
  auto [outer, inner] = schedule::Split(stage, axes.back(), block);
  std::vector<IterVar> order;
  for (size_t i = work.rows; i + 1 < axes.size(); ++i)
    order.push_back(i == other ? other_outer : axes[i]);
  const std::vector<IterVar> outer_axes = order;
  for (const IterVar& axis : {outer, other_inner, inner}) order.push_back(axis);
  schedule::Reorder(stage, order);
  if (ForThreads(work) && work.rows == 0) Stream(work, ParallelOver(stage, outer_axes));
  if (in_registers) {
    schedule::Tensorize(stage, other_inner, TransposeBlock(block, work.tensor->dtype()));
  } else {
    VectorizeRow(stage, inner, work.lanes());
  }
}

// Threads over the loops around the vectors, and ranges for the loops that decide conditions.
void ScheduleOuterLoops(const StageWork& work, const std::vector<IterVar>& outer, bool threads) {
  schedule::Stage& stage = work.stage();
  std::vector<IterVar> decided = DecidedByLoops(work.facts, outer);
  if (threads) {
    // Loops for threads are not cut: those with conditions stay inside if the others are enough.
    std::vector<IterVar> pieces = outer;
    if (!decided.empty()) {
      pieces.erase(
          std::ranges::find_if(pieces, [&](const IterVar& axis) { return IsOneOf(axis, decided); }),
          pieces.end());
      int64_t enough = 1;
      for (const IterVar& axis : pieces) enough *= ExtentOf(axis);
      if (enough < kEnoughForThreads) {
        pieces = outer;
        decided.clear();
      }
    }
    Stream(work, ParallelOver(stage, pieces));
  }
  for (const IterVar& axis : decided) {
    schedule::Pragma(stage, axis, ir::pragma::kLoopPartitionHint);
  }
}

}  // namespace

bool ForThreads(const StageWork& work) {
  double memory = 1;
  for (size_t axis = work.facts.taken; axis < work.facts.compute->axis.size(); ++axis)
    memory *= static_cast<double>(ExtentOf(work.facts.compute->axis[axis]));
  // Functions are polynomials of some twenty operations. Elements also have to be moved.
  return work.at_root() &&
         WorthThreads((work.facts.cost.has_function ? 20 : 2) * work.facts.work + 4 * memory);
}

IterVar ParallelOver(schedule::Stage& stage, std::vector<IterVar> axes) {
  if (axes.empty()) return IterVar();
  const IterVar all = axes.size() == 1 ? axes[0] : schedule::Fuse(stage, axes);
  schedule::Parallel(stage, all);
  return all;
}

void PutBeside(const StageWork& work, const ir::Tensor& tensor) {
  if (!work.at_root())
    schedule::ComputeAt(work.schedule[tensor], *work.place.stage, work.place.axis);
}

void ScheduleMap(const StageWork& work) {
  schedule::Stage& stage = work.stage();
  std::vector<IterVar> axes(stage.leaf_axes.begin(), stage.leaf_axes.end());
  if (axes.size() <= work.rows) return;  // rows of one element
  if (!work.facts.selecting.empty() && axes.size() == work.facts.compute->axis.size())
    return ScheduleSelecting(work);
  if (const FromBlocks blocks = FromBlocksOf(work);
      (blocks.tile != 0 || blocks.whole) && axes.size() == work.facts.compute->axis.size())
    return ScheduleFromBlocks(work, blocks);
  const size_t data = work.facts.compute->axis.size();
  int64_t extent = ExtentOf(axes.back());
  if (work.rows == 0 && axes.size() > 1 && work.at_root() && IsFlat(work.facts)) {
    for (size_t i = 0; i + 1 < axes.size(); ++i) extent *= ExtentOf(axes[i]);
    axes = {schedule::Fuse(stage, axes)};
  } else if (axes.size() == data && work.at_root() && extent < 4 * work.lanes() &&
             extent % work.lanes() != 0 && TurnedAxis(work.facts, data - 1) < 0) {
    extent = FusePlane(work, axes);
  }
  const bool threads = ForThreads(work) && work.rows == 0;
  const int turned = axes.size() == data ? TurnedAxis(work.facts, data - 1) : -1;
  if (turned >= static_cast<int>(work.rows)) {
    const auto other = static_cast<size_t>(turned);
    const int64_t* along = ir::AsConstInt(work.facts.compute->axis[other]->domain->extent);
    const int64_t vector = work.machine.Lanes(DataType::Float(32));
    if (extent <= kMostChannels && !IsCopy(work) && along != nullptr && vector > 1 &&
        *along % vector == 0)
      return ScheduleChannels(work, other);
    return ScheduleTurned(work, axes, other);
  }
  IterVar inner = axes.back();
  std::vector<IterVar> outer(axes.begin() + static_cast<int64_t>(work.rows), axes.end() - 1);
  if (threads && outer.empty()) {
    // Pieces of a few pages: many for each thread, each large enough to pay for its start.
    auto [piece, within] =
        schedule::Split(stage, inner,
                        work.config.Ask({"default.map_piece", 16384, 64, 1 << 24,
                                         "elements that a thread takes at once"}));
    outer = {piece};
    inner = within;
  }
  ScheduleOuterLoops(work, outer, threads);
  const int64_t lanes = work.lanes();
  if (extent >= 2 * lanes) {
    const int64_t vectors = work.config.Ask({"default.map_vectors", extent >= 4 * lanes ? 4 : 2, 1,
                                             16, "vectors of a map computed together"});
    VectorizeInner(stage, inner, vectors, lanes);
  } else if (extent >= lanes) {
    VectorizeRow(stage, inner, lanes);
  } else if (extent >= 2) {
    // A short vector, and a tail.
    VectorizeRow(stage, inner, LargestPower(extent));
  }
}

}  // namespace lathe::topi::cpu
