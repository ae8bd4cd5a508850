// The boxes around objects that are not nodes; see traits.h.
#pragma once

#include <memory>

#include "python/ffi/traits.h"
#include "runtime/session/session.h"
#include "schedule/schedule.h"
#include "target/target.h"
#include "tune/best_records.h"

namespace lathe::python {

// A stage belongs to its schedule. The schedule lives as long as a handle to one of its stages.
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
using SessionObject = Box<Ref<runtime::Session>, kSessionBox>;
using ScheduleRef = Ref<ScheduleObject>;
using StageRef = Ref<StageObject>;
using GroupRef = Ref<GroupObject>;
using TargetRef = Ref<TargetObject>;
using SessionRef = Ref<SessionObject>;
using RecordsObject = Box<std::shared_ptr<tune::BestRecords>, kRecordsBox>;
using RecordsRef = Ref<RecordsObject>;

}  // namespace lathe::python
