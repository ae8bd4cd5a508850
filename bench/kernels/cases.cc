#include "bench/kernels/cases.h"

#include "topi/cpu/conv2d.h"
#include "topi/cpu/gemm.h"

namespace lathe::bench {
namespace {

using topi::cpu::CpuMachine;

Case GemmCase(std::string name, const topi::cpu::GemmShape& shape) {
  const double batch = shape.batch > 0 ? static_cast<double>(shape.batch) : 1;
  const double m = static_cast<double>(shape.m), n = static_cast<double>(shape.n),
               k = static_cast<double>(shape.k);
  return {std::move(name), 2 * batch * m * n * k, 4 * batch * (m * k + k * n + m * n), "float32",
          [=](const CpuMachine& machine) {
            return topi::cpu::Gemm(shape, DataType::Float(32), machine);
          }};
}

Case ConvCase(std::string name, const topi::cpu::Conv2dShape& s) {
  const double outputs =
      static_cast<double>(s.batch * s.out_channels * s.out_height() * s.out_width());
  const double window = static_cast<double>(s.kernel * s.kernel * s.in_channels);
  const double inputs = static_cast<double>(s.batch * s.in_channels * s.height * s.width);
  return {std::move(name), 2 * outputs * window,
          4 * (outputs + inputs + window * static_cast<double>(s.out_channels)), "float32",
          [=](const CpuMachine& machine) { return topi::cpu::Conv2dNCHWc(s, machine); }};
}

Case DepthwiseCase(std::string name, const topi::cpu::Conv2dShape& s) {
  const double outputs =
      static_cast<double>(s.batch * s.in_channels * s.out_height() * s.out_width());
  const double window = static_cast<double>(s.kernel * s.kernel);
  const double inputs = static_cast<double>(s.batch * s.in_channels * s.height * s.width);
  return {std::move(name), 2 * outputs * window, 4 * (outputs + inputs), "float32",
          [=](const CpuMachine& machine) { return topi::cpu::DepthwiseConv2dNCHWc(s, machine); }};
}

std::vector<Case> MakeCases() {
  std::vector<Case> cases;
  for (const int64_t n : {256, 512, 1024, 2048}) {
    cases.push_back(GemmCase("gemm_" + std::to_string(n), {n, n, n}));
  }
  cases.push_back(GemmCase("gemm_tall_4096x64x256", {4096, 64, 256}));
  cases.push_back(GemmCase("gemm_wide_64x4096x256", {64, 4096, 256}));
  for (const int64_t k : {16, 32, 64}) {
    cases.push_back(GemmCase("gemm_small_k_512x512x" + std::to_string(k), {512, 512, k}));
  }
  cases.push_back(GemmCase("gemm_odd_1001x1001x999", {1001, 1001, 999}));
  cases.push_back(GemmCase("gemm_batch_64x128x128x64", {128, 128, 64, 64}));
  for (const int64_t n : {512, 4096}) {
    const double d = static_cast<double>(n);
    cases.push_back({"gemv_" + std::to_string(n), 2 * d * d, 4 * d * d, "memory",
                     [=](const CpuMachine& machine) {
                       return topi::cpu::Gemv(n, n, DataType::Float(32), machine);
                     }});
  }
  cases.push_back(ConvCase("conv2d_1x1_14x14x1024x256", {1, 1024, 14, 14, 256, 1, 1, 0}));
  cases.push_back(ConvCase("conv2d_3x3_14x14x256x256", {1, 256, 14, 14, 256, 3, 1, 1}));
  cases.push_back(ConvCase("conv2d_1x1_56x56x64x256", {1, 64, 56, 56, 256, 1, 1, 0}));
  cases.push_back(ConvCase("conv2d_3x3_56x56x64x64", {1, 64, 56, 56, 64, 3, 1, 1}));
  cases.push_back(DepthwiseCase("depthwise_3x3_56x56x128", {1, 128, 56, 56, 128, 3, 1, 1}));
  return cases;
}

}  // namespace

const std::vector<Case>& Cases() {
  static const std::vector<Case>& cases = *new std::vector<Case>(MakeCases());
  return cases;
}

}  // namespace lathe::bench
