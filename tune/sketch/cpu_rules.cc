#include "tune/sketch/cpu_rules.h"

#include <algorithm>
#include <set>
#include <utility>

#include "ir/names.h"
#include "schedule/primitives/primitives.h"
#include "topi/cpu/auto/access.h"
#include "tune/sketch/cpu_tile.h"

namespace lathe::tune::sketch {
namespace {

using ir::IterVar;
using ir::Op;
using ir::Tensor;
using schedule::Schedule;
using schedule::Stage;

constexpr int64_t kEnoughPieces = 64;  // for threads, and for rows that stay in a cache

// Does the last loop of the reduction run over elements that lie side by side?
bool ReducesRows(const ir::ComputeOp& compute) {
  const size_t last = compute.axis.size() + compute.reduce_axis.size() - 1;
  return std::ranges::any_of(topi::cpu::AccessesOf(compute), [&](const topi::cpu::Access& access) {
    return access.IsContiguous(last);
  });
}

// Makes one schedule.
class CacheRules {
 public:
  CacheRules(const Parts& parts, const target::Machine& machine, Choices& choices)
      : parts_(parts),
        machine_(machine),
        choices_(choices),
        s_(schedule::CreateSchedule(parts.outputs())),
        output_(parts.outputs()[0]) {}

  Schedule Make() {
    const std::set<const ir::Node*> inlined = Inline();
    AskTogether();
    // Readers first, and first of all what makes the pieces: a stage is attached to loops that are
    // there.
    std::vector<Op> left(parts_.order().rbegin(), parts_.order().rend());
    const auto maker = std::ranges::find_if(
        left, [&](const Op& op) { return MakesPieces(op) && !parts_.IsReaderOfTile(op); });
    std::rotate(left.begin(), maker, maker + 1);
    for (const Op& op : left) {
      const Part& part = parts_.of(op);
      if (part.compute == nullptr || inlined.count(op.get()) != 0) continue;
      if (part.tiled) {
        InTiles(op, part);
      } else if (!parts_.IsReaderOfTile(op)) {
        InRows(op, part);
      }
    }
    return s_;
  }

 private:
  struct PlainChoices {
    int64_t vectors, threads, unrolled;
    bool partial;
  };
  PlainChoices AskPlain(const Op& op, const Part& part) {
    const size_t rank = part.compute->axis.size();
    PlainChoices chosen{choices_.Ask(part.name + ".vectors", {0, 1, 2, 4, 8}, 1),
                        choices_.Ask(part.name + ".threads", {0, 1, 2}, rank > 1 ? 1 : 0), 0,
                        false};
    if (part.compute->reduce_axis.empty()) return chosen;
    chosen.unrolled = choices_.Ask(part.name + ".unroll", {0, 16, 64}, 16);
    if (ir::NumOutputs(*op) == 1)
      chosen.partial =
          choices_.Ask(part.name + ".partial", {0, 1}, ReducesRows(*part.compute) ? 1 : 0) == 1;
    return chosen;
  }

  int64_t LanesOf(const Op& op) const {
    return std::max<int64_t>(machine_.Lanes(ir::OutputType(*op, 0)), 1);
  }

  // Returns what is computed again for each reader.
  std::set<const ir::Node*> Inline() {
    std::set<const ir::Node*> inlined;
    for (const Op& op : parts_.order()) {
      const Part& part = parts_.of(op);
      if (part.compute == nullptr || part.tiled || part.is_output) continue;
      if (!part.absorbed) {
        if (!parts_.CanBeInlined(s_, op)) continue;
        AskPlain(op, part);  // what it needs if it has a stage of its own
        // Functions take long enough to be computed once.
        const bool again = part.readers.size() > 1 && topi::cpu::CostOf(*part.compute).has_function;
        if (choices_.Ask(part.name + ".inline", {0, 1}, again ? 0 : 1) == 0) continue;
      }
      schedule::ComputeInline(s_[op]);
      inlined.insert(op.get());
    }
    return inlined;
  }

  // Whether what comes before the output is computed for a piece of it at once, and of how many
  // leading axes pieces are. So rows stay in a cache from one stage to the next.
  void AskTogether() {
    int64_t most = 0;
    for (const Op& op : parts_.order()) {
      const Part& part = parts_.of(op);
      if (!part.is_output && !part.absorbed && !part.fused_into.same_as(output_))
        most = std::max(most, static_cast<int64_t>(part.rows));
    }
    if (most == 0) return;
    std::vector<int64_t> axes;
    for (int64_t i = 0; i <= most; ++i) axes.push_back(i);
    together_ = static_cast<size_t>(
        choices_.Ask(parts_.of(output_).name + ".together", axes, AxesWithWork(most)));
  }

  // As few leading axes of the output as have pieces for threads; 0 if not even `most` have.
  int64_t AxesWithWork(int64_t most) const {
    int64_t pieces = 1;
    for (int64_t i = 0; i < most; ++i) {
      pieces *= ExtentOf(parts_.of(output_).compute->axis[static_cast<size_t>(i)]);
      if (pieces >= kEnoughPieces) return i + 1;
    }
    return 0;
  }

  // The output, or the reduction in its tiles.
  bool MakesPieces(const Op& op) const {
    return op.same_as(output_) || parts_.of(op).fused_into.same_as(output_);
  }
  bool IsTogether(const Op& op) const {
    return together_ > 0 && parts_.of(op).rows >= together_ && !MakesPieces(op);
  }

  // The elements of each axis that are computed at once.
  std::vector<int64_t> RegionOf(const Op& op) const {
    std::vector<int64_t> extents;
    for (const IterVar& axis : parts_.of(op).compute->axis) extents.push_back(ExtentOf(axis));
    for (size_t i = 0; IsTogether(op) && i < together_; ++i)
      extents[i] = std::min(extents[i], piece_[i]);
    return extents;
  }

  // Loops for threads; returns the one that is left of them, null if there are none.
  static IterVar Share(Stage& stage, const std::vector<IterVar>& loops) {
    if (loops.empty()) return {};
    const IterVar all = loops.size() == 1 ? loops[0] : schedule::Fuse(stage, loops);
    schedule::Parallel(stage, all);
    return all;
  }

  void InTiles(const Op& op, const Part& part) {
    const Op& reader = part.fused_into ? part.fused_into : op;
    const TileSizes sizes = AskTileSizes(part, RegionOf(op), LanesOf(op), choices_);
    Tile tile = MakeTile(s_, op, part, sizes, LanesOf(op));
    IterVar innermost = tile.threads.back();
    if (IsTogether(op)) {
      schedule::ComputeAt(*tile.reader, s_[output_], place_);
    } else {
      if (together_ > 0 && reader.same_as(output_)) tile.threads.resize(together_);
      const bool all = tile.threads.back().same_as(innermost);
      const IterVar shared = Share(*tile.reader, tile.threads);
      if (all) innermost = shared;
      if (reader.same_as(output_)) {
        place_ = shared;
        for (size_t i = 0; i < together_; ++i) piece_.push_back(sizes.Piece(i));
      }
    }
    // Of what is computed for each piece there is no whole.
    const Tensor operand = PackableOperand(part);
    const bool pieces = operand && IsTogether(s_[operand].origin_op);
    PackOperand(s_, part, tile,
                pieces && sizes.packing == Packing::kAll ? Packing::kPiece : sizes.packing,
                innermost, sizes.registers.back(), LanesOf(op));
  }

  // Sums up in `side` partial results side by side, which the operation combines.
  void SumSideBySide(const Op& op, int64_t side) {
    const size_t rank = parts_.of(op).compute->axis.size();
    const IterVar within = schedule::Split(s_[op], s_[op].root_axes.back(), side).second;
    const Tensor results = schedule::RFactor(s_, ir::OutputOf(op, 0), within, -1)[0];
    Stage& before = s_[results];
    const IterVar lane = before.root_axes[rank];
    // The partial results are the innermost loop: below the rest of the reduction.
    std::vector<IterVar> loops;
    for (const IterVar& leaf : before.leaf_axes) {
      if (!leaf.same_as(lane)) loops.push_back(leaf);
    }
    loops.push_back(lane);
    schedule::Reorder(before, loops);
    VectorizeLast(before, lane, side, LanesOf(op));
    if (rank > 0) schedule::ComputeAt(before, s_[op], s_[op].root_axes[rank - 1]);
  }

  // The last loop in pieces of `side`, which are innermost, also in a reduction; returns the loop
  // over pieces.
  IterVar InVectors(const Op& op, int64_t side) {
    Stage& stage = s_[op];
    const size_t rank = parts_.of(op).compute->axis.size();
    std::vector<IterVar> loops = stage.root_axes;
    auto [rest, within] = schedule::Split(stage, loops[rank - 1], side);
    loops[rank - 1] = rest;
    loops.push_back(within);
    schedule::Reorder(stage, loops);
    VectorizeLast(stage, within, side, LanesOf(op));
    return rest;
  }

  // Loops in their order: the outer ones shared by threads, the last one in vectors. A reduction to
  // few elements in partial results side by side.
  void InRows(const Op& op, const Part& part) {
    const ir::ComputeOp& compute = *part.compute;
    const size_t rank = compute.axis.size();
    const auto [vectors, threads, unrolled, partial] = AskPlain(op, part);
    if (partial)
      SumSideBySide(op, std::min(ExtentOf(compute.reduce_axis.back()),
                                 std::max<int64_t>(vectors, 1) * LanesOf(op)));
    if (rank == 0) return;
    Stage& stage = s_[op];
    std::vector<IterVar> spatial(stage.root_axes.begin(),
                                 stage.root_axes.begin() + static_cast<std::ptrdiff_t>(rank));
    const int64_t extent = ExtentOf(compute.axis.back());
    const bool in_vectors = vectors > 0 && !partial && extent > 1;
    const int64_t side = in_vectors ? std::min(extent, vectors * LanesOf(op)) : 1;
    if (in_vectors) spatial.back() = InVectors(op, side);
    const bool reduces = !compute.reduce_axis.empty();
    if (unrolled > 0 && reduces && !partial)
      schedule::Pragma(stage, stage.root_axes[rank], "auto_unroll_max_step", unrolled);
    if (IsTogether(op)) return schedule::ComputeAt(stage, s_[output_], place_);
    // The last loop that is left has work for the vectors, or the place of the partial results.
    size_t most = in_vectors ? rank : rank - 1;
    const bool has_pieces = together_ > 0 && op.same_as(output_);
    if (has_pieces) most = std::min(most, together_);
    const auto count = std::min<size_t>(static_cast<size_t>(threads), most);
    const IterVar shared =
        Share(stage, {spatial.begin(), spatial.begin() + static_cast<std::ptrdiff_t>(count)});
    if (!has_pieces) return;
    place_ = count == together_ ? shared : spatial[together_ - 1];
    piece_.assign(together_, 1);
    if (together_ == rank) piece_.back() = side;
  }

  const Parts& parts_;
  const target::Machine& machine_;
  Choices& choices_;
  Schedule s_;
  const Op output_;
  size_t together_ = 0;         // leading axes of a piece of the output; 0: no pieces
  std::vector<int64_t> piece_;  // elements of each of them
  IterVar place_;               // the output's loop over pieces
};

}  // namespace

Schedule ScheduleForCaches(const Parts& parts, const target::Machine& machine, Choices& choices) {
  return CacheRules(parts, machine, choices).Make();
}

}  // namespace lathe::tune::sketch
