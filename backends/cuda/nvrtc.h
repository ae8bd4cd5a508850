// NVRTC, NVIDIA's compiler for CUDA C as a library, opened at run time. Thread-safe: several
// threads may compile at once.
//
// It is searched in the folders of toolkit.h and then, if LATHE_CUDA_HOME is not set, in the
// folders that the loader searches.
#pragma once

#include <string>
#include <vector>

#include "backends/cuda/toolkit.h"

namespace lathe::cuda {

struct Nvrtc {
  std::string library;       // its path
  std::string include;       // the folder of the toolkit's headers; "" if there is none
  int major = 0, minor = 0;  // its version
};

// Opened on the first call. Throws `cuda-no-compiler` with all places that were searched.
const Nvrtc& GetNvrtc();
// `source` is CUDA C++, called `name` in messages. `arch` is "sm_80" for a cubin, "compute_80" for
// PTX. Throws `cuda-compile-failed` with the compiler's log and the lines of the source that it
// names.
Compiled CompileCuda(const std::string& source, const std::string& name, const std::string& arch,
                     const std::vector<std::string>& options);

}  // namespace lathe::cuda
