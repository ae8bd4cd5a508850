#include "tune/schedule_space.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "driver/auto_build.h"
#include "driver/default_plugins.h"
#include "ir/text/printer.h"
#include "runtime/status.h"
#include "schedule/trace.h"
#include "target/host_target.h"
#include "te/operation.h"
#include "topi/ops/matmul.h"
#include "tune/reference.h"
#include "tune/testing.h"

namespace lathe::tune {
namespace {

using runtime::StatusName;

std::string worker_program;

absl::StatusOr<ScheduleSpace> SpaceOf(const std::vector<ir::NodeRef>& args) {
  return MakeScheduleSpace(args, "f", target::HostTarget(), {}, nullptr);
}

std::string TextOf(const driver::ProgramToCompile& program) {
  return ir::ToText(schedule::ToProgram(program.schedule, program.args, program.name));
}

struct Product {
  const te::Tensor a = te::Placeholder({ir::Int(96), ir::Int(64)}, DataType::Float(32), "A");
  const te::Tensor b = te::Placeholder({ir::Int(64), ir::Int(80)}, DataType::Float(32), "B");
  const std::vector<ir::NodeRef> args = {a, b, topi::ops::Matmul(a, b)};
};

TEST(ScheduleSpace, OfAProductHasManyPrograms) {
  const ScheduleSpace made = *SpaceOf(Product().args);
  ASSERT_EQ(made.otherwise.size(), made.space.knobs().size());
  const auto plain = driver::AutoProgram(Product().args, "f", target::HostTarget(), {}, nullptr);
  EXPECT_EQ(TextOf(made.make(made.otherwise)), TextOf(*plain));
  Space::Random random(1);
  std::set<std::string> programs;
  for (int i = 0; i < 300; ++i) programs.insert(TextOf(made.make(*made.space.Draw(random))));
  EXPECT_GE(programs.size(), 100u);
}

TEST(ScheduleSpace, WithoutAChoiceThereIsNone) {
  const te::Tensor a = te::Placeholder({}, DataType::Float(32), "A");
  const te::Tensor b =
      te::Compute({}, [&](const te::Indices&) { return te::At(a, {}) + 1.0; }, "B");
  EXPECT_EQ(StatusName(SpaceOf({a, b}).status()), "tune-no-knobs");
}

// Every schedule that the knobs give is right, and a search finds one that is not slower.
TEST(ScheduleSpace, ASearch) {
  const Product product;
  const ScheduleSpace made = *SpaceOf(product.args);
  const std::vector<RunArgument> arguments = *MakeArguments(product.args);
  TestDevices devices(worker_program);
  std::vector<std::unique_ptr<Runner>> runners;
  runners.push_back(
      std::make_unique<Runner>(devices.sessions(), kDLCPU, 0, RunOptions{.timer = {.repeat = 3}}));
  Measurer measurer(std::move(runners), {.limits = {.isolate = false}});
  const auto found = Search(made.space, made.make, *NewRandomTuner(made.space), measurer, arguments,
                            nullptr, {.trials = 24}, [&](const Trial& trial) {
                              EXPECT_FALSE(trial.measured.failure.has_value())
                                  << made.space.ConfigOf(trial.point).Dump()
                                  << trial.measured.failure->message;
                            });
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->trials, 24);
  EXPECT_TRUE(found->best.has_value());
}

}  // namespace
}  // namespace lathe::tune

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  lathe::tune::worker_program = argv[1];
  lathe::driver::UseDefaultPlugins();
  return RUN_ALL_TESTS();
}
