// The machine code of the templates' inner loops: as many multiply-adds as the register tile has
// vectors, no spills, no gathers, vectors of the full width. Tests assembly for three processors,
// independent of this machine's.
#include <string>
#include <vector>

#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "gtest/gtest.h"
#include "target/canonical.h"
#include "target/machine_of.h"
#include "target/target.h"
#include "tests/topi/assembly.h"
#include "topi/cpu/auto/auto_schedule.h"
#include "topi/cpu/conv2d.h"
#include "topi/cpu/gemm.h"
#include "topi/cpu/image.h"

namespace lathe::topi::cpu {
namespace {

constexpr DataType kFloat = DataType::Float(32);

struct Processor {
  const char* name;
  const char* target;
  const char* multiply_add;  // a pattern for the widest vectors
};
constexpr Processor kProcessors[] = {
    {"Avx512", "llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64-v4", "vfmadd[0-9]+ps.*%zmm"},
    {"Avx2", "llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64-v3", "vfmadd[0-9]+ps.*%ymm"},
    {"Neon", "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72", "fmla\\s+v[0-9]+\\.4s"},
};

class CpuCode : public testing::TestWithParam<Processor> {
 protected:
  void SetUp() override {
    driver::UseDefaultPlugins();
    target_ = *target::CanonicalTarget(target::ParseTarget(GetParam().target));
    machine_ = target::MachineOf(target_);
  }

  // The kernel's inner loop with the most lines that match `pattern`.
  Lines HotLoop(const Kernel& kernel, const std::string& pattern) const {
    const ir::Module loops =
        driver::Lower(kernel.schedule, {kernel.args.begin(), kernel.args.end()}, "kernel", {});
    const std::string assembly =
        *driver::Compile(loops, target_, plugins::OutputKind::kAssembly, {});
    Lines best;
    for (const Lines& loop : InnerLoops(assembly)) {
      if (Count(loop, pattern) > Count(best, pattern)) best = loop;
    }
    return best;
  }
  // ... with the most multiply-adds.
  Lines HotLoop(const Kernel& kernel) const { return HotLoop(kernel, GetParam().multiply_add); }

  void ExpectNoSpills(const Lines& loop) const {
    EXPECT_EQ(StackAccesses(loop), 0) << Join(loop);
    EXPECT_EQ(Count(loop, "gather|vinsertps|vpinsr"), 0) << Join(loop);
  }

  target::Target target_;
  target::Machine machine_;
};

INSTANTIATE_TEST_SUITE_P(Processors, CpuCode, testing::ValuesIn(kProcessors),
                         [](const auto& info) { return info.param.name; });

TEST_P(CpuCode, GemmKeepsItsTileInRegisters) {
  const GemmShape shape{1024, 1024, 1024};
  const int64_t lanes = machine_.Lanes(kFloat);
  const RegisterTile tile = ChooseRegisterTile(shape.m, shape.n, lanes, machine_);
  const Lines loop = HotLoop(Gemm(shape, kFloat, machine_));
  const int64_t vectors = tile.rows * tile.columns / lanes;
  const int64_t found = Count(loop, GetParam().multiply_add);
  ASSERT_GT(found, 0);
  EXPECT_EQ(found % vectors, 0) << "of " << vectors << " to a step of k\n" << Join(loop);
  ExpectNoSpills(loop);
}

TEST_P(CpuCode, GemmOfOddSizeToo) {
  const GemmShape shape{1001, 1001, 999};
  const Lines loop = HotLoop(Gemm(shape, kFloat, machine_));
  ASSERT_GE(Count(loop, GetParam().multiply_add), 8);
  ExpectNoSpills(loop);
}

// Rows that no whole number of vectors fills, as the pictures of a network have: they are made of
// narrower vectors.
TEST_P(CpuCode, RowsWithoutATailOfElements) {
  for (const int64_t n : {28, 56, 100}) {
    const te::Tensor a = te::Placeholder({ir::Int(128), ir::Int(256)}, kFloat, "A"),
                     b = te::Placeholder({ir::Int(256), ir::Int(1), ir::Int(n)}, kFloat, "B");
    const ir::IterVar k = te::ReduceAxis(ir::Int(0), ir::Int(256), "k");
    const te::Tensor c = te::Compute(
        {ir::Int(128), ir::Int(1), ir::Int(n)},
        [&](const te::Indices& i) {
          return te::Sum(te::At(a, {i[0], k->var}) * te::At(b, {k->var, i[1], i[2]}), {k});
        },
        "C");
    const Scheduled made = ScheduleProgram({c->op}, machine_);
    const Lines loop = HotLoop({made.schedule, {a, b, c}});
    EXPECT_GE(Count(loop, GetParam().multiply_add), 8) << n;
    EXPECT_EQ(StackAccesses(loop), 0) << n << "\n" << Join(loop);
  }
}

// Every second column of an operand: they are put side by side once, not gathered at each use.
TEST_P(CpuCode, StridedOperandsAreNotGathered) {
  const te::Tensor a = te::Placeholder({ir::Int(512), ir::Int(512)}, kFloat, "A"),
                   b = te::Placeholder({ir::Int(512), ir::Int(1024)}, kFloat, "B");
  const ir::IterVar k = te::ReduceAxis(ir::Int(0), ir::Int(512), "k");
  const te::Tensor c = te::Compute(
      {ir::Int(512), ir::Int(512)},
      [&](const te::Indices& i) {
        return te::Sum(te::At(a, {i[0], k->var}) * te::At(b, {k->var, i[1] * 2}), {k});
      },
      "C");
  const Scheduled made = ScheduleProgram({c->op}, machine_);
  const Lines loop = HotLoop({made.schedule, {a, b, c}});
  ASSERT_GE(Count(loop, GetParam().multiply_add), 8);
  ExpectNoSpills(loop);
  EXPECT_EQ(Count(loop, "vshuf|vperm|vunpck|\\bld2|uzp"), 0) << Join(loop);
}

// As a user writes it, with a bias: ScheduleProgram chooses the template.
TEST_P(CpuCode, MatmulWithBiasKeepsItsTileInRegisters) {
  const te::Shape square = {ir::Int(1024), ir::Int(1024)};
  const te::Tensor a = te::Placeholder(square, kFloat, "A"),
                   b = te::Placeholder(square, kFloat, "B"),
                   bias = te::Placeholder({ir::Int(1024)}, kFloat, "bias");
  const te::Tensor product = ops::Matmul(a, b);
  const te::Tensor c = te::Compute(
      square,
      [&](const te::Indices& i) { return te::At(product, {i[0], i[1]}) + te::At(bias, {i[1]}); },
      "C");
  const Scheduled made = ScheduleProgram({c->op}, machine_);
  ASSERT_EQ(made.choices[0].by, "matmul");
  const Lines loop = HotLoop({made.schedule, {a, b, bias, c}});
  const int64_t lanes = machine_.Lanes(kFloat);
  const RegisterTile tile = ChooseRegisterTile(1024, 1024, lanes, machine_);
  const int64_t vectors = tile.rows * tile.columns / lanes;
  ASSERT_GT(Count(loop, GetParam().multiply_add), 0);
  EXPECT_EQ(Count(loop, GetParam().multiply_add) % vectors, 0) << Join(loop);
  ExpectNoSpills(loop);
}

TEST_P(CpuCode, Conv2dKeepsItsTileInRegisters) {
  const Lines loop = HotLoop(Conv2dNCHWc({1, 64, 56, 56, 64, 3, 1, 1}, machine_));
  ASSERT_GE(Count(loop, GetParam().multiply_add), 8);
  ExpectNoSpills(loop);
}

// Channels are separated and interleaved by shuffles of whole vectors.
TEST_P(CpuCode, InterleavedImagesAreNotGathered) {
  const Lines floats = HotLoop(RgbToYuv(1920 * 1080, kFloat, machine_));
  ASSERT_GE(Count(floats, GetParam().multiply_add), 4);
  ExpectNoSpills(floats);
  const bool arm = std::string(GetParam().name) == "Neon";
  const Lines bytes = HotLoop(RgbToYuv(1920 * 1080, DataType::UInt(8), machine_),
                              arm ? "(s|u)(mlal|mull|mlsl)" : "vpmadd|vpmul");
  ASSERT_GE(Count(bytes, arm ? "(s|u)(mlal|mull|mlsl)" : "vpmadd|vpmul"), 8);
  // Accesses of single bytes would be loads and stores of single elements.
  EXPECT_EQ(Count(bytes, "gather|vpextrb|vpinsrb|ldrb|strb|umov"), 0) << Join(bytes);
  if (arm) {
    for (const Lines& loop : {floats, bytes}) {
      EXPECT_EQ(Count(loop, "ld3"), 1) << Join(loop);
      EXPECT_EQ(Count(loop, "st3"), 1) << Join(loop);
    }
  } else {
    EXPECT_GT(Count(floats, "vperm|vshuf|vblend"), 6) << Join(floats);
    EXPECT_GE(Count(bytes, "vpalignr|vperm"), 6) << Join(bytes);
  }
}

}  // namespace
}  // namespace lathe::topi::cpu
