#include "tune/search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "driver/default_plugins.h"
#include "ir/text/parser.h"
#include "runtime/cancel.h"
#include "runtime/status.h"
#include "schedule/canonical_trace.h"
#include "schedule/primitives/primitives.h"
#include "schedule/trace.h"
#include "target/canonical.h"
#include "te/operation.h"
#include "tune/builder.h"
#include "tune/reference.h"
#include "tune/testing.h"

namespace lathe::tune {
namespace {

using runtime::Json;
using runtime::StatusName;

std::string worker_program;

// B = A + 1 in rows of 64; knobs: how it is split, and whether the rows are threads, which a
// processor does not have.
class SearchTest : public testing::Test {
 protected:
  SearchTest() {
    EXPECT_TRUE(space.Add({"tile", KnobKind::kOption, {1, 2, 4, 8, 16, 32, 64}}).ok());
    EXPECT_TRUE(space.Add({"threads", KnobKind::kOption, {false, true}}).ok());
    std::vector<std::unique_ptr<Runner>> runners;
    runners.push_back(std::make_unique<Runner>(devices.sessions(), kDLCPU, 0, RunOptions{}));
    measurer.emplace(std::move(runners), MeasurerOptions{.limits = {.isolate = false}});
    std::remove(path.c_str());
    journal = *Journal::Open(path);
  }
  driver::ProgramToCompile Make(const Point& point) {
    const Json config = space.ConfigOf(point);
    schedule::Schedule s = schedule::CreateSchedule({b->op});
    schedule::Stage& stage = s[b];
    schedule::Split(stage, stage.leaf_axes[1], config.Find("tile")->int_value());
    if (config.Find("threads")->bool_value())
      schedule::Bind(stage, stage.leaf_axes[0], schedule::ThreadAxis("threadIdx.x"));
    return {s, args, "f", target, {}};
  }
  absl::StatusOr<Found> Run(Tuner& tuner, SearchOptions options) {
    return Search(
        space, [this](const Point& point) { return Make(point); }, tuner, *measurer, arguments,
        journal.get(), options,
        [this](const Trial& trial) {
          trials.push_back(trial);
          if (on_trial) on_trial();
        });
  }
  std::vector<Record> Records() {
    std::vector<Record> records;
    const auto state = ReadJournal(
        path, [&](std::string_view text, int64_t) { records.push_back(*RecordFromText(text)); });
    EXPECT_TRUE(state.ok() && state->damaged.empty());
    return records;
  }

  const te::Tensor a = te::Placeholder({ir::Int(64), ir::Int(64)}, DataType::Float(32), "A");
  const te::Tensor b = te::Compute(
      {ir::Int(64), ir::Int(64)},
      [&](const te::Indices& i) { return te::At(a, {i[0], i[1]}) + 1.0; }, "B");
  const std::vector<ir::NodeRef> args = {a, b};
  const std::vector<RunArgument> arguments = *MakeArguments(args);
  const target::Target target = *target::CanonicalTarget(target::ParseTarget("llvm"));
  const std::string path = testing::TempDir() + "/search_test.jsonl";
  Space space;
  TestDevices devices{worker_program};
  std::optional<Measurer> measurer;
  std::unique_ptr<Journal> journal;
  std::vector<Trial> trials;
  std::function<void()> on_trial;
};

TEST_F(SearchTest, FindsTheBestAndKeepsAll) {
  const auto tuner = NewRandomTuner(space);
  const auto found = Run(*tuner, {.trials = 100, .batch = 4, .same_failures = 0, .machine = "m"});
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->ended, "every point was tried");
  EXPECT_EQ(found->trials, 14);
  EXPECT_EQ(found->failures, 7);
  ASSERT_EQ(trials.size(), 14u);
  double best = INFINITY;
  for (const Trial& trial : trials) {
    EXPECT_EQ(trial.measured.failure.has_value(), trial.point[1] == 1);
    best = std::min(best, trial.cost);
  }
  EXPECT_EQ(found->cost, best);
  ASSERT_TRUE(found->best.has_value());
  EXPECT_EQ((*found->best)[1], 0u);

  const std::vector<Record> records = Records();
  ASSERT_EQ(records.size(), 14u);
  std::set<std::string> knobs;
  for (size_t i = 0; i < records.size(); ++i) {
    knobs.insert(records[i].knobs.Dump());
    EXPECT_EQ(*space.PointOf(records[i].knobs), trials[i].point);
    EXPECT_EQ(records[i].workload, records[0].workload);
    EXPECT_EQ(records[i].machine, "m");
    EXPECT_EQ(records[i].tuner, "random");
    EXPECT_EQ(records[i].cost(), trials[i].cost);
    EXPECT_GT(records[i].when, 1.7e9);
    // A record needs no template: its program gives the schedule.
    const ir::Program program = ir::ParseProgram(records[i].program);
    const schedule::Loaded loaded = schedule::FromProgram(program);
    schedule::Schedule again = schedule::CreateSchedule({b->op});
    const ir::Program mine = schedule::ToProgram(again, args, "f");
    schedule::Replay(again, schedule::TraceFor(mine, program));
    EXPECT_EQ(again[b].leaf_axes.size(), loaded.schedule->stages.back()->leaf_axes.size());
  }
  EXPECT_EQ(knobs.size(), 14u);
}

// Every point of one program: the first is measured, the others are known.
TEST_F(SearchTest, MeasuresAProgramOnce) {
  Space wide;
  ASSERT_TRUE(wide.Add({"tile", KnobKind::kOption, {1, 2, 4}}).ok());
  ASSERT_TRUE(wide.Add({"nothing", KnobKind::kOption, {1, 2, 3, 4, 5}}).ok());
  const Template make = [&](const Point& point) { return Make({point[0], 0}); };
  std::map<std::string, double> programs;
  for (const int64_t trials : {3, 0}) {
    SearchOptions options{.batch = 4, .programs = &programs};
    const auto found = Search(wide, make, *NewRandomTuner(wide), *measurer, arguments, nullptr,
                              options, [](const Trial&) {});
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->trials, trials);
    EXPECT_EQ(found->known, 15 - trials);
    EXPECT_EQ(found->ended, "every point was tried");
    EXPECT_EQ(programs.size(), 3u);
  }
}

// What is refused is no trial, and is told to nobody but the tuner.
TEST_F(SearchTest, RefusesWhatIsTooLarge) {
  Space wide;
  std::vector<Json> sizes;
  for (int64_t size = 1; size <= 64; ++size) sizes.emplace_back(size);
  ASSERT_TRUE(wide.Add({"size", KnobKind::kOption, sizes}).ok());
  const Template make = [&](const Point& point) {
    schedule::Schedule s = schedule::CreateSchedule({b->op});
    schedule::Stage& stage = s[b];
    schedule::Unroll(stage,
                     schedule::Split(stage, stage.leaf_axes[1], int64_t{1} + point[0]).second);
    return driver::ProgramToCompile{s, args, "f", target, {}};
  };
  const size_t some = BuildCandidate(make({31})).nodes;
  for (const size_t most : {some, size_t{1}}) {
    int64_t told = 0;
    const auto found =
        Search(wide, make, *NewRandomTuner(wide), *measurer, arguments, journal.get(),
               {.trials = 100, .most_nodes = most}, [&](const Trial& trial) {
                 ++told;
                 EXPECT_FALSE(trial.measured.failure.has_value());
               });
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->trials, told);
    EXPECT_EQ(found->trials + found->refused, 64);
    EXPECT_EQ(found->failures, 0);
    EXPECT_EQ(found->trials > 0, most == some);
    EXPECT_GT(found->refused, 0);
  }
}

TEST_F(SearchTest, EndsWhenToldTo) {
  const auto tuner = NewGridTuner(space);
  const auto some = Run(*tuner, {.trials = 3, .batch = 2});
  ASSERT_TRUE(some.ok()) << some.status();
  EXPECT_EQ(some->ended, "trials");
  EXPECT_EQ(some->trials, 3);
  const auto early = Run(*NewRandomTuner(space, 3), {.early_stop = 1, .batch = 1});
  ASSERT_TRUE(early.ok()) << early.status();
  EXPECT_EQ(early->ended, "early stop");
  const auto late = Run(*NewRandomTuner(space), {.seconds = 1e-9, .batch = 1});
  ASSERT_TRUE(late.ok()) << late.status();
  EXPECT_EQ(late->ended, "seconds");
  EXPECT_EQ(late->trials, 0);
}

TEST_F(SearchTest, WhatIsKnownIsNotMeasuredAgain) {
  SearchOptions options{.trials = 100, .batch = 4, .same_failures = 0};
  for (uint32_t tile = 0; tile < 7; ++tile) options.known[{tile, 0}] = 1 + tile;
  options.known[{3, 0}] = 1e-12;
  const auto found = Run(*NewRandomTuner(space), options);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->known, 7);
  EXPECT_EQ(found->trials, 7) << "the others";
  EXPECT_EQ(trials.size(), 7u);
  EXPECT_EQ(*found->best, (Point{3, 0}));
  EXPECT_EQ(found->cost, 1e-12);
}

TEST_F(SearchTest, TheSameFailureEndsIt) {
  space.Filter([](const Point& point) { return point[1] == 1; });
  const auto found = Run(*NewRandomTuner(space), {.batch = 2, .same_failures = 5});
  EXPECT_EQ(StatusName(found.status()), "tune-same-failure") << found.status();
  EXPECT_NE(found.status().message().find("the last 5 candidates failed in the same way: schedule"),
            std::string::npos)
      << found.status();
  EXPECT_GE(Records().size(), 5u) << "they are kept";
}

TEST_F(SearchTest, WhatIsDoneStaysAfterAnInterruption) {
  runtime::Cancellation stop;
  on_trial = [&] {
    if (trials.size() == 3) stop.Cancel();
  };
  const auto tuner = NewRandomTuner(space);
  {
    const runtime::CancelScope scope(stop);
    EXPECT_THROW(Run(*tuner, {.batch = 2}).IgnoreError(), runtime::Interrupted);
  }
  EXPECT_EQ(Records().size(), trials.size());
  EXPECT_GE(trials.size(), 3u);
  EXPECT_LT(trials.size(), 14u);
  // Another search goes on with the same measurer and the same file.
  on_trial = nullptr;
  EXPECT_TRUE(Run(*tuner, {.same_failures = 0}).ok());
  EXPECT_EQ(Records().size(), trials.size());
}

TEST_F(SearchTest, APointWithoutAProgramIsAFailure) {
  const auto found = Search(
      space,
      [this](const Point& point) {
        if (point[0] > 2) throw Error(Diagnostic{.name = "no-program", .message = "too wide"});
        return Make(point);
      },
      *NewGridTuner(space), *measurer, arguments, nullptr, {.trials = 7},
      [&](const Trial& trial) {
        EXPECT_EQ(trial.measured.failure.has_value(), trial.point[0] > 2);
      });
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->failures, 4);
}

}  // namespace
}  // namespace lathe::tune

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  lathe::tune::worker_program = argv[1];
  lathe::driver::UseDefaultPlugins();
  return RUN_ALL_TESTS();
}
