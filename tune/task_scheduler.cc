#include "tune/task_scheduler.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lathe::tune {
namespace {

// How much the last trials tell of the next one.
constexpr double kTrustInTrend = 0.2;

}  // namespace

TaskScheduler::TaskScheduler(std::vector<Task> tasks) {
  for (const Task& task : tasks) states_.push_back({.task = task});
}

double TaskScheduler::Expected(const State& state) const {
  // Nothing is known: it has its turn, whatever its weight.
  if (!std::isfinite(state.task.cost)) return std::numeric_limits<double>::max();
  const double possible = state.task.cost / static_cast<double>(std::max<int64_t>(state.trials, 1));
  return state.task.weight * (kTrustInTrend * state.saved + (1 - kTrustInTrend) * possible);
}

std::optional<size_t> TaskScheduler::Next() const {
  const bool all_tried = std::all_of(states_.begin(), states_.end(), [](const State& state) {
    return state.ended || state.trials > 0;
  });
  std::optional<size_t> best;
  double most = -std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < states_.size(); ++i) {
    const State& state = states_[i];
    if (state.ended || (!all_tried && state.trials > 0)) continue;
    if (const double expected = Expected(state); expected > most) {
      most = expected;
      best = i;
    }
  }
  return best;
}

void TaskScheduler::Learn(size_t task, int64_t trials, double best) {
  State& state = states_[task];
  if (trials <= 0) return;
  const bool known = std::isfinite(state.task.cost);
  state.saved = known ? std::max(state.task.cost - best, 0.0) / static_cast<double>(trials) : 0;
  state.task.cost = std::min(state.task.cost, best);
  state.trials += trials;
}

void TaskScheduler::End(size_t task) { states_[task].ended = true; }

}  // namespace lathe::tune
