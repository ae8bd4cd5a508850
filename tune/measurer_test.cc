#include "tune/measurer.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>

#include "base/error.h"
#include "driver/default_plugins.h"
#include "runtime/cancel.h"
#include "schedule/primitives/primitives.h"
#include "target/canonical.h"
#include "te/operation.h"
#include "tune/reference.h"
#include "tune/testing.h"

namespace lathe::tune {
namespace {

std::string worker_program;

// B = A + 1 in splits; every third candidate is for a GPU, and so does not lower.
struct Candidates {
  explicit Candidates(int count) {
    for (int i = 0; i < count; ++i) {
      schedule::Schedule s = schedule::CreateSchedule({b->op});
      schedule::Stage& stage = s[b];
      if (i % 3 == 2) {
        schedule::Bind(stage, stage.leaf_axes[0], schedule::ThreadAxis("threadIdx.x"));
      } else {
        schedule::Split(stage, stage.leaf_axes[0], int64_t{1} + i);
      }
      programs.push_back({s, args, "f", *target::CanonicalTarget(target::ParseTarget("llvm")), {}});
    }
  }
  const te::Tensor a = te::Placeholder({ir::Int(4096)}, DataType::Float(32), "A");
  const te::Tensor b = te::Compute(
      {ir::Int(4096)}, [&](const te::Indices& i) { return te::At(a, {i[0]}) + 1.0; }, "B");
  const std::vector<ir::NodeRef> args = {a, b};
  const std::vector<RunArgument> arguments = *MakeArguments(args);
  std::vector<driver::ProgramToCompile> programs;
};

class MeasurerTest : public testing::Test {
 protected:
  MeasurerTest() {
    std::vector<std::unique_ptr<Runner>> runners;
    for (int i = 0; i < 2; ++i)
      runners.push_back(std::make_unique<Runner>(devices.sessions(), kDLCPU, 0, RunOptions{}));
    measurer.emplace(std::move(runners),
                     MeasurerOptions{.builders = 2, .limits = {.isolate = false}});
  }
  TestDevices devices{worker_program, 2};
  std::optional<Measurer> measurer;
};

TEST_F(MeasurerTest, EachCandidateIsMeasuredOnce) {
  const Candidates all(20);
  for (int round = 0; round < 2; ++round) {
    std::set<size_t> seen;
    measurer->Measure(all.programs, all.arguments, [&](size_t index, const Measured& measured) {
      EXPECT_TRUE(seen.insert(index).second) << index;
      EXPECT_GT(measured.build_seconds, 0);
      ASSERT_EQ(measured.failure.has_value(), index % 3 == 2)
          << (measured.failure ? measured.failure->message : "");
      if (measured.failure) {
        EXPECT_EQ(measured.failure->kind, FailureKind::kSchedule);
      } else {
        EXPECT_FALSE(measured.seconds.empty());
      }
    });
    EXPECT_EQ(seen.size(), 20u);
  }
  EXPECT_EQ(devices.opened(), 2) << "one session for each device";
  measurer->Measure({}, all.arguments, [](size_t, const Measured&) { FAIL(); });
}

TEST_F(MeasurerTest, EndsEarly) {
  const Candidates all(200);
  int done = 0;
  const auto measure = [&] {
    measurer->Measure(all.programs, all.arguments, [&](size_t, const Measured&) {
      if (++done == 3) throw Error(Diagnostic{.name = "enough", .message = "three are enough"});
    });
  };
  EXPECT_THROW(measure(), Error);
  EXPECT_EQ(done, 3);
  // Ctrl-C, as far as the measurer sees it.
  done = 0;
  runtime::Cancellation stop;
  const runtime::CancelScope scope(stop);
  const auto until_stopped = [&] {
    measurer->Measure(all.programs, all.arguments, [&](size_t, const Measured&) {
      if (++done == 2) stop.Cancel();
    });
  };
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_THROW(until_stopped(), runtime::Interrupted);
  EXPECT_LT(done, 20);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5));
}

TEST_F(MeasurerTest, MeasuresByTurns) {
  const Candidates all(3);
  const std::vector<Measured> measured = measurer->MeasureByTurns(all.programs, all.arguments, 4);
  ASSERT_EQ(measured.size(), 3u);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_FALSE(measured[i].failure.has_value());
    EXPECT_EQ(measured[i].seconds.size(), 4u);
    EXPECT_GT(measured[i].build_seconds, 0);
    EXPECT_GT(MedianOf(measured[i].seconds), 0);
  }
  ASSERT_TRUE(measured[2].failure.has_value());
  EXPECT_TRUE(measured[2].seconds.empty());
  EXPECT_EQ(devices.opened(), 1);
}

// What compiles on other machines; its errors are not those of candidates.
TEST_F(MeasurerTest, CandidatesAreCompiledByWhatIsGiven) {
  const Candidates all(4);
  std::atomic<int> asked = 0, most = 4;
  std::vector<std::unique_ptr<Runner>> runners;
  runners.push_back(std::make_unique<Runner>(devices.sessions(), kDLCPU, 0, RunOptions{}));
  Measurer other(std::move(runners),
                 {.limits = {.isolate = false},
                  .build = [&](const driver::ProgramToCompile& program, const BuildLimits& limits) {
                    if (++asked > most)
                      throw Error(Diagnostic{.name = "away", .message = "no worker"});
                    return BuildCandidate(program, limits);
                  }});
  int done = 0;
  const auto measure = [&] {
    other.Measure(all.programs, all.arguments, [&](size_t index, const Measured& measured) {
      EXPECT_EQ(measured.failure.has_value(), index == 2) << index;
      ++done;
    });
  };
  measure();
  EXPECT_EQ(done, 4);
  most = asked + 1;
  EXPECT_THROW(measure(), Error);
  EXPECT_LE(done, 5);
}

TEST(Measurer, NeedsADevice) {
  try {
    Measurer({}, {});
    FAIL() << "it has no device";
  } catch (const Error& error) {
    EXPECT_EQ(error.name(), "tune-no-device");
  }
}

}  // namespace
}  // namespace lathe::tune

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  lathe::tune::worker_program = argv[1];
  lathe::driver::UseDefaultPlugins();
  return RUN_ALL_TESTS();
}
