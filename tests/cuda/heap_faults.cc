// Allocations fail in programs for CUDA. NVRTC compiles the kernels; a fake driver takes them, but
// runs nothing.
#include <cstdlib>
#include <filesystem>

#include "backends/cuda/machine_code.h"
#include "tests/faults/heap_faults.h"
#include "tests/faults/programs.h"

int main(int argc, char** argv) {
  const std::filesystem::path driver = "backends/cuda/fake/libcuda.so.1";
  setenv("LATHE_CUDA_DRIVER", std::filesystem::absolute(driver).c_str(), 1);
  setenv("LATHE_FAKE_CUDA_DEVICES", "1", 1);
  setenv("LATHE_FAKE_CUDA_IDLE", "1", 1);
  lathe::cuda::UsePinnedToolkit();
  return lathe::faults::Main(argc, argv, [](const std::string& folder) {
    return lathe::faults::ProgramsOfKernels(folder, "cuda -arch=sm_80");
  });
}
