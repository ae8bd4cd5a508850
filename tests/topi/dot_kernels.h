// Kernels of dot products for tests: single intrinsics and matrix products, with their arguments
// and expected results.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "runtime/tensor.h"
#include "schedule/primitives/primitives.h"
#include "te/evaluator.h"
#include "topi/cpu/dot_gemm.h"
#include "topi/cpu/dot_intrinsics.h"

namespace lathe::topi::cpu {

inline constexpr DataType kU8 = DataType::UInt(8), kS8 = DataType::Int(8), kS32 = DataType::Int(32);
inline constexpr DataType kBf16 = DataType::BFloat16(), kF32 = DataType::Float(32);

// The arguments of a kernel: small numbers of both signs, so that sums are exact.
class Arguments {
 public:
  explicit Arguments(const Kernel& kernel) {
    for (const te::Tensor& tensor : kernel.args) {
      std::vector<int64_t> shape;
      for (const Expr& extent : tensor->shape()) shape.push_back(*ir::AsConstInt(extent));
      const bool input = ir::As<ir::PlaceholderOp>(tensor->op) != nullptr;
      tensors_.push_back(*runtime::Tensor::Empty(shape, tensor->dtype()));
      Fill(tensors_.back(), input, static_cast<int64_t>(tensors_.size()));
    }
  }
  std::vector<ir::InterpValue> values() const {
    std::vector<ir::InterpValue> out;
    for (const runtime::Tensor& tensor : tensors_) {
      const DLTensor& view = tensor.dl();
      out.emplace_back(
          ir::InterpTensor::Of(view.data, tensor.dtype(), {view.shape, view.shape + view.ndim}));
    }
    return out;
  }
  std::string result() const {
    const runtime::Tensor& c = tensors_.back();
    return {static_cast<const char*>(c.dl().data),
            static_cast<size_t>(c.num_elements() * c.dtype().bytes())};
  }
  const std::vector<runtime::Tensor>& tensors() const { return tensors_; }

 private:
  using Expr = ir::Expr;
  static void Fill(runtime::Tensor& tensor, bool input, int64_t seed) {
    for (int64_t i = 0; i < tensor.num_elements(); ++i) {
      // Includes the extreme values of 8 bits.
      const int64_t mixed = (i * 37 + seed * 11) % 101;
      const int64_t number = !input ? 77 : mixed == 0 ? -128 : mixed == 1 ? 127 : mixed % 19 - 9;
      if (tensor.dtype() == kBf16) {
        const float value = static_cast<float>(input ? mixed % 15 - 7 : 77);
        uint32_t bits;
        std::memcpy(&bits, &value, 4);
        tensor.HostData<uint16_t>()[i] = static_cast<uint16_t>(bits >> 16);
      } else if (tensor.dtype() == kF32) {
        tensor.HostData<float>()[i] = static_cast<float>(number);
      } else if (tensor.dtype().bits() == 32) {
        tensor.HostData<int32_t>()[i] = static_cast<int32_t>(number);
      } else {
        tensor.HostData<int8_t>()[i] = static_cast<int8_t>(number);
      }
    }
  }
  std::vector<runtime::Tensor> tensors_;
};

inline std::string Evaluated(const Kernel& kernel) {
  const Arguments arguments(kernel);
  te::Evaluate({kernel.args.begin(), kernel.args.end()}, arguments.values());
  return arguments.result();
}

// Computes a matrix product with plain loops, which is exact because the arguments are small.
// Returns the bytes of the result.
inline std::string Multiplied(const Kernel& kernel) {
  const Arguments arguments(kernel);
  const std::vector<runtime::Tensor>& t = arguments.tensors();
  const int64_t m = t[0].dl().shape[0], k = t[0].dl().shape[1], n = t[1].dl().shape[1];
  const auto at = [](const runtime::Tensor& tensor, int64_t i) -> int64_t {
    if (tensor.dtype() == kU8) return tensor.HostData<uint8_t>()[i];
    if (tensor.dtype() == kS8) return tensor.HostData<int8_t>()[i];
    const uint32_t bits = static_cast<uint32_t>(tensor.HostData<uint16_t>()[i]) << 16;
    float value;
    std::memcpy(&value, &bits, 4);
    return static_cast<int64_t>(value);
  };
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      int64_t sum = 0;
      for (int64_t x = 0; x < k; ++x) sum += at(t[0], i * k + x) * at(t[1], x * n + j);
      const auto value = static_cast<float>(sum);
      uint32_t bits;
      std::memcpy(&bits, &value, 4);
      if (t[2].dtype() == kS32) {
        t[2].HostData<int32_t>()[i * n + j] = static_cast<int32_t>(sum);
      } else if (t[2].dtype() == kF32) {
        t[2].HostData<float>()[i * n + j] = value;
      } else {  // to the nearest, ties to even
        bits += 0x7fff + (bits >> 16 & 1);
        t[2].HostData<uint16_t>()[i * n + j] = static_cast<uint16_t>(bits >> 16);
      }
    }
  }
  return arguments.result();
}

// Uses several blocks of an intrinsic, below and beside each other, over several steps of k.
inline Kernel OfIntrin(DataType a, DataType b, DataType sum, int64_t rows, int64_t columns,
                       int64_t depth, const te::TensorIntrin& intrin) {
  using ir::Int;
  constexpr int64_t kDown = 3, kAcross = 2, kSteps = 3;
  const te::Tensor ta = te::Placeholder({Int(kDown), Int(kSteps), Int(rows), Int(depth)}, a, "A");
  const te::Tensor tb =
      te::Placeholder({Int(kAcross), Int(kSteps), Int(columns), Int(depth)}, b, "B");
  const ir::IterVar step = te::ReduceAxis(Int(0), Int(kSteps), "step"),
                    k = te::ReduceAxis(Int(0), Int(depth), "k");
  const te::Tensor c = te::Compute(
      {Int(kDown), Int(kAcross), Int(rows), Int(columns)},
      [&](const te::Indices& i) {
        return te::Sum(ir::MakeCast(sum, te::At(ta, {i[0], step->var, i[2], k->var})) *
                           ir::MakeCast(sum, te::At(tb, {i[1], step->var, i[3], k->var})),
                       {step, k});
      },
      "C");
  schedule::Schedule s = schedule::CreateSchedule({c->op});
  using schedule::AxisOf;
  schedule::Reorder(s[c], {AxisOf(c, 0), AxisOf(c, 1), schedule::ReduceAxisOf(c, 0), AxisOf(c, 2),
                           AxisOf(c, 3), schedule::ReduceAxisOf(c, 1)});
  schedule::Tensorize(s[c], AxisOf(c, 2), intrin, "llvm");
  return {s, {ta, tb, c}};
}

inline std::vector<Kernel> KernelsOf(const GemmShape& shape, const target::Machine& machine) {
  return {DotGemm(shape, kU8, kS8, kS32, machine), DotGemm(shape, kS8, kS8, kS32, machine),
          DotGemm(shape, kBf16, kBf16, kF32, machine),
          DotGemm(shape, kBf16, kBf16, kBf16, machine)};
}

inline std::string TextOf(const GemmShape& shape) {
  return std::to_string(shape.m) + "x" + std::to_string(shape.n) + "x" + std::to_string(shape.k);
}

}  // namespace lathe::topi::cpu
