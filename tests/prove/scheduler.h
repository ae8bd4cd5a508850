// Draws the steps of one random schedule. The recipes, of several steps each, are in recipes.cc and
// tensorize_step.cc. Internal to tests/prove.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "schedule/schedule.h"
#include "tests/prove/random.h"
#include "tests/prove/random_schedule.h"

namespace lathe::prove {

class Scheduler {
 public:
  Scheduler(schedule::Schedule& schedule, uint64_t seed, ScheduleCounts* counts)
      : schedule_(schedule), random_(seed), counts_(counts) {}

  // Caches and inlining need stages that no step has changed yet. Annotations need loops that no
  // step will change later. So each kind is likelier in its own part of the schedule, and possible
  // everywhere. Recipes come between the parts.
  void Run(int steps);

 private:
  using IterVar = ir::IterVar;
  using Stage = schedule::Stage;

  // -- Single steps: random_schedule.cc.

  const char* Primitive(int part);
  void Apply(const std::string& primitive);
  void Fuse(Stage& stage);
  void RFactor();
  void Group();
  void AutoInline();
  void CacheRead();

  // -- Recipes: steps that make sense together. Impossible ones are undone.

  using Recipe = void (Scheduler::*)();
  // Applies the recipe to the schedule, and lowers the schedule. If either is refused, restores the
  // schedule and returns false.
  bool Try(Recipe recipe);
  void UnderFused();
  void Rolling();
  void DoubleBuffer();
  void Pipeline();
  void AsyncPipeline();
  void Layout();
  void Align();
  void Predicate();
  void Prefetch();
  void Pragma();
  void TimeLoop();
  void WithinScan();
  // Replaces the loops from an axis inwards by a call of an intrinsic that is made for them.
  void Tensorize();
  // Attaches a compute stage that no step has changed yet to a plain loop of its only reader.
  struct Attached {
    Stage* stage;
    Stage* reader;
    IterVar leaf;
  };
  Attached AttachSome(const Stage* only = nullptr);

  // -- Choices.

  template <class Suits>
  Stage& Any(Suits suits) {
    std::vector<Stage*> stages;
    for (const Ref<Stage>& stage : schedule_->stages) {
      if (suits(*stage)) stages.push_back(stage.get());
    }
    if (stages.empty()) throw NothingToDo();
    return *random_.Pick(stages);
  }
  Stage& AnyStage();
  // Stages that now read `stage`'s operation.
  std::vector<Stage*> Readers(const Stage& stage);
  IterVar AnyLeaf(Stage& stage);
  static Error NothingToDo() {
    return Error(Diagnostic{.name = "prove-nothing-to-do", .message = "the stage has no loops"});
  }
  // The constant extent of an axis if it is known, else -1.
  int64_t ExtentOf(const IterVar& axis) const;
  // A leaf whose extent is known and at most `most`. Made by a split if there is none.
  IterVar SmallLeaf(Stage& stage, int64_t most);
  std::pair<IterVar, IterVar> SplitOf(Stage& stage, IterVar axis);
  void Count(const char* primitive) { ++counts_->applied[primitive]; }

  schedule::Schedule& schedule_;
  Random random_;
  ScheduleCounts* counts_;
  std::unordered_map<const ir::Node*, int64_t> extents_;
};

}  // namespace lathe::prove
