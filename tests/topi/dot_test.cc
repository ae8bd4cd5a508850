// Tensor intrinsics for dot products and tiles, and the matrix products made of them. Checks what
// they compute in the interpreter for every architecture, with LLVM's functions as the manuals
// define them (llvm_functions.h), and on this processor if it has them.
#include <cstdint>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "base/address_sanitizer.h"
#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "gtest/gtest.h"
#include "lower/pipeline.h"
#include "runtime/cpu_features.h"
#include "runtime/tensor.h"
#include "schedule/loop_nest.h"
#include "schedule/primitives/primitives.h"
#include "target/canonical.h"
#include "target/machine_of.h"
#include "target/target.h"
#include "tests/schedule/expect.h"
#include "tests/topi/dot_kernels.h"
#include "tests/topi/llvm_functions.h"
#include "topi/cpu/dot_gemm.h"
#include "topi/cpu/dot_intrinsics.h"

namespace lathe::topi::cpu {
namespace {

// Interprets the loops, and the program after all passes.
void ExpectRightInTheInterpreter(const Kernel& kernel, const std::string& expected) {
  const std::vector<ir::NodeRef> args(kernel.args.begin(), kernel.args.end());
  const ir::Func func = schedule::LowerSchedule(kernel.schedule, args, "f");
  for (const bool lowered : {false, true}) {
    SCOPED_TRACE(lowered ? "after all passes" : "loops");
    const Arguments arguments(kernel);
    LlvmFunctions functions;
    ir::InterpretOptions options;
    options.call_extern = [&](const ir::ExternCall& call) { return functions.Call(call); };
    const ir::Module module = ir::MakeModule({func});
    ir::Interpret(lowered ? lower::RunPasses(module, lower::AllPasses(), {}) : module, "f",
                  arguments.values(), options);
    EXPECT_TRUE(arguments.result() == expected);
  }
}

std::string Missing(const std::string& features) {
  std::istringstream list(features);
  std::string missing;
  for (std::string feature; std::getline(list, feature, ',');) {
    if (runtime::HostSupports(feature) != runtime::Support::kYes) missing += " " + feature;
  }
  return missing;
}

void ExpectRightOnThisProcessor(const Kernel& kernel, const std::string& expected) {
  const std::vector<ir::NodeRef> args(kernel.args.begin(), kernel.args.end());
  const auto module =
      driver::Build(driver::Lower(kernel.schedule, args, "f", {}), target::ParseTarget("llvm"), {});
  ASSERT_TRUE(module.ok()) << module.status();
  const Arguments arguments(kernel);
  const runtime::Function f = *module->GetFunction("f");
  f(arguments.tensors()[0], arguments.tensors()[1], arguments.tensors()[2]);
  EXPECT_TRUE(arguments.result() == expected);
}

// Runs before anything else has made intrinsics: a look-up by name makes them.
TEST(DotIntrinNames, AreFoundWithoutBeingMade) {
  driver::UseDefaultPlugins();
  EXPECT_EQ(te::GetTensorIntrin("aarch64.smmla", "llvm")->name, "aarch64.smmla");
  EXPECT_TRUE(te::FindTensorIntrin("x86.vpdpbusd.512", "llvm"));
}

void CheckRow(const DotRow& row, bool on_this_architecture) {
  SCOPED_TRACE(row.name);
  const te::TensorIntrin intrin = DotIntrin(row);
  EXPECT_EQ(te::GetTensorIntrin(row.name, "llvm").get(), intrin.get());
  const Kernel kernel = OfIntrin(row.a, row.b, row.sum, row.rows, row.columns, row.depth, intrin);
  ExpectRightInTheInterpreter(kernel, Evaluated(kernel));
  if (!on_this_architecture) return;
  if (const std::string missing = Missing(row.features); !missing.empty()) {
    std::printf("NOT RUN on this processor, which lacks%s: %s\n", missing.c_str(), row.name);
    return;
  }
  std::printf("run on this processor: %s\n", row.name);
  ExpectRightOnThisProcessor(kernel, Evaluated(kernel));
}

#if defined(__x86_64__)
constexpr bool kIsX86 = true, kIsAArch64 = false;
#elif defined(__aarch64__)
constexpr bool kIsX86 = false, kIsAArch64 = true;
#else
constexpr bool kIsX86 = false, kIsAArch64 = false;
#endif

class DotIntrinsics : public testing::Test {
 protected:
  void SetUp() override { driver::UseDefaultPlugins(); }
};

TEST_F(DotIntrinsics, OfX86) {
  for (const DotRow& row : X86DotRows()) CheckRow(row, kIsX86);
}

TEST_F(DotIntrinsics, OfAArch64) {
  for (const DotRow& row : AArch64DotRows()) CheckRow(row, kIsAArch64);
}

// Whole blocks of 32 rows, and what may be left: rows in both halves of a block, or in one.
TEST_F(DotIntrinsics, TilesOfX86) {
  using ir::Int;
  for (const TileRow& row : X86TileRows()) {
    for (const int64_t rows : {64, 53, 41}) {
      SCOPED_TRACE(row.name + (" " + std::to_string(rows)));
      constexpr int64_t kCalls = 2, kSteps = 3;
      const te::TensorIntrin intrin = TileIntrin(row, rows, kSteps);
      const int64_t groups = kSteps * row.depth() / row.group();
      const te::Tensor a =
          te::Placeholder({Int(kCalls), Int(rows), Int(kSteps * row.depth() + 3)}, row.a, "A");
      const te::Tensor b =
          te::Placeholder({Int(groups), Int(kTileBlockColumns), Int(row.group())}, row.b, "B");
      const ir::IterVar q = te::ReduceAxis(Int(0), Int(groups), "q"),
                        r = te::ReduceAxis(Int(0), Int(row.group()), "r");
      const te::Tensor c = te::Compute(
          {Int(kCalls), Int(rows), Int(kTileBlockColumns)},
          [&](const te::Indices& i) {
            const ir::Expr k = q->var * row.group() + ir::Expr(r->var);
            return te::Sum(ir::MakeCast(row.sum, te::At(a, {i[0], i[1], k})) *
                               ir::MakeCast(row.sum, te::At(b, {q->var, i[2], r->var})),
                           {q, r});
          },
          "C");
      schedule::Schedule s = schedule::CreateSchedule({c->op});
      schedule::Tensorize(s[c], schedule::AxisOf(c, 1), intrin, "llvm");
      const Kernel kernel{s, {a, b, c}};
      ExpectRightInTheInterpreter(kernel, Evaluated(kernel));
      if (const std::string missing = Missing(row.features); !missing.empty()) {
        std::printf("NOT RUN on this processor, which lacks%s: %s\n", missing.c_str(), row.name);
      } else {
        ExpectRightOnThisProcessor(kernel, Evaluated(kernel));
      }
    }
  }
}

TEST(TileRows, DivideAllRowsAndWasteLittle) {
  EXPECT_EQ(TileRowsOf(128, 256), 128);
  EXPECT_EQ(TileRowsOf(1000, 256), 250);
  EXPECT_EQ(TileRowsOf(2048, 256), 256);
  EXPECT_EQ(TileRowsOf(49, 256), 49);
  EXPECT_EQ(TileRowsOf(1009, 256), 1);
}

// -- Products. Each machine has the features that select the instruction.

struct NamedMachine {
  const char* name;
  const char* target;
};
constexpr NamedMachine kMachines[] = {
    {"Sse2", "llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64"},
    {"Avx2", "llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64-v3"},
    {"AvxVnni", "llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64-v3 -mattr=+avxvnni"},
    {"AvxVnniInt8", "llvm -mtriple=x86_64-linux-gnu -mcpu=sierraforest"},
    {"Avx512", "llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64-v4"},
    {"Avx512Vnni", "llvm -mtriple=x86_64-linux-gnu -mcpu=cooperlake"},
    {"Amx", "llvm -mtriple=x86_64-linux-gnu -mcpu=sapphirerapids"},
    {"Neon", "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a72"},
    {"DotProd", "llvm -mtriple=aarch64-linux-gnu -mcpu=cortex-a76"},
    {"I8mm", "llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-v1"},
    {"RiscV", "llvm -mtriple=riscv64-linux-gnu"},
};

class DotGemms : public testing::TestWithParam<NamedMachine> {
 protected:
  void SetUp() override {
    driver::UseDefaultPlugins();
    target_ = *target::CanonicalTarget(target::ParseTarget(GetParam().target));
    machine_ = target::MachineOf(target_);
  }
  target::Target target_;
  target::Machine machine_;
};

INSTANTIATE_TEST_SUITE_P(Machines, DotGemms, testing::ValuesIn(kMachines),
                         [](const auto& info) { return info.param.name; });

TEST_P(DotGemms, AreRightInTheInterpreter) {
  for (const GemmShape& shape : {GemmShape{1, 1, 1}, GemmShape{5, 3, 2}, GemmShape{13, 37, 7},
                                 GemmShape{35, 70, 65}, GemmShape{16, 64, 128}}) {
    SCOPED_TRACE(TextOf(shape));
    for (const Kernel& kernel : KernelsOf(shape, machine_))
      ExpectRightInTheInterpreter(kernel, Multiplied(kernel));
  }
  // Checks the program before it is scheduled, too.
  for (const Kernel& kernel : KernelsOf({5, 35, 9}, machine_))
    EXPECT_TRUE(Evaluated(kernel) == Multiplied(kernel));
}

// A prime number of rows that one call does not take: A is copied, with zeros below.
TEST_F(DotIntrinsics, CallsOfTilesNeedNotDivideTheRows) {
  const target::Target target = *target::CanonicalTarget(
      target::ParseTarget("llvm -mtriple=x86_64-linux-gnu -mcpu=sapphirerapids"));
  const Kernel kernel = DotGemm({257, 32, 64}, kU8, kS8, kS32, target::MachineOf(target));
  ExpectRightInTheInterpreter(kernel, Multiplied(kernel));
}

// Runs on this processor the code for every machine whose instructions it has.
TEST_P(DotGemms, AreRightOnThisProcessor) {
  std::string missing;
  if (machine_.architecture != target::Architecture::kOther &&
      machine_.architecture !=
          (kIsX86 ? target::Architecture::kX86 : target::Architecture::kAArch64)) {
    missing = " its architecture";
  } else {
    for (const DataType a : {kU8, kS8, kBf16}) {
      const DotChoice choice = ChooseDot(a, a == kBf16 ? kBf16 : kS8, 64, 64, machine_);
      if (choice.dot != nullptr) missing += Missing(choice.dot->features);
      if (choice.tile != nullptr) missing += Missing(choice.tile->features);
    }
  }
  if (!missing.empty()) GTEST_SKIP() << "NOT RUN on this processor, which lacks" << missing;
  for (const GemmShape& shape : {GemmShape{1, 1, 1}, GemmShape{13, 37, 7}, GemmShape{70, 99, 103},
                                 GemmShape{128, 192, 256}}) {
    // The evaluator takes minutes for this one under the sanitizer.
    if (kAddressSanitizer && shape.m == 128) continue;
    SCOPED_TRACE(TextOf(shape));
    for (const Kernel& kernel : KernelsOf(shape, machine_))
      ExpectRightOnThisProcessor(kernel, Multiplied(kernel));
  }
}

// Loading code with tiles requests them from the operating system. Other code does not.
TEST_F(DotIntrinsics, TilesAreAskedForOnLoading) {
  for (const char* processor : {"sapphirerapids", "cooperlake"}) {
    const target::Target target = *target::CanonicalTarget(
        target::ParseTarget(std::string("llvm -mtriple=x86_64-linux-gnu -mcpu=") + processor));
    const Kernel kernel = DotGemm({64, 64, 64}, kU8, kS8, kS32, target::MachineOf(target));
    const ir::Module loops =
        driver::Lower(kernel.schedule, {kernel.args.begin(), kernel.args.end()}, "f", {});
    const std::string metadata =
        ir::StringAttr(driver::LowerForTarget(loops, target, {})->attrs, "metadata");
    EXPECT_EQ(metadata.find("\"needs\": [\"amx-tile\"]") != std::string::npos,
              processor == std::string("sapphirerapids"))
        << metadata;
  }
}

TEST(DotGemm, RefusesWhatThereIsNot) {
  const target::Machine machine;
  EXPECT_EQ(
      schedule::ErrorOf([&] { DotGemm({4, 4, 4}, kF32, kF32, kF32, machine); }).diagnostic().name,
      "topi-dot-types");
  EXPECT_EQ(
      schedule::ErrorOf([&] { DotGemm({4, 4, 4, 2}, kU8, kS8, kS32, machine); }).diagnostic().name,
      "topi-batch");
}

}  // namespace
}  // namespace lathe::topi::cpu
