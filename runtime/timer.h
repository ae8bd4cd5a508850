// Times a function on a device: all samples, and a summary.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/device.h"
#include "runtime/function.h"

namespace lathe::runtime {

struct TimerOptions {
  int64_t number = 1;               // calls per sample
  int64_t repeat = 1;               // samples
  double min_repeat_ms = 0;         // `number` grows until a sample lasts this long
  double cooldown_interval_ms = 0;  // pause ...
  int64_t repeats_to_cooldown = 1;  // ... after so many samples
  uint64_t flush_cache_bytes = 0;   // host memory read and written before each sample; 0: not
  std::function<absl::Status()> preprocess;  // before each sample, not timed
  // Asked each 50 ms or so, between samples, in pauses and within samples that last longer; that
  // time is not counted. What it fails with ends the measurement.
  std::function<absl::Status()> go_on;
};

struct TimerResult {
  std::vector<double> seconds;  // per call, one for each sample
  int64_t number = 0;           // calls per sample in the end
  double mean = 0, median = 0, min = 0, max = 0, stddev = 0;
  // "median 1.23 us, min 1.20 us, max 1.50 us (10 samples of 100 calls)"
  std::string ToString() const;
};

// Summarises; `seconds` is not empty.
TimerResult Summarize(std::vector<double> seconds, int64_t number);

// One warm-up call, then the samples. Device time by events where the device has them, else the
// host's clock around calls and a synchronisation. Fails with what the function says,
// `timer-zero-time` (a clock that does not move is no measurement), `timer-invalid-options`.
absl::StatusOr<TimerResult> TimeFunction(const std::function<absl::Status()>& call,
                                         const Device& device, const TimerOptions& options);
absl::StatusOr<TimerResult> TimeFunction(const Function& function, std::span<const Value> args,
                                         const Device& device, const TimerOptions& options);

}  // namespace lathe::runtime
