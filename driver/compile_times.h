// Where the time of a compilation goes: each pass, each stage of the code generator, loading.
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
    double seconds = 0;  // of all its times together
    int times = 0;
  };

  // Sets `timed`. Copies of the context report here too.
  void Watch(lower::PassContext* context);
  void Add(std::string_view who, std::string_view step, double seconds);
  // Seconds since this was made.
  double Elapsed() const;
  // In the order of first use.
  std::vector<Step> Steps() const;
  // Of all steps of one of them; of all where `who` is empty.
  double Seconds(std::string_view who = {}) const;
  // A table with a line per step, sums per `who`, what was measured since this was made, how much
  // of that no step accounts for, and the most memory that the process has used.
  std::string ToString() const;

 private:
  const std::chrono::steady_clock::time_point start_;
  mutable std::mutex mutex_;
  std::vector<Step> steps_;
};

// The most memory that this process has held, in bytes.
int64_t PeakMemory();

}  // namespace lathe::driver
