#include "bench/tuning/kernels.h"

#include <string_view>

#include "bench/kernels/cases.h"
#include "bench/kernels/default_kernel.h"
#include "ir/text/parser.h"
#include "schedule/trace.h"

namespace lathe::bench {
namespace {

// Few enough to be measured in one go, and of each kind one that takes less than a millisecond.
constexpr std::string_view kTemplateCases[] = {
    "gemm_256",
    "gemm_512",
    "gemm_1024",
    "gemm_small_k_512x512x64",
    "conv2d_1x1_14x14x1024x256",
    "conv2d_3x3_14x14x256x256",
    "conv2d_1x1_56x56x64x256",
    "conv2d_3x3_56x56x64x64",
    "depthwise_3x3_56x56x128",
    "softmax_64KB",
    "softmax_1MB",
};

// 64 channels in 4 groups of 16, with a bias and a rectifier.
constexpr const char* kGroupedConv = R"(program grouped_conv {
  placeholder X: float32[64, 28, 28]
  placeholder W: float32[64, 16, 3, 3]
  placeholder B: float32[64]
  compute padded[c in range(64), y in range(30), x in range(30)] =
    select(y >= 1 and y < 29 and x >= 1 and x < 29, X[c, max(min(y - 1, 27), 0), max(min(x - 1, 27), 0)], 0.0)
  compute conv[o in range(64), y in range(28), x in range(28)]
    over [c in range(16), r in range(3), s in range(3)] =
    sum(padded[o // 16 * 16 + c, y + r, x + s] * W[o, c, r, s], axis=[c, r, s])
  compute relu[o in range(64), y in range(28), x in range(28)] = max(conv[o, y, x] + B[o], 0.0)
  args [X, W, B, relu]
})";

// A small video: 16 channels of 8 images.
constexpr const char* kConv3d = R"(program conv3d {
  placeholder X: float32[16, 8, 28, 28]
  placeholder W: float32[32, 16, 3, 3, 3]
  compute conv[o in range(32), z in range(6), y in range(26), x in range(26)]
    over [c in range(16), q in range(3), r in range(3), s in range(3)] =
    sum(X[c, z + q, y + r, x + s] * W[o, c, q, r, s], axis=[c, q, r, s])
  args [X, W, conv]
})";

// Twice as large in both directions: each result lies a quarter from one pixel, three from another.
constexpr const char* kBilinear = R"(program bilinear {
  placeholder X: float32[64, 56, 56]
  compute rows[c in range(64), y in range(112), x in range(56)] =
    X[c, y // 2, x] * 0.75 + select(y % 2 == 0, X[c, max(y // 2 - 1, 0), x], X[c, min(y // 2 + 1, 55), x]) * 0.25
  compute Y[c in range(64), y in range(112), x in range(112)] =
    rows[c, y, x // 2] * 0.75 +
    select(x % 2 == 0, rows[c, y, max(x // 2 - 1, 0)], rows[c, y, min(x // 2 + 1, 55)]) * 0.25
  args [X, Y]
})";

// Attention that looks back only, with a penalty that grows with the distance, by head.
constexpr const char* kAttention = R"(program attention {
  placeholder Q: float32[8, 128, 32]
  placeholder K: float32[8, 128, 32]
  placeholder V: float32[8, 128, 32]
  placeholder slope: float32[8]
  compute products[h in range(8), i in range(128), j in range(128)] over [k in range(32)] =
    sum(Q[h, i, k] * K[h, j, k], axis=[k])
  compute scores[h in range(8), i in range(128), j in range(128)] =
    select(j <= i, products[h, i, j] * 0.17677669 - slope[h] * float32(i - j), -1000000.0)
  compute largest[h in range(8), i in range(128)] over [j in range(128)] = max(scores[h, i, j], axis=[j])
  compute e[h in range(8), i in range(128), j in range(128)] = exp(scores[h, i, j] - largest[h, i])
  compute total[h in range(8), i in range(128)] over [j in range(128)] = sum(e[h, i, j], axis=[j])
  compute weighted[h in range(8), i in range(128), v in range(32)] over [j in range(128)] =
    sum(e[h, i, j] * V[h, j, v], axis=[j])
  compute Y[h in range(8), i in range(128), v in range(32)] = weighted[h, i, v] / total[h, i]
  args [Q, K, V, slope, Y]
})";

}  // namespace

std::vector<TunedKernel> TemplateKernels(const target::Machine& machine) {
  std::vector<TunedKernel> kernels;
  for (const std::string_view name : kTemplateCases) {
    for (const Case& each : Cases()) {
      if (each.name != name) continue;
      const topi::cpu::Kernel made = DefaultKernel(each, each.make(machine), machine);
      kernels.push_back({each.name, {made.args.begin(), made.args.end()}});
    }
  }
  return kernels;
}

std::vector<TunedKernel> OtherKernels() {
  std::vector<TunedKernel> kernels;
  for (const char* const text : {kGroupedConv, kConv3d, kBilinear, kAttention}) {
    const schedule::Loaded loaded = schedule::FromProgram(ir::ParseProgram(text));
    kernels.push_back({loaded.name, loaded.args});
  }
  return kernels;
}

}  // namespace lathe::bench
