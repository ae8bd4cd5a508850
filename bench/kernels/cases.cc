#include "bench/kernels/cases.h"

#include "ir/intrinsic.h"
#include "topi/cpu/conv2d.h"
#include "topi/cpu/copy.h"
#include "topi/cpu/dot_gemm.h"
#include "topi/cpu/elementwise.h"
#include "topi/cpu/gemm.h"
#include "topi/cpu/image.h"
#include "topi/cpu/reduce.h"
#include "topi/cpu/rows.h"
#include "topi/cpu/stencil.h"

namespace lathe::bench {
namespace {

Case GemmCase(std::string name, const topi::cpu::GemmShape& shape) {
  const double batch = shape.batch > 0 ? static_cast<double>(shape.batch) : 1;
  const double m = static_cast<double>(shape.m), n = static_cast<double>(shape.n),
               k = static_cast<double>(shape.k);
  return {std::move(name), 2 * batch * m * n * k, 4 * batch * (m * k + k * n + m * n), "float32",
          [=](const target::Machine& machine) {
            return topi::cpu::Gemm(shape, DataType::Float(32), machine);
          }};
}

// Products of narrow types; `bytes` counts each argument once.
Case DotCase(std::string name, std::string kind, const topi::cpu::GemmShape& shape, DataType a,
             DataType b, DataType c) {
  const double m = static_cast<double>(shape.m), n = static_cast<double>(shape.n),
               k = static_cast<double>(shape.k);
  return {std::move(name), 2 * m * n * k,
          m * k * static_cast<double>(a.bytes()) + k * n * static_cast<double>(b.bytes()) +
              m * n * static_cast<double>(c.bytes()),
          std::move(kind), [=](const target::Machine& machine) {
            return topi::cpu::DotGemm(shape, a, b, c, machine);
          }};
}

void AddDots(std::vector<Case>& cases) {
  const DataType u8 = DataType::UInt(8), s8 = DataType::Int(8), s32 = DataType::Int(32),
                 bf16 = DataType::BFloat16();
  const auto add = [&](const std::string& size, const topi::cpu::GemmShape& shape) {
    cases.push_back(DotCase("int8_gemm_u8s8_" + size, "int8", shape, u8, s8, s32));
    cases.push_back(DotCase("int8_gemm_s8s8_" + size, "int8", shape, s8, s8, s32));
    cases.push_back(DotCase("bf16_gemm_" + size, "bfloat16", shape, bf16, bf16, bf16));
  };
  for (const int64_t n : {256, 512, 1024, 2048}) add(std::to_string(n), {n, n, n});
  add("odd_1000x1001x999", {1000, 1001, 999});
}

Case ConvCase(std::string name, const topi::cpu::Conv2dShape& s) {
  const double outputs =
      static_cast<double>(s.batch * s.out_channels * s.out_height() * s.out_width());
  const double window = static_cast<double>(s.kernel * s.kernel * s.in_channels);
  const double inputs = static_cast<double>(s.batch * s.in_channels * s.height * s.width);
  return {std::move(name), 2 * outputs * window,
          4 * (outputs + inputs + window * static_cast<double>(s.out_channels)), "float32",
          [=](const target::Machine& machine) { return topi::cpu::Conv2dNCHWc(s, machine); }};
}

Case DepthwiseCase(std::string name, const topi::cpu::Conv2dShape& s) {
  const double outputs =
      static_cast<double>(s.batch * s.in_channels * s.out_height() * s.out_width());
  const double window = static_cast<double>(s.kernel * s.kernel);
  const double inputs = static_cast<double>(s.batch * s.in_channels * s.height * s.width);
  return {
      std::move(name), 2 * outputs * window, 4 * (outputs + inputs), "float32",
      [=](const target::Machine& machine) { return topi::cpu::DepthwiseConv2dNCHWc(s, machine); }};
}

// Sizes from within a core's caches to memory, as a name and a number of float32 elements.
struct Size {
  const char* name;
  int64_t elements;
};
constexpr Size kSizes[] = {{"64KB", 1 << 14}, {"1MB", 1 << 18}, {"64MB", 1 << 24}};

// `traffic`: arrays of that size read and written.
Case MemoryCase(std::string name, double elements, double traffic,
                std::function<topi::cpu::Kernel(const target::Machine&)> make) {
  return {std::move(name), elements, 4 * elements * traffic, "memory", std::move(make)};
}

void AddMaps(std::vector<Case>& cases) {
  struct Map {
    const char* name;
    std::function<ir::Expr(const ir::Expr&)> map;
  };
  const auto intrinsic = [](const char* name) {
    return [=](const ir::Expr& x) { return ir::CallIntrinsic(name, {x}); };
  };
  const Map maps[] = {{"exp", intrinsic("exp")},
                      {"tanh", intrinsic("tanh")},
                      {"sigmoid", intrinsic("sigmoid")},
                      {"gelu", topi::cpu::Gelu}};
  for (const Size& size : kSizes) {
    const double elements = static_cast<double>(size.elements);
    for (const Map& map : maps) {
      cases.push_back(MemoryCase(std::string(map.name) + "_" + size.name, elements, 2,
                                 [=](const target::Machine& machine) {
                                   return topi::cpu::Elementwise(size.elements, DataType::Float(32),
                                                                 map.map, machine);
                                 }));
    }
    const int64_t rows = size.elements / 1024;
    cases.push_back(MemoryCase(
        std::string("softmax_") + size.name, elements, 2,
        [=](const target::Machine& machine) { return topi::cpu::Softmax(rows, 1024, machine); }));
    cases.push_back(MemoryCase(std::string("layer_norm_") + size.name, elements, 2,
                               [=](const target::Machine& machine) {
                                 return topi::cpu::LayerNorm(rows, 1024, 1e-5, machine);
                               }));
  }
}

void AddReductions(std::vector<Case>& cases) {
  using topi::cpu::Along;
  using topi::cpu::Reduction;
  for (const int64_t n : {128, 512, 4096}) {
    const double elements = static_cast<double>(n * n);
    const std::string size = std::to_string(n) + "x" + std::to_string(n);
    for (const Along along : {Along::kRows, Along::kColumns}) {
      const std::string where = along == Along::kRows ? "_rows_" : "_columns_";
      for (const Reduction reduction : {Reduction::kSum, Reduction::kMax}) {
        const std::string what = reduction == Reduction::kSum ? "sum" : "max";
        cases.push_back(
            MemoryCase(what + where + size, elements, 1, [=](const target::Machine& machine) {
              return topi::cpu::Reduce(reduction, along, n, n, machine);
            }));
      }
      cases.push_back(MemoryCase(
          "argmax" + where + size, elements, 1,
          [=](const target::Machine& machine) { return topi::cpu::ArgMax(along, n, n, machine); }));
    }
    cases.push_back(MemoryCase(
        "transpose_" + size, elements, 2,
        [=](const target::Machine& machine) { return topi::cpu::Transpose(n, n, machine); }));
    cases.push_back(MemoryCase("concat_" + size, elements, 2, [=](const target::Machine& machine) {
      return topi::cpu::ConcatColumns(n, {n / 4, n / 2, n / 4}, machine);
    }));
  }
}

void AddImages(std::vector<Case>& cases) {
  const int64_t pixels = 1920 * 1080;
  for (const bool fused : {true, false}) {
    const int64_t n = 4096;
    const double values = static_cast<double>(n * n);
    cases.push_back(MemoryCase(std::string(fused ? "blurs_3_" : "blurs_3_unfused_") + "4096x4096",
                               values, 2, [=](const target::Machine& machine) {
                                 using topi::cpu::StencilSchedule;
                                 return topi::cpu::BoxBlurs(3, n, n,
                                                            fused ? StencilSchedule::kSlidingWindows
                                                                  : StencilSchedule::kUnfused,
                                                            machine);
                               }));
  }
  for (const DataType dtype : {DataType::Float(32), DataType::UInt(8)}) {
    const double values = 3 * static_cast<double>(pixels);
    cases.push_back({"rgb_to_yuv_1920x1080_" + dtype.ToString(), values,
                     2 * values * static_cast<double>(dtype.bytes()), "memory",
                     [=](const target::Machine& machine) {
                       return topi::cpu::RgbToYuv(pixels, dtype, machine);
                     }});
  }
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
  cases.push_back(GemmCase("gemm_odd_1000x1001x999", {1000, 1001, 999}));
  cases.push_back(GemmCase("gemm_batch_64x128x128x64", {128, 128, 64, 64}));
  AddDots(cases);
  for (const int64_t n : {512, 4096}) {
    const double d = static_cast<double>(n);
    cases.push_back({"gemv_" + std::to_string(n), 2 * d * d, 4 * d * d, "memory",
                     [=](const target::Machine& machine) {
                       return topi::cpu::Gemv(n, n, DataType::Float(32), machine);
                     }});
  }
  cases.push_back(ConvCase("conv2d_1x1_14x14x1024x256", {1, 1024, 14, 14, 256, 1, 1, 0}));
  cases.push_back(ConvCase("conv2d_3x3_14x14x256x256", {1, 256, 14, 14, 256, 3, 1, 1}));
  cases.push_back(ConvCase("conv2d_1x1_56x56x64x256", {1, 64, 56, 56, 256, 1, 1, 0}));
  cases.push_back(ConvCase("conv2d_3x3_56x56x64x64", {1, 64, 56, 56, 64, 3, 1, 1}));
  cases.push_back(DepthwiseCase("depthwise_3x3_56x56x128", {1, 128, 56, 56, 128, 3, 1, 1}));
  AddMaps(cases);
  AddReductions(cases);
  AddImages(cases);
  return cases;
}

}  // namespace

const std::vector<Case>& Cases() {
  static const std::vector<Case>& cases = *new std::vector<Case>(MakeCases());
  return cases;
}

}  // namespace lathe::bench
