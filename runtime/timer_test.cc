#include "runtime/timer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "runtime/device_api.h"
#include "runtime/status.h"
#include "runtime/test_device.h"

namespace lathe::runtime {
namespace {

// A device whose clock the test sets.
class ClockDevice : public TestDevice {
 public:
  explicit ClockDevice(int32_t kind) : TestDevice(kind, true) {}
  absl::StatusOr<EventHandle> NewEvent(int32_t) override {
    ++events;
    return new double(0);
  }
  absl::Status RecordEvent(int32_t, EventHandle event, StreamHandle) override {
    *static_cast<double*>(event) = now;
    return absl::OkStatus();
  }
  absl::StatusOr<double> ElapsedNanoseconds(int32_t, EventHandle begin, EventHandle end) override {
    return *static_cast<double*>(end) - *static_cast<double*>(begin);
  }
  absl::Status FreeEvent(int32_t, EventHandle event) override {
    --events;
    delete static_cast<double*>(event);
    return absl::OkStatus();
  }
  double now = 0;
  int events = 0;
};

ClockDevice* Clock() {
  static auto* device = [] {
    auto* made = new ClockDevice(RegisterDeviceKind("timertest").value());
    EXPECT_TRUE(RegisterDeviceAPI(made).ok());
    return made;
  }();
  return device;
}

TEST(Timer, UsesTheDevicesClockAndReturnsEverySample) {
  const Device device{Clock()->kind(), 0, 0};
  int calls = 0, prepared = 0;
  const auto result = TimeFunction(
                          [&] {
                            ++calls;
                            Clock()->now += 100.0 * (prepared == 0 ? 1 : prepared);
                            return absl::OkStatus();
                          },
                          device,
                          {.number = 10,
                           .repeat = 3,
                           .preprocess =
                               [&] {
                                 ++prepared;
                                 return absl::OkStatus();
                               }})
                          .value();
  EXPECT_EQ(calls, 31);  // one warm-up
  EXPECT_EQ(prepared, 3);
  ASSERT_EQ(result.seconds.size(), 3u);
  EXPECT_NEAR(result.seconds[0], 100e-9, 1e-15);
  EXPECT_NEAR(result.seconds[2], 300e-9, 1e-15);
  EXPECT_NEAR(result.mean, 200e-9, 1e-15);
  EXPECT_NEAR(result.median, 200e-9, 1e-15);
  EXPECT_NEAR(result.min, 100e-9, 1e-15);
  EXPECT_NEAR(result.max, 300e-9, 1e-15);
  EXPECT_NEAR(result.stddev, 100e-9, 1e-15);
  EXPECT_EQ(result.ToString(),
            "median 200.0 ns, min 100.0 ns, max 300.0 ns (3 samples of 10 calls)");
  EXPECT_EQ(Clock()->events, 0);
}

TEST(Timer, GrowsTheNumberUntilASampleLasts) {
  const Device device{Clock()->kind(), 0, 0};
  const auto result = TimeFunction(
                          [&] {
                            Clock()->now += 1000;
                            return absl::OkStatus();
                          },
                          device, {.number = 1, .repeat = 2, .min_repeat_ms = 1})
                          .value();
  EXPECT_GE(result.number, 1000);
  EXPECT_LE(result.number, 2000);
  EXPECT_EQ(result.seconds.size(), 2u);
}

TEST(Timer, ZeroTimeIsAnError) {
  const Device device{Clock()->kind(), 0, 0};
  EXPECT_EQ(StatusName(TimeFunction([] { return absl::OkStatus(); }, device, {}).status()),
            "timer-zero-time");
}

TEST(Timer, HostTimeCoolsDownAndFlushes) {
  const auto begin = std::chrono::steady_clock::now();
  const auto result = TimeFunction(
                          [] {
                            std::this_thread::sleep_for(std::chrono::milliseconds(1));
                            return absl::OkStatus();
                          },
                          Device::Cpu(),
                          {.repeat = 4,
                           .cooldown_interval_ms = 10,
                           .repeats_to_cooldown = 2,
                           .flush_cache_bytes = 1 << 20})
                          .value();
  const double elapsed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_EQ(result.seconds.size(), 4u);
  EXPECT_GE(result.min, 0.001);
  EXPECT_GE(elapsed, 0.014);  // five calls and one pause: none after the last sample
}

TEST(Timer, FailuresOfTheFunctionAreItsOwn) {
  Function bad =
      Function::From([] { return MakeStatus(absl::StatusCode::kAborted, "no-luck", "failed"); });
  EXPECT_EQ(StatusName(TimeFunction(bad, {}, Device::Cpu(), {}).status()), "no-luck");
  const std::vector<Value> args = {1, 2};
  Function good = Function::From([](int a, int b) { return a + b; });
  EXPECT_TRUE(TimeFunction(good, args, Device::Cpu(), {.number = 1000}).ok());
}

// Each of these would take years.
TEST(Timer, EndsWhenItMayNotGoOn) {
  const auto stop = absl::CancelledError("stop");
  const TimerOptions lasting[] = {{.number = int64_t{1} << 39},
                                  {.repeat = int64_t{1} << 39},
                                  {.min_repeat_ms = 1e12},
                                  {.repeat = 2, .cooldown_interval_ms = 1e12}};
  for (TimerOptions options : lasting) {
    int asked = 0;
    options.go_on = [&] { return ++asked < 5 ? absl::OkStatus() : stop; };
    const auto slow = [] {
      std::this_thread::sleep_for(std::chrono::microseconds(10));
      return absl::OkStatus();
    };
    EXPECT_EQ(TimeFunction(slow, Device::Cpu(), options).status(), stop);
    EXPECT_EQ(asked, 5);
  }
}

TEST(Timer, AskingIsNotMeasured) {
  const Device device{Clock()->kind(), 0, 0};
  int asked = 0;
  const auto call = [] {
    Clock()->now += 1000;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return absl::OkStatus();
  };
  const auto result = TimeFunction(call, device, {.number = 9, .go_on = [&] {
                                                    ++asked;
                                                    Clock()->now += 1e9;
                                                    return absl::OkStatus();
                                                  }});
  ASSERT_TRUE(result.ok());
  EXPECT_GE(asked, 2);
  EXPECT_DOUBLE_EQ(result->seconds[0], 1000e-9);
}

TEST(Timer, OptionsAreChecked) {
  const auto name = [](const TimerOptions& options) {
    return std::string(
        StatusName(TimeFunction([] { return absl::OkStatus(); }, Device::Cpu(), options).status()));
  };
  EXPECT_EQ(name({.number = 0}), "timer-invalid-options");
  EXPECT_EQ(name({.repeat = 0}), "timer-invalid-options");
  EXPECT_EQ(name({.min_repeat_ms = -1}), "timer-invalid-options");
  EXPECT_EQ(name({.min_repeat_ms = NAN}), "timer-invalid-options");
  EXPECT_EQ(name({.repeats_to_cooldown = 0}), "timer-invalid-options");
}

}  // namespace
}  // namespace lathe::runtime
