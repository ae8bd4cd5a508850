// Random points of spaces without a template, for threads in blocks: each is right on a device.
#include <set>
#include <string>

#include "driver/default_plugins.h"
#include "gtest/gtest.h"
#include "ir/text/printer.h"
#include "tune/sketch_programs.h"
#include "tune/sketch_space.h"

namespace lathe::tune {
namespace {

std::string TextOf(const driver::ProgramToCompile& program) {
  return ir::ToText(schedule::ToProgram(program.schedule, program.args, program.name));
}

TEST(Sketches, EveryPointIsRight) {
  driver::UseDefaultPlugins();
  const runtime::Device device = runtime::Device::Parse("opencl");
  for (const char* const text : kSketchPrograms) {
    const std::vector<ir::NodeRef> args = ArgsOf(text);
    const auto made = MakeSketchSpace(args, "f", target::ParseTarget("opencl"), {}, nullptr);
    ASSERT_TRUE(made.ok()) << text << made.status();
    const std::vector<RunArgument> arguments = *MakeArguments(args);
    EXPECT_EQ(Wrong(made->make(made->otherwise), arguments, device), "") << text;
    Space::Random random(1);
    std::set<std::string> distinct;
    for (int i = 0; i < 6; ++i) {
      const Point point = *made->space.Draw(random);
      const driver::ProgramToCompile candidate = made->make(point);
      distinct.insert(TextOf(candidate));
      ASSERT_EQ(Wrong(candidate, arguments, device), "")
          << text << made->space.ConfigOf(point).Dump() << TextOf(candidate);
    }
    EXPECT_GE(distinct.size(), 4u) << text;
  }
}

// The inputs of a tile are copied by all threads of a block, and the padding is such a copy.
TEST(Sketches, CopiesToSharedMemory) {
  driver::UseDefaultPlugins();
  const auto made =
      *MakeSketchSpace(ArgsOf(kConvolution), "f", target::ParseTarget("opencl"), {}, nullptr);
  const schedule::Schedule s = made.make(made.otherwise).schedule;
  const schedule::Stage& padded = *s->FindByName("padded");
  EXPECT_EQ(padded.scope, "shared");
  EXPECT_EQ(padded.attach, schedule::AttachKind::kScope);
  ASSERT_NE(s->FindByName("W.shared"), nullptr);
}

}  // namespace
}  // namespace lathe::tune
