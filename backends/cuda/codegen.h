// Compiles kernels at contract stage `flat` to machine code: CUDA C++ (dialect.h), then NVRTC.
//
// Attributes of the target: see manifest.json. Without -arch= the code is for this machine's first
// device.
#pragma once

#include <memory>
#include <string>

#include "plugins/sdk/codegen.h"

namespace lathe::cuda {

std::unique_ptr<sdk::CodeGenerator> MakeCudaCodeGen();

// Bytes of shared memory that a block of an architecture can have.
int64_t SharedMemoryOf(int arch);

}  // namespace lathe::cuda
