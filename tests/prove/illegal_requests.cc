#include "tests/prove/illegal_requests.h"

#include <algorithm>

#include "schedule/bounds.h"
#include "schedule/normalize.h"
#include "schedule/primitives/primitives.h"
#include "te/operation.h"
#include "tests/prove/intrin_maker.h"

namespace lathe::prove {
namespace {

using ir::IterKind;
using ir::IterVar;
using schedule::ForKind;
using schedule::Schedule;
using schedule::Stage;

bool IsPlain(const Stage& stage, const IterVar& leaf) {
  const schedule::LeafAttr* attr = stage.FindAttr(leaf);
  return attr == nullptr || (attr->kind == ForKind::kSerial && !attr->intrin &&
                             attr->annotations.empty() && attr->prefetches.empty());
}
bool IsOutput(const Stage& stage) { return stage.is_output; }
// The stage is in no group and no scan; those have rules of their own.
bool IsFree(const Stage& stage) {
  return !stage.is_output && !stage.is_placeholder() && stage.group == nullptr &&
         stage.scan == nullptr && stage.attach != schedule::AttachKind::kScan &&
         ir::As<ir::ScanOp>(stage.op) == nullptr;
}

std::vector<Stage*> ReadersOf(const Schedule& schedule, const Stage& stage) {
  std::vector<Stage*> readers;
  for (const Ref<Stage>& other : schedule->stages) {
    for (const ir::Tensor& input : ir::InputsOf(*other->op)) {
      if (input->op.same_as(stage.op)) {
        readers.push_back(other.get());
        break;
      }
    }
  }
  return readers;
}

void ReductionInParallel(Asking& ask) {
  const auto [stage, leaf] = ask.AnyLeaf([](const Stage& s, const IterVar& l) {
    return l->iter_kind == IterKind::kReduce && IsPlain(s, l);
  });
  if (ask.random.Chance(33))
    schedule::Vectorize(*stage, leaf);
  else if (ask.random.Chance(50))
    schedule::Parallel(*stage, leaf);
  else
    schedule::Bind(*stage, leaf, schedule::ThreadAxis("blockIdx.x"));
}

void InlineOutput(Asking& ask) { schedule::ComputeInline(ask.AnyStage(IsOutput)); }

void InlineReduction(Asking& ask) {
  schedule::ComputeInline(
      ask.AnyStage([](const Stage& stage) { return stage.has_reduction() && !stage.is_output; }));
}

void InlinePairOrInput(Asking& ask) {
  schedule::ComputeInline(ask.AnyStage(
      [](const Stage& stage) { return stage.is_placeholder() || ir::NumOutputs(*stage.op) > 1; }));
}

void AttachOutput(Asking& ask) {
  Stage& stage = ask.AnyStage(
      [&](const Stage& s) { return s.is_output && ReadersOf(ask.schedule, s).empty(); });
  const auto [parent, leaf] =
      ask.AnyLeaf([&](const Stage& s, const IterVar&) { return &s != &stage; });
  schedule::ComputeAt(stage, *parent, leaf);
}

void AttachToItself(Asking& ask) {
  const auto [stage, leaf] = ask.AnyLeaf(
      [](const Stage& s, const IterVar&) { return !s.is_output && !s.is_placeholder(); });
  schedule::ComputeAt(*stage, *stage, leaf);
}

// Attaches to a loop of a stage that is neither a reader nor around one.
void AttachElsewhere(Asking& ask) {
  Stage& stage = ask.AnyStage([&](const Stage& s) {
    return IsFree(s) && s.attach != schedule::AttachKind::kInline &&
           !ReadersOf(ask.schedule, s).empty();
  });
  const std::vector<Stage*> readers = ReadersOf(ask.schedule, stage);
  const auto [parent, leaf] = ask.AnyLeaf([&](const Stage& s, const IterVar&) {
    if (&s == &stage || !(IsFree(s) || s.is_output)) return false;
    // All readers lie outside the loops of `s`. They must not be a group's, because these may lie
    // within the loops.
    return std::all_of(readers.begin(), readers.end(), [&](const Stage* reader) {
      return reader != &s && reader->attach == schedule::AttachKind::kRoot &&
             reader->group == nullptr;
    });
  });
  schedule::ComputeAt(stage, *parent, leaf);
}

void AttachInCircle(Asking& ask) {
  auto suits = [](const Stage& s) {
    return IsFree(s) && !s.leaf_axes.empty() && s.attach == schedule::AttachKind::kRoot;
  };
  Stage& a = ask.AnyStage(suits);
  Stage& b = ask.AnyStage([&](const Stage& s) { return suits(s) && &s != &a; });
  schedule::ComputeAt(a, b, ask.random.Pick(b.leaf_axes));
  schedule::ComputeAt(b, a, ask.random.Pick(a.leaf_axes));
}

void ForeignStage(Asking& ask) {
  const Schedule other = schedule::CopySchedule(ask.schedule);
  Stage& stage = ask.AnyStage([](const Stage& s) { return !s.is_output && !s.is_placeholder(); });
  for (const Ref<Stage>& parent : other->stages) {
    if (parent->leaf_axes.empty() || parent->name == stage.name ||
        !(IsFree(*parent) || parent->is_output))
      continue;
    schedule::ComputeAt(stage, *parent, parent->leaf_axes[0]);
    return;
  }
  throw DoesNotApply();
}

void ForeignOperation(Asking& ask) {
  const ir::Tensor other = te::Placeholder({ir::Int(3)}, DataType::Int(32), "stranger");
  schedule::ComputeInline(ask.schedule[other]);
}

void FuseApart(Asking& ask) {
  Stage& stage = ask.AnyStage([](const Stage& s) {
    return s.leaf_axes.size() > 1 && IsPlain(s, s.leaf_axes.front()) &&
           IsPlain(s, s.leaf_axes.back());
  });
  // Inner before outer, or not adjacent.
  schedule::Fuse(stage, {stage.leaf_axes.back(), stage.leaf_axes.front()});
}

void FuseKinds(Asking& ask) {
  for (const Ref<Stage>& stage : ask.schedule->stages) {
    for (size_t i = 0; i + 1 < stage->leaf_axes.size(); ++i) {
      const IterVar outer = stage->leaf_axes[i], inner = stage->leaf_axes[i + 1];
      if (outer->iter_kind == inner->iter_kind || !IsPlain(*stage, outer) ||
          !IsPlain(*stage, inner))
        continue;
      schedule::Fuse(*stage, {outer, inner});
      return;
    }
  }
  throw DoesNotApply();
}

void SplitNoLeaf(Asking& ask) {
  Stage& stage = ask.AnyStage([](const Stage& s) { return !s.relations.empty(); });
  for (const schedule::Relation& relation : stage.relations) {
    const bool split = relation.kind == schedule::Relation::kSplit;
    if (!split && relation.kind != schedule::Relation::kFuse) continue;
    schedule::Split(stage, split ? relation.parent : relation.outer, 2);
    return;
  }
  throw DoesNotApply();
}

void SplitByNothing(Asking& ask) {
  const auto [stage, leaf] = ask.AnyLeaf(IsPlain);
  const int64_t factor = ask.random.Pick<int64_t>({0, -1, -8});
  if (ask.random.Chance(50))
    schedule::Split(*stage, leaf, factor);
  else
    schedule::SplitParts(*stage, leaf, factor);
}

void ChangeAnnotated(Asking& ask) {
  const auto [stage, leaf] = ask.AnyLeaf([](const Stage& s, const IterVar& l) {
    const schedule::LeafAttr* attr = s.FindAttr(l);
    return attr != nullptr && (attr->kind != ForKind::kSerial || attr->intrin);
  });
  switch (ask.random.Below(3)) {
    case 0:
      schedule::Split(*stage, leaf, 2);
      break;
    case 1:  // The same annotation once more is accepted.
      if (stage->FindAttr(leaf)->kind == ForKind::kUnrolled) {
        schedule::Parallel(*stage, leaf);
      } else {
        schedule::Unroll(*stage, leaf);
      }
      break;
    default:
      schedule::Bind(*stage, leaf, schedule::ThreadAxis("threadIdx.x"));
      break;
  }
}

void ReorderTwice(Asking& ask) {
  const auto [stage, leaf] = ask.AnyLeaf([](const Stage&, const IterVar&) { return true; });
  schedule::Reorder(*stage, {leaf, leaf});
}

void CacheForNoReader(Asking& ask) {
  Stage& stage = ask.AnyStage([](const Stage&) { return true; });
  const std::vector<Stage*> readers = ReadersOf(ask.schedule, stage);
  Stage& other = ask.AnyStage([&](const Stage& s) {
    return std::find(readers.begin(), readers.end(), &s) == readers.end();
  });
  schedule::CacheRead(ask.schedule, ir::OutputOf(stage.op, 0), "global", {other.op});
}

void CacheScheduled(Asking& ask) {
  Stage& stage = ask.AnyStage([](const Stage& s) {
    return !s.relations.empty() && ir::As<ir::ComputeOp>(s.op) != nullptr;
  });
  schedule::CacheWrite(ask.schedule, ir::OutputOf(stage.op, 0), "global");
}

void VectorOfUnknownLength(Asking& ask) {
  const auto [stage, leaf] = ask.AnyLeaf([](const Stage& s, const IterVar& l) {
    return l->iter_kind == IterKind::kData && IsPlain(s, l) && s.is_output && l->domain &&
           ir::AsConstInt(l->domain->extent) == nullptr;
  });
  schedule::Vectorize(*stage, leaf);
}

void UnrollOfUnknownLength(Asking& ask) {
  const auto [stage, leaf] = ask.AnyLeaf([](const Stage& s, const IterVar& l) {
    return l->iter_kind == IterKind::kData && IsPlain(s, l) && s.is_output && l->domain &&
           ir::AsConstInt(l->domain->extent) == nullptr;
  });
  schedule::Unroll(*stage, leaf);
}

void RFactorOfData(Asking& ask) {
  const auto [stage, leaf] = ask.AnyLeaf([](const Stage& s, const IterVar& l) {
    return l->iter_kind == IterKind::kData && IsPlain(s, l) &&
           ir::As<ir::ComputeOp>(s.op) != nullptr;
  });
  schedule::RFactor(ask.schedule, ir::OutputOf(stage->op, 0), leaf, 0);
}

void RFactorNowhere(Asking& ask) {
  const auto [stage, leaf] = ask.AnyLeaf([](const Stage& s, const IterVar& l) {
    return l->iter_kind == IterKind::kReduce && IsPlain(s, l);
  });
  schedule::RFactor(ask.schedule, ir::OutputOf(stage->op, 0), leaf, 17);
}

void ScopeOfOutput(Asking& ask) { schedule::SetScope(ask.AnyStage(IsOutput), "shared"); }

// A reduction over threads with a data loop within it (S16).
void DataWithinThreads(Asking& ask) {
  Stage& stage = ask.AnyStage([](const Stage& s) {
    if (!s.has_reduction() || !s.is_output) return false;
    bool data = false, reduce = false;
    for (const IterVar& leaf : s.leaf_axes) {
      if (!IsPlain(s, leaf)) return false;
      data = data || leaf->iter_kind == IterKind::kData;
      reduce = reduce || leaf->iter_kind == IterKind::kReduce;
    }
    const auto& reduction = static_cast<const ir::ComputeOp&>(*s.op);
    return data && reduce && static_cast<const ir::Reduce&>(*reduction.body[0]).init.empty();
  });
  std::vector<IterVar> order;
  for (const bool data : {false, true}) {
    for (const IterVar& leaf : stage.leaf_axes) {
      if ((leaf->iter_kind == IterKind::kData) == data) order.push_back(leaf);
    }
  }
  schedule::Reorder(stage, order);
  schedule::Bind(stage, order[0], schedule::ThreadAxis("threadIdx.x"));
}

void DoubleBufferOfOutput(Asking& ask) { schedule::DoubleBuffer(ask.AnyStage(IsOutput)); }

// An intrinsic for blocks whose size does not divide the loop's extent (S20).
void TensorizeTail(Asking& ask) {
  const auto [stage, leaf] = ask.AnyLeaf([](const Stage& s, const IterVar& l) {
    if (ir::As<ir::ComputeOp>(s.op) == nullptr || !s.relations.empty() || s.store_predicate ||
        s.rolling || s.attach != schedule::AttachKind::kRoot || s.group != nullptr || !l->domain)
      return false;
    for (const IterVar& other : s.leaf_axes) {
      const int64_t* extent = ir::AsConstInt(other->domain->extent);
      if (!IsPlain(s, other) || extent == nullptr || *extent == 0) return false;
    }
    return *ir::AsConstInt(l->domain->extent) > 2;
  });
  // The loop covers what is read. If the stage is no output, that may be a part, which blocks may
  // divide.
  const schedule::Bounds bounds = schedule::InferBounds(schedule::Normalize(ask.schedule));
  const int64_t* needed = bounds.Has(leaf) ? ir::AsConstInt(bounds[leaf]->extent) : nullptr;
  const int64_t extent = *ir::AsConstInt(leaf->domain->extent);
  if (needed == nullptr || *needed != extent) throw DoesNotApply();
  int64_t count = 2 + static_cast<int64_t>(ask.random.Below(static_cast<size_t>(extent) - 2));
  if (extent % count == 0) ++count;
  if (extent % count == 0 || count >= extent) throw DoesNotApply();
  for (const Ref<Stage>& part : ask.schedule->stages) {
    if (part->attach_stage == stage) throw DoesNotApply();
  }
  const te::TensorIntrin intrin =
      MakeIntrin(static_cast<const ir::ComputeOp&>(*stage->op), leaf, count, "tail");
  if (!intrin) throw DoesNotApply();
  const auto [outer, inner] = schedule::Split(*stage, leaf, count);
  std::vector<IterVar> order = stage->leaf_axes;
  std::erase_if(order, [&, &in = inner](const IterVar& one) { return one.same_as(in); });
  order.push_back(inner);
  schedule::Reorder(*stage, order);
  schedule::Tensorize(*stage, inner, intrin);
}

}  // namespace

const std::vector<IllegalKind>& IllegalRequests() {
  static const auto* kinds = new std::vector<IllegalKind>{
      {"reduction in parallel", ReductionInParallel, {"schedule-annotate-reduction"}},
      {"inline an output", InlineOutput, {"schedule-inline-refused"}},
      {"inline a reduction", InlineReduction, {"schedule-inline-refused"}},
      {"inline a pair or an input", InlinePairOrInput, {"schedule-inline-refused"}},
      {"attach an output", AttachOutput, {"schedule-attach-output"}},
      {"attach to itself", AttachToItself, {"schedule-attach-self"}},
      {"attach elsewhere",
       AttachElsewhere,
       {"schedule-illegal-attach", "schedule-attach-cycle", "schedule-attach-uncovered",
        "schedule-attach-kept"}},
      {"attach in a circle", AttachInCircle, {"schedule-attach-cycle", "schedule-illegal-attach"}},
      {"stage of another schedule",
       ForeignStage,
       {"schedule-foreign-axis", "schedule-attach-scan-part"}},
      {"operation of no schedule", ForeignOperation, {"schedule-unknown-operation"}},
      {"fuse apart", FuseApart, {"schedule-fuse-not-adjacent"}},
      {"fuse data with reduction", FuseKinds, {"schedule-fuse-kinds"}},
      {"split what is no leaf", SplitNoLeaf, {"schedule-not-a-leaf"}},
      {"split by nothing", SplitByNothing, {"schedule-bad-factor"}},
      {"change an annotated loop", ChangeAnnotated, {"schedule-axis-annotated"}},
      {"reorder one loop twice", ReorderTwice, {"schedule-duplicate-axis"}},
      {"cache for no reader", CacheForNoReader, {"schedule-cache-no-reader"}},
      {"cache a scheduled stage", CacheScheduled, {"schedule-cache-write-refused"}},
      // The loops change places, and stages may be attached to them.
      {"data within threads",
       DataWithinThreads,
       {"schedule-allreduce-order", "schedule-illegal-attach", "schedule-dependent-order"}},
      {"rfactor of a data axis", RFactorOfData, {"schedule-rfactor-not-a-reduction"}},
      {"rfactor to nowhere", RFactorNowhere, {"schedule-rfactor-position"}},
      {"scope of an output", ScopeOfOutput, {"schedule-scope-refused"}},
      {"double buffer of an output",
       DoubleBufferOfOutput,
       {"schedule-double-buffer-refused"},
       false,
       true},
      {"tensorize a tail", TensorizeTail, {"schedule-tensorize-illegal"}},
      {"vector of unknown length", VectorOfUnknownLength, {"schedule-vectorize-extent"}, true},
      {"unroll unknown length", UnrollOfUnknownLength, {"unroll-extent"}, true},
  };
  return *kinds;
}

}  // namespace lathe::prove
