// Each template for CPUs at small and odd sizes, with the vectors of three machines. The results
// must equal the evaluator's before and after every pass, from the replayed trace and from compiled
// code.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "driver/compile.h"
#include "gtest/gtest.h"
#include "ir/intrinsic.h"
#include "ir/names.h"
#include "ir/text/printer.h"
#include "runtime/tensor.h"
#include "te/evaluator.h"
#include "tests/schedule/expect.h"
#include "topi/cpu/conv2d.h"
#include "topi/cpu/copy.h"
#include "topi/cpu/elementwise.h"
#include "topi/cpu/gemm.h"
#include "topi/cpu/image.h"
#include "topi/cpu/reduce.h"
#include "topi/cpu/rows.h"
#include "topi/cpu/stencil.h"

namespace lathe::topi::cpu {
namespace {

constexpr DataType kFloat = DataType::Float(32);

target::Machine MachineOf(int vector_bytes, int registers) {
  target::Machine machine;
  machine.vector_bytes = vector_bytes;
  machine.vector_registers = registers;
  return machine;
}

// Parameters: the bytes of a vector and the number of registers, for SSE or NEON, AVX2, AVX-512.
class CpuKernels : public testing::TestWithParam<std::pair<int, int>> {
 protected:
  target::Machine machine() const { return MachineOf(GetParam().first, GetParam().second); }
  static void Check(const Kernel& kernel) {
    schedule::ExpectSameAnswers(kernel.schedule, {kernel.args.begin(), kernel.args.end()});
  }
};

INSTANTIATE_TEST_SUITE_P(Machines, CpuKernels,
                         testing::Values(std::pair{16, 32}, std::pair{32, 16}, std::pair{64, 32}),
                         [](const auto& info) {
                           return "Vectors" + std::to_string(8 * info.param.first);
                         });

TEST_P(CpuKernels, Gemm) {
  for (const GemmShape& shape :
       {GemmShape{12, 64, 8}, GemmShape{13, 37, 5}, GemmShape{1, 1, 1}, GemmShape{3, 100, 2}}) {
    Check(Gemm(shape, kFloat, machine()));
  }
  Check(Gemm({6, 18, 4}, DataType::Float(64), machine()));
}

TEST_P(CpuKernels, GemmOfBatches) { Check(Gemm({5, 18, 3, 2}, kFloat, machine())); }

TEST_P(CpuKernels, Gemv) {
  Check(Gemv(9, 37, kFloat, machine()));
  Check(Gemv(4, 64, kFloat, machine()));
}

TEST_P(CpuKernels, Conv2d) {
  const int64_t c = machine().Lanes(kFloat);
  Check(Conv2dNCHWc({1, c, 5, 6, 2 * c, 3, 1, 1}, machine()));
  Check(Conv2dNCHWc({2, 2 * c, 3, 4, c, 1, 1, 0}, machine()));
  Check(Conv2dNCHWc({1, c, 7, 7, c, 3, 2, 1}, machine()));
}

TEST_P(CpuKernels, DepthwiseConv2d) {
  const int64_t c = machine().Lanes(kFloat);
  Check(DepthwiseConv2dNCHWc({1, 2 * c, 5, 6, 2 * c, 3, 1, 1}, machine()));
  Check(DepthwiseConv2dNCHWc({1, c, 7, 7, c, 3, 2, 0}, machine()));
}

TEST(CpuConv2d, ChannelsMustFillBlocks) {
  const Error error =
      schedule::ErrorOf([] { Conv2dNCHWc({1, 3, 8, 8, 16, 3, 1, 1}, MachineOf(64, 32)); });
  EXPECT_EQ(error.diagnostic().name, "topi-channels");
  EXPECT_EQ(error.diagnostic().expected, "a multiple of 16");
}

// Compares with a tolerance, because other sums than those of small integers round in another order
// than the evaluator's.
void CheckWithin(const Kernel& kernel, float tolerance) {
  driver::UseDefaultPlugins();
  std::vector<ir::InterpValue> values;
  std::vector<runtime::Tensor> tensors;
  for (const ir::Tensor& arg : kernel.args) {
    std::vector<int64_t> shape;
    for (const ir::Expr& extent : arg->shape()) shape.push_back(ir::As<ir::IntImm>(extent)->value);
    tensors.push_back(*runtime::Tensor::Empty(shape, kFloat));
    float* data = tensors.back().HostData<float>();
    const int64_t size = tensors.back().num_elements();
    for (int64_t i = 0; i < size; ++i) data[i] = static_cast<float>(i * 7 % 13) / 4 - 1.5f;
    values.emplace_back(ir::InterpTensor::Of(data, kFloat, shape));
  }
  te::Evaluate({kernel.args.begin(), kernel.args.end()}, values);
  runtime::Tensor& y = tensors.back();
  const float* found = y.HostData<float>();
  const std::vector<float> expected(found, found + y.num_elements());

  const ir::Module loops =
      driver::Lower(kernel.schedule, {kernel.args.begin(), kernel.args.end()}, "f", {});
  const runtime::Module module = *driver::Build(loops, target::ParseTarget("llvm"), {});
  const runtime::Function f = *module.GetFunction("f");
  std::fill_n(y.HostData<float>(), expected.size(), -1.0f);
  tensors.size() == 2 ? f(tensors[0], y) : f(tensors[0], tensors[1], tensors[2], y);
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(found[i], expected[i], tolerance) << "element " << i;
  }
}

TEST_P(CpuKernels, RowsAreNormalised) {
  for (const int64_t columns : {3, 70, 300}) {
    CheckWithin(Softmax(3, columns, machine()), 1e-6f);
    CheckWithin(LayerNorm(3, columns, 1e-5, machine()), 1e-5f);
  }
}

TEST_P(CpuKernels, Elementwise) {
  Check(Elementwise(100, kFloat, Gelu, machine()));
  // Every pass keeps each bit. Functions are within two units of the last place
  // (lower/math/expansion.h).
  Check(Elementwise(64, kFloat, [](const ir::Expr& x) { return x * x - x; }, machine()));
  CheckWithin(
      Elementwise(
          64, kFloat, [](const ir::Expr& x) { return ir::CallIntrinsic("tanh", {x}); }, machine()),
      1.2e-7f);
}

TEST_P(CpuKernels, Reductions) {
  for (const Along along : {Along::kRows, Along::kColumns}) {
    for (const Reduction reduction : {Reduction::kSum, Reduction::kMax}) {
      Check(Reduce(reduction, along, 7, 150, machine()));
      Check(Reduce(reduction, along, 150, 9, machine()));
    }
    Check(ArgMax(along, 7, 150, machine()));
    Check(ArgMax(along, 130, 5, machine()));
  }
}

TEST_P(CpuKernels, Copies) {
  Check(Transpose(32, 48, machine()));
  Check(Transpose(19, 21, machine()));
  Check(ConcatColumns(3, {5, 40, 1}, machine()));
}

// First rows of strips, rows within them, and a last strip and block that are not whole.
TEST_P(CpuKernels, Blurs) {
  for (const StencilSchedule schedule :
       {StencilSchedule::kSlidingWindows, StencilSchedule::kUnfused}) {
    CheckWithin(BoxBlurs(3, 131, 70, schedule, machine()), 1e-5f);
    target::Machine small = machine();
    small.l2.bytes = 1024;
    CheckWithin(BoxBlurs(2, 140, 53, schedule, small), 1e-5f);
    CheckWithin(BoxBlurs(1, 3, 17, schedule, machine()), 1e-5f);
  }
}

// The machine's description says which results are large.
TEST(CpuStreaming, IsForResultsThatTheLastCacheCannotHold) {
  for (const int64_t mebibytes : {0, 8, 16, 17, 32}) {
    target::Machine machine = MachineOf(32, 16);
    machine.l3.bytes = mebibytes << 20;
    const Kernel kernel = Elementwise(int64_t{4} << 20, kFloat, Gelu, machine);  // 16 MiB
    const ir::Module loops =
        driver::Lower(kernel.schedule, {kernel.args.begin(), kernel.args.end()}, "f", {});
    const bool streamed = ir::ToText(loops).find(ir::pragma::kNontemporal) != std::string::npos;
    EXPECT_EQ(streamed, mebibytes == 8 || mebibytes == 16) << mebibytes;
  }
}

// Compares with double precision: all signs, all magnitudes that behave differently, and NaN.
TEST(CpuGelu, IsWithinItsBound) {
  driver::UseDefaultPlugins();
  constexpr int64_t kSize = 1 << 16;
  runtime::Tensor x = *runtime::Tensor::Empty({kSize}, kFloat);
  runtime::Tensor y = *runtime::Tensor::Empty({kSize}, kFloat);
  float* in = x.HostData<float>();
  for (int64_t i = 0; i < kSize; ++i) {
    const float step = static_cast<float>(i) / kSize;  // [0, 1)
    in[i] = i % 4 == 0   ? 14 * step - 7
            : i % 4 == 1 ? std::ldexp(step + 1, static_cast<int>(i % 90) - 80)
            : i % 4 == 2 ? -std::ldexp(step + 1, static_cast<int>(i % 90) - 80)
                         : 2 * step - 1;
  }
  const float inf = std::numeric_limits<float>::infinity();
  const float specials[] = {inf, -inf, std::nanf(""), 0.0f, -0.0f, -100.0f, 100.0f};
  std::copy(std::begin(specials), std::end(specials), in);
  for (const char* target : {"llvm", "llvm -mattr=-fma,-avx512f,-avx2"}) {
    const Kernel kernel = Elementwise(kSize, kFloat, Gelu, MachineOf(32, 16));
    const ir::Module loops =
        driver::Lower(kernel.schedule, {kernel.args.begin(), kernel.args.end()}, "f", {});
    const runtime::Module module = *driver::Build(loops, target::ParseTarget(target), {});
    (*module.GetFunction("f"))(x, y);
    const float* out = y.HostData<float>();
    EXPECT_EQ(out[0], inf);
    EXPECT_EQ(out[1], 0.0f);
    EXPECT_TRUE(std::isnan(out[2]));
    EXPECT_EQ(out[3], 0.0f);
    EXPECT_EQ(out[4], 0.0f);
    EXPECT_EQ(out[5], 0.0f);
    EXPECT_EQ(out[6], 100.0f);
    double worst = 0;
    for (int64_t i = std::size(specials); i < kSize; ++i) {
      const double exact = 0.5 * in[i] * std::erfc(-static_cast<double>(in[i]) / std::sqrt(2.0));
      worst = std::max(worst, std::abs(out[i] - exact) / std::abs(in[i]));
    }
    EXPECT_LT(worst, kGeluError);
    EXPECT_GT(worst, kGeluError / 10);  // the bound is not far too large
  }
}

TEST_P(CpuKernels, RgbToYuv) {
  for (const int64_t pixels : {64, 192, 256, 67}) {
    CheckWithin(RgbToYuv(pixels, kFloat, machine()), 1e-6f);
    Check(RgbToYuv(pixels, DataType::UInt(8), machine()));
  }
}

TEST(CpuImages, OtherTypesAreRefused) {
  const Error error =
      schedule::ErrorOf([] { RgbToYuv(64, DataType::Float(64), MachineOf(64, 32)); });
  EXPECT_EQ(error.diagnostic().name, "topi-image-type");
}

TEST(RegisterTiles, FillRegistersAndNoMore) {
  const target::Machine wide = MachineOf(64, 32), narrow = MachineOf(32, 16);
  for (const int64_t m : {1, 7, 64, 1001}) {
    for (const int64_t n : {1, 16, 40, 1000}) {
      for (const target::Machine& machine : {wide, narrow}) {
        const int64_t lanes = machine.Lanes(kFloat);
        const RegisterTile tile = ChooseRegisterTile(m, n, lanes, machine);
        EXPECT_EQ(tile.columns % lanes, 0);
        // Registers for the sums, a row of B, and a broadcast element of A.
        EXPECT_LE((tile.rows + 1) * (tile.columns / lanes) + 1, machine.vector_registers);
        EXPECT_GE(tile.rows, 1);
      }
    }
  }
  EXPECT_GE(ChooseRegisterTile(1024, 1024, 16, wide).rows * 4, 16);  // two units, latency 4: 8
}

}  // namespace
}  // namespace lathe::topi::cpu
