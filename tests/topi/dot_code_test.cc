// The machine code of products of narrow types: the inner loop consists of the expected
// instruction, as many times as the register tile has blocks, and sums stay in registers. Tests
// assembly for many processors, independent of this machine's.
#include <string>
#include <vector>

#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "gtest/gtest.h"
#include "target/canonical.h"
#include "target/machine_of.h"
#include "target/target.h"
#include "tests/topi/assembly.h"
#include "topi/cpu/dot_gemm.h"

namespace lathe::topi::cpu {
namespace {

constexpr DataType kU8 = DataType::UInt(8), kS8 = DataType::Int(8), kS32 = DataType::Int(32);
constexpr DataType kBf16 = DataType::BFloat16(), kF32 = DataType::Float(32);

struct Expectation {
  const char* name;
  const char* target;
  DataType a, b, c;
  const char* instruction;  // a pattern
  int64_t in_a_step;        // how many for each step of k; a multiple of it if steps are unrolled
};

constexpr const char* kX86 = "llvm -mtriple=x86_64-linux-gnu -mcpu=";
constexpr const char* kArm = "llvm -mtriple=aarch64-linux-gnu -mcpu=";

const Expectation kExpectations[] = {
    {"U8S8Avx512Vnni", "cooperlake", kU8, kS8, kS32, "vpdpbusd.*%zmm", 24},
    {"S8S8Avx512Vnni", "cooperlake", kS8, kS8, kS32, "vpdpbusd.*%zmm", 24},
    {"U8S8AvxVnni", "x86-64-v3 -mattr=+avxvnni", kU8, kS8, kS32, "vpdpbusd.*%ymm", 12},
    {"S8S8AvxVnniInt8", "sierraforest", kS8, kS8, kS32, "vpdpbssd.*%ymm", 12},
    {"U8S8Avx2", "x86-64-v3", kU8, kS8, kS32, "vpmaddwd.*%ymm", 16},
    {"S8S8Avx512", "x86-64-v4", kS8, kS8, kS32, "vpmaddwd.*%zmm", 24},
    {"Bf16Avx512", "cooperlake", kBf16, kBf16, kBf16, "vdpbf16ps.*%zmm", 24},
    {"U8S8Amx", "sapphirerapids", kU8, kS8, kS32, "tdpbusd", 4},
    {"S8S8Amx", "sapphirerapids", kS8, kS8, kS32, "tdpbssd", 4},
    {"Bf16Amx", "sapphirerapids", kBf16, kBf16, kF32, "tdpbf16ps", 4},
    {"S8S8Neon", "cortex-a72", kS8, kS8, kS32, "sadalp|smlal", 24},
    {"S8S8DotProd", "cortex-a76", kS8, kS8, kS32, "sdot", 24},
    {"U8S8DotProd", "cortex-a76", kU8, kS8, kS32, "udot", 24},
    {"U8S8I8mm", "neoverse-v1", kU8, kS8, kS32, "usmmla", 24},
    {"S8S8I8mm", "neoverse-v1", kS8, kS8, kS32, "smmla", 24},
    {"Bf16Arm", "neoverse-v1", kBf16, kBf16, kF32, "bfmmla", 24},
};

class DotCode : public testing::TestWithParam<Expectation> {};

INSTANTIATE_TEST_SUITE_P(Products, DotCode, testing::ValuesIn(kExpectations),
                         [](const auto& info) { return info.param.name; });

TEST_P(DotCode, IsMadeOfTheInstruction) {
  const Expectation& e = GetParam();
  driver::UseDefaultPlugins();
  const bool arm =
      std::string(e.target).find("cortex") == 0 || std::string(e.target).find("neoverse") == 0;
  const target::Target target =
      *target::CanonicalTarget(target::ParseTarget((arm ? kArm : kX86) + std::string(e.target)));
  const Kernel kernel = DotGemm({768, 768, 2048}, e.a, e.b, e.c, target::MachineOf(target));
  const ir::Module loops =
      driver::Lower(kernel.schedule, {kernel.args.begin(), kernel.args.end()}, "kernel", {});
  const std::string assembly = *driver::Compile(loops, target, plugins::OutputKind::kAssembly, {});
  Lines hot;
  for (const Lines& loop : InnerLoops(assembly)) {
    if (Count(loop, e.instruction) > Count(hot, e.instruction)) hot = loop;
  }
  const int64_t found = Count(hot, e.instruction);
  ASSERT_GT(found, 0) << "no " << e.instruction;
  EXPECT_EQ(found % e.in_a_step, 0) << found << " for " << e.in_a_step << "\n" << Join(hot);
  EXPECT_EQ(StackAccesses(hot), 0) << Join(hot);
  EXPECT_EQ(Count(hot, "gather|pinsr|call|vmovdqa.*%zmm[0-9]+, *%zmm"), 0) << Join(hot);
  // The loop does not store sums.
  EXPECT_EQ(Count(hot, arm ? "^\\s+st[rp]" : "vmov[a-z0-9]+\\s+%[xyz]mm[0-9]+, .*\\("), 0)
      << Join(hot);
  if (std::string(e.instruction).find("tdp") == 0) {
    EXPECT_EQ(Count(hot, "tileload"), found) << Join(hot);
  }
}

}  // namespace
}  // namespace lathe::topi::cpu
