// nvcc, NVIDIA's compiler as a program, run once for each module: for machines that have it and no
// NVRTC, and for those who want one compiler for all their code. It needs a compiler for the host's
// language beside it (its own variable NVCC_CCBIN names one; NVCC_APPEND_FLAGS adds options).
// Thread-safe.
//
// Looked for as `bin/nvcc` in the folders of toolkit.h, and then, where LATHE_CUDA_HOME is not set,
// on PATH.
#pragma once

#include <string>
#include <vector>

#include "backends/cuda/toolkit.h"

namespace lathe::cuda {

// As CompileCuda (nvrtc.h). Throws `cuda-no-compiler` with all places that were looked at,
// `cuda-compile-failed`.
Compiled CompileByNvcc(const std::string& source, const std::string& name, const std::string& arch,
                       const std::vector<std::string>& options);

}  // namespace lathe::cuda
