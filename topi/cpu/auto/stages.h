// One file per pattern: how a stage of it is scheduled. Internal to AutoSchedule.
#pragma once

#include "schedule/schedule.h"
#include "target/machine.h"
#include "topi/config.h"
#include "topi/cpu/auto/pattern.h"

namespace lathe::topi::cpu {

// What is computed at a loop of `stage`: its attachments are made at it. Null axis: at the root.
struct Place {
  schedule::Stage* stage = nullptr;
  ir::IterVar axis;
};

// A stage and where it is computed; at the root it may use threads.
struct StageWork {
  schedule::Schedule schedule;
  ir::Tensor tensor;  // of the stage, its first output
  const Facts& facts;
  const target::Machine& machine;
  Config& config;  // knobs default.*: of all stages of their pattern
  Place place;
  // Leading loops that are taken already, for a stage that others are computed within.
  size_t rows = 0;

  schedule::Stage& stage() const { return schedule[tensor]; }
  bool at_root() const { return !place.axis; }
  int64_t lanes() const {
    return std::max<int64_t>(1, machine.vector_bytes * 8 / tensor->dtype().bits());
  }
};

// Does a stage of so much work gain from threads?
bool ForThreads(const StageWork& work);
// Fuses `axes`, adjacent outer loops of the stage, and makes them parallel; returns the loop, null
// for none.
ir::IterVar ParallelOver(schedule::Stage& stage, std::vector<ir::IterVar> axes);
// Puts `tensor`'s stage where the work's stage is computed.
void PutBeside(const StageWork& work, const ir::Tensor& tensor);

// Vectors of a row that are reduced side by side.
inline int64_t AskVectors(const StageWork& work) {
  return work.config.Ask(
      {"default.reduction_vectors", 4, 1, 16, "vectors of partial results side by side"});
}

void ScheduleMap(const StageWork& work);
void ScheduleRowReduction(const StageWork& work);
void ScheduleColumnReduction(const StageWork& work);
// `sink`: the stage whose loops the register tiles follow: an elementwise reader, or the stage's
// own tensor, which then gets a cache.
void ScheduleContraction(const StageWork& work, const ir::Tensor& sink);

}  // namespace lathe::topi::cpu
