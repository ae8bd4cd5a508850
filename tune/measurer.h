// Measures many candidates: compiles some while others run, on all devices at once.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "driver/cache/compile_cache.h"
#include "tune/builder.h"
#include "tune/runner.h"

namespace lathe::tune {

struct Measured {
  std::vector<double> seconds;  // of one call, each sample; empty if there is a failure
  std::optional<Failure> failure;
  double build_seconds = 0;  // what compiling it took
  size_t nodes = 0;          // BuildResult::nodes
};

struct MeasurerOptions {
  int builders = 1;  // threads that compile; fewer if the system refuses some
  BuildLimits limits;
  // What compiles a candidate within the limits, called by these threads; null: BuildCandidate.
  // What it throws says nothing about the candidate: it ends the measurement.
  std::function<BuildResult(const driver::ProgramToCompile&, const BuildLimits&)> build = {};
};

// Not thread-safe.
class Measurer {
 public:
  // A runner for each device. Throws Error "tune-no-device" if there is none.
  Measurer(std::vector<std::unique_ptr<Runner>> runners, MeasurerOptions options);

  // Measures each candidate with the same arguments (tune/reference.h), in the layouts that its
  // schedule gives to inputs (transform_layout). Calls `done` on this thread with the position of a
  // candidate that is finished, in the order in which they are. At most one compiled candidate for
  // each device and each builder waits. If the caller is interrupted (base/poll.h), or `done`
  // throws, what is under way is ended first, and it is thrown. `most_nodes` is
  // BuildLimits::most_nodes of these candidates. Throws Error "thread-refused" if the system has no
  // thread for compiling or none for a runner; with fewer than it wants it goes on.
  void Measure(std::span<const driver::ProgramToCompile> candidates,
               std::span<const RunArgument> arguments,
               absl::FunctionRef<void(size_t index, const Measured& measured)> done,
               size_t most_nodes = 0);

  // To decide which of a few candidates is fastest: compiles all, then measures them by turns, so
  // many rounds on one device, while nothing is compiled. A sample is the median of a round;
  // of a candidate that failed in any round there are none. Throws as Measure does.
  std::vector<Measured> MeasureByTurns(std::span<const driver::ProgramToCompile> candidates,
                                       std::span<const RunArgument> arguments, int rounds);

 private:
  class Run;
  const std::vector<std::unique_ptr<Runner>> runners_;
  const MeasurerOptions options_;
};

}  // namespace lathe::tune
