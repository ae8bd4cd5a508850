#include "schedule/bounds.h"

#include <algorithm>
#include <unordered_set>

#include "arith/region.h"
#include "base/error.h"
#include "base/planted.h"
#include "ir/names.h"
#include "ir/rewrite.h"
#include "ir/thread_scopes.h"
#include "schedule/axis_values.h"
#include "schedule/normalize.h"
#include "schedule/queries.h"

namespace lathe::schedule {

using arith::Analyzer;
using arith::DomMap;
using arith::IntSet;
using ir::ComputeOp;
using ir::Load;
using ir::ScanOp;

const Range& Bounds::operator[](const IterVar& axis) const {
  auto it = ranges_.find(axis.get());
  LATHE_CHECK(it != ranges_.end()) << "axis `" << axis->var->name << "` has no bounds";
  return it->second.second;
}

namespace {

const std::string* BoundTag(const Stage& stage, const IterVar& leaf) {
  const LeafAttr* attr = stage.FindAttr(leaf);
  return attr != nullptr && attr->kind == ForKind::kThread ? &attr->thread->thread_tag : nullptr;
}

// The tags of the thread axes around a stage and its memory, without those of its own leaves and
// environment.
std::vector<std::string> TagsAround(const Stage& stage) {
  std::vector<std::string> tags;
  for (const LoopRef& loop : AttachPath(stage)) {
    if (const std::string* tag = BoundTag(*loop.stage, loop.leaf)) tags.push_back(*tag);
  }
  for (const Stage* at = stage.attach_stage; at != nullptr; at = at->attach_stage) {
    for (const IterVar& thread : at->env_threads) tags.push_back(thread->thread_tag);
  }
  return tags;
}

}  // namespace

const std::string* ThreadTag(const Stage& stage, const IterVar& leaf) {
  const std::string* tag = BoundTag(stage, leaf);
  if (tag == nullptr || ir::SharedAmong(StorageScope(stage), *tag)) return tag;
  const std::vector<std::string> around = TagsAround(stage);
  return std::find(around.begin(), around.end(), *tag) == around.end() ? tag : nullptr;
}

namespace {

using ir::SharedAmong;

class Inference {
 public:
  explicit Inference(const Schedule& schedule) : schedule_(schedule), readers_(*schedule) {}

  Bounds Run() {
    for (size_t i = schedule_->stages.size(); i-- > 0;) {
      const Stage& stage = *schedule_->stages[i];
      if (stage.is_placeholder()) continue;
      // Of other loops it is not known whether they run (S50).
      Analyzer::Scope scope = LoopsAround(stage);
      RootRanges(stage);
      DerivedRanges(stage);
      CheckOrder(stage);
      for (const IterVar& leaf : stage.leaf_axes) UseThreadExtent(stage, leaf);
    }
    return std::move(bounds_);
  }

 private:
  // While the result lives, the loops around the stage are known to run.
  Analyzer::Scope LoopsAround(const Stage& stage) {
    Analyzer::Scope scope = analyzer_.OpenScope();
    // The first rows of a scan are computed before its loops.
    const Stage* later = nullptr;
    for (const Stage* at = &stage; at->attach_stage != nullptr; at = at->attach_stage) {
      if (IsScanInit(*at)) later = at->attach_stage;
    }
    for (const LoopRef& loop : AttachPath(stage)) {
      if (loop.stage != later)
        analyzer_.Bind(loop.leaf->var, LoopFact(*loop.stage, bounds_, loop.leaf));
    }
    return scope;
  }

  void SetRange(const IterVar& axis, Range range) {
    range = ir::MakeRange(ir::MakeCast(axis->var->dtype, analyzer_.Simplify(range->min)),
                          ir::MakeCast(axis->var->dtype, analyzer_.Simplify(range->extent)));
    bounds_.Set(axis, std::move(range));
  }

  void RootRanges(const Stage& stage) {
    if (const auto* scan = ir::As<ScanOp>(stage.op)) return ScanRanges(stage, *scan);
    std::vector<IntSet> needed;
    const bool is_compute =
        ir::As<ComputeOp>(stage.op) != nullptr || ir::As<ir::TensorComputeOp>(stage.op) != nullptr;
    const bool whole = !is_compute || (stage.is_output && !stage.kept_whole);
    if (!whole) needed = NeededRegion(stage);
    size_t data_axis = 0;
    for (const IterVar& root : stage.root_axes) {
      Range range = root->domain;
      if (root->iter_kind == ir::IterKind::kReduce) range = InLoops(stage, range);
      if (!needed.empty() && root->iter_kind == ir::IterKind::kData)
        range = Needed(stage, needed[data_axis], root->domain, data_axis == 0);
      // The loops inside a tensor intrinsic are always computed whole.
      data_axis +=
          root->iter_kind == ir::IterKind::kData || root->iter_kind == ir::IterKind::kTensorized;
      SetRange(root, std::move(range));
    }
  }

  // A reduction's domain may depend on the axes before it (S52). There an axis's variable is the
  // position in the tensor; in loops it counts from 0.
  Range InLoops(const Stage& stage, const Range& domain) {
    auto uses = [&](const IterVar& axis) { return ir::UsesVar(domain, axis->var); };
    if (std::none_of(stage.root_axes.begin(), stage.root_axes.end(), uses)) return domain;
    if (Planted(PlantedBug::kDomainNotInLoops)) return domain;
    DerivedRanges(stage);
    const AxisMap values = AxisValues(stage, bounds_);
    ir::VarMap to_loops;
    for (const IterVar& root : stage.root_axes) {
      if (!uses(root)) continue;
      auto value = values.find(root.get());
      if (value == values.end()) RefuseFused(stage, root);
      to_loops[root->var] = value->second;
    }
    return ir::MakeRange(ir::Substitute(domain->min, to_loops),
                         ir::Substitute(domain->extent, to_loops));
  }

  [[noreturn]] static void RefuseFused(const Stage& stage, const IterVar& axis) {
    throw Error(Diagnostic{
        .name = "schedule-dependent-fuse",
        .message = "stage `" + stage.name + "`: loop `" + axis->var->name +
                   "` is fused with one over a reduction axis whose extent depends on it",
        .expected = "axes of independent extents in one fused loop",
        .found = "an extent that would depend on the loop that it is a part of",
        .help = "leave these axes as two loops"});
  }

  // A loop's extent may use only the variables of loops around it (S52).
  void CheckOrder(const Stage& stage) const {
    for (size_t i = 0; i < stage.leaf_axes.size(); ++i) {
      for (size_t k = i; k < stage.leaf_axes.size(); ++k) {
        const IterVar &leaf = stage.leaf_axes[i], &inner = stage.leaf_axes[k];
        if (!ir::UsesVar(bounds_[leaf]->extent, inner->var)) continue;
        throw Error(Diagnostic{
            .name = "schedule-dependent-order",
            .message = "stage `" + stage.name + "`: the extent of loop `" + leaf->var->name +
                       "` depends on loop `" + inner->var->name + "`, which is inside it",
            .expected = "`" + inner->var->name + "` outside of `" + leaf->var->name + "`",
            .found = "the order " + QuotedList(LeafNames(stage)),
            .help = "reorder the loops; or reduce over the axis's whole range, with where= as the "
                    "condition"});
      }
    }
  }

  // A scan runs over its whole time range. Of an axis that stays fixed (S49) it computes only the
  // needed part, which is the same for all axes that depend on each other; other axes are computed
  // whole.
  void ScanRanges(const Stage& stage, const ScanOp& scan) {
    SetRange(scan.scan_axis, scan.scan_axis->domain);
    for (const IterVar& axis : scan.spatial_axis) SetRange(axis, axis->domain);
    if (stage.is_output || stage.scan != nullptr) return;
    const FixedAxes fixed = ScanFixPoint(scan);
    const std::vector<int>& classes = fixed.classes;
    std::unordered_map<int, std::vector<IntSet>> needed;
    size_t axis = 0;
    for (size_t k = 0; k < scan.state.size(); ++k) {
      const std::vector<IntSet> region = NeededRegion(stage, static_cast<int64_t>(k));
      for (size_t d = 1; d < region.size(); ++d) {
        // A state that is not read needs no part of the others.
        if (!region[d].nothing) needed[classes[axis]].push_back(region[d]);
        ++axis;
      }
    }
    std::unordered_map<int, Range> narrowed;
    for (size_t i = 0; i < scan.spatial_axis.size(); ++i) {
      const IterVar& spatial = scan.spatial_axis[i];
      const std::vector<IntSet>& sets = needed[classes[i]];
      if (classes[i] < 0 || sets.empty()) continue;
      const Range range = Needed(stage, Union(sets, &analyzer_), spatial->domain, false);
      if (range.same_as(spatial->domain)) continue;
      SetRange(spatial, range);
      narrowed[classes[i]] = bounds_[spatial];
    }
    if (narrowed.empty()) return;
    for (const Ref<Stage>& part : schedule_->stages) {
      const auto* compute = ir::As<ComputeOp>(part->op);
      auto it = fixed.body.find(part->op.get());
      if (compute == nullptr || it == fixed.body.end()) continue;
      for (size_t d = 0; d < it->second.size(); ++d) {
        auto range = narrowed.find(it->second[d]);
        if (range != narrowed.end()) bounds_.SetLimit(compute->axis[d], range->second);
      }
    }
  }

  // The region as a range. The result is the declared range if the region equals it, or if no
  // smaller range is known. `rows`: this is the first dimension, which is time inside a scan.
  Range Needed(const Stage& stage, const IntSet& set, const Range& declared, bool rows) {
    if (!set.is_bounded()) return declared;
    if (MayDivideByZero(set.min) || MayDivideByZero(set.max)) {
      if (rows && stage.scan != nullptr) RefuseAllRows(stage);
      return declared;
    }
    const Range range = ToRange(set, &analyzer_);
    if (!range) return declared;
    // Loops of a constant extent can be unrolled: a tile of 4 stays one, though min(2, n) is less.
    const bool is_const = ir::AsConstInt(range->extent) != nullptr,
               declared_is_const = ir::AsConstInt(declared->extent) != nullptr;
    if (is_const && !declared_is_const) return range;
    // At the root, all of a domain of 4 rather than m of it, which may be less.
    if (!is_const && declared_is_const && stage.attach == AttachKind::kRoot) return declared;
    const Expr declared_end = declared->min + declared->extent;
    const bool is_whole = analyzer_.CanProve(set.min <= declared->min) &&
                          analyzer_.CanProve(set.max + 1 >= declared_end);
    return is_whole ? declared : range;
  }

  // A stage inside a step of a scan must not read rows that do not exist yet; so it cannot be
  // computed whole to be safe (S49).
  [[noreturn]] static void RefuseAllRows(const Stage& stage) {
    throw Error(Diagnostic{
        .name = "schedule-scan-rows",
        .message = "stage `" + stage.op->name + "` within scan `" + stage.scan->op->name +
                   "`: which of its rows are needed divides by an extent that may be 0",
        .expected =
            "a stage that is attached outside of fused loops, or extents that are constants",
        .found = "a part of a fused loop whose inner extent is a variable",
        .help = "attach it to a loop that is not a part of a fused one, or do not fuse the axes"});
  }

  bool MayDivideByZero(const Expr& end) {
    if (Planted(PlantedBug::kEmptyFuseDivides)) return false;
    bool found = false;
    ir::PostOrder(end, [&](const ir::Node& node) {
      if (node.node_kind() != ir::NodeKind::kFloorDiv &&
          node.node_kind() != ir::NodeKind::kFloorMod)
        return;
      const Expr divisor = *ir::BinaryOperands(static_cast<const ir::ExprNode*>(&node)).b;
      if (ir::AsConstInt(divisor) != nullptr) return;
      found = found || !analyzer_.CanProve(divisor > ir::Const(0, divisor->dtype));
    });
    return found;
  }

  // For each dimension, the union of the needs of all readers, for all outputs (S46) or only for
  // `output`; empty if that output is not read.
  std::vector<IntSet> NeededRegion(const Stage& stage, int64_t output = -1) {
    const size_t rank = ir::OutputShape(*stage.op, std::max<int64_t>(output, 0)).size();
    std::vector<std::vector<IntSet>> parts(rank);
    const std::string scope = StorageScope(stage);
    std::unordered_set<const ir::Node*> fixed;
    for (const LoopRef& loop : AttachPath(stage)) {
      const std::string* tag = ThreadTag(*loop.stage, loop.leaf);
      if (tag == nullptr || !SharedAmong(scope, *tag) || Planted(PlantedBug::kSharedNotRelaxed))
        fixed.insert(loop.leaf.get());
    }
    for (Stage* reader : readers_.Of(stage.op, output)) {
      // What is read later, iterations together give.
      if (stage.kept_whole && !IsWithinLoopOf(stage, *reader)) continue;
      if (Planted(PlantedBug::kLastReaderOnly)) parts.assign(rank, {});
      AddReads(stage, *reader, fixed, output, parts);
    }
    if (const ScanOp* scan = ScanOfPart(stage)) AddScanPart(stage, *scan, fixed, parts);
    std::vector<IntSet> out;
    for (size_t d = 0; d < rank; ++d) {
      IntSet set = !parts[d].empty() ? Union(parts[d], &analyzer_)
                   : output < 0      ? IntSet::Everything()
                                     : IntSet::Nothing();
      out.push_back(std::move(set));
    }
    return out;
  }

  // The sets of all loop variables around a reader that are not fixed for the stage.
  //
  // Threads of the reader that are not around the stage are not fixed, even if each has its own
  // memory: in the loops, all of them run after the stage. Lowering later reduces a private buffer
  // to the part that one thread uses (lower/device/thread_axes.h, S45).
  DomMap LoopSets(const Stage& reader, const std::unordered_set<const ir::Node*>& fixed) {
    DomMap dom;
    // From outer to inner loops: an extent may depend on outer loops, which vary, too.
    auto add = [&](const IterVar& leaf) {
      if (fixed.count(leaf.get()) != 0) return;
      const Range range = ir::MakeRange(ir::Const(0, leaf->var->dtype), bounds_[leaf]->extent);
      IntSet set = IntSet::FromRange(range);
      if (!ir::FreeVars(range->extent).empty()) set = EvalSet(range, dom, &analyzer_);
      dom[leaf->var] = std::move(set);
    };
    const std::vector<LoopRef> path = AttachPath(reader);
    for (size_t i = path.size(); i-- > 0;) add(path[i].leaf);
    for (const IterVar& leaf : reader.leaf_axes) add(leaf);
    return dom;
  }

  void AddReads(const Stage& stage, const Stage& reader,
                const std::unordered_set<const ir::Node*>& fixed, int64_t output,
                std::vector<std::vector<IntSet>>& parts) {
    const auto* compute = ir::As<ComputeOp>(reader.op);
    const auto* call = ir::As<ir::TensorComputeOp>(reader.op);
    if (compute == nullptr && call == nullptr) {
      // A scan reads init and update as rows of its state (AddScanPart); other readers read the
      // whole tensor.
      if (ir::As<ScanOp>(reader.op) != nullptr && ScanOfPart(stage) == ir::As<ScanOp>(reader.op))
        return;
      for (std::vector<IntSet>& part : parts) part.push_back(IntSet::Everything());
      return;
    }
    // What a loop reads is only needed if the loop runs.
    Analyzer::Scope scope = LoopsAround(reader);
    for (const IterVar& leaf : reader.leaf_axes)
      analyzer_.Bind(leaf->var, LoopFact(reader, bounds_, leaf));
    DomMap loops = LoopSets(reader, fixed);
    DomMap own;  // the reader's leaves; fixed ones are single points
    for (const IterVar& leaf : reader.leaf_axes) {
      auto it = loops.find(leaf->var);
      if (it == loops.end()) own[leaf->var] = IntSet::Point(leaf->var);
    }
    // Here the value of a root axis has its own variable: the axis's variable is that of its loop,
    // which counts from 0.
    DomMap values;
    ir::VarMap to_values;
    const std::vector<IntSet> roots = RootSets(reader, bounds_, own, &analyzer_);
    for (size_t i = 0; i < roots.size(); ++i) {
      const ir::Var& axis = reader.root_axes[i]->var;
      const ir::Var value = ir::MakeVar(axis->name, axis->dtype);
      to_values[axis] = value;
      IntSet& set = values[value] = roots[i];
      // It may still depend on outer loops that vary: widen over those.
      if (!set.is_bounded()) continue;
      IntSet low = EvalSet(set.min, loops, &analyzer_);
      IntSet high = set.is_point() ? low : EvalSet(set.max, loops, &analyzer_);
      set = IntSet::Interval(low.min, high.max);
    }
    if (call != nullptr) return AddRegions(*call, to_values, stage.op, output, values, parts);
    for (const Expr& body : compute->body) {
      AddLoads(ir::Substitute(body, to_values), stage.op, output, values, parts);
      if (ir::As<ir::Reduce>(body) != nullptr) break;  // tuple members share their sources
    }
  }

  void AddRegions(const ir::TensorComputeOp& call, const ir::VarMap& to_values, const Op& op,
                  int64_t output, const DomMap& values, std::vector<std::vector<IntSet>>& parts) {
    size_t first = 0;
    for (const Tensor& input : call.inputs) {
      for (size_t d = 0; d < input->shape().size(); ++d) {
        if (!input->op.same_as(op) || (output >= 0 && input->value_index != output)) continue;
        const Range& range = call.input_regions[first + d];
        parts[d].push_back(EvalSet(ir::MakeRange(ir::Substitute(range->min, to_values),
                                                 ir::Substitute(range->extent, to_values)),
                                   values, &analyzer_));
      }
      first += input->shape().size();
    }
  }

  void AddLoads(const Expr& body, const Op& op, int64_t output, const DomMap& values,
                std::vector<std::vector<IntSet>>& parts) {
    ir::PostOrder(body, [&](const ir::Node& node) {
      const auto* load = ir::As<Load>(&node);
      const auto* tensor = load != nullptr ? ir::As<ir::TensorNode>(load->source) : nullptr;
      if (tensor == nullptr || !tensor->op.same_as(op)) return;
      if (output >= 0 && tensor->value_index != output) return;
      for (size_t d = 0; d < load->indices.size(); ++d)
        parts[d].push_back(PlacesOf(load->indices[d], values));
    });
  }

  // Where an index may point. An element of a tensor can be any number: where the stage is
  // computed, the tensor may not have its elements yet.
  IntSet PlacesOf(const Expr& index, const DomMap& values) {
    DomMap with_elements;
    const Expr plain = ir::Rewrite(index, [&](const Load& load) -> Expr {
      if (ir::As<ir::TensorNode>(load.source) == nullptr) return Expr();
      const ir::Var element = ir::MakeVar("element", load.dtype);
      if (with_elements.empty()) with_elements = values;
      with_elements[element] = IntSet::Everything();
      return element;
    });
    return EvalSet(plain, with_elements.empty() ? values : with_elements, &analyzer_);
  }

  // init gives the rows before the scan's range, update gives the row of the current step.
  void AddScanPart(const Stage& stage, const ScanOp& scan,
                   const std::unordered_set<const ir::Node*>& fixed,
                   std::vector<std::vector<IntSet>>& parts) {
    const Stage& scan_stage = *stage.attach_stage;
    auto add = [&](const Tensor& tensor, size_t first_axis, const IntSet& rows) {
      if (!tensor->op.same_as(stage.op)) return;
      parts[0].push_back(rows);
      for (size_t d = 1; d < parts.size(); ++d)
        parts[d].push_back(IntSet::FromRange(bounds_[scan.spatial_axis[first_axis + d - 1]]));
    };
    // The row of the current step, if the whole time loop is around the stage.
    const bool in_step =
        std::all_of(scan_stage.leaf_axes.begin(), scan_stage.leaf_axes.end(),
                    [&](const IterVar& leaf) { return fixed.count(leaf.get()) != 0; });
    const Expr row = Planted(PlantedBug::kScanRowFromZero)
                         ? Expr(scan_stage.leaf_axes.back()->var)
                         : AxisValues(scan_stage, bounds_).at(scan.scan_axis.get());
    size_t axis = 0;
    for (size_t k = 0; k < scan.state.size(); ++k) {
      const Tensor& init = scan.init[k];
      add(init, axis,
          IntSet::FromRange(
              ir::MakeRange(ir::Const(0, init->shape()[0]->dtype), init->shape()[0])));
      add(scan.update[k], axis,
          in_step ? IntSet::Point(analyzer_.Simplify(row)) : IntSet::Everything());
      axis += static_cast<size_t>(scan.state[k]->ndim()) - 1;
    }
  }

  // The ranges of all axes made of axes whose ranges are known.
  void DerivedRanges(const Stage& stage) {
    for (const Relation& relation : stage.relations) {
      if (relation.kind == Relation::kSplit) {
        if (bounds_.Has(relation.parent)) SplitRanges(stage, relation);
      } else if (relation.kind == Relation::kFuse) {
        if (!bounds_.Has(relation.outer) || !bounds_.Has(relation.inner)) continue;
        const DataType t = relation.fused->var->dtype;
        SetRange(
            relation.fused,
            ir::MakeRange(ir::Const(0, t), ir::MakeCast(t, bounds_[relation.outer]->extent) *
                                               ir::MakeCast(t, bounds_[relation.inner]->extent)));
      } else if (relation.kind == Relation::kRebase) {
        if (!bounds_.Has(relation.parent)) continue;
        const Expr& extent = bounds_[relation.parent]->extent;
        SetRange(relation.inner, ir::MakeRange(ir::Const(0, extent->dtype), extent));
      } else {
        SetRange(relation.fused, ir::MakeRange(ir::Int(0), ir::Int(1)));
      }
    }
  }

  // The given part, reduced to the parent's extent if that is a smaller constant (S5).
  Expr Tightened(const Stage& stage, const IterVar& part, const Expr& given,
                 const Expr& parent_extent) {
    const int64_t* extent = ir::AsConstInt(parent_extent);
    const int64_t* wanted = ir::AsConstInt(given);
    if (extent == nullptr || wanted == nullptr || *wanted <= *extent) return given;
    if (*extent <= 0 && !Planted(PlantedBug::kEmptyParentTightens)) return given;
    // A thread axis keeps its extent, because other stages share it.
    for (const IterVar& leaf : stage.leaf_axes) {
      if (ThreadTag(stage, leaf) != nullptr && DerivesFrom(stage, leaf, part)) return given;
    }
    return parent_extent;
  }

  static bool DerivesFrom(const Stage& stage, const IterVar& leaf, const IterVar& part) {
    std::unordered_set<const ir::Node*> derived{part.get()};
    for (const Relation& relation : stage.relations) {
      if (relation.kind == Relation::kSplit && derived.count(relation.parent.get()) != 0) {
        derived.insert(relation.outer.get());
        derived.insert(relation.inner.get());
      } else if (relation.kind == Relation::kRebase && derived.count(relation.parent.get()) != 0) {
        derived.insert(relation.inner.get());
      } else if (relation.kind == Relation::kFuse && (derived.count(relation.outer.get()) != 0 ||
                                                      derived.count(relation.inner.get()) != 0)) {
        derived.insert(relation.fused.get());
      }
    }
    return derived.count(leaf.get()) != 0;
  }

  void SplitRanges(const Stage& stage, const Relation& relation) {
    const Expr extent = bounds_[relation.parent]->extent;
    const Expr zero = ir::Const(0, extent->dtype);
    Expr outer, inner;
    if (relation.factor) {
      inner = Tightened(stage, relation.inner, relation.factor, extent);
      outer = ir::CeilDivide(extent, inner);
    } else {
      outer = Tightened(stage, relation.outer, relation.nparts, extent);
      inner = ir::CeilDivide(extent, outer);
    }
    SetRange(relation.outer, ir::MakeRange(zero, outer));
    SetRange(relation.inner, ir::MakeRange(zero, inner));
  }

  // A thread axis with its own extent must be at least as long as the loop.
  void UseThreadExtent(const Stage& stage, const IterVar& leaf) {
    const LeafAttr* attr = stage.FindAttr(leaf);
    if (ThreadTag(stage, leaf) == nullptr || !attr->thread->domain) return;
    const Expr extent = ir::MakeCast(leaf->var->dtype, attr->thread->domain->extent);
    if (analyzer_.CanProve(bounds_[leaf]->extent <= extent)) return;
    throw Error(Diagnostic{
        .name = "schedule-bind-extent",
        .message = "loop `" + leaf->var->name + "` of stage `" + stage.name + "` is bound to `" +
                   attr->thread->thread_tag + "`, which is too narrow for it",
        .expected = "a loop of at most the thread axis's extent",
        .found = "a loop that cannot be proved to fit",
        .help = "split the loop by the thread axis's extent and bind the inner part"});
  }

  const Schedule& schedule_;
  const Readers readers_;
  Bounds bounds_;
  Analyzer analyzer_;
};

}  // namespace

std::vector<Range> ComputedRegion(const Stage& stage, const Bounds& bounds, int64_t output) {
  std::vector<Range> region;
  auto add = [&](const std::vector<IterVar>& axes) {
    for (const IterVar& axis : axes) region.push_back(bounds[axis]);
  };
  if (const auto* compute = ir::As<ComputeOp>(stage.op)) {
    add(compute->axis);
  } else if (const auto* tensorized = ir::As<ir::TensorComputeOp>(stage.op)) {
    add(tensorized->axis);
  } else {
    for (const Expr& extent : ir::OutputShape(*stage.op, output))
      region.push_back(ir::MakeRange(ir::Const(0, extent->dtype), extent));
    if (const auto* scan = ir::As<ScanOp>(stage.op)) {
      size_t first = 0;
      for (int64_t k = 0; k < output; ++k)
        first += static_cast<size_t>(scan->state[static_cast<size_t>(k)]->ndim()) - 1;
      for (size_t d = 1; d < region.size(); ++d)
        region[d] = bounds[scan->spatial_axis[first + d - 1]];
    }
  }
  return region;
}

std::string StorageScope(const Stage& stage) {
  if (!stage.scope.empty()) return stage.scope;
  // The first rows and the further rows are in the scan's memory.
  if (IsScanInit(stage) || IsScanUpdate(stage)) return StorageScope(*stage.attach_stage);
  int rank = -1;
  for (const std::string& tag : TagsAround(stage)) rank = std::max(rank, ir::ThreadRank(tag));
  return rank < 0    ? ir::memory_scope::kGlobal
         : rank == 0 ? ir::memory_scope::kShared
                     : ir::memory_scope::kLocal;
}

Bounds InferBounds(const Schedule& schedule) { return Inference(schedule).Run(); }

}  // namespace lathe::schedule
