// What spaces have, and what a trial costs.
#include <atomic>
#include <cmath>
#include <cstdio>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "bench/tuning/sections.h"
#include "driver/compile.h"
#include "ir/text/printer.h"
#include "tune/builder.h"
#include "tune/tuner.h"

namespace lathe::bench {
namespace {

using driver::ProgramToCompile;

// Its loops, as text; "" if it has none.
std::string Loops(const ProgramToCompile& program) {
  try {
    return ir::ToText(driver::Lower(program.schedule, program.args, program.name, program.context));
  } catch (const Error&) {
    return "";
  }
}

void SpacesOf(TuningGround& ground, const Ready& ready, const char* kind) {
  const TuningOptions& options = ground.options();
  // Each point once, so that a small space is counted as a whole.
  const auto tuner = tune::NewRandomTuner(ready.made.space, options.seed);
  std::set<std::string> distinct;
  std::vector<ProgramToCompile> programs;
  for (const tune::Point& point : tuner->Propose(static_cast<size_t>(options.points))) {
    ProgramToCompile program;
    try {
      program = ready.made.make(point);
    } catch (const Error&) {
      continue;
    }
    std::string loops = Loops(program);
    if (loops.empty() || !distinct.insert(std::move(loops)).second) continue;
    if (programs.size() < static_cast<size_t>(options.measured))
      programs.push_back(std::move(program));
  }
  std::fprintf(stderr, "%s: %zu distinct programs, measuring %zu\n", ready.name.c_str(),
               distinct.size(), programs.size());
  std::vector<double> costs;
  ground.measurer().Measure(programs, ready.arguments, [&](size_t, const tune::Measured& measured) {
    if (!measured.failure) return costs.push_back(tune::MedianOf(measured.seconds));
    std::fprintf(stderr, "%s: failed (%s): %s\n", ready.name.c_str(),
                 std::string(tune::NameOf(measured.failure->kind)).c_str(),
                 measured.failure->message.c_str());
  });
  const double spread = Quantile(costs, 0.5) / Quantile(costs, 0);
  const auto size = ready.made.space.size();
  std::printf("%-28s %-7s %12s %9zu%s %9zu of %-3zu %9.2f%s\n", ready.name.c_str(), kind,
              size ? std::to_string(*size).c_str() : "> 2^63", distinct.size(),
              distinct.size() < 100 ? "!" : " ", costs.size(), programs.size(), spread,
              spread < 1.3 ? "!" : " ");
  std::fflush(stdout);
}

// The seconds from one trial's end to the next one's.
std::vector<double> Between(const std::vector<Tried>& tried) {
  std::vector<double> between;
  for (size_t i = 1; i < tried.size(); ++i) between.push_back(tried[i].at - tried[i - 1].at);
  return between;
}

void TrialsOf(TuningGround& ground, const Ready& ready, const char* kind) {
  const int64_t trials = std::min<int64_t>(ground.options().trials, 200);
  const std::vector<Tried> tried = ground.Search(ready, "random", trials);
  if (tried.size() < 2) return;
  std::vector<double> builds, costs;
  for (const Tried& one : tried) {
    builds.push_back(one.build);
    if (std::isfinite(one.cost)) costs.push_back(one.cost);
  }
  const std::vector<double> between = Between(tried);
  const double middle = Quantile(between, 0.5), late = Quantile(between, 0.95);
  std::printf("%-28s %-7s %9.4f %9.1f %9.3f%s %9.3f%s %9.3f %9.3f %9zu\n", ready.name.c_str(), kind,
              Quantile(costs, 0.5) * 1e3, static_cast<double>(tried.size()) / tried.back().at,
              middle, middle > 0.1 ? "!" : " ", late, late > 0.3 ? "!" : " ", Quantile(builds, 0.5),
              Quantile(builds, 0.95), tried.size() - costs.size());
  std::fflush(stdout);
}

}  // namespace

void Spaces(TuningGround& ground) {
  std::printf("\nspaces: distinct programs of %lld random points; time of the median / the best\n",
              static_cast<long long>(ground.options().points));
  std::printf("%-28s %-7s %12s %10s %16s %10s\n", "kernel", "space", "points", "distinct",
              "that ran", "spread");
  for (const TunedKernel& kernel : ground.Templates())
    SpacesOf(ground, ground.WithKnobs(kernel), "knobs");
  for (const TunedKernel& kernel : ground.Others()) {
    SpacesOf(ground, ground.WithKnobs(kernel), "knobs");
    SpacesOf(ground, ground.WithSketch(kernel), "sketch");
  }
  std::printf("%-28s %-7s %12s %10s %16s %10s\n", "goal", "", "", "100", "", "1.3");
  std::fflush(stdout);
}

void Trials(TuningGround& ground) {
  std::printf("\ntrials at random: wall time of each, compiling included, in seconds\n");
  std::printf("%-28s %-7s %9s %9s %10s %10s %9s %9s %9s\n", "kernel", "space", "median ms",
              "a second", "median", "95 %", "compile", "95 %", "failed");
  for (const TunedKernel& kernel : ground.Templates())
    TrialsOf(ground, ground.WithKnobs(kernel), "knobs");
  for (const TunedKernel& kernel : ground.Others())
    TrialsOf(ground, ground.WithSketch(kernel), "sketch");
  std::printf("%-28s %-7s %9s %9s %10s %10s\n", "goal of kernels of <= 1 ms", "", "", "", "0.1",
              "0.3");
  std::fflush(stdout);
}

void Disturbance(TuningGround& ground) {
  const int rounds = ground.options().quick ? 5 : 25;
  std::printf("\nthe default schedule, measured with and without a builder busy beside it\n");
  std::printf("%-28s %12s %12s %10s\n", "kernel", "idle ms", "busy ms", "goal 2 %");
  const std::unique_ptr<tune::Runner> runner = ground.NewRunner();
  for (const TunedKernel& kernel : ground.Templates()) {
    const Ready ready = ground.WithKnobs(kernel);
    const tune::BuildResult built = tune::BuildCandidate(ready.otherwise);
    std::vector<double> idle, busy;
    const auto measure = [&](std::vector<double>& costs) {
      const tune::RunResult ran = runner->Run(built.code.module_kind, built.code.bytes,
                                              ready.otherwise.name, ready.arguments);
      costs.push_back(tune::MedianOf(ran.seconds));
    };
    for (int round = 0; round < rounds; ++round) {
      measure(idle);
      std::atomic<bool> stop = false;
      std::thread builder([&] {
        while (!stop) tune::BuildCandidate(ready.otherwise);
      });
      measure(busy);
      stop = true;
      builder.join();
    }
    const double plain = Quantile(idle, 0.5), disturbed = Quantile(busy, 0.5);
    std::printf("%-28s %12.4f %12.4f %8.1f %%%s\n", kernel.name.c_str(), plain * 1e3,
                disturbed * 1e3, 100 * (disturbed / plain - 1),
                disturbed > 1.02 * plain ? "!" : "");
    std::fflush(stdout);
  }
}

}  // namespace lathe::bench
