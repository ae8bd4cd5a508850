// Steps that make sense together: for example, a stage is attached before it rolls, is
// double-buffered or pipelined.
#include <algorithm>

#include "lower/pipeline.h"
#include "schedule/loop_nest.h"
#include "schedule/primitives/primitives.h"
#include "tests/prove/scheduler.h"

namespace lathe::prove {

using ir::Expr;
using ir::IterVar;
using schedule::Stage;

namespace {

bool IsPart(const Stage& stage) {
  return schedule::IsScanInit(stage) || schedule::IsScanUpdate(stage);
}

bool IsInnerCompute(const Stage& stage) {
  return ir::As<ir::ComputeOp>(stage.op) != nullptr && !stage.is_output && !IsPart(stage);
}

bool IsPlain(const Stage& stage, const IterVar& leaf) {
  const schedule::LeafAttr* attr = stage.FindAttr(leaf);
  return attr == nullptr || (attr->kind == ir::ForKind::kSerial && !attr->intrin);
}

}  // namespace

bool Scheduler::Try(Recipe recipe) {
  const schedule::Schedule before = schedule::CopySchedule(schedule_);
  for (int attempt = 0; attempt < 3; ++attempt) {
    std::string refused;
    try {
      (this->*recipe)();
      // The order does not matter, because nothing is called.
      std::vector<ir::NodeRef> args;
      for (const Ref<Stage>& stage : schedule_->stages) {
        for (int64_t k = 0; k < ir::NumOutputs(*stage->op); ++k) {
          if (stage->is_placeholder() || stage->is_output)
            args.push_back(ir::OutputOf(stage->op, k));
        }
      }
      const ir::Func func = schedule::LowerSchedule(schedule_, args, "f");
      lower::RunPasses(ir::MakeModule({func}), lower::TilePasses(), {});
      return true;
    } catch (const Error& e) {
      refused = e.name();
    }
    ++counts_->refused[refused];
    schedule_ = schedule::CopySchedule(before);
  }
  return false;
}

Scheduler::Attached Scheduler::AttachSome(const Stage* only) {
  std::vector<Attached> found;
  for (const Ref<Stage>& stage : schedule_->stages) {
    if (!IsInnerCompute(*stage) || (only != nullptr && stage.get() != only)) continue;
    const std::vector<Stage*> readers = Readers(*stage);
    if (readers.size() != 1 || ir::As<ir::ComputeOp>(readers[0]->op) == nullptr) continue;
    for (const IterVar& leaf : readers[0]->leaf_axes) {
      if (IsPlain(*readers[0], leaf)) found.push_back({stage.get(), readers[0], leaf});
    }
  }
  if (found.empty()) throw NothingToDo();
  const Attached chosen = random_.Pick(found);
  schedule::ComputeAt(*chosen.stage, *chosen.reader, chosen.leaf);
  Count("compute_at");
  return chosen;
}

// The region that the attached stage reads is computed with a division by the inner loop's extent,
// also if that extent is 0 (S50).
void Scheduler::UnderFused() {
  struct Place {
    Stage *stage, *reader;
    size_t at;
  };
  std::vector<Place> found, symbolic;
  for (const Ref<Stage>& stage : schedule_->stages) {
    if (!IsInnerCompute(*stage)) continue;
    const std::vector<Stage*> readers = Readers(*stage);
    if (readers.size() != 1 || ir::As<ir::ComputeOp>(readers[0]->op) == nullptr) continue;
    bool chain = false;
    for (const ir::Tensor& input : ir::InputsOf(*stage->op)) {
      const Stage* producer = schedule_->Find(input->op);
      chain = chain || (producer != nullptr && IsInnerCompute(*producer));
    }
    const std::vector<IterVar>& leaves = readers[0]->leaf_axes;
    for (size_t at = 0; at + 1 < leaves.size(); ++at) {
      found.push_back({stage.get(), readers[0], at});
      if (chain && ExtentOf(leaves[at + 1]) < 0) symbolic.push_back(found.back());
    }
  }
  if (found.empty()) throw NothingToDo();
  const Place place = random_.Pick(symbolic.empty() ? found : symbolic);
  const std::vector<IterVar>& leaves = place.reader->leaf_axes;
  const IterVar fused = schedule::Fuse(*place.reader, {leaves[place.at], leaves[place.at + 1]});
  Count("fuse");
  const auto [outer, inner] = SplitOf(*place.reader, fused);
  schedule::ComputeAt(*place.stage, *place.reader, random_.Chance(70) ? outer : inner);
  Count("compute_at");
}

void Scheduler::Rolling() {
  const Attached at = AttachSome();
  schedule::RollingBuffer(*at.stage);
  Count("rolling_buffer");
}

void Scheduler::DoubleBuffer() {
  const Attached at = AttachSome();
  schedule::DoubleBuffer(*at.stage);
  Count("double_buffer");
}

void Scheduler::Pipeline() {
  const Attached at = AttachSome();
  schedule::Pipeline(*at.reader, at.leaf, random_.Pick<int64_t>({2, 3, 4}), false);
  Count("pipeline");
}

// Pipelines copies, which a cache of the stage's input makes.
void Scheduler::AsyncPipeline() {
  Stage& reader = Any([](const Stage& s) {
    return ir::As<ir::ComputeOp>(s.op) != nullptr && !ir::InputsOf(*s.op).empty() &&
           !s.leaf_axes.empty();
  });
  const ir::Tensor tensor = random_.Pick(ir::InputsOf(*reader.op));
  const ir::Tensor cache = schedule::CacheRead(
      schedule_, tensor, random_.Pick<const char*>({"global", "local"}), {reader.op});
  Count("cache_read");
  const Attached at = AttachSome(&schedule_[cache]);
  schedule::Pipeline(*at.reader, at.leaf, random_.Pick<int64_t>({2, 3, 4}), true);
  Count("pipeline");
}

void Scheduler::Layout() {
  const Stage& stage = Any([](const Stage& s) { return IsInnerCompute(s) && s.scan == nullptr; });
  const ir::Tensor tensor = ir::OutputOf(
      stage.op,
      static_cast<int64_t>(random_.Below(static_cast<size_t>(ir::NumOutputs(*stage.op)))));
  const size_t kind = random_.Below(5), dim = random_.Below(tensor->shape().size() + 1);
  const int64_t tile = random_.Pick<int64_t>({2, 3, 4, 8});
  size_t rank = 1;
  schedule::TransformLayout(schedule_, tensor, [&](const std::vector<ir::Var>& d) {
    std::vector<Expr> at(d.begin(), d.end());
    if (at.empty()) return std::vector<Expr>{ir::Int(kind == 0 ? 3 : 0)};
    const size_t k = std::min(dim, at.size() - 1);
    switch (kind) {
      case 0:
        std::reverse(at.begin(), at.end());
        break;
      case 1: {  // tiles
        const Expr rest = ir::FloorModulo(at[k], tile);
        at[k] = ir::FloorDivide(at[k], tile);
        at.push_back(rest);
        break;
      }
      case 2:  // gaps
        at[k] = at[k] * tile + 1;
        break;
      case 3: {  // two dimensions in one
        if (at.size() < 2) break;
        const Expr last = at.back();
        at.pop_back();
        at.back() = at.back() * tensor->shape().back() + last;
        break;
      }
      default: {  // tiles outermost
        const Expr tiles = ir::FloorDivide(at[k], tile);
        at[k] = ir::FloorModulo(at[k], tile);
        at.insert(at.begin(), tiles);
        break;
      }
    }
    rank = at.size();
    return at;
  });
  Count("transform_layout");
}

void Scheduler::Align() {
  Stage& stage = Any([](const Stage& s) {
    return IsInnerCompute(s) && !static_cast<const ir::ComputeOp&>(*s.op).axis.empty();
  });
  const int64_t factor = random_.Pick<int64_t>({1, 2, 4, 8, 16, 32});
  schedule::StorageAlign(stage, random_.Pick(static_cast<const ir::ComputeOp&>(*stage.op).axis),
                         factor, static_cast<int64_t>(random_.Below(static_cast<size_t>(factor))));
  Count("storage_align");
}

// Sets a predicate that always holds, in a form that simplification does not always see.
void Scheduler::Predicate() {
  Stage& stage = Any([](const Stage& s) { return ir::As<ir::ComputeOp>(s.op) != nullptr; });
  if (stage.root_axes.empty()) {
    schedule::SetStorePredicate(stage, ir::Bool(true));
  } else {
    const IterVar axis = random_.Pick(stage.root_axes);
    const Expr i = axis->var, zero = ir::Const(0, axis->var->dtype);
    Expr holds;
    switch (random_.Below(4)) {
      case 0:
        holds = i < axis->domain->min + axis->domain->extent;
        break;
      case 1:
        holds = ir::FloorModulo(i, 3) <= ir::Const(2, i->dtype);
        break;
      case 2:
        holds = ir::LogicalOr(i >= 3, i <= ir::Const(4, i->dtype));
        break;
      default:
        holds = ir::Equal(ir::FloorModulo(i * (i + 1), 2), zero);
        break;
    }
    schedule::SetStorePredicate(stage, holds);
  }
  Count("set_store_predicate");
}

void Scheduler::Prefetch() {
  Stage& stage = Any([](const Stage& s) {
    return ir::As<ir::ComputeOp>(s.op) != nullptr && !ir::InputsOf(*s.op).empty() &&
           !s.leaf_axes.empty();
  });
  schedule::Prefetch(stage, random_.Pick(ir::InputsOf(*stage.op)), AnyLeaf(stage),
                     random_.Pick<int64_t>({0, 1, 2, 5}));
  Count("prefetch");
}

void Scheduler::Pragma() {
  Stage& stage = Any([](const Stage& s) { return !s.leaf_axes.empty() && !s.is_placeholder(); });
  const IterVar leaf = random_.Chance(60) ? stage.leaf_axes[0] : AnyLeaf(stage);
  switch (random_.Below(4)) {
    case 0:
      schedule::Pragma(stage, leaf, "auto_unroll_max_step", random_.Pick<int64_t>({4, 16, 64}));
      break;
    case 1:
      schedule::Pragma(stage, leaf, "auto_unroll_max_step", 32);
      schedule::Pragma(stage, leaf, "auto_unroll_max_depth", random_.Pick<int64_t>({1, 2}));
      break;
    case 2:
      schedule::Pragma(stage, leaf, "auto_unroll_max_step", 32);
      schedule::Pragma(stage, leaf, "auto_unroll_max_extent", random_.Pick<int64_t>({2, 8}));
      schedule::Pragma(stage, leaf, "unroll_explicit", 0);
      break;
    default:
      schedule::Pragma(stage, leaf, "loop_partition_hint", 1);
      break;
  }
  Count("pragma");
}

// Splits the loop over a scan's rows.
void Scheduler::TimeLoop() {
  Stage& stage = Any([](const Stage& s) { return ir::As<ir::ScanOp>(s.op) != nullptr; });
  const auto [outer, inner] = SplitOf(stage, random_.Pick(stage.leaf_axes));
  switch (random_.Below(3)) {
    case 0:
      schedule::Unroll(stage, inner);
      Count("unroll");
      break;
    case 1:
      schedule::Fuse(stage, {outer, inner});
      Count("fuse");
      break;
    default:
      break;
  }
}

// Applies steps to what a scan computes in each step.
void Scheduler::WithinScan() {
  Stage& stage = Any([](const Stage& s) {
    return s.scan != nullptr && ir::As<ir::ComputeOp>(s.op) != nullptr && !s.leaf_axes.empty();
  });
  const auto [outer, inner] = SplitOf(stage, stage.leaf_axes.back());
  (void)outer;
  switch (random_.Below(4)) {
    case 0:
      schedule::Vectorize(stage, inner);
      Count("vectorize");
      break;
    case 1:
      schedule::Unroll(stage, inner);
      Count("unroll");
      break;
    case 2:
      schedule::CacheRead(schedule_, random_.Pick(ir::InputsOf(*stage.op)), "local", {stage.op});
      Count("cache_read");
      break;
    default:
      for (const Ref<Stage>& other : schedule_->stages) {
        if (!IsInnerCompute(*other) || other->scan == nullptr) continue;
        schedule::ComputeAt(*other, stage, outer);
        Count("compute_at");
        break;
      }
      break;
  }
}

}  // namespace lathe::prove
