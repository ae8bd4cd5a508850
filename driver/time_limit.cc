#include "driver/time_limit.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>

#include "base/error.h"

namespace lathe::driver {
namespace {

// Longer than any machine stays up. Adding it to the current time cannot overflow the clock.
constexpr double kLongest = 1e9;

std::string Seconds(double seconds) {
  char text[40];
  std::snprintf(text, sizeof text, "%g s", seconds);
  return text;
}

}  // namespace

TimeLimit::TimeLimit(double seconds, Clock::time_point begun) : seconds_(seconds) {
  if (std::isnan(seconds)) {
    throw Error(Diagnostic{.name = "compile-time-limit-value",
                           .message = "the time limit of a compilation is no number",
                           .expected = "seconds; 0 where there is none",
                           .found = "NaN"});
  }
  if (seconds <= 0) return;
  const std::chrono::duration<double> limit(std::min(seconds, kLongest));
  if (begun == Clock::time_point()) begun = Clock::now();
  SetDeadline(begun + std::chrono::duration_cast<Clock::duration>(limit));
  scope_.emplace(static_cast<runtime::Cancellation&>(*this));
}

runtime::ErrorRef TimeLimit::Late() const {
  const std::string at = lower::Step::Current();
  return runtime::MakeErrorObject(
      Diagnostic{.name = "compile-time-limit",
                 .message = "compiling took longer than its time limit of " + Seconds(seconds_),
                 .expected = "to be done in " + Seconds(seconds_),
                 .found = at.empty() ? "work still to do" : "it was at " + at,
                 .help = "give it more time (`--time-limit=`, `time_limit`; 0: no limit), or look "
                         "for what makes the program large: loops unrolled, stages inlined"},
      LATHE_DEADLINE_EXCEEDED);
}

}  // namespace lathe::driver
