#include "tune/sketch_space.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/address_sanitizer.h"
#include "driver/default_plugins.h"
#include "ir/text/printer.h"
#include "runtime/status.h"
#include "schedule/pre_transform.h"
#include "schedule/trace.h"
#include "target/host_target.h"
#include "tune/argument_layouts.h"
#include "tune/sketch_programs.h"

namespace lathe::tune {
namespace {

absl::StatusOr<ScheduleSpace> SpaceOf(const std::vector<ir::NodeRef>& args) {
  // What LLVM makes of the loops is not what is tried here.
  const target::Target quick = target::ParseTarget("llvm -opt-level=0");
  return MakeSketchSpace(args, "f", quick, {}, nullptr);
}

std::string TextOf(const driver::ProgramToCompile& program) {
  return ir::ToText(schedule::ToProgram(program.schedule, program.args, program.name));
}

// Of each program. The address sanitizer makes each eight times as slow.
constexpr size_t kPoints = kAddressSanitizer ? 9 : 60;

TEST(SketchSpace, EveryPointIsRight) {
  for (const char* const text : kSketchPrograms) {
    const std::vector<ir::NodeRef> args = ArgsOf(text);
    const auto made = SpaceOf(args);
    ASSERT_TRUE(made.ok()) << text << made.status();
    const std::vector<RunArgument> arguments = *MakeArguments(args);
    EXPECT_EQ(Wrong(made->make(made->otherwise), arguments), "") << text;
    Space::Random random(1);
    std::set<std::string> distinct;
    for (size_t i = 0; i < kPoints; ++i) {
      const Point point = *made->space.Draw(random);
      const driver::ProgramToCompile candidate = made->make(point);
      distinct.insert(TextOf(candidate));
      ASSERT_EQ(Wrong(candidate, arguments), "") << text << made->space.ConfigOf(point).Dump();
    }
    EXPECT_GE(distinct.size(), kPoints / 3) << text;
  }
}

TEST(SketchSpace, HasManyPrograms) {
  const ScheduleSpace made = *SpaceOf(ArgsOf(kProduct));
  Space::Random random(1);
  std::set<std::string> distinct;
  for (int i = 0; i < 300; ++i) distinct.insert(TextOf(made.make(*made.space.Draw(random))));
  EXPECT_GE(distinct.size(), 100u);
}

// Arguments whose order in memory a schedule chooses have it before the call, and are not copied.
TEST(SketchSpace, PreTransformedArgumentsAreRight) {
  const std::pair<const char*, size_t> programs[] = {
      {kProduct, 1}, {kConvolution, 1}, {kAttention, 1}};
  for (const auto& [text, which] : programs) {
    const std::vector<ir::NodeRef> args = ArgsOf(text);
    const auto tensor = ir::RefAs<ir::TensorNode>(args[which]);
    const absl::StatusOr<ScheduleSpace> made =
        MakeSketchSpace(args, "f", target::ParseTarget("llvm -opt-level=0"), {}, nullptr, {tensor});
    ASSERT_TRUE(made.ok()) << made.status();
    const std::vector<RunArgument> arguments = *MakeArguments(args);
    Space::Random random(3);
    size_t transformed = 0;
    for (size_t i = 0; i < kPoints / 2; ++i) {
      const Point point = *made->space.Draw(random);
      driver::ProgramToCompile candidate = made->make(point);
      EXPECT_EQ(Wrong(candidate, arguments), "") << text << made->space.ConfigOf(point).Dump();
      std::vector<ir::Tensor> changed;
      candidate.schedule = schedule::PreTransform(candidate.schedule, {tensor}, &changed);
      transformed += changed.empty() ? 0 : 1;
      std::vector<RunArgument> given = *ArgumentLayouts(arguments).For(candidate);
      EXPECT_EQ(Wrong(candidate, given), "") << text << made->space.ConfigOf(point).Dump();
    }
    if (text != kConvolution) EXPECT_GE(transformed, kPoints / 3) << text;
  }
}

// The operators between a reduction and its last reader go into the tiles.
TEST(SketchSpace, FusesWhatReadsATile) {
  const ScheduleSpace made = *SpaceOf(ArgsOf(kConvolution));
  const schedule::Schedule s = made.make(made.otherwise).schedule;
  EXPECT_EQ(s->FindByName("biased")->attach, schedule::AttachKind::kInline);
  const schedule::Stage& conv = *s->FindByName("conv");
  EXPECT_EQ(conv.attach, schedule::AttachKind::kScope);
  EXPECT_EQ(conv.attach_stage, s->FindByName("relu"));
}

TEST(SketchSpace, WhatItRefuses) {
  EXPECT_EQ(runtime::StatusName(
                MakeSketchSpace(ArgsOf(kProduct), "f", target::ParseTarget("example"), {}, nullptr)
                    .status()),
            "tune-sketch-target");
  EXPECT_EQ(runtime::StatusName(SpaceOf(ArgsOf(R"(program any {
    var n: size
    placeholder X: float32[n]
    compute Y[i in range(n)] = X[i] + 1.0
    args [n, X, Y]
  })"))
                                    .status()),
            "tune-no-knobs");
}

}  // namespace
}  // namespace lathe::tune

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  // A vendor's accelerator, which is neither a processor nor has threads in blocks.
  setenv("LATHE_PLUGIN_PATH", std::filesystem::absolute("plugins/example").c_str(), 1);
  lathe::driver::UseDefaultPlugins();
  return RUN_ALL_TESTS();
}
