// The boxes of what is no node: see traits.h.
#pragma once

#include <memory>

#include "python/ffi/traits.h"
#include "schedule/schedule.h"
#include "target/target.h"

namespace lathe::python {

// A stage belongs to its schedule, which stays as long as anybody has one of its stages.
struct HeldStage {
  schedule::Schedule schedule;
  Ref<schedule::Stage> stage;
};
struct HeldGroup {
  schedule::Schedule schedule;
  Ref<schedule::Group> group;
};

using ScheduleObject = Box<schedule::Schedule, kScheduleBox>;
using StageObject = Box<HeldStage, kStageBox>;
using GroupObject = Box<HeldGroup, kGroupBox>;
using TargetObject = Box<target::Target, kTargetBox>;
using ScheduleRef = Ref<ScheduleObject>;
using StageRef = Ref<StageObject>;
using GroupRef = Ref<GroupObject>;
using TargetRef = Ref<TargetObject>;

}  // namespace lathe::python
