#include "schedule/axis_values.h"

#include <algorithm>

#include "base/error.h"
#include "base/planted.h"

namespace lathe::schedule {

using arith::IntSet;

AxisMap AxisValues(const Stage& stage, const Bounds& bounds) {
  AxisMap values;
  for (const IterVar& leaf : stage.leaf_axes) values[leaf.get()] = leaf->var;
  for (size_t i = stage.relations.size(); i-- > 0;) {
    const Relation& relation = stage.relations[i];
    if (relation.kind != Relation::kSingleton && !bounds.Has(relation.inner)) continue;
    if (relation.kind == Relation::kSplit) {
      const Expr& inner_extent = bounds[relation.inner]->extent;
      const Expr outer = values.at(relation.outer.get()), inner = values.at(relation.inner.get());
      values[relation.parent.get()] =
          ir::MakeCast(relation.parent->var->dtype, outer * inner_extent + inner);
    } else if (relation.kind == Relation::kFuse) {
      const Expr fused = values.at(relation.fused.get());
      const Expr extent = ir::MakeCast(fused->dtype, bounds[relation.inner]->extent);
      values[relation.outer.get()] =
          ir::MakeCast(relation.outer->var->dtype, ir::FloorDivide(fused, extent));
      values[relation.inner.get()] =
          ir::MakeCast(relation.inner->var->dtype, ir::FloorModulo(fused, extent));
    } else if (relation.kind == Relation::kRebase) {
      values[relation.parent.get()] = values.at(relation.inner.get());
    }
  }
  for (const IterVar& root : stage.root_axes) {
    auto it = values.find(root.get());
    if (it != values.end() && bounds.Has(root) && !Planted(PlantedBug::kRebaseForgotten))
      it->second = it->second + bounds[root]->min;
  }
  return values;
}

Range LoopFact(const Stage& stage, const Bounds& bounds, const IterVar& leaf) {
  Expr extent = bounds[leaf]->extent;
  const bool depends =
      std::any_of(stage.leaf_axes.begin(), stage.leaf_axes.end(),
                  [&](const IterVar& other) { return ir::UsesVar(extent, other->var); });
  if (depends && !Planted(PlantedBug::kDependentLoopRuns))
    extent = ir::MakeMax(extent, ir::Const(1, extent->dtype));
  return ir::MakeRange(ir::Const(0, leaf->var->dtype), extent);
}

std::vector<IntSet> RootSets(const Stage& stage, const Bounds& bounds, const arith::DomMap& leaves,
                             arith::Analyzer* analyzer) {
  // The sets of all axes, counted from 0, computed from the leaves upwards. A set that equals an
  // axis's whole range is recognised, so that whole ranges need no arithmetic.
  std::unordered_map<const ir::Node*, IntSet> sets;
  auto whole = [&](const IterVar& axis) {
    return IntSet::FromRange(ir::MakeRange(ir::Const(0, axis->var->dtype), bounds[axis]->extent));
  };
  std::unordered_map<const ir::Node*, bool> is_whole;
  for (const IterVar& leaf : stage.leaf_axes) {
    auto it = leaves.find(leaf->var);
    sets[leaf.get()] = it == leaves.end() ? whole(leaf) : it->second;
    is_whole[leaf.get()] = it == leaves.end();
  }
  for (size_t i = stage.relations.size(); i-- > 0;) {
    const Relation& relation = stage.relations[i];
    if (relation.kind == Relation::kSplit) {
      const ir::Node* parent = relation.parent.get();
      if (is_whole.at(relation.outer.get()) && is_whole.at(relation.inner.get())) {
        sets[parent] = whole(relation.parent);
        is_whole[parent] = true;
        continue;
      }
      const Expr value = ir::MakeCast(
          relation.parent->var->dtype,
          Expr(relation.outer->var) * bounds[relation.inner]->extent + Expr(relation.inner->var));
      arith::DomMap dom = {{relation.outer->var, sets.at(relation.outer.get())},
                           {relation.inner->var, sets.at(relation.inner.get())}};
      sets[parent] = EvalSet(value, dom, analyzer);
      is_whole[parent] = false;
    } else if (relation.kind == Relation::kFuse) {
      const bool all = is_whole.at(relation.fused.get());
      const Expr fused = relation.fused->var;
      Expr extent = ir::MakeCast(fused->dtype, bounds[relation.inner]->extent);
      // Regions are also computed for loops that may not run, so an extent of 0 must not be a
      // divisor (S50).
      if (!analyzer->CanProve(extent > ir::Const(0, extent->dtype)) &&
          !Planted(PlantedBug::kEmptyFuseDivides))
        extent = ir::MakeMax(extent, ir::Const(1, extent->dtype));
      arith::DomMap dom = {{relation.fused->var, sets.at(relation.fused.get())}};
      auto derive = [&](const IterVar& axis, const Expr& value) {
        IntSet set =
            all ? whole(axis) : EvalSet(ir::MakeCast(axis->var->dtype, value), dom, analyzer);
        if (Planted(PlantedBug::kWrapForgotten) && !all && !set.is_point() &&
            axis.same_as(relation.inner)) {
          const IntSet& whole_set = sets.at(relation.fused.get());
          set = IntSet::Interval(ir::FloorModulo(whole_set.min, extent),
                                 ir::FloorModulo(whole_set.max, extent));
        }
        // floormod of an interval that may wrap gives the whole axis (S7), never more.
        if (!set.is_bounded()) set = whole(axis);
        sets[axis.get()] = std::move(set);
        is_whole[axis.get()] = all;
      };
      // An outer loop of one iteration needs no division: guards exclude iterations past the end.
      const bool once = ir::IsConstInt(bounds[relation.outer]->extent, 1);
      derive(relation.outer, once ? ir::Const(0, fused->dtype) : ir::FloorDivide(fused, extent));
      derive(relation.inner, once ? fused : ir::FloorModulo(fused, extent));
    } else if (relation.kind == Relation::kRebase) {
      sets[relation.parent.get()] = sets.at(relation.inner.get());
      is_whole[relation.parent.get()] = is_whole.at(relation.inner.get());
    }
  }
  std::vector<IntSet> roots;
  for (const IterVar& root : stage.root_axes) {
    auto it = sets.find(root.get());
    IntSet set = it == sets.end() ? whole(root) : it->second;
    if (!set.is_bounded()) set = whole(root);
    const Expr& min = bounds[root]->min;
    const bool point = set.is_point();
    Expr low = analyzer->Simplify(set.min + min);
    Expr high = point ? low : analyzer->Simplify(set.max + min);
    roots.push_back(IntSet::Interval(std::move(low), std::move(high)));
  }
  return roots;
}

static bool IsFused(const Stage& stage, const IterVar& axis) {
  for (const Relation& relation : stage.relations) {
    if (relation.kind == Relation::kFuse && relation.fused.same_as(axis)) return true;
  }
  return false;
}

std::vector<Guard> BoundGuards(const Stage& stage, const Bounds& bounds, const AxisMap& values,
                               arith::Analyzer* analyzer) {
  std::vector<Guard> guards;
  auto require = [&](const Expr& condition, const IterVar& axis, Guard::Cause cause) {
    if (analyzer->CanProve(condition)) return;
    const Expr simple = analyzer->Simplify(condition);
    guards.push_back({Planted(PlantedBug::kGuardUnlikely) ? simple : ir::Likely(simple),
                      axis->iter_kind == ir::IterKind::kReduce, cause, axis});
  };
  for (const Relation& relation : stage.relations) {
    if (relation.kind != Relation::kSplit) continue;
    // Each split is guarded on its own parent (S1). If fuse made the parent, the guard also
    // restricts the fused axes.
    const Expr& extent = bounds[relation.parent]->extent;
    const Expr covered = bounds[relation.outer]->extent * bounds[relation.inner]->extent;
    if (analyzer->CanProveEqual(covered, extent)) continue;
    if (Planted(PlantedBug::kSplitUnguarded)) continue;
    if (Planted(PlantedBug::kFusedSplitUnguarded) && IsFused(stage, relation.parent)) continue;
    Expr value = ir::MakeCast(relation.parent->var->dtype,
                              values.at(relation.outer.get()) * bounds[relation.inner]->extent +
                                  values.at(relation.inner.get()));
    require(Planted(PlantedBug::kSplitGuardOneMore) ? value <= extent : value < extent,
            relation.parent, Guard::Cause::kSplit);
  }
  // A thread axis that is wider than the loop bound to it.
  for (const IterVar& leaf : stage.leaf_axes) {
    const LeafAttr* attr = stage.FindAttr(leaf);
    if (ThreadTag(stage, leaf) == nullptr || !attr->thread->domain) continue;
    const Expr thread_extent = ir::MakeCast(leaf->var->dtype, attr->thread->domain->extent);
    if (!analyzer->CanProve(thread_extent <= bounds[leaf]->extent))
      require(Expr(leaf->var) < bounds[leaf]->extent, leaf, Guard::Cause::kThread);
  }
  for (const IterVar& root : stage.root_axes) {
    if (!root->domain || root->iter_kind != ir::IterKind::kData) continue;
    const Range& needed = bounds[root];
    const Expr value = values.at(root.get());
    if (const Range* limit = bounds.Limit(root)) {
      require(value >= (*limit)->min, root, Guard::Cause::kDomain);
      require(value < (*limit)->min + (*limit)->extent, root, Guard::Cause::kDomain);
    }
    if (needed.same_as(root->domain)) continue;
    const Expr begin = root->domain->min, end = root->domain->min + root->domain->extent;
    if (!analyzer->CanProve(needed->min >= begin) && !Planted(PlantedBug::kBelowDomainUnguarded))
      require(value >= begin, root, Guard::Cause::kDomain);
    if (!analyzer->CanProve(needed->min + needed->extent <= end) &&
        !Planted(PlantedBug::kAboveDomainUnguarded))
      require(value < end, root, Guard::Cause::kDomain);
  }
  // A state may turn out to have fewer rows than its init.
  if (IsScanInit(stage)) {
    const auto& scan = static_cast<const ir::ScanOp&>(*stage.scan->op);
    const IterVar& row = stage.root_axes[0];
    for (size_t k = 0; k < scan.init.size(); ++k) {
      if (scan.init[k]->op.same_as(stage.op))
        require(values.at(row.get()) < scan.state[k]->shape()[0], row, Guard::Cause::kDomain);
    }
  }
  return guards;
}

}  // namespace lathe::schedule
