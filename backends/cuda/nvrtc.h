// NVRTC, NVIDIA's compiler for CUDA C as a library, opened at run time. Thread-safe: compilations
// run at once.
//
// Looked for in the folders of toolkit.h and then, where LATHE_CUDA_HOME is not set, wherever the
// loader finds libraries.
#pragma once

#include <string>
#include <vector>

#include "backends/cuda/toolkit.h"

namespace lathe::cuda {

struct Nvrtc {
  std::string library;       // where it is
  std::string include;       // the toolkit's headers; "" where there are none
  int major = 0, minor = 0;  // its version
};

// Opened on the first call. Throws `cuda-no-compiler` with all places that were looked at.
const Nvrtc& GetNvrtc();
// `source` is CUDA C++, called `name` in messages. `arch` is "sm_80" for a cubin, "compute_80" for
// PTX. Throws `cuda-compile-failed` with the compiler's log and the lines of the source that it
// names.
Compiled CompileCuda(const std::string& source, const std::string& name, const std::string& arch,
                     const std::vector<std::string>& options);

}  // namespace lathe::cuda
