// nvcc, NVIDIA's compiler as a program, run once for each module: for machines that have nvcc but
// no NVRTC, and for users who want one compiler for all their code. It needs a host compiler
// (nvcc's own variable NVCC_CCBIN names one; NVCC_APPEND_FLAGS adds options). Thread-safe.
//
// It is searched as `bin/nvcc` in the folders of toolkit.h and then, if LATHE_CUDA_HOME is not set,
// on PATH.
#pragma once

#include <string>
#include <vector>

#include "backends/cuda/toolkit.h"

namespace lathe::cuda {

// Like CompileCuda (nvrtc.h). nvcc, and what it starts, end with this process, and with the
// caller's work (base/poll.h; what Poll throws is thrown). Throws `cuda-no-compiler` with all
// places that were searched, and `cuda-compile-failed`.
Compiled CompileByNvcc(const std::string& source, const std::string& name, const std::string& arch,
                       const std::vector<std::string>& options);

}  // namespace lathe::cuda
