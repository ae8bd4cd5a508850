// Which of several searches goes on, for example those of a network's kernels: the one of which the
// most is expected for the whole.
//
//   TaskScheduler tasks({{.weight = 4, .cost = 2e-4}, {.weight = 1, .cost = 1e-3}});
//   while (const std::optional<size_t> task = tasks.Next()) {
//     ...                                    // some trials of that task
//     tasks.Learn(*task, trials, best_cost);
//   }
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace lathe::tune {

// Not thread-safe.
class TaskScheduler {
 public:
  struct Task {
    double weight = 1;  // how often the kernel runs
    double cost = 0;    // seconds, of the schedule to begin with; infinite: not known
  };
  explicit TaskScheduler(std::vector<Task> tasks);

  // Each task once, those that take most of the time first; then the one that is expected to save
  // most of the sum of weight * cost by its next trial. The estimate is that of Zheng et al.,
  // "Ansor" (OSDI 2020), section 6: what its last trials saved, and that a task of which little is
  // known may lose its whole cost. nullopt when all have ended.
  std::optional<size_t> Next() const;
  // What was found by `trials` further trials; `best`: the lowest cost of all trials so far.
  void Learn(size_t task, int64_t trials, double best);
  // The weight of a task from now on: for objectives that are no sum.
  void Weigh(size_t task, double weight) { states_[task].task.weight = weight; }
  // The task has nothing more to try.
  void End(size_t task);

 private:
  struct State {
    Task task;
    int64_t trials = 0;
    double saved = 0;  // per trial, the last time
    bool ended = false;
  };
  double Expected(const State& state) const;

  std::vector<State> states_;
};

}  // namespace lathe::tune
