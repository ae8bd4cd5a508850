// Random points of spaces without a template, for threads in blocks: each is right on a device.
#include <algorithm>
#include <cstdint>
#include <set>
#include <string>

#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "gtest/gtest.h"
#include "ir/stmt.h"
#include "ir/text/printer.h"
#include "ir/walk.h"
#include "tune/sketch_programs.h"
#include "tune/sketch_space.h"

namespace lathe::tune {
namespace {

// Two reads of one tensor, far from each other; one through a quotient; and columns that another
// tensor names.
constexpr const char* kReads = R"(program reads {
  placeholder A: float32[48, 12]
  placeholder B: float32[12, 24]
  placeholder D: float32[8, 12]
  placeholder R: int32[24]
  compute C[i in range(24), j in range(24)] over [k in range(12)] =
    sum((A[i, k] + A[i + 24, k] + D[i // 3, k]) * B[k, R[j]], axis=[k])
  args [A, B, D, R, C]
})";

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
    for (int i = 0; i < 3; ++i) {
      const Point point = *made->space.Draw(random);
      const driver::ProgramToCompile candidate = made->make(point);
      distinct.insert(TextOf(candidate));
      ASSERT_EQ(Wrong(candidate, arguments, device), "")
          << text << made->space.ConfigOf(point).Dump() << TextOf(candidate);
    }
    EXPECT_GE(distinct.size(), 2u) << text;
  }
}

// What tensors name can be anywhere: that alone makes no tile smaller than what fits.
TEST(Sketches, TilesOfGathersHaveThreads) {
  driver::UseDefaultPlugins();
  const ScheduleSpace made =
      *MakeSketchSpace(ArgsOf(kReads), "f", target::ParseTarget("opencl"), {}, nullptr);
  const std::string text = TextOf(made.make(made.otherwise));
  EXPECT_EQ(text.find("factor=1i64"), std::string::npos) << text;
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

// Bytes of all arrays in shared memory.
int64_t SharedBytes(const ir::Module& loops) {
  int64_t bytes = 0;
  ir::PreOrder(loops, [&](const ir::Node& node) {
    const auto* const allocate = ir::As<ir::Allocate>(&node);
    if (allocate == nullptr || allocate->buffer->scope != "shared") return true;
    int64_t size = allocate->buffer->dtype.bits() / 8;
    for (const ir::Expr& extent : allocate->buffer->shape) {
      const int64_t* const constant = ir::AsConstInt(extent);
      size *= constant == nullptr ? int64_t{1} << 20 : *constant;
    }
    bytes += size;
    return true;
  });
  return bytes;
}

TEST(Sketches, StayWithinSharedMemory) {
  driver::UseDefaultPlugins();
  const target::Target small = target::ParseTarget("opencl -max-shared-memory-per-block=1024");
  for (const char* const text : {kProduct, kConvolution, kReads}) {
    const ScheduleSpace made = *MakeSketchSpace(ArgsOf(text), "f", small, {}, nullptr);
    Space::Random random(1);
    int64_t most = 0;
    for (int i = 0; i < 60; ++i) {
      const driver::ProgramToCompile program = made.make(*made.space.Draw(random));
      const int64_t bytes =
          SharedBytes(driver::Lower(program.schedule, program.args, "f", program.context));
      ASSERT_LE(bytes, 1024) << TextOf(program);
      most = std::max(most, bytes);
    }
    EXPECT_GT(most, 256) << text;  // it is used
  }
}

}  // namespace
}  // namespace lathe::tune
