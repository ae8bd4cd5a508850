// Measures the time of a compilation: each pass, each stage of the code generator, loading.
//
//   CompileTimes times;
//   lower::PassContext context;
//   times.Watch(&context);
//   ... Lower, Build ...
//   std::fputs(times.ToString().c_str(), stderr);
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "lower/pass.h"

namespace lathe::driver {

// Thread-safe. Must outlive the compilations that it watches.
class CompileTimes {
 public:
  CompileTimes() : start_(std::chrono::steady_clock::now()) {}

  struct Step {
    std::string who;     // "schedule", "pass", "driver", "plugin"
    std::string what;    // "simplify", "optimize"
    double seconds = 0;  // of all executions together
    int times = 0;
  };

  // Sets `timed` of the context. Copies of the context report here too.
  void Watch(lower::PassContext* context);
  void Add(std::string_view who, std::string_view step, double seconds);
  // Seconds since this object was made.
  double Elapsed() const;
  // In the order in which they were first executed.
  std::vector<Step> Steps() const;
  // The sum over all steps of `who`; over all steps if `who` is empty.
  double Seconds(std::string_view who = {}) const;
  // A table: a line per step, sums per `who`, the time since this object was made, the part of it
  // that belongs to no step, and the peak memory of the process.
  std::string ToString() const;

 private:
  const std::chrono::steady_clock::time_point start_;
  mutable std::mutex mutex_;
  std::vector<Step> steps_;
};

// The peak memory of this process, in bytes.
int64_t PeakMemory();

}  // namespace lathe::driver
