// Measuring while the system refuses threads.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <vector>

#include "base/error.h"
#include "driver/default_plugins.h"
#include "runtime/init.h"
#include "runtime/session/loopback_session.h"
#include "runtime/test_threads.h"
#include "schedule/primitives/primitives.h"
#include "target/canonical.h"
#include "te/operation.h"
#include "tune/measurer.h"
#include "tune/reference.h"

namespace lathe::tune {
namespace {

using runtime::testing_threads::left;
using runtime::testing_threads::refused;

constexpr int kPlenty = 1 << 30;

// Sessions of this process: they need no threads.
absl::StatusOr<Ref<runtime::Session>> OpenHere() {
  absl::StatusOr<Ref<runtime::LoopbackSession>> session = runtime::LoopbackSession::Open();
  if (!session.ok()) return session.status();
  return Ref<runtime::Session>(*std::move(session));
}

class MeasurerLimits : public testing::Test {
 protected:
  // Before the members are made.
  static void SetUpTestSuite() {
    runtime::Initialize();
    driver::UseDefaultPlugins();
  }
  MeasurerLimits() {
    for (int i = 0; i < 6; ++i) {
      schedule::Schedule s = schedule::CreateSchedule({b->op});
      schedule::Split(s[b], s[b].leaf_axes[0], int64_t{1} << i);
      programs.push_back({s, args, "f", *target::CanonicalTarget(target::ParseTarget("llvm")), {}});
    }
    std::vector<std::unique_ptr<Runner>> runners;
    for (int i = 0; i < 3; ++i)
      runners.push_back(std::make_unique<Runner>(OpenHere, kDLCPU, 0, RunOptions{}));
    measurer = std::make_unique<Measurer>(
        std::move(runners), MeasurerOptions{.builders = 2, .limits = {.isolate = false}});
  }
  void TearDown() override { left = kPlenty; }

  // How many candidates were measured with so many threads.
  size_t MeasuredWith(int threads) {
    std::set<size_t> seen;
    refused = 0;
    left = threads;
    measurer->Measure(programs, arguments, [&](size_t index, const Measured& measured) {
      EXPECT_FALSE(measured.failure) << measured.failure->message;
      seen.insert(index);
    });
    left = kPlenty;
    return seen.size();
  }

  const te::Tensor a = te::Placeholder({ir::Int(4096)}, DataType::Float(32), "A");
  const te::Tensor b = te::Compute(
      {ir::Int(4096)}, [&](const te::Indices& i) { return te::At(a, {i[0]}) + 1.0; }, "B");
  const std::vector<ir::NodeRef> args = {a, b};
  const std::vector<RunArgument> arguments = *MakeArguments(args);
  std::vector<driver::ProgramToCompile> programs;
  std::unique_ptr<Measurer> measurer;
};

TEST_F(MeasurerLimits, OneThreadOfEachKindDoesAll) {
  for (const int threads : {2, 3, 4}) {
    EXPECT_EQ(MeasuredWith(threads), programs.size()) << threads;
    EXPECT_GE(refused, 1) << threads;
  }
  EXPECT_EQ(MeasuredWith(kPlenty), programs.size());
  EXPECT_EQ(refused, 0);
}

TEST_F(MeasurerLimits, LessIsAnError) {
  for (const int threads : {0, 1}) {
    try {
      MeasuredWith(threads);
      ADD_FAILURE() << "it measured with " << threads << " threads";
    } catch (const Error& error) {
      EXPECT_EQ(error.name(), "thread-refused");
    }
    left = kPlenty;
  }
  EXPECT_EQ(MeasuredWith(kPlenty), programs.size());
}

}  // namespace
}  // namespace lathe::tune
