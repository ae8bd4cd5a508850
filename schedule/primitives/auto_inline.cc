#include "schedule/primitives/auto_inline.h"

#include <algorithm>

#include "schedule/primitives/checks.h"
#include "schedule/primitives/compute_inline.h"
#include "te/tags.h"

namespace lathe::schedule {
namespace {

bool IsLoopOfAnother(const ScheduleNode& schedule, const Stage& stage) {
  return std::any_of(schedule.stages.begin(), schedule.stages.end(),
                     [&](const Ref<Stage>& other) { return other->attach_stage == &stage; }) ||
         std::any_of(schedule.groups.begin(), schedule.groups.end(),
                     [&](const Ref<Group>& group) { return group->attach_stage == &stage; });
}

bool ReadByComputesOnly(const ScheduleNode& schedule, const Stage& stage) {
  for (const Ref<Stage>& reader : schedule.stages) {
    if (ir::As<ir::ComputeOp>(reader->op) != nullptr) continue;
    for (const Tensor& input : ir::InputsOf(*reader->op)) {
      if (input->op.same_as(stage.op)) return false;
    }
  }
  return true;
}

std::vector<Stage*> InlineWhere(Schedule& schedule, bool (*tagged)(const ir::OpNode&)) {
  std::vector<Stage*> inlined;
  for (const Ref<Stage>& stage : schedule->stages) {
    if (stage->attach == AttachKind::kInline || !tagged(*stage->op)) continue;
    if (!WhyNotInlined(*stage).empty() || IsLoopOfAnother(*schedule, *stage) ||
        !ReadByComputesOnly(*schedule, *stage))
      continue;
    ComputeInline(*stage);
    inlined.push_back(stage.get());
  }
  return inlined;
}

}  // namespace

std::vector<Stage*> AutoInlineElementwise(Schedule& schedule) {
  return InlineWhere(schedule, te::IsElementwise);
}
std::vector<Stage*> AutoInlineBroadcast(Schedule& schedule) {
  return InlineWhere(schedule, te::IsBroadcast);
}
std::vector<Stage*> AutoInlineInjective(Schedule& schedule) {
  return InlineWhere(schedule, te::IsInjective);
}

}  // namespace lathe::schedule
