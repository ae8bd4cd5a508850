#include "tests/topi/known_kernels.h"

#include "ir/intrinsic.h"
#include "topi/cpu/auto/auto_schedule.h"
#include "topi/cpu/conv2d.h"
#include "topi/cpu/copy.h"
#include "topi/cpu/dot_gemm.h"
#include "topi/cpu/elementwise.h"
#include "topi/cpu/gemm.h"
#include "topi/cpu/image.h"
#include "topi/cpu/reduce.h"
#include "topi/cpu/rows.h"
#include "topi/cpu/stencil.h"

namespace lathe::topi {
namespace {

using cpu::Kernel;
using target::Machine;

constexpr DataType kFloat = DataType::Float(32);

std::string Text(std::initializer_list<int64_t> extents) {
  std::string text;
  for (const int64_t extent : extents) text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

// Adds the kernel, and the same program with the default schedule.
void Add(std::vector<KnownKernel>& kernels, const std::string& name,
         const std::function<Kernel(const Machine&)>& make) {
  kernels.push_back({name, make});
  kernels.push_back({name + ".default", [make](const Machine& machine) {
                       const Kernel kernel = make(machine);
                       std::vector<ir::Op> outputs;
                       for (const te::Tensor& arg : kernel.args) {
                         const bool input = ir::As<ir::PlaceholderOp>(arg->op) != nullptr;
                         if (!input && (outputs.empty() || !outputs.back().same_as(arg->op)))
                           outputs.push_back(arg->op);
                       }
                       return Kernel{cpu::AutoSchedule(outputs, machine), kernel.args};
                     }});
}

Kernel Matmul(const cpu::GemmShape& s, bool clipped, const Machine& machine) {
  const auto matrix = [&](int64_t rows, int64_t columns, const char* name) {
    te::Shape shape = {ir::Int(rows), ir::Int(columns)};
    if (s.batch > 0) shape.insert(shape.begin(), ir::Int(s.batch));
    return te::Placeholder(shape, kFloat, name);
  };
  const te::Tensor a = matrix(s.m, s.k, "A"), b = matrix(s.k, s.n, "B");
  te::Tensor c = ops::Matmul(a, b);
  if (clipped) {
    c = ops::Map(c, [](const ir::Expr& x) { return ir::MakeMax(x, ir::Float(0)); });
  }
  return {cpu::ScheduleProgram({c->op}, machine).schedule, {a, b, c}};
}

void AddProducts(std::vector<KnownKernel>& kernels) {
  for (const cpu::GemmShape& s : {cpu::GemmShape{1, 1, 1},
                                  {3, 100, 2},
                                  {13, 37, 5},
                                  {12, 64, 8},
                                  {128, 128, 64, 64},
                                  {1000, 1001, 999},
                                  {1024, 1024, 1024},
                                  {5, 18, 3, 2},
                                  {512, 512, 16},
                                  {4096, 64, 256}}) {
    const std::string name =
        Text({s.m, s.n, s.k}) + (s.batch > 0 ? "_batch" + std::to_string(s.batch) : "");
    Add(kernels, "gemm_" + name, [s](const Machine& m) { return cpu::Gemm(s, kFloat, m); });
  }
  Add(kernels, "gemm_float64_6x18x4",
      [](const Machine& m) { return cpu::Gemm({6, 18, 4}, DataType::Float(64), m); });
  // Products as users write them, scheduled by ScheduleProgram, with and without an epilogue.
  for (const cpu::GemmShape& s : {cpu::GemmShape{1, 1, 1},
                                  {13, 37, 5},
                                  {1000, 1001, 999},
                                  {1024, 1024, 1024},
                                  {128, 128, 64, 64}}) {
    for (const bool clipped : {false, true}) {
      kernels.push_back({"matmul_" + Text({s.batch, s.m, s.n, s.k}) + (clipped ? "_clipped" : ""),
                         [=](const Machine& machine) { return Matmul(s, clipped, machine); }});
    }
  }
  for (const auto& [m, k] : {std::pair<int64_t, int64_t>{1, 1}, {9, 37}, {4, 64}, {4096, 4096}}) {
    Add(kernels, "gemv_" + Text({m, k}),
        [m = m, k = k](const Machine& machine) { return cpu::Gemv(m, k, kFloat, machine); });
  }
  const DataType u8 = DataType::UInt(8), s8 = DataType::Int(8), s32 = DataType::Int(32),
                 bf16 = DataType::BFloat16();
  for (const cpu::GemmShape& s :
       {cpu::GemmShape{1, 1, 1}, {13, 37, 5}, {33, 65, 130}, {256, 256, 256}, {1000, 1001, 999}}) {
    for (const auto& [a, b, c] :
         {std::tuple{u8, s8, s32}, {s8, s8, s32}, {bf16, bf16, kFloat}, {bf16, bf16, bf16}}) {
      Add(kernels, "dot_gemm_" + a.ToString() + "_" + c.ToString() + "_" + Text({s.m, s.n, s.k}),
          [=, a = a, b = b, c = c](const Machine& m) { return cpu::DotGemm(s, a, b, c, m); });
    }
  }
}

// Channels are whole blocks, with vectors of up to 16 elements.
void AddConvolutions(std::vector<KnownKernel>& kernels) {
  for (const cpu::Conv2dShape& s : {cpu::Conv2dShape{1, 16, 5, 6, 32, 3, 1, 1},
                                    {2, 32, 3, 4, 16, 1, 1, 0},
                                    {1, 16, 7, 7, 16, 3, 2, 1},
                                    {1, 256, 14, 14, 256, 3, 1, 1},
                                    {1, 64, 56, 56, 256, 1, 1, 0}}) {
    const std::string name = Text({s.batch, s.in_channels, s.height, s.width, s.out_channels}) +
                             "_" + Text({s.kernel, s.stride, s.padding});
    Add(kernels, "conv2d_" + name, [s](const Machine& m) { return cpu::Conv2dNCHWc(s, m); });
    Add(kernels, "depthwise_" + name,
        [s](const Machine& m) { return cpu::DepthwiseConv2dNCHWc(s, m); });
  }
}

void AddMaps(std::vector<KnownKernel>& kernels) {
  for (const int64_t size : {1, 67, 1 << 14, 1 << 18, 1 << 24}) {
    Add(kernels, "gelu_" + Text({size}),
        [size](const Machine& m) { return cpu::Elementwise(size, kFloat, cpu::Gelu, m); });
    Add(kernels, "exp_" + Text({size}), [size](const Machine& m) {
      return cpu::Elementwise(
          size, DataType::Float(64),
          [](const ir::Expr& x) { return ir::CallIntrinsic("exp", {x}); }, m);
    });
  }
  for (const auto& [i, j] :
       {std::pair<int64_t, int64_t>{1, 1}, {3, 70}, {1024, 1024}, {16384, 1024}}) {
    const auto add = [&, i = i, j = j](const std::string& name, auto make) {
      Add(kernels, name + "_" + Text({i, j}), [=](const Machine& m) { return make(i, j, m); });
    };
    add("softmax", [](int64_t rows, int64_t columns, const Machine& m) {
      return cpu::Softmax(rows, columns, m);
    });
    add("layer_norm", [](int64_t rows, int64_t columns, const Machine& m) {
      return cpu::LayerNorm(rows, columns, 1e-5, m);
    });
    for (const cpu::Along along : {cpu::Along::kRows, cpu::Along::kColumns}) {
      const std::string where = along == cpu::Along::kRows ? "_rows" : "_columns";
      for (const cpu::Reduction what : {cpu::Reduction::kSum, cpu::Reduction::kMax}) {
        add((what == cpu::Reduction::kSum ? "sum" : "max") + where,
            [=](int64_t rows, int64_t columns, const Machine& m) {
              return cpu::Reduce(what, along, rows, columns, m);
            });
      }
      add("argmax" + where, [=](int64_t rows, int64_t columns, const Machine& m) {
        return cpu::ArgMax(along, rows, columns, m);
      });
    }
    add("transpose", [](int64_t rows, int64_t columns, const Machine& m) {
      return cpu::Transpose(rows, columns, m);
    });
    add("concat", [](int64_t rows, int64_t columns, const Machine& m) {
      return cpu::ConcatColumns(rows, {columns, 2 * columns, 5}, m);
    });
    for (const cpu::StencilSchedule schedule :
         {cpu::StencilSchedule::kSlidingWindows, cpu::StencilSchedule::kUnfused}) {
      const std::string name =
          schedule == cpu::StencilSchedule::kUnfused ? "blurs_unfused" : "blurs";
      for (const int64_t blurs : {1, 3}) {
        add(name + std::to_string(blurs), [=](int64_t rows, int64_t columns, const Machine& m) {
          return cpu::BoxBlurs(blurs, rows, columns, schedule, m);
        });
      }
    }
  }
  for (const int64_t pixels : {64, 67, 1920 * 1080}) {
    for (const DataType dtype : {kFloat, DataType::UInt(8)}) {
      Add(kernels, "rgb_to_yuv_" + dtype.ToString() + "_" + Text({pixels}),
          [=](const Machine& m) { return cpu::RgbToYuv(pixels, dtype, m); });
    }
  }
}

}  // namespace

std::vector<KnownKernel> KnownKernels() {
  std::vector<KnownKernel> kernels;
  AddProducts(kernels);
  AddConvolutions(kernels);
  AddMaps(kernels);
  return kernels;
}

}  // namespace lathe::topi
