#include "schedule/kept_whole.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "arith/digit_sum.h"
#include "base/error.h"
#include "base/planted.h"
#include "ir/names.h"
#include "ir/rewrite.h"
#include "ir/walk.h"

namespace lathe::schedule {
namespace {

using arith::Analyzer;
using arith::Digit;
using arith::DigitSum;
using ir::ComputeOp;

// Weights and offsets need not fit an axis's type.
Expr Wide(const Expr& value) { return ir::MakeCast(DataType::Int(64), value); }
Expr Wide(int64_t value) { return ir::Int(value, DataType::Int(64)); }

// The digits of several indices, by variable.
std::unordered_map<const ir::Node*, std::vector<Digit>> ByVariable(
    const std::vector<DigitSum>& sums) {
  std::unordered_map<const ir::Node*, std::vector<Digit>> out;
  for (const DigitSum& sum : sums) {
    for (const Digit& digit : sum.digits) out[digit.var.get()].push_back(digit);
  }
  return out;
}

// Proves that loops compute whole tensors.
class Coverage {
 public:
  Coverage(const ScheduleNode& normal, const Readers& readers) {
    // Readers come later in the order.
    for (size_t i = normal.stages.size(); i-- > 0;) {
      const Stage& stage = *normal.stages[i];
      bool whole = stage.is_output && stage.attach == AttachKind::kRoot;
      for (const Stage* reader : whole ? std::vector<Stage*>() : readers.Of(stage.op)) {
        if (whole || !whole_.contains(reader)) continue;
        whole = (stage.attach == AttachKind::kRoot || IsWithinLoopOf(stage, *reader)) &&
                ReadsAll(*reader, stage);
      }
      if (whole) whole_.insert(&stage);
    }
  }

  // Does the schedule compute all elements of the stage at some time?
  bool IsWhole(const Stage& stage) const { return whole_.contains(&stage); }

 private:
  // Over its whole domain, does the reader need all elements of the stage? All results of a stage
  // are computed together, so one of them is enough.
  bool ReadsAll(const Stage& reader, const Stage& stage) {
    const auto* compute = ir::As<ComputeOp>(reader.op);
    if (compute == nullptr || reader.scan != nullptr) return false;
    std::vector<Window> windows;
    for (const Expr& body : compute->body) {
      // Where a reduction's condition fails, the loops around may not run.
      const auto* reduce = ir::As<ir::Reduce>(body);
      if (reduce != nullptr && reduce->condition && !HoldsEverywhere(*compute, reduce->condition))
        return false;
      ir::PostOrder(body, [&](const ir::Node& node) {
        const auto* load = ir::As<ir::Load>(&node);
        const auto* tensor = load != nullptr ? ir::As<ir::TensorNode>(load->source) : nullptr;
        if (tensor != nullptr && tensor->op.same_as(stage.op))
          AddRead(*compute, load->indices, &windows);
      });
    }
    const std::vector<Expr> shape = ir::OutputShape(*stage.op, 0);
    return std::any_of(windows.begin(), windows.end(),
                       [&](const Window& window) { return ReachesAll(*compute, window, shape); });
  }

  bool HoldsEverywhere(const ComputeOp& compute, const Expr& condition) {
    const Analyzer::Scope scope = analyzer_.OpenScope();
    for (const auto* axes : {&compute.axis, &compute.reduce_axis}) {
      for (const IterVar& axis : *axes) analyzer_.Bind(axis->var, axis->domain);
    }
    return analyzer_.CanProve(condition);
  }

  // Reads whose indices differ by constants: those of the first, and what is added to each.
  struct Window {
    std::vector<DigitSum> first;
    std::set<std::vector<int64_t>> offsets;
  };

  void AddRead(const ComputeOp& compute, const std::vector<Expr>& indices,
               std::vector<Window>* windows) {
    const auto [loops, from_zero] = LoopsOf(compute);
    std::vector<DigitSum> sums;
    for (const Expr& index : indices) {
      std::optional<DigitSum> sum =
          arith::SumOfDigits(ir::Substitute(index, from_zero), loops, &analyzer_);
      if (!sum) return;
      sums.push_back(std::move(*sum));
    }
    for (Window& window : *windows) {
      if (const auto offset = OffsetFrom(window.first, sums)) {
        window.offsets.insert(*offset);
        return;
      }
    }
    windows->push_back({std::move(sums), {std::vector<int64_t>(indices.size(), 0)}});
  }

  // The axes count from 0 in a digit sum.
  static std::pair<arith::Extents, ir::VarMap> LoopsOf(const ComputeOp& compute) {
    std::pair<arith::Extents, ir::VarMap> out;
    for (const auto* axes : {&compute.axis, &compute.reduce_axis}) {
      for (const IterVar& axis : *axes) {
        // A range may depend on axes before it.
        out.first[axis->var.get()] = ir::Substitute(axis->domain->extent, out.second);
        const Expr min = ir::Substitute(axis->domain->min, out.second);
        if (!ir::IsZero(min)) out.second[axis->var] = axis->var + min;
      }
    }
    return out;
  }

  std::optional<std::vector<int64_t>> OffsetFrom(const std::vector<DigitSum>& from,
                                                 const std::vector<DigitSum>& to) {
    std::vector<int64_t> offset;
    for (size_t d = 0; d < from.size(); ++d) {
      const Expr difference = analyzer_.Simplify(to[d].base - from[d].base);
      const int64_t* constant = ir::AsConstInt(difference);
      if (constant == nullptr || from[d].digits != to[d].digits) return std::nullopt;
      offset.push_back(*constant);
    }
    return offset;
  }

  bool ReachesAll(const ComputeOp& compute, const Window& window, const std::vector<Expr>& shape) {
    std::vector<std::set<int64_t>> offsets(shape.size());
    for (const std::vector<int64_t>& offset : window.offsets) {
      for (size_t d = 0; d < shape.size(); ++d) offsets[d].insert(offset[d]);
    }
    // The offsets must be a full grid, or a corner is missing.
    size_t places = 1;
    for (const std::set<int64_t>& along : offsets) places *= along.size();
    if (places != window.offsets.size()) return false;
    for (size_t d = 0; d < shape.size(); ++d) {
      if (!FillsDimension(window.first[d], offsets[d], shape[d])) return false;
    }
    const auto digits = ByVariable(window.first);
    for (const auto& [var, extent] : LoopsOf(compute).first) {
      const auto own = digits.find(var);
      // An axis over nothing would leave all of it out.
      if (own == digits.end() ? !analyzer_.CanProveGE(extent, 1)
                              : !arith::AreIndependent(own->second, extent))
        return false;
    }
    return true;
  }

  // Do base + offset + digits take all values in [0, extent)?
  bool FillsDimension(const DigitSum& sum, const std::set<int64_t>& offsets, const Expr& extent) {
    const int64_t first = *offsets.begin(), span = *offsets.rbegin() - first;
    int64_t gap = 0;
    for (auto at = offsets.begin(), next = std::next(at); next != offsets.end(); ++at, ++next)
      gap = std::max(gap, *next - *at);
    // The places so far have no holes up to here. Offsets without holes begin; others need digits
    // that fill what is between them.
    Expr reach = Wide(gap <= 1 ? span + 1 : 1);
    for (const Digit& digit : sum.digits) {
      const Expr values = Wide(digit.extent);
      if (!analyzer_.CanProve(Wide(digit.weight) <= reach)) return false;
      // A digit without values reads nothing, and leaves out places of the other digits and
      // offsets. If it is alone, the dimension has no places either.
      if ((sum.digits.size() > 1 || span > 0) && !analyzer_.CanProveGE(values, 1)) return false;
      reach = analyzer_.Simplify((values - 1) * Wide(digit.weight) + reach);
    }
    if (gap > 1) {
      if (!analyzer_.CanProve(Wide(gap) <= reach)) return false;
      reach = reach + Wide(span);
    }
    const Expr base = Wide(sum.base) + Wide(first);
    return analyzer_.CanProveLT(base, 1) && analyzer_.CanProve(base + reach >= Wide(extent));
  }

  Analyzer analyzer_;
  std::unordered_set<const Stage*> whole_;
};

// What of the stage only the memory of one iteration can have; "" if nothing.
std::string WhyNotKept(const Stage& stage) {
  if (ir::As<ComputeOp>(stage.op) == nullptr) return "it is no compute";
  if (stage.rolling) return "it has a rolling buffer";
  if (stage.double_buffer) return "it has two buffers (double_buffer)";
  if (!stage.scope.empty() && stage.scope != ir::memory_scope::kGlobal)
    return "its memory is in scope `" + stage.scope + "`";
  bool threads = stage.has_threads(), pipelined = false;
  for (const LoopRef& loop : AttachPath(stage)) {
    threads = threads || loop.stage->has_threads();
    const LeafAttr* attr = loop.stage->FindAttr(loop.leaf);
    pipelined = pipelined ||
                (attr != nullptr && attr->annotations.count(ir::annotation::kPipelineStages) != 0);
  }
  if (pipelined) return "a loop around it is a pipeline";
  if (threads) return "it is computed by the threads of a device";
  return "";
}

void RequireKept(const Stage& stage, const Stage* later, const Coverage& coverage) {
  const std::string why_whole =
      later == nullptr ? "an output" : "read by stage `" + later->name + "` after that loop";
  if (const std::string reason = WhyNotKept(stage); !reason.empty()) {
    throw Error(Diagnostic{.name = "schedule-attach-kept",
                           .message = "stage `" + stage.name + "` is computed at loop `" +
                                      stage.attach_axis->var->name + "` of stage `" +
                                      stage.attach_stage->name + "`, and is " + why_whole,
                           .expected = "a compute whose memory can be the whole tensor",
                           .found = reason,
                           .help = "use compute_root"});
  }
  if (coverage.IsWhole(stage) || Planted(PlantedBug::kAttachedUncovered)) return;
  throw Error(Diagnostic{
      .name = "schedule-attach-uncovered",
      .message = "stage `" + stage.name + "` is computed at loop `" + stage.attach_axis->var->name +
                 "` of stage `" + stage.attach_stage->name + "`, and is " + why_whole,
      .expected = "readers within the loop that need all of it, by indices that are sums of axes",
      .found = "elements that may never be computed",
      .help = "use compute_root, or attach it to a stage that reads each of its elements"});
}

}  // namespace

void MarkKeptWhole(const ScheduleNode& normal, const Readers& readers) {
  std::vector<std::pair<Stage*, const Stage*>> kept;  // and who reads it later
  for (const Ref<Stage>& stage : normal.stages) {
    if (stage->attach != AttachKind::kScope || stage->scan != nullptr) continue;
    const Stage* later = nullptr;
    for (const Stage* reader : readers.Of(stage->op)) {
      if (later == nullptr && !IsWithinLoopOf(*stage, *reader)) later = reader;
    }
    if (later != nullptr || stage->is_output)
      kept.emplace_back(stage.get(), stage->is_output ? nullptr : later);
  }
  if (kept.empty()) return;
  const Coverage coverage(normal, readers);
  for (const auto& [stage, later] : kept) {
    stage->kept_whole = true;
    RequireKept(*stage, later, coverage);
  }
}

void CheckKeptApart(const ScheduleNode& normal, const Bounds& bounds) {
  for (const Ref<Stage>& stage : normal.stages) {
    if (!stage->kept_whole || Planted(PlantedBug::kAttachedOverlap)) continue;
    Analyzer analyzer;
    arith::Extents loops;
    std::vector<LoopRef> at_once;
    for (const LoopRef& loop : AttachPath(*stage)) {
      const Expr extent = bounds[loop.leaf]->extent;
      loops[loop.leaf->var.get()] = extent;
      analyzer.Bind(loop.leaf->var, ir::MakeRange(ir::Const(0, extent->dtype), extent));
      const LeafAttr* attr = loop.stage->FindAttr(loop.leaf);
      if (attr != nullptr &&
          (attr->kind == ForKind::kParallel || attr->kind == ForKind::kVectorized) &&
          !analyzer.CanProveLT(extent, 2))
        at_once.push_back(loop);
    }
    if (at_once.empty()) continue;
    // Digits whose weight is at least what all below them cover: places that two iterations share
    // have these digits in common.
    std::vector<DigitSum> apart;
    for (const Range& range : ComputedRegion(*stage, bounds, 0)) {
      std::optional<DigitSum> sum = arith::SumOfDigits(range->min, loops, &analyzer);
      if (!sum) continue;
      Expr reach = Wide(range->extent);
      DigitSum high;
      for (const Digit& digit : sum->digits) {
        // A digit that does not stand apart mixes with those below it.
        if (!analyzer.CanProve(Wide(digit.weight) >= reach))
          high.digits.clear();
        else
          high.digits.push_back(digit);
        reach = analyzer.Simplify((Wide(digit.extent) - 1) * Wide(digit.weight) + reach);
      }
      apart.push_back(std::move(high));
    }
    const auto digits = ByVariable(apart);
    for (const LoopRef& loop : at_once) {
      const auto own = digits.find(loop.leaf->var.get());
      if (own != digits.end() && arith::Determine(own->second, loops.at(loop.leaf->var.get())))
        continue;
      throw Error(
          Diagnostic{.name = "schedule-attach-overlap",
                     .message = "stage `" + stage->name + "` is computed at loop `" +
                                stage->attach_axis->var->name + "` of stage `" +
                                stage->attach_stage->name + "`, and is kept whole",
                     .expected = "iterations of loop `" + loop.leaf->var->name + "` of stage `" +
                                 loop.stage->name + "` that compute different elements of it",
                     .found = "iterations that run at the same time and may compute the same ones",
                     .help = "leave that loop serial, or use compute_root"});
    }
  }
}

}  // namespace lathe::schedule
