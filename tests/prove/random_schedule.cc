#include "tests/prove/random_schedule.h"

#include <algorithm>

#include "schedule/primitives/primitives.h"
#include "tests/prove/scheduler.h"

namespace lathe::prove {

using ir::IterVar;
using schedule::Stage;

void Scheduler::Run(int steps) {
  // The recipes to apply, each with the part that it precedes.
  struct Chosen {
    int part;
    Recipe recipe;
  };
  constexpr Chosen kRecipes[] = {
      {1, &Scheduler::Tensorize},    {1, &Scheduler::Tensorize},  {1, &Scheduler::Layout},
      {2, &Scheduler::UnderFused},   {1, &Scheduler::WithinScan}, {1, &Scheduler::TimeLoop},
      {1, &Scheduler::TimeLoop},     {1, &Scheduler::Rolling},    {1, &Scheduler::Rolling},
      {1, &Scheduler::DoubleBuffer}, {1, &Scheduler::Pipeline},   {1, &Scheduler::AsyncPipeline},
      {2, &Scheduler::Align},        {2, &Scheduler::Predicate},  {3, &Scheduler::Prefetch},
      {3, &Scheduler::Pragma}};
  std::vector<Chosen> recipes;
  for (const Chosen& one : kRecipes) {
    if (random_.Chance(28)) recipes.push_back(one);
  }
  random_.Shuffle(recipes);
  auto before = [&](int part) {
    for (const Chosen& one : recipes) {
      if (one.part == part) Try(one.recipe);
    }
  };
  int last = 0;
  for (int i = 0; i < steps; ++i) {
    const int now = i * 3 / steps;
    while (last < now) before(++last);
    const int part = random_.Chance(10) ? static_cast<int>(random_.Below(3)) : now;
    const char* primitive = Primitive(part);
    try {
      Apply(primitive);
    } catch (const Error& e) {
      ++counts_->refused[e.name()];
    }
  }
  while (last < 3) before(++last);
}

const char* Scheduler::Primitive(int part) {
  switch (part) {
    case 0:
      return random_.Pick<const char*>({"cache_write", "cache_write", "cache_read", "cache_read",
                                        "compute_inline", "compute_inline", "split", "rfactor",
                                        "rfactor", "rfactor", "auto_inline", "create_group",
                                        "set_scope"});
    case 1:
      return random_.Pick<const char*>({"split", "split", "split_parts", "split_parts", "fuse",
                                        "fuse", "reorder", "reorder", "tile", "compute_at",
                                        "compute_at", "compute_at", "compute_root", "compute_root",
                                        "create_group", "set_scope", "rfactor"});
    default:
      return random_.Pick<const char*>({"vectorize", "vectorize", "vectorize", "unroll", "unroll",
                                        "parallel", "parallel", "split", "compute_at"});
  }
}

Stage& Scheduler::AnyStage() {
  std::vector<Stage*> stages;
  for (const Ref<Stage>& stage : schedule_->stages) {
    if (!stage->is_placeholder() || random_.Chance(3)) stages.push_back(stage.get());
  }
  if (stages.empty()) throw NothingToDo();
  return *random_.Pick(stages);
}

std::vector<Stage*> Scheduler::Readers(const Stage& stage) {
  std::vector<Stage*> readers;
  for (const Ref<Stage>& other : schedule_->stages) {
    for (const ir::Tensor& input : ir::InputsOf(*other->op)) {
      if (schedule_->Find(input->op) == &stage) {
        readers.push_back(other.get());
        break;
      }
    }
  }
  return readers;
}

IterVar Scheduler::AnyLeaf(Stage& stage) {
  // Sometimes chooses an axis that is no leaf any more.
  const std::vector<IterVar>& from = random_.Chance(3) ? stage.all_axes : stage.leaf_axes;
  if (from.empty()) throw NothingToDo();
  return random_.Pick(from);
}

int64_t Scheduler::ExtentOf(const IterVar& axis) const {
  auto it = extents_.find(axis.get());
  if (it != extents_.end()) return it->second;
  if (axis->domain) {
    if (const int64_t* extent = ir::AsConstInt(axis->domain->extent)) return *extent;
  }
  return -1;
}

IterVar Scheduler::SmallLeaf(Stage& stage, int64_t most) {
  std::vector<IterVar> small;
  for (const IterVar& axis : stage.leaf_axes) {
    const int64_t extent = ExtentOf(axis);
    if (extent >= 0 && extent <= most) small.push_back(axis);
  }
  if (!small.empty() && random_.Chance(75)) return random_.Pick(small);
  return SplitOf(stage, AnyLeaf(stage)).second;
}

std::pair<IterVar, IterVar> Scheduler::SplitOf(Stage& stage, IterVar axis) {
  const int64_t factor = random_.Pick<int64_t>({1, 2, 2, 3, 4, 4, 4, 5, 7, 8, 8, 16});
  auto parts = schedule::Split(stage, axis, factor);
  Count("split");
  extents_[parts.second.get()] = factor;
  if (const int64_t extent = ExtentOf(axis); extent >= 0)
    extents_[parts.first.get()] = (extent + factor - 1) / factor;
  return parts;
}

void Scheduler::Apply(const std::string& primitive) {
  Stage& stage = AnyStage();
  if (primitive == "split") {
    SplitOf(stage, AnyLeaf(stage));
    return;
  }
  if (primitive == "split_parts") {
    const IterVar axis = AnyLeaf(stage);
    const int64_t parts = random_.Pick<int64_t>({1, 2, 3, 4, 5});
    auto [outer, inner] = schedule::SplitParts(stage, axis, parts);
    extents_[outer.get()] = parts;
    if (const int64_t extent = ExtentOf(axis); extent >= 0)
      extents_[inner.get()] = (extent + parts - 1) / parts;
  } else if (primitive == "fuse") {
    Fuse(stage);
  } else if (primitive == "reorder") {
    std::vector<IterVar> axes = stage.leaf_axes;
    random_.Shuffle(axes);
    if (axes.size() > 2 && random_.Chance(50)) axes.pop_back();
    schedule::Reorder(stage, axes);
  } else if (primitive == "tile") {
    if (stage.leaf_axes.size() < 2) throw NothingToDo();
    const size_t at = random_.Below(stage.leaf_axes.size() - 1);
    const int64_t x = random_.Pick<int64_t>({2, 3, 4}), y = random_.Pick<int64_t>({3, 4, 8});
    const auto tiles = schedule::Tile(stage, stage.leaf_axes[at], stage.leaf_axes[at + 1], x, y);
    extents_[tiles.x_inner.get()] = x;
    extents_[tiles.y_inner.get()] = y;
  } else if (primitive == "vectorize") {
    schedule::Vectorize(stage, SmallLeaf(stage, 16));
  } else if (primitive == "unroll") {
    schedule::Unroll(stage, SmallLeaf(stage, 8));
  } else if (primitive == "parallel") {
    schedule::Parallel(stage, random_.Chance(60) && !stage.leaf_axes.empty() ? stage.leaf_axes[0]
                                                                             : AnyLeaf(stage));
  } else if (primitive == "compute_at") {
    std::vector<Stage*> readers = Readers(stage);
    Stage& parent = readers.empty() || random_.Chance(5) ? AnyStage() : *random_.Pick(readers);
    schedule::ComputeAt(stage, parent, AnyLeaf(parent));
  } else if (primitive == "compute_inline") {
    schedule::ComputeInline(stage);
  } else if (primitive == "rfactor") {
    RFactor();
  } else if (primitive == "set_scope") {
    schedule::SetScope(stage, random_.Pick<const char*>({"global", "local", ""}));
  } else if (primitive == "create_group") {
    Group();
  } else if (primitive == "auto_inline") {
    AutoInline();
  } else if (primitive == "compute_root") {
    schedule::ComputeRoot(stage);
  } else if (primitive == "cache_read") {
    CacheRead();
  } else {
    const std::string scope = random_.Pick<const char*>({"global", "local"});
    if (random_.Chance(80))
      schedule::CacheWrite(schedule_, ir::OutputOf(stage.op, 0), scope);
    else
      schedule::CacheWrite(schedule_, {ir::OutputOf(stage.op, 0), ir::OutputOf(AnyStage().op, 0)},
                           scope);
  }
  Count(primitive.c_str());
}

void Scheduler::Fuse(Stage& stage) {
  if (stage.leaf_axes.empty() || random_.Chance(5)) {
    extents_[schedule::Fuse(stage, {}).get()] = 1;
    return;
  }
  const size_t begin = random_.Below(stage.leaf_axes.size());
  const size_t count = std::min(stage.leaf_axes.size() - begin, 2 + random_.Below(2));
  const std::vector<IterVar> axes(
      stage.leaf_axes.begin() + static_cast<std::ptrdiff_t>(begin),
      stage.leaf_axes.begin() + static_cast<std::ptrdiff_t>(begin + count));
  int64_t extent = 1;
  for (const IterVar& axis : axes) {
    const int64_t one = ExtentOf(axis);
    extent = one < 0 || extent < 0 ? -1 : extent * one;
  }
  const IterVar fused = schedule::Fuse(stage, axes);
  if (extent >= 0) extents_[fused.get()] = extent;
}

// Factors a reduction's leaf, sometimes split before.
void Scheduler::RFactor() {
  std::vector<Stage*> reductions;
  for (const Ref<Stage>& stage : schedule_->stages) {
    if (stage->has_reduction() || random_.Chance(3)) reductions.push_back(stage.get());
  }
  if (reductions.empty()) throw NothingToDo();
  Stage& stage = *random_.Pick(reductions);
  std::vector<IterVar> axes;
  for (const IterVar& leaf : stage.leaf_axes) {
    if (leaf->iter_kind == ir::IterKind::kReduce || random_.Chance(3)) axes.push_back(leaf);
  }
  if (axes.empty()) throw NothingToDo();
  IterVar axis = random_.Pick(axes);
  if (random_.Chance(60)) {
    const auto [outer, inner] = SplitOf(stage, axis);
    axis = random_.Chance(50) ? outer : inner;
  }
  const ir::Tensor tensor = ir::OutputOf(stage.op, 0);
  const int rank = tensor->ndim();
  schedule::RFactor(schedule_, tensor, axis,
                    static_cast<int64_t>(random_.Below(static_cast<size_t>(rank) + 1)) -
                        (random_.Chance(30) ? rank + 1 : 0));
}

// Groups a stage and what it needs, up to some of its inputs. Sometimes computed at a reader's
// loop.
void Scheduler::Group() {
  Stage& last = AnyStage();
  std::vector<ir::Tensor> inputs;
  for (const ir::Tensor& input : ir::InputsOf(*last.op)) {
    if (random_.Chance(50)) inputs.push_back(input);
  }
  schedule::Group& group =
      schedule::CreateGroup(schedule_, {ir::OutputOf(last.op, 0)}, inputs, random_.Chance(60));
  const std::vector<Stage*> readers = Readers(last);
  if (readers.empty() || random_.Chance(30)) return;
  Stage& parent = *random_.Pick(readers);
  if (parent.leaf_axes.empty()) return;
  schedule::ComputeAt(group, parent, AnyLeaf(parent));
  Count("compute_at");
}

void Scheduler::AutoInline() {
  switch (random_.Below(3)) {
    case 0:
      schedule::AutoInlineElementwise(schedule_);
      break;
    case 1:
      schedule::AutoInlineBroadcast(schedule_);
      break;
    default:
      schedule::AutoInlineInjective(schedule_);
      break;
  }
}

// Caches any tensor, inputs too, for some or all of its readers.
void Scheduler::CacheRead() {
  Stage& stage = *random_.Pick(schedule_->stages);
  std::vector<ir::Op> readers;
  const bool all = random_.Chance(50);
  for (const Stage* reader : Readers(stage)) {
    if (all || random_.Chance(60)) readers.push_back(reader->op);
  }
  const int64_t output =
      static_cast<int64_t>(random_.Below(static_cast<size_t>(ir::NumOutputs(*stage.op))));
  schedule::CacheRead(schedule_, ir::OutputOf(stage.op, output),
                      random_.Pick<const char*>({"global", "local"}), readers);
}

void ApplyRandomSteps(schedule::Schedule& schedule, uint64_t seed, int steps,
                      ScheduleCounts* counts) {
  Scheduler(schedule, seed, counts).Run(steps);
}

}  // namespace lathe::prove
