// Compares the elementary functions with the C library's float64 ones, and tests them in programs.

#include "lower/math/expansion.h"

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "gtest/gtest.h"
#include "ir/interpreter/interpreter.h"
#include "ir/intrinsic.h"
#include "ir/walk.h"
#include "lower/math/accuracy.h"

namespace lathe::lower {
namespace {

constexpr double kBound = 2;  // units of the last place; expansion.h has the exact figures
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// Every exponent with many mantissas, and 10^6 other values, half of them where the functions are
// not flat.
std::vector<float> Samples() {
  std::vector<float> out;
  for (uint32_t top = 0; top < 512; ++top) {
    for (uint32_t k = 0; k < 256; ++k) out.push_back(std::bit_cast<float>(top << 23 | k * 0x7fff));
  }
  uint64_t state = 42;
  for (int i = 0; i < 1000000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto bits = static_cast<uint32_t>(state >> 32);
    out.push_back(i % 2 == 0 ? std::bit_cast<float>(bits)
                             : static_cast<float>(static_cast<int32_t>(bits)) *
                                   (i % 4 == 1 ? 0x1p-29f : 0x1p-24f));
  }
  return out;
}

TEST(MathExpansion, WithinTwoUlpsOnSamples) {
  const std::vector<float> x = Samples();
  std::vector<float> y(x.size());
  for (const std::string& function : ExpandedFunctions()) {
    for (const bool contract : {false, true}) {
      const MathProgram program(function, contract);
      program.Run(x, y);
      WorstError worst;
      for (size_t i = 0; i < x.size(); ++i) {
        const double ulps = UlpError(y[i], ExactMath(function, x[i]));
        if (ulps > worst.ulps) worst = {ulps, x[i]};
      }
      EXPECT_LE(worst.ulps, kBound) << function << " at " << worst.at;
      // The test really measures something: no function of float32 is exact everywhere.
      EXPECT_GT(worst.ulps, 0.4) << function;
    }
  }
}

float Value(const std::string& function, float x) {
  float y = 0;
  MathProgram(function, false).Run({&x, 1}, {&y, 1});
  return y;
}

TEST(MathExpansion, SpecialValues) {
  for (const std::string& function : ExpandedFunctions())
    EXPECT_TRUE(std::isnan(Value(function, kNan))) << function;
  for (const char* function : {"exp", "exp2"}) {
    EXPECT_EQ(Value(function, kInf), kInf);
    EXPECT_EQ(Value(function, -kInf), 0);
    EXPECT_EQ(Value(function, 0), 1);
    EXPECT_EQ(Value(function, 1000), kInf);
    EXPECT_EQ(Value(function, -1000), 0);
  }
  EXPECT_EQ(Value("exp2", -149), 0x1p-149f);
  EXPECT_EQ(Value("exp2", 127), 0x1p127f);
  for (const char* function : {"log", "log2", "log10"}) {
    EXPECT_EQ(Value(function, 0), -kInf);
    EXPECT_EQ(Value(function, -0.0f), -kInf);
    EXPECT_EQ(Value(function, kInf), kInf);
    EXPECT_TRUE(std::isnan(Value(function, -1)));
    EXPECT_TRUE(std::isnan(Value(function, -kInf)));
    EXPECT_EQ(Value(function, 1), 0);
  }
  EXPECT_EQ(Value("log2", 0x1p-149f), -149);
  for (const char* function : {"tanh", "erf"}) {
    EXPECT_EQ(Value(function, kInf), 1);
    EXPECT_EQ(Value(function, -kInf), -1);
    EXPECT_EQ(Value(function, 20), 1);
    EXPECT_TRUE(std::signbit(Value(function, -0.0f)));
    EXPECT_FALSE(std::signbit(Value(function, 0)));
  }
  EXPECT_EQ(Value("sigmoid", kInf), 1);
  EXPECT_EQ(Value("sigmoid", -kInf), 0);
  EXPECT_EQ(Value("sigmoid", 0), 0.5f);
  EXPECT_GT(Value("sigmoid", -100), 0);  // subnormal, not flushed
}

TEST(MathExpansion, UlpErrorMeasures) {
  EXPECT_EQ(UlpError(1, 1), 0);
  EXPECT_EQ(UlpError(std::nextafter(1.0f, 2.0f), 1), 1);
  EXPECT_EQ(UlpError(0x1p-149f, 0), 1);
  EXPECT_EQ(UlpError(kInf, 1e39), 0);
  EXPECT_GT(UlpError(kInf, 1), 1e6);
  EXPECT_EQ(UlpError(kNan, kNan), 0);
  EXPECT_EQ(UlpError(0, kNan), std::numeric_limits<double>::infinity());
}

// The other half of MathProgram: its results equal the interpreter's.
TEST(MathExpansion, InterpreterAgreesInsidePrograms) {
  using ir::Int;
  constexpr int64_t kN = 64;
  for (const int lanes : {1, 8}) {
    for (const std::string& function : ExpandedFunctions()) {
      const ir::Buffer a = ir::MakeBuffer("a", DataType::Float(32), {Int(kN)}),
                       c = ir::MakeBuffer("c", DataType::Float(32), {Int(kN)});
      const ir::Var i = ir::MakeVar("i");
      const ir::Expr at = lanes == 1 ? ir::Expr(i) : ir::MakeRamp(i * lanes, Int(1), lanes);
      // Twice in one statement: each use defines its own names.
      const ir::Expr call = ir::CallIntrinsic(function, {ir::MakeLoad(a, {at})});
      const ir::Stmt loop = ir::MakeFor(i, Int(0), Int(kN / lanes), ir::ForKind::kSerial,
                                        ir::MakeStore(c, call + call, {at}));
      const ir::Stmt expanded = ExpandMath(loop);
      bool calls_left = false;
      ir::ForEach<ir::Call>(expanded,
                            [&](const ir::Call& left) { calls_left |= left.op == function; });
      EXPECT_FALSE(calls_left);
      std::vector<float> x(kN), y(kN), want(kN);
      for (int64_t k = 0; k < kN; ++k)
        x[static_cast<size_t>(k)] = static_cast<float>(k - 20) * 0.37f;
      const ir::InterpValue args[] = {ir::InterpTensor::Of(x.data(), DataType::Float(32), {kN}),
                                      ir::InterpTensor::Of(y.data(), DataType::Float(32), {kN})};
      ir::Interpret(ir::MakeFunc("f", {ir::NodeRef(a), ir::NodeRef(c)}, expanded), args);
      MathProgram(function, false).Run(x, want);
      for (size_t k = 0; k < kN; ++k) {
        if (std::isnan(want[k]))
          EXPECT_TRUE(std::isnan(y[k]));
        else
          EXPECT_EQ(y[k], want[k] + want[k]) << function << " of " << x[k];
      }
    }
  }
}

TEST(MathExpansion, OnlyFloat32IsWrittenOut) {
  const ir::Buffer a = ir::MakeBuffer("a", DataType::Float(16), {ir::Int(4)}),
                   d = ir::MakeBuffer("d", DataType::Float(64), {ir::Int(4)});
  const ir::Stmt half = ir::MakeStore(a, ir::Exp(ir::MakeLoad(a, {ir::Int(0)})), {ir::Int(1)});
  const ir::Stmt wide = ir::MakeStore(d, ir::Exp(ir::MakeLoad(d, {ir::Int(0)})), {ir::Int(1)});
  EXPECT_TRUE(ExpandMath(half).same_as(half));
  EXPECT_TRUE(ExpandMath(wide).same_as(wide));
  const ir::Stmt other = ir::MakeStore(d, ir::Sqrt(ir::MakeLoad(d, {ir::Int(0)})), {ir::Int(1)});
  EXPECT_TRUE(ExpandMath(other).same_as(other));
}

}  // namespace
}  // namespace lathe::lower
