// How a stage of each pattern is scheduled, one file per pattern. Internal to AutoSchedule.
#pragma once

#include "schedule/schedule.h"
#include "target/machine.h"
#include "topi/config.h"
#include "topi/cpu/auto/pattern.h"

namespace lathe::topi::cpu {

// A loop of `stage` at which another stage is computed (ComputeAt). Null axis: at the root.
struct Place {
  schedule::Stage* stage = nullptr;
  ir::IterVar axis;
};

// A stage and the place where it is computed. Only at the root may it use threads.
struct StageWork {
  schedule::Schedule schedule;
  ir::Tensor tensor;  // the stage's first output
  const Facts& facts;
  const target::Machine& machine;
  Config& config;  // knobs default.*: one value for all stages of a pattern
  Place place;
  // How many leading loops are taken already: other stages are computed within them.
  size_t rows = 0;

  schedule::Stage& stage() const { return schedule[tensor]; }
  bool at_root() const { return !place.axis; }
  int64_t lanes() const {
    return std::max<int64_t>(1, machine.vector_bytes * 8 / tensor->dtype().bits());
  }
};

// Does a stage with so much work gain from threads?
bool ForThreads(const StageWork& work);
// Fuses `axes`, adjacent outer loops of the stage, and makes the result parallel. Returns that
// loop; null if there are no axes.
ir::IterVar ParallelOver(schedule::Stage& stage, std::vector<ir::IterVar> axes);
// Computes `tensor`'s stage at the same place as the stage of `work`.
void PutBeside(const StageWork& work, const ir::Tensor& tensor);

// How many vectors of partial results a row reduction keeps side by side.
inline int64_t AskVectors(const StageWork& work) {
  return work.config.Ask(
      {"default.reduction_vectors", 4, 1, 16, "vectors of partial results side by side"});
}

void ScheduleMap(const StageWork& work);
void ScheduleRowReduction(const StageWork& work);
void ScheduleColumnReduction(const StageWork& work);
void ScheduleDependent(const StageWork& work);
// Pieces of work that are enough for any number of cores.
inline constexpr int64_t kEnoughForThreads = 8;

// `sink` is the stage whose loops the register tiles follow: an elementwise reader, or the stage's
// own tensor, which then gets a cache.
void ScheduleContraction(const StageWork& work, const ir::Tensor& sink);
void SchedulePool(const StageWork& work, const ir::Tensor& sink);

}  // namespace lathe::topi::cpu
