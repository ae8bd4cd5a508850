// What the sections of the benchmark of tuning share: options, the device, searches.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/tuning/kernels.h"
#include "driver/cache/compile_cache.h"
#include "runtime/rpc/server.h"
#include "target/target.h"
#include "tune/measurer.h"
#include "tune/schedule_space.h"
#include "tune/search.h"

namespace lathe::bench {

struct TuningOptions {
  std::vector<std::string> sections, kernels;  // kernels: how their names begin; empty: all
  int64_t trials = 500;                        // of a search for the goals
  int64_t random = 1000;                       // that the efficiency is measured against
  int64_t points = 300;                        // of a space, whose programs are compared
  int64_t measured = 60;                       // of these, that are measured
  double minutes = 0;                          // of a search; 0: no limit
  int threads = 1;                             // of kernels: one builds, one measures
  uint64_t seed = 1;
  std::string tuner = "genetic";
  bool quick = false;

  bool Wants(const std::string& kernel) const;
};

// A kernel that is ready to be searched.
struct Ready {
  std::string name;
  tune::ScheduleSpace made;
  driver::ProgramToCompile otherwise;  // with its default schedule
  std::vector<tune::RunArgument> arguments;
  // Where a search begins. Of a space from the program alone a point that fits most machines, as
  // for `lathe tune`; of knobs none, since that would be the default schedule.
  std::vector<tune::Point> first = {};
};

// A trial that counts, in the order in which they ended.
struct Tried {
  tune::Point point;
  double cost = 0;   // seconds of a call; infinite if it failed
  double at = 0;     // seconds since the search began
  double build = 0;  // seconds of compiling
};

class TuningGround {
 public:
  // Worker processes are this program with the argument "worker". Throws Error.
  explicit TuningGround(const TuningOptions& options);
  ~TuningGround();

  const TuningOptions& options() const { return options_; }
  const target::Target& target() const { return target_; }
  tune::Measurer& measurer() { return *measurer_; }
  // A runner with a session of its own.
  std::unique_ptr<tune::Runner> NewRunner();

  // With the knobs of topi's schedule, or a space from the program alone.
  Ready WithKnobs(const TunedKernel& kernel) const;
  Ready WithSketch(const TunedKernel& kernel) const;
  // The kernels that the options want.
  std::vector<TunedKernel> Templates() const;
  std::vector<TunedKernel> Others() const;

  // Searches without the default schedule: it is refused under whatever point it hides, so that no
  // tuner can copy it. Prints what it is doing to standard error.
  std::vector<Tried> Search(const Ready& kernel, const std::string& tuner, int64_t trials);
  // How fast the best of the first `trials` is, where the default schedule is 1: measured by turns
  // with it, the best three of the search, of which the fastest counts. 0 if nothing ran.
  double AgainstDefault(const Ready& kernel, const std::vector<Tried>& tried, int64_t trials);
  // The median seconds of each, measured by turns.
  std::vector<double> ByTurns(const Ready& kernel,
                              const std::vector<driver::ProgramToCompile>& programs);

 private:
  std::unique_ptr<tune::Runner> RunnerWith(const tune::RunOptions& options);

  const TuningOptions options_;
  target::Target target_;
  std::unique_ptr<runtime::rpc::Server> server_;
  std::optional<tune::Measurer> measurer_;
};

// The program with its schedule, as text: two points with one text are one candidate.
std::string TextOf(const driver::ProgramToCompile& program);
// The best points of the first `trials`, those that cost least first.
std::vector<tune::Point> BestOf(const std::vector<Tried>& tried, size_t trials, size_t most);
// The value below which `share` of the numbers lie.
double Quantile(std::vector<double> numbers, double share);
double GeometricMean(const std::vector<double>& numbers);

}  // namespace lathe::bench
