// Compiles kernels at contract stage `flat` to machine code: CUDA C++ (dialect.h), then NVRTC.
//
// For the attributes of the target see manifest.json. Without -arch= the code is for the first
// device of this machine.
#pragma once

#include <memory>
#include <string>

#include "plugins/sdk/codegen.h"

namespace lathe::cuda {

std::unique_ptr<sdk::CodeGenerator> MakeCudaCodeGen();

// The bytes of shared memory that one block may use on an architecture.
int64_t SharedMemoryOf(int arch);

}  // namespace lathe::cuda
