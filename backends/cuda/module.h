// Loaded modules of kernels: `module.load.cuda`.
#pragma once

#include <memory>
#include <string_view>

#include "plugins/sdk/module.h"

namespace lathe::cuda {

// Reads the bytes; the code is loaded into a device at the first launch there, and needs no driver
// before.
std::unique_ptr<sdk::ModuleNode> LoadCudaModule(std::string_view bytes);
// Says whether the bytes are intact; for an architecture that no device here has, the answer is to
// recompile.
sdk::ProbeResult ProbeCudaModule(std::string_view bytes);

}  // namespace lathe::cuda
