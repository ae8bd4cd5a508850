// For tests: programs to which the rules of spaces without a template apply, and whether a schedule
// computes what it should.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "driver/build_module.h"
#include "ir/text/parser.h"
#include "runtime/module.h"
#include "schedule/trace.h"
#include "tune/reference.h"

namespace lathe::tune {

inline constexpr const char* kProduct = R"(program product {
  placeholder A: float32[40, 56]
  placeholder B: float32[56, 48]
  compute C[i in range(40), j in range(48)] over [k in range(56)] = sum(A[i, k] * B[k, j], axis=[k])
  args [A, B, C]
})";

// Padding, a convolution, a bias and a rectifier: inlining, tiles and fusion.
inline constexpr const char* kConvolution = R"(program convolution {
  placeholder X: float32[2, 8, 10, 11]
  placeholder W: float32[12, 8, 3, 3]
  placeholder B: float32[12]
  compute padded[n in range(2), c in range(8), y in range(12), x in range(13)] =
    select(y >= 1 and y < 11 and x >= 1 and x < 12, X[n, c, max(min(y - 1, 9), 0), max(min(x - 1, 10), 0)], 0.0)
  compute conv[n in range(2), o in range(12), y in range(10), x in range(11)]
    over [c in range(8), r in range(3), s in range(3)] =
    sum(padded[n, c, y + r, x + s] * W[o, c, r, s], axis=[c, r, s])
  compute biased[n in range(2), o in range(12), y in range(10), x in range(11)] = conv[n, o, y, x] + B[o]
  compute relu[n in range(2), o in range(12), y in range(10), x in range(11)] = max(biased[n, o, y, x], 0.0)
  args [X, W, B, relu]
})";

inline constexpr const char* kSoftmax = R"(program softmax {
  placeholder X: float32[6, 50]
  compute largest[i in range(6)] over [k in range(50)] = max(X[i, k], axis=[k])
  compute e[i in range(6), j in range(50)] = exp(X[i, j] - largest[i])
  compute total[i in range(6)] over [k in range(50)] = sum(e[i, k], axis=[k])
  compute Y[i in range(6), j in range(50)] = e[i, j] / total[i]
  args [X, Y]
})";

// Reductions to a number, and without use of elements again; two outputs.
inline constexpr const char* kSums = R"(program sums {
  placeholder X: float32[3, 7, 100]
  compute rows[i in range(3), j in range(7)] over [k in range(100)] = sum(X[i, j, k], axis=[k])
  compute all[] over [a in range(3), b in range(7)] = sum(rows[a, b], axis=[a, b])
  args [X, all, rows]
})";

// Two products one after the other, and a transposed result.
inline constexpr const char* kChain = R"(program chain {
  placeholder A: float32[9, 20]
  placeholder B: float32[20, 24]
  placeholder C: float32[24, 10]
  compute first[i in range(9), j in range(24)] over [k in range(20)] = sum(A[i, k] * B[k, j], axis=[k])
  compute second[i in range(9), j in range(10)] over [k in range(24)] =
    sum(max(first[i, k], 0.0) * C[k, j], axis=[k])
  compute transposed[j in range(10), i in range(9)] = second[i, j] * 2.0
  args [A, B, C, transposed]
})";

// Rows of several stages together, and an operand that vectors read with strides.
inline constexpr const char* kAttention = R"(program attention {
  placeholder Q: float32[2, 24, 8]
  placeholder K: float32[2, 20, 8]
  placeholder V: float32[2, 20, 12]
  compute products[h in range(2), i in range(24), j in range(20)] over [k in range(8)] =
    sum(Q[h, i, k] * K[h, j, k], axis=[k])
  compute scores[h in range(2), i in range(24), j in range(20)] =
    select(j <= i, products[h, i, j] * 0.35, -1000.0)
  compute largest[h in range(2), i in range(24)] over [j in range(20)] = max(scores[h, i, j], axis=[j])
  compute e[h in range(2), i in range(24), j in range(20)] = exp(scores[h, i, j] - largest[h, i])
  compute total[h in range(2), i in range(24)] over [j in range(20)] = sum(e[h, i, j], axis=[j])
  compute weighted[h in range(2), i in range(24), v in range(12)] over [j in range(20)] =
    sum(e[h, i, j] * V[h, j, v], axis=[j])
  compute Y[h in range(2), i in range(24), v in range(12)] = weighted[h, i, v] / total[h, i]
  args [Q, K, V, Y]
})";

inline constexpr const char* kSketchPrograms[] = {kProduct, kConvolution, kSoftmax,
                                                  kSums,    kChain,       kAttention};

inline std::vector<ir::NodeRef> ArgsOf(const char* text) {
  return schedule::FromProgram(ir::ParseProgram(text)).args;
}

// "" or what is wrong with what a schedule computes on a device with the memory of `device`.
inline std::string Wrong(const driver::ProgramToCompile& program,
                         const std::vector<RunArgument>& arguments,
                         runtime::Device device = runtime::Device::Cpu()) {
  const absl::StatusOr<runtime::Module> built = driver::BuildProgram(program, nullptr);
  if (!built.ok()) return std::string(built.status().message());
  std::vector<runtime::Tensor> tensors;
  std::vector<runtime::Value> values;
  std::vector<lathe_value> call;
  for (const RunArgument& argument : arguments) {
    runtime::Tensor given = *argument.tensor.Clone();
    if (argument.output) std::fill_n(given.HostData<float>(), given.num_elements(), -7.0f);
    tensors.push_back(device.is_host() ? given : *given.To(device));
    values.emplace_back(tensors.back());
  }
  for (const runtime::Value& value : values) call.push_back(value.c());
  const auto ran = (*built)
                       .GetFunction(program.name)
                       ->TryCallPacked(call.data(), static_cast<int32_t>(call.size()));
  if (!ran.ok()) return std::string(ran.status().message());
  for (size_t i = 0; i < arguments.size(); ++i) {
    const runtime::Tensor found = *tensors[i].To(runtime::Device::Cpu());
    const float* const wanted = arguments[i].tensor.HostData<const float>();
    for (int64_t j = 0; j < found.num_elements(); ++j) {
      const double away = std::fabs(found.HostData<const float>()[j] - wanted[j]);
      if (away > 1e-3 * std::max(1.0, std::fabs(static_cast<double>(wanted[j]))))
        return "element " + std::to_string(j) + " of argument " + std::to_string(i);
    }
  }
  return "";
}

}  // namespace lathe::tune
