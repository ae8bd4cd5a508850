// The documents' programs that run on OpenCL: the matrix product of document 001 (N = 1024, blocks
// of 256, the outer loops left on the host) and the colours of document 003.
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tests/opencl/scale.h"

namespace lathe::opencl_tests {
namespace {

using namespace schedule;  // NOLINT: tests read better
using namespace te;        // NOLINT
using ir::Int;

std::vector<float> Random(size_t n, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> uniform(0, 1);
  std::vector<float> out(n);
  for (float& x : out) x = uniform(engine);
  return out;
}

TEST(Documents, GemmOf001) {
  driver::UseDefaultPlugins();
  const int64_t n = 1024, block = 256;
  te::Tensor a = Placeholder({Int(n), Int(n)}, DataType::Float(32), "A"),
             b = Placeholder({Int(n), Int(n)}, DataType::Float(32), "B");
  IterVar k = te::ReduceAxis(Int(0), Int(n), "k");
  te::Tensor c = Compute(
      {Int(n), Int(n)},
      [&](const Indices& i) { return Sum(At(a, {i[0], k->var}) * At(b, {k->var, i[1]}), {k}); },
      "C");
  Schedule s = CreateSchedule({c->op});
  auto [bo, bi] = Split(s[c], AxisOf(c, 0), block);
  auto [to, ti] = Split(s[c], AxisOf(c, 1), block);
  (void)bo, (void)to;  // on the host: 16 launches
  Bind(s[c], bi, ThreadAxis("blockIdx.x"));
  Bind(s[c], ti, ThreadAxis("threadIdx.x"));
  const auto module =
      driver::Build(driver::Lower(s, {a, b, c}, "gemm_gpu", {}), target::ParseTarget("opencl"), {});
  ASSERT_TRUE(module.ok()) << module.status();
  const auto size = static_cast<size_t>(n * n);
  const std::vector<float> x = Random(size, 1), y = Random(size, 2);
  const int64_t shape[] = {n, n};
  const auto on_device = [&](const std::vector<float>& values) {
    return *runtime::Tensor::FromHost(values.data(), size * 4, shape, DataType::Float(32),
                                      OpenCl());
  };
  const runtime::Tensor z = on_device(std::vector<float>(size));
  const auto result = module->FindFunction("gemm_gpu").TryCall(on_device(x), on_device(y), z);
  ASSERT_TRUE(result.ok()) << result.status();
  const std::vector<float> got = ToHost(z);
  std::vector<float> expected(size, 0);
  for (size_t i = 0; i < 1024; ++i) {
    for (size_t l = 0; l < 1024; ++l) {
      for (size_t j = 0; j < 1024; ++j) expected[i * 1024 + j] += x[i * 1024 + l] * y[l * 1024 + j];
    }
  }
  double worst = 0;
  for (size_t i = 0; i < size; ++i)
    worst = std::max(worst, static_cast<double>(std::fabs(got[i] - expected[i])));
  EXPECT_LT(worst, 1.5e-3);  // decimal=3, as in the document
}

TEST(Documents, ColoursOf003) {
  driver::UseDefaultPlugins();
  for (const bool fused : {false, true}) {
    const int64_t w = 1920, h = 1080;
    te::Tensor rgb = Placeholder({Int(w), Int(h), Int(3)}, DataType::Float(32), "rgb");
    const double coefficients[3][3] = {
        {0.257, 0.504, 0.098}, {-0.148, -0.291, 0.439}, {0.439, -0.368, -0.071}};
    te::Tensor yuv = Compute(
        {Int(w), Int(h), Int(3)},
        [&](const Indices& i) {
          const auto channel = [&](int c) {
            Expr sum = At(rgb, {i[0], i[1], Int(0)}) * ir::Float(coefficients[c][0]);
            for (int x = 1; x < 3; ++x)
              sum = sum + At(rgb, {i[0], i[1], Int(x)}) * ir::Float(coefficients[c][x]);
            return sum;
          };
          return ir::IfThenElse(ir::Equal(i[2], Int(0)), channel(0),
                                ir::IfThenElse(ir::Equal(i[2], Int(1)), channel(1), channel(2)));
        },
        "yuv");
    Schedule s = CreateSchedule({yuv->op});
    IterVar pixels = AxisOf(yuv, 1);
    if (fused) {
      pixels = Fuse(s[yuv], {AxisOf(yuv, 0), AxisOf(yuv, 1)});
      Unroll(s[yuv], AxisOf(yuv, 2));
    }
    auto [bx, tx] = Split(s[yuv], pixels, 64);
    Bind(s[yuv], bx, ThreadAxis("blockIdx.x"));
    Bind(s[yuv], tx, ThreadAxis("threadIdx.x"));
    const auto module = driver::Build(driver::Lower(s, {rgb, yuv}, "rgb2yuv", {}),
                                      target::ParseTarget("opencl"), {});
    ASSERT_TRUE(module.ok()) << module.status();
    const auto size = static_cast<size_t>(w * h * 3);
    const std::vector<float> x = Random(size, 3);
    const int64_t shape[] = {w, h, 3};
    const runtime::Tensor in = *runtime::Tensor::FromHost(x.data(), size * 4, shape,
                                                          DataType::Float(32), OpenCl()),
                          out = *runtime::Tensor::Empty(shape, DataType::Float(32), OpenCl());
    const auto result = module->FindFunction("rgb2yuv").TryCall(in, out);
    ASSERT_TRUE(result.ok()) << result.status();
    const std::vector<float> got = ToHost(out);
    double worst = 0;
    for (size_t p = 0; p < size; p += 3) {
      for (size_t c = 0; c < 3; ++c) {
        double sum = 0;
        for (size_t i = 0; i < 3; ++i) sum += coefficients[c][i] * static_cast<double>(x[p + i]);
        worst = std::max(worst, std::fabs(sum - static_cast<double>(got[p + c])));
      }
    }
    EXPECT_LT(worst, 1e-6) << (fused ? "fused" : "plain");
  }
}

}  // namespace
}  // namespace lathe::opencl_tests
