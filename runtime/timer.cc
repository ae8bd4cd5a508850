#include "runtime/timer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numeric>
#include <thread>
#include <utility>

#include "runtime/device_api.h"
#include "runtime/status.h"
#include "runtime/stream.h"

namespace lathe::runtime {
namespace {

constexpr int64_t kMostCalls = int64_t{1} << 40;
// How long a measurement runs without calling `go_on`.
constexpr double kUnasked = 50e6;  // nanoseconds
// After a call of `go_on`, the next one comes at least this much later: `go_on` may have to wait.
constexpr double kJustAsked = 20e6;

// The time of the work between Start and Stop, in nanoseconds.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual absl::Status Start() = 0;
  virtual absl::StatusOr<double> Stop() = 0;
};

class HostClock : public Clock {
 public:
  explicit HostClock(const Device& device) : device_(device) {}
  absl::Status Start() override {
    if (!device_.is_cpu()) LATHE_RETURN_IF_ERROR(Synchronize(device_));
    begin_ = std::chrono::steady_clock::now();
    return absl::OkStatus();
  }
  absl::StatusOr<double> Stop() override {
    if (!device_.is_cpu()) LATHE_RETURN_IF_ERROR(Synchronize(device_));
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin_)
        .count();
  }

 private:
  Device device_;
  std::chrono::steady_clock::time_point begin_;
};

class EventClock : public Clock {
 public:
  EventClock(DeviceAPI* api, const Device& device, EventHandle begin, EventHandle end)
      : api_(api), device_(device), begin_(begin), end_(end) {}
  ~EventClock() override {
    api_->FreeEvent(device_.id, begin_).IgnoreError();
    api_->FreeEvent(device_.id, end_).IgnoreError();
  }
  absl::Status Start() override {
    return api_->RecordEvent(device_.id, begin_, CurrentStreamHandle(device_));
  }
  absl::StatusOr<double> Stop() override {
    LATHE_RETURN_IF_ERROR(api_->RecordEvent(device_.id, end_, CurrentStreamHandle(device_)));
    LATHE_RETURN_IF_ERROR(Synchronize(device_));
    return api_->ElapsedNanoseconds(device_.id, begin_, end_);
  }

 private:
  DeviceAPI* api_;
  Device device_;
  EventHandle begin_, end_;
};

absl::StatusOr<std::unique_ptr<Clock>> MakeClock(const Device& device) {
  if (device.is_cpu()) return std::make_unique<HostClock>(device);
  LATHE_ASSIGN_OR_RETURN(DeviceAPI * api, GetDeviceAPI(device));
  absl::StatusOr<EventHandle> begin = api->NewEvent(device.id);
  if (begin.status().code() == absl::StatusCode::kUnimplemented)
    return std::make_unique<HostClock>(device);
  LATHE_RETURN_IF_ERROR(begin.status());
  absl::StatusOr<EventHandle> end = api->NewEvent(device.id);
  if (!end.ok()) {
    api->FreeEvent(device.id, *begin).IgnoreError();
    return end.status();
  }
  return std::make_unique<EventClock>(api, device, *begin, *end);
}

absl::Status CheckOptions(const TimerOptions& options) {
  const bool valid = options.number >= 1 && options.number <= kMostCalls && options.repeat >= 1 &&
                     options.repeats_to_cooldown >= 1 && options.min_repeat_ms >= 0 &&
                     options.cooldown_interval_ms >= 0 && std::isfinite(options.min_repeat_ms) &&
                     std::isfinite(options.cooldown_interval_ms);
  if (valid) return absl::OkStatus();
  return MakeStatus(absl::StatusCode::kInvalidArgument, "timer-invalid-options",
                    {"number, repeat and repeats_to_cooldown are at least 1, times are finite and ",
                     "not negative\nfound: number ", std::to_string(options.number), ", repeat ",
                     std::to_string(options.repeat), ", repeats_to_cooldown ",
                     std::to_string(options.repeats_to_cooldown), ", min_repeat_ms ",
                     std::to_string(options.min_repeat_ms), ", cooldown_interval_ms ",
                     std::to_string(options.cooldown_interval_ms)});
}

double Since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

// Runs the calls of a sample, in as few pieces as `go_on` allows.
class Sampler {
 public:
  Sampler(const std::function<absl::Status()>& call, Clock& clock,
          const std::function<absl::Status()>& go_on)
      : call_(call), clock_(clock), go_on_(go_on) {}

  // One call that is not measured: it loads code, fills caches, starts threads.
  absl::Status WarmUp() {
    const auto begin = std::chrono::steady_clock::now();
    LATHE_RETURN_IF_ERROR(call_());
    Learn(1, Since(begin));
    return absl::OkStatus();
  }

  // The nanoseconds of `number` calls.
  absl::StatusOr<double> Sample(int64_t number) {
    double nanoseconds = 0;
    for (int64_t done = 0; done < number;) {
      LATHE_RETURN_IF_ERROR(GoOn());
      const int64_t calls = std::min(number - done, in_one_go_);
      LATHE_RETURN_IF_ERROR(clock_.Start());
      const auto begin = std::chrono::steady_clock::now();
      for (int64_t i = 0; i < calls; ++i) LATHE_RETURN_IF_ERROR(call_());
      LATHE_ASSIGN_OR_RETURN(const double took, clock_.Stop());
      Learn(calls, Since(begin));
      nanoseconds += took;
      done += calls;
    }
    return nanoseconds;
  }

  absl::Status Pause(double milliseconds) {
    using std::chrono::steady_clock;
    const auto begin = steady_clock::now();
    for (;;) {
      const double left = milliseconds * 1e6 - Since(begin);
      if (left <= 0) return absl::OkStatus();
      const double part = go_on_ ? std::min(left, kUnasked) : left;
      std::this_thread::sleep_for(std::chrono::duration<double, std::nano>(part));
      LATHE_RETURN_IF_ERROR(GoOn());
    }
  }

 private:
  absl::Status GoOn() {
    if (!go_on_ || Since(asked_) < kJustAsked) return absl::OkStatus();
    LATHE_RETURN_IF_ERROR(go_on_());
    asked_ = std::chrono::steady_clock::now();
    return absl::OkStatus();
  }
  void Learn(int64_t calls, double nanoseconds) {
    if (!go_on_) return;
    const double one = std::max(nanoseconds, 1.0) / static_cast<double>(calls);
    in_one_go_ = std::max<int64_t>(1, static_cast<int64_t>(kUnasked / one));
  }

  const std::function<absl::Status()>& call_;
  Clock& clock_;
  const std::function<absl::Status()>& go_on_;
  int64_t in_one_go_ = kMostCalls;
  std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::now();
};

// Replaces the contents of the caches.
void FlushCache(std::vector<unsigned char>& lines) {
  for (size_t i = 0; i < lines.size(); i += 64) {
    volatile unsigned char* at = &lines[i];
    *at = static_cast<unsigned char>(*at + 1);
  }
}

std::string Readable(double seconds) {
  char text[32];
  if (seconds < 1e-6) {
    std::snprintf(text, sizeof(text), "%.1f ns", seconds * 1e9);
  } else if (seconds < 1e-3) {
    std::snprintf(text, sizeof(text), "%.2f us", seconds * 1e6);
  } else if (seconds < 1) {
    std::snprintf(text, sizeof(text), "%.2f ms", seconds * 1e3);
  } else {
    std::snprintf(text, sizeof(text), "%.2f s", seconds);
  }
  return text;
}

}  // namespace

std::string TimerResult::ToString() const {
  return "median " + Readable(median) + ", min " + Readable(min) + ", max " + Readable(max) + " (" +
         std::to_string(seconds.size()) + (seconds.size() == 1 ? " sample of " : " samples of ") +
         std::to_string(number) + (number == 1 ? " call)" : " calls)");
}

TimerResult Summarize(std::vector<double> seconds, int64_t number) {
  TimerResult result;
  result.number = number;
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  const size_t n = sorted.size();
  result.min = sorted.front();
  result.max = sorted.back();
  result.median = n % 2 == 1 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
  result.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / static_cast<double>(n);
  double squares = 0;
  for (double sample : sorted) squares += (sample - result.mean) * (sample - result.mean);
  result.stddev = n > 1 ? std::sqrt(squares / static_cast<double>(n - 1)) : 0;
  result.seconds = std::move(seconds);
  return result;
}

absl::StatusOr<TimerResult> TimeFunction(const std::function<absl::Status()>& call,
                                         const Device& device, const TimerOptions& options) {
  LATHE_RETURN_IF_ERROR(CheckOptions(options));
  LATHE_ASSIGN_OR_RETURN(const std::unique_ptr<Clock> clock, MakeClock(device));
  std::vector<unsigned char> lines(options.flush_cache_bytes);
  Sampler sampler(call, *clock, options.go_on);
  LATHE_RETURN_IF_ERROR(sampler.WarmUp());
  int64_t number = options.number;
  std::vector<double> seconds;
  while (static_cast<int64_t>(seconds.size()) < options.repeat) {
    if (options.preprocess) LATHE_RETURN_IF_ERROR(options.preprocess());
    FlushCache(lines);
    LATHE_ASSIGN_OR_RETURN(const double nanoseconds, sampler.Sample(number));
    const double wanted = options.min_repeat_ms * 1e6;
    if (nanoseconds < wanted && number < kMostCalls) {
      // The number that the sample suggests and a little more, but at least 1.5 times and at most
      // 1000 times the present number.
      const double n = static_cast<double>(number);
      const double suggested = nanoseconds > 0 ? n * wanted / nanoseconds * 1.05 : n * 1000;
      number = static_cast<int64_t>(std::ceil(
          std::min({std::max(suggested, n * 1.5), n * 1000, static_cast<double>(kMostCalls)})));
      seconds.clear();  // samples with another number of calls are not comparable
      continue;
    }
    if (!(nanoseconds > 0))
      return MakeStatus(
          absl::StatusCode::kOutOfRange, "timer-zero-time",
          {"a sample of ", std::to_string(number),
           " calls took no time by the device's clock\nhelp: raise number or min_repeat_ms"});
    seconds.push_back(nanoseconds * 1e-9 / static_cast<double>(number));
    const bool more = static_cast<int64_t>(seconds.size()) < options.repeat;
    if (more && options.cooldown_interval_ms > 0 &&
        static_cast<int64_t>(seconds.size()) % options.repeats_to_cooldown == 0)
      LATHE_RETURN_IF_ERROR(sampler.Pause(options.cooldown_interval_ms));
  }
  return Summarize(std::move(seconds), number);
}

absl::StatusOr<TimerResult> TimeFunction(const Function& function, std::span<const Value> args,
                                         const Device& device, const TimerOptions& options) {
  std::vector<lathe_value> values;
  for (const Value& arg : args) values.push_back(arg.c());
  const auto n = static_cast<int32_t>(values.size());
  return TimeFunction([&] { return function.TryCallPacked(values.data(), n).status(); }, device,
                      options);
}

}  // namespace lathe::runtime
