// The boxes around objects that are not nodes; see traits.h.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

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

// Records that builds look up while others are added: a change makes new ones.
class HeldRecords {
 public:
  std::shared_ptr<const tune::BestRecords> records() const {
    const std::lock_guard lock(mutex_);
    return records_;
  }
  // Waits for other changes.
  template <class Change>
  auto Alter(const Change& change) {
    const std::lock_guard one(changing_);
    auto next = std::make_shared<tune::BestRecords>(*records());
    auto result = change(*next);
    const std::lock_guard lock(mutex_);
    records_ = std::move(next);
    return result;
  }

 private:
  std::mutex changing_;
  mutable std::mutex mutex_;
  std::shared_ptr<const tune::BestRecords> records_ = std::make_shared<tune::BestRecords>();
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
using RecordsObject = Box<std::shared_ptr<HeldRecords>, kRecordsBox>;
using RecordsRef = Ref<RecordsObject>;

}  // namespace lathe::python
