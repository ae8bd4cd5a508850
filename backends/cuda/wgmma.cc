#include "backends/cuda/wgmma.h"

namespace lathe::cuda {

// Two macro levels, so that the names above are expanded first.
#define LATHE_TEXT(...) #__VA_ARGS__
#define LATHE_TEXT_OF(macro) LATHE_TEXT(macro)

std::string WgmmaPrelude() {
  std::string out = "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n";
  for (const char* function : {LATHE_TEXT_OF(LATHE_WGMMA_DESCRIPTOR),
                               LATHE_TEXT_OF(LATHE_WGMMA_OWN_A), LATHE_TEXT_OF(LATHE_WGMMA_OWN_B)})
    out += "static __device__ __forceinline__ " + std::string(function) + "\n";
  out +=
      "template <int Groups>\n"
      "static __device__ __forceinline__ void lathe_wgmma_wait() {\n"
      "  asm volatile(\"wgmma.wait_group.sync.aligned %0;\" ::\"n\"(Groups) : \"memory\");\n}\n";
  return out;
}

// Applies `f`(separator, number) to each register of a tile.
template <class F>
std::string ForRegisters(int n, F f) {
  std::string out;
  for (int i = 0; i < n / 2; ++i) out += (i == 0 ? "" : ", ") + f(i);
  return out;
}

std::string SumsConstraints(int n) {
  return ForRegisters(
      n, [&](int i) { return "\"+f\"(c[" + std::to_string(ElementOfRegister(i, n)) + "])"; });
}

std::string WgmmaFunction(const std::string& type, int n) {
  const int registers = n / 2;
  const std::string element = type == "f16" ? "__half" : "__nv_bfloat16",
                    name = "lathe_wgmma_" + type + "_n" + std::to_string(n);
  const std::string parameters =
      "(float* c, const " + element + "* a_at, const " + element + "* b_at) {\n";
  std::string out = "static __device__ __forceinline__ void " + name + "_begin" + parameters;
  out +=
      "  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + "
      "threadIdx.x;\n"
      "  const unsigned long long a = lathe_wgmma_descriptor((unsigned)"
      "__cvta_generic_to_shared(a_at - lathe_wgmma_own_a(thread)));\n"
      "  const unsigned long long b = lathe_wgmma_descriptor((unsigned)"
      "__cvta_generic_to_shared(b_at - lathe_wgmma_own_b(thread)));\n";
  const std::string sums = ForRegisters(n, [](int i) { return "%" + std::to_string(i); });
  out += "  asm volatile(\n      \"{\\n.reg .pred p;\\nsetp.eq.u32 p, 0, 0;\\n\"\n";
  out += "      \"wgmma.fence.sync.aligned;\\n\"\n";
  std::string inputs;
  for (int step = 0; step < 4; ++step) {
    out += "      \"wgmma.mma_async.sync.aligned.m64n" + std::to_string(n) + "k16.f32." + type +
           "." + type + " {" + sums + "}, %" + std::to_string(registers + step * 2) + ", %" +
           std::to_string(registers + step * 2 + 1) + ", p, 1, 1, 0, 0;\\n\"\n";
    const std::string further = std::to_string(step * 32 / 16);
    inputs += std::string(step == 0 ? "" : ", ") + "\"l\"(a + " + further + "), \"l\"(b + " +
              further + ")";
  }
  out += "      \"wgmma.commit_group.sync.aligned;\\n}\"\n      : " + SumsConstraints(n) +
         "\n      : " + inputs + "\n      : \"memory\");\n}\n";
  out += "static __device__ __forceinline__ void " + name + parameters + "  " + name +
         "_begin(c, a_at, b_at);\n  lathe_wgmma_drain_n" + std::to_string(n) + "(c);\n}\n";
  return out;
}

std::string WgmmaDrain(int n) {
  return "static __device__ __forceinline__ void lathe_wgmma_drain_n" + std::to_string(n) +
         "(float* c) {\n  asm volatile(\"wgmma.wait_group.sync.aligned 0;\"\n      : " +
         SumsConstraints(n) + "\n      :\n      : \"memory\");\n}\n";
}

}  // namespace lathe::cuda
