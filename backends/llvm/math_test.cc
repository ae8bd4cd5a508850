// The elementary functions that Lathe writes itself, as machine code: vectors, no library call,
// within two ulps.

#include <cmath>

#include "backends/llvm/test_kernel.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/intrinsic.h"
#include "lower/math/accuracy.h"
#include "lower/math/expansion.h"

namespace lathe::llvm_backend {
namespace {

using ir::Int;

constexpr int64_t kN = 1 << 16;

// Vectors of 16 lanes, and a plain loop that LLVM vectorises.
KernelSpec Spec(const std::string& function, bool vectors, const lower::MathOptions& options = {}) {
  KernelSpec spec;
  const ir::Buffer x = ir::MakeBuffer("x", DataType::Float(32), {Int(kN)}),
                   y = ir::MakeBuffer("y", DataType::Float(32), {Int(kN)});
  const ir::Var i = ir::MakeVar("i");
  const ir::Expr at = vectors ? ir::MakeRamp(i * 16, Int(1), 16) : ir::Expr(i);
  spec.buffers = {x, y};
  spec.body = lower::ExpandMath(
      ir::MakeFor(i, Int(0), Int(vectors ? kN / 16 : kN), ir::ForKind::kSerial,
                  ir::MakeStore(y, ir::CallIntrinsic(function, {ir::MakeLoad(x, {at})}), {at})),
      options);
  return spec;
}

TEST(LlvmMathCode, WithinTwoUlpsCompiled) {
  Data x(DataType::Float(32), kN), y(DataType::Float(32), kN);
  for (int64_t i = 0; i < kN; ++i) {
    const auto bits = static_cast<uint32_t>(i << 16 | (i * 2654435761 & 0xffff));
    x.As<uint32_t>()[i] = bits;
  }
  for (const std::string& function : lower::ExpandedFunctions()) {
    for (const char* target : {"llvm", "llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64"}) {
      for (const bool vectors : {false, true}) {
        ASSERT_EQ(CompiledKernel(MakeKernelModule(Spec(function, vectors)), target)
                      .Call("kernel", {&x, &y}),
                  0);
        for (int64_t i = 0; i < kN; ++i) {
          const float in = x.As<float>()[i];
          ASSERT_LE(lower::UlpError(y.As<float>()[i], lower::ExactMath(function, in)), 2)
              << function << " of " << in << ", " << target;
        }
      }
    }
  }
}

// Scaling by one instruction gives the same bits as two multiplications.
TEST(LlvmMathCode, ScalbMeansTheSame) {
  Data x(DataType::Float(32), kN), plain(DataType::Float(32), kN), scaled(DataType::Float(32), kN);
  for (int64_t i = 0; i < kN; ++i)
    x.As<uint32_t>()[i] = static_cast<uint32_t>(i << 16 | (i * 2654435761 & 0xffff));
  const lower::MathOptions options{.scalb = true};
  for (const std::string& function : lower::ExpandedFunctions()) {
    ASSERT_EQ(
        CompiledKernel(MakeKernelModule(Spec(function, true)), "llvm").Call("kernel", {&x, &plain}),
        0);
    ASSERT_EQ(CompiledKernel(MakeKernelModule(Spec(function, true, options)), "llvm")
                  .Call("kernel", {&x, &scaled}),
              0);
    for (int64_t i = 0; i < kN; ++i) {
      const float a = plain.As<float>()[i], b = scaled.As<float>()[i];
      ASSERT_TRUE(a == b || (std::isnan(a) && std::isnan(b)))
          << function << " of " << x.As<float>()[i] << ": " << a << ", " << b;
    }
  }
  const std::string code =
      Compile(MakeKernelModule(Spec("exp", true, options)),
              sdk::ParseTarget("llvm -mtriple=x86_64-linux-gnu -mcpu=skylake-avx512"), {},
              Output::kAssembly)
          .output;
  EXPECT_THAT(code, testing::HasSubstr("vscalefps"));
  EXPECT_THAT(code, testing::Not(testing::HasSubstr("call")));
}

TEST(LlvmMathCode, NoCallAndFullVectors) {
  for (const std::string& function : lower::ExpandedFunctions()) {
    for (const bool vectors : {false, true}) {
      const auto assembly = [&](const char* target) {
        return Compile(MakeKernelModule(Spec(function, vectors)), sdk::ParseTarget(target), {},
                       Output::kAssembly)
            .output;
      };
      const std::string x86 = assembly("llvm -mtriple=x86_64-linux-gnu -mcpu=skylake-avx512");
      EXPECT_THAT(x86, testing::Not(testing::HasSubstr("call"))) << function;
      EXPECT_THAT(x86, testing::HasSubstr("%zmm")) << function;
      const std::string baseline = assembly("llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64");
      EXPECT_THAT(baseline, testing::Not(testing::HasSubstr("call"))) << function;
      const std::string arm = assembly("llvm -mtriple=aarch64-linux-gnu");
      EXPECT_THAT(arm, testing::Not(testing::HasSubstr("\tbl\t"))) << function;
      EXPECT_THAT(arm, testing::HasSubstr(".4s")) << function;
    }
  }
}

}  // namespace
}  // namespace lathe::llvm_backend
