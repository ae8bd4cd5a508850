#include "tests/prove/claims.h"

#include "base/error.h"
#include "lower/pipeline.h"
#include "schedule/loop_nest.h"
#include "schedule/primitives/primitives.h"
#include "tests/prove/random.h"

namespace lathe::prove {
namespace {

using ir::Expr;
using schedule::Stage;

ir::Module CheckedBuild(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args) {
  lower::PassContext context;
  context.Set("check", 1);
  const ir::Func func = schedule::LowerSchedule(schedule, args, "f", schedule::Claims::kVerified);
  return lower::RunPasses(ir::MakeModule({func}), lower::AllPasses(), context);
}

// Adds a predicate that leaves elements out.
bool SetFalsePredicate(const schedule::Schedule& schedule, Random& random) {
  std::vector<Stage*> stages;
  for (const Ref<Stage>& stage : schedule->stages) {
    if (ir::As<ir::ComputeOp>(stage->op) != nullptr && !stage->root_axes.empty() &&
        stage->attach != schedule::AttachKind::kInline)
      stages.push_back(stage.get());
  }
  if (stages.empty()) return false;
  Stage& stage = *random.Pick(stages);
  const ir::IterVar axis = random.Pick(stage.root_axes);
  const Expr i = axis->var, first = axis->domain->min;
  switch (random.Below(3)) {
    case 0:
      schedule::SetStorePredicate(stage, i > first);
      break;
    case 1:
      schedule::SetStorePredicate(stage, i < first + axis->domain->extent - 1);
      break;
    default:
      schedule::SetStorePredicate(stage,
                                  ir::NotEqual(ir::FloorModulo(i, 2), ir::Const(1, i->dtype)));
      break;
  }
  return true;
}

}  // namespace

bool CheckClaims(const schedule::Schedule& schedule, const std::vector<ir::NodeRef>& args,
                 const Run& run, uint64_t seed) {
  run.Interpret(CheckedBuild(schedule, args), "checked build");
  Random random(seed);
  const schedule::Schedule other = schedule::CopySchedule(schedule);
  ir::Module module;
  try {
    if (!SetFalsePredicate(other, random)) return false;
    module = CheckedBuild(other, args);
  } catch (const Error&) {
    return false;  // a stage that an intrinsic stores cannot have a predicate
  }
  try {
    // An element that was left out is read.
    run.Interpret(module, "illegal:false claim", {.check_initialized = false});
  } catch (const Error& e) {
    if (e.name() == "check-claim") return true;
    throw Failed{"illegal:false claim", "found " + e.name()};
  }
  return false;
}

}  // namespace lathe::prove
