#include "backends/cuda/wgmma.h"

namespace lathe::cuda {

// Two levels, so that the names above are looked at first.
#define LATHE_TEXT(...) #__VA_ARGS__
#define LATHE_TEXT_OF(macro) LATHE_TEXT(macro)

std::string WgmmaPrelude() {
  std::string out = "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n";
  for (const char* function : {LATHE_TEXT_OF(LATHE_WGMMA_DESCRIPTOR),
                               LATHE_TEXT_OF(LATHE_WGMMA_OWN_A), LATHE_TEXT_OF(LATHE_WGMMA_OWN_B)})
    out += "static __device__ __forceinline__ " + std::string(function) + "\n";
  return out;
}

std::string WgmmaFunction(const std::string& type, int n) {
  const int registers = n / 2;
  const std::string element = type == "f16" ? "__half" : "__nv_bfloat16";
  std::string out = "static __device__ __forceinline__ void lathe_wgmma_" + type + "_n" +
                    std::to_string(n) + "(float* c, const " + element + "* a_at, const " + element +
                    "* b_at) {\n";
  out +=
      "  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + "
      "threadIdx.x;\n"
      "  const unsigned long long a = lathe_wgmma_descriptor((unsigned)"
      "__cvta_generic_to_shared(a_at - lathe_wgmma_own_a(thread)));\n"
      "  const unsigned long long b = lathe_wgmma_descriptor((unsigned)"
      "__cvta_generic_to_shared(b_at - lathe_wgmma_own_b(thread)));\n";
  std::string sums, constraints;
  for (int i = 0; i < registers; ++i) {
    sums += (i == 0 ? "%" : ", %") + std::to_string(i);
    constraints +=
        (i == 0 ? "\"+f\"(c[" : ", \"+f\"(c[") + std::to_string(ElementOfRegister(i, n)) + "])";
  }
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
  out +=
      "      \"wgmma.commit_group.sync.aligned;\\nwgmma.wait_group.sync.aligned 0;\\n}\"\n"
      "      : " +
      constraints + "\n      : " + inputs + "\n      : \"memory\");\n}\n";
  return out;
}

}  // namespace lathe::cuda
