// How good the schedules are that searches find, and how soon they find them.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "bench/tuning/sections.h"

namespace lathe::bench {
namespace {

// The first search's trial, and its time, from which on it knew a schedule of at most `cost`.
struct Reached {
  size_t trials = 0;
  double seconds = 0;
};
Reached WhenReached(const std::vector<Tried>& tried, double cost) {
  for (size_t i = 0; i < tried.size(); ++i)
    if (tried[i].cost <= cost) return {i + 1, tried[i].at};
  return {0, INFINITY};
}

double Least(const std::vector<Tried>& tried) {
  double least = INFINITY;
  for (const Tried& one : tried) least = std::min(least, one.cost);
  return least;
}

std::string Shown(const Reached& reached) {
  if (reached.trials == 0) return "never";
  char text[60];
  std::snprintf(text, sizeof text, "%zu trials, %.1f s", reached.trials, reached.seconds);
  return text;
}

}  // namespace

void Goals(TuningGround& ground) {
  const int64_t trials = ground.options().trials, few = std::min<int64_t>(64, trials);
  std::printf("\nknobs of the default schedule, which is withheld (%s); its time / the best's\n",
              ground.options().tuner.c_str());
  std::printf("%-28s %12s %10lld %10lld trials\n", "kernel", "seconds", static_cast<long long>(few),
              static_cast<long long>(trials));
  std::vector<double> early, late;
  for (const TunedKernel& kernel : ground.Templates()) {
    const Ready ready = ground.WithKnobs(kernel);
    const std::vector<Tried> tried = ground.Search(ready, ground.options().tuner, trials);
    early.push_back(ground.AgainstDefault(ready, tried, few));
    late.push_back(ground.AgainstDefault(ready, tried, trials));
    std::printf("%-28s %12.1f %9.3f%s %9.3f%s\n", kernel.name.c_str(),
                tried.empty() ? 0 : tried.back().at, early.back(), early.back() < 0.97 ? "!" : " ",
                late.back(), late.back() < 1 ? "!" : " ");
    std::fflush(stdout);
  }
  std::printf("%-28s %12s %9.3f  %9.3f\n%-28s %12s %10s %10s\n", "geometric mean", "",
              GeometricMean(early), GeometricMean(late), "goal", "", "each 0.97", "mean 1.0");
  std::fflush(stdout);
}

void Others(TuningGround& ground) {
  const int64_t trials = std::min<int64_t>(ground.options().trials, 200);
  std::printf("\nschedules without a template (%s, %lld trials); the default's time / the best's\n",
              ground.options().tuner.c_str(), static_cast<long long>(trials));
  std::printf("%-28s %12s %10s\n", "kernel", "seconds", "goal 0.9");
  for (const TunedKernel& kernel : ground.Others()) {
    const Ready ready = ground.WithSketch(kernel);
    const std::vector<Tried> tried = ground.Search(ready, ground.options().tuner, trials);
    const double speed = ground.AgainstDefault(ready, tried, trials);
    std::printf("%-28s %12.1f %9.3f%s\n", kernel.name.c_str(), tried.empty() ? 0 : tried.back().at,
                speed, speed < 0.9 ? "!" : " ");
    std::fflush(stdout);
  }
}

void Efficiency(TuningGround& ground) {
  const int64_t trials = std::min<int64_t>(ground.options().trials, 200);
  const int64_t random = ground.options().random;
  std::printf(
      "\nthe best of %lld trials (genetic) against %lld at random; within 5 %% of the better "
      "best\n",
      static_cast<long long>(trials), static_cast<long long>(random));
  std::printf("%-28s %10s %24s %24s\n", "kernel", "goal 0.97", "genetic", "random");
  for (const bool sketch : {false, true}) {
    for (const TunedKernel& kernel : sketch ? ground.Others() : ground.Templates()) {
      const Ready ready = sketch ? ground.WithSketch(kernel) : ground.WithKnobs(kernel);
      const std::vector<Tried> chosen = ground.Search(ready, "genetic", trials);
      const std::vector<Tried> drawn = ground.Search(ready, "random", random);
      std::vector<driver::ProgramToCompile> programs;
      for (const std::vector<Tried>* tried : {&chosen, &drawn})
        for (const tune::Point& point : BestOf(*tried, tried->size(), 3))
          programs.push_back(ready.made.make(point));
      const std::vector<double> costs = ground.ByTurns(ready, programs);
      const size_t own = BestOf(chosen, chosen.size(), 3).size();
      if (own == 0 || own == costs.size()) {
        std::printf("%-28s nothing ran\n", kernel.name.c_str());
        continue;
      }
      const auto middle = costs.begin() + static_cast<std::ptrdiff_t>(own);
      const double ratio =
          *std::min_element(middle, costs.end()) / *std::min_element(costs.begin(), middle);
      const double near = std::min(Least(chosen), Least(drawn)) / 0.95;
      std::printf("%-28s %9.3f%s %24s %24s\n", kernel.name.c_str(), ratio, ratio < 0.97 ? "!" : " ",
                  Shown(WhenReached(chosen, near)).c_str(),
                  Shown(WhenReached(drawn, near)).c_str());
      std::fflush(stdout);
    }
  }
}

}  // namespace lathe::bench
