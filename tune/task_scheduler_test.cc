#include "tune/task_scheduler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace lathe::tune {
namespace {

TEST(TaskScheduler, TriesEachOnceTheDearestFirst) {
  TaskScheduler tasks({{1, 1e-3}, {10, 2e-3}, {1, 5e-3}});
  std::vector<size_t> order;
  for (int i = 0; i < 3; ++i) {
    order.push_back(*tasks.Next());
    tasks.Learn(order.back(), 8, 1);  // nothing better
  }
  EXPECT_EQ(order, (std::vector<size_t>{1, 2, 0}));
  for (size_t i = 0; i < 3; ++i) tasks.End(i);
  EXPECT_FALSE(tasks.Next());
  EXPECT_FALSE(TaskScheduler({}).Next());
}

// Costs that fall to their limits: trials go where there is something to win.
TEST(TaskScheduler, GoesOnWhereThereIsMostToWin) {
  struct Kernel {
    double weight, limit, extra;  // after n trials: limit + extra * 0.9^n
  };
  const std::vector<Kernel> kernels = {
      {1, 1e-4, 0}, {5, 1e-4, 1e-3}, {1, 1e-4, 1e-3}, {5, 1e-6, 1e-6}};
  const auto cost = [&](size_t i, int64_t n) {
    return kernels[i].limit + kernels[i].extra * std::pow(0.9, static_cast<double>(n));
  };
  std::vector<TaskScheduler::Task> begin;
  for (size_t i = 0; i < kernels.size(); ++i) begin.push_back({kernels[i].weight, cost(i, 0)});
  TaskScheduler tasks(begin);
  std::vector<int64_t> trials(kernels.size());
  for (int round = 0; round < 40; ++round) {
    const size_t task = *tasks.Next();
    trials[task] += 4;
    tasks.Learn(task, 4, cost(task, trials[task]));
  }
  EXPECT_GT(trials[1], trials[2]);
  EXPECT_GT(trials[2], trials[0]);
  EXPECT_EQ(trials[3], 4);
  double total = 0, even = 0;
  for (size_t i = 0; i < kernels.size(); ++i) {
    total += kernels[i].weight * cost(i, trials[i]);
    even += kernels[i].weight * cost(i, 40);
  }
  EXPECT_LT(total, even * 1.02);
}

// Searches without a schedule to begin with, and objectives whose weights change.
TEST(TaskScheduler, CostsAndWeightsMayBecomeKnownLater) {
  const double unknown = std::numeric_limits<double>::infinity();
  TaskScheduler tasks({{1, unknown}, {1, unknown}});
  EXPECT_EQ(*tasks.Next(), 0u);
  tasks.Learn(0, 8, 1e-3);
  EXPECT_EQ(*tasks.Next(), 1u);
  tasks.Learn(1, 8, 2e-3);
  EXPECT_EQ(*tasks.Next(), 1u);
  tasks.Weigh(0, 5);
  EXPECT_EQ(*tasks.Next(), 0u);
  // Also one that does not count.
  TaskScheduler weights({{0, unknown}, {1, unknown}});
  EXPECT_EQ(*weights.Next(), 0u);
  weights.Learn(0, 8, 1e-3);
  EXPECT_EQ(*weights.Next(), 1u);
}

// Measurements are noisy: a cost may rise.
TEST(TaskScheduler, NeverCountsALoss) {
  TaskScheduler tasks({{1, 1.0}, {1, 1.0}});
  tasks.Learn(0, 8, 2.0);
  tasks.Learn(1, 8, 0.5);
  tasks.Learn(1, 8, 0.5);
  EXPECT_EQ(*tasks.Next(), 0u);
}

}  // namespace
}  // namespace lathe::tune
