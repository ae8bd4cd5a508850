#include "bench/kernels/cases.h"

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
  return cases;
}

}  // namespace

const std::vector<Case>& Cases() {
  static const std::vector<Case>& cases = *new std::vector<Case>(MakeCases());
  return cases;
}

}  // namespace lathe::bench
