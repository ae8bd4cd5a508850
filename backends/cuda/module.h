// Loaded modules of kernels: `module.load.cuda`.
#pragma once

#include <memory>
#include <string_view>

#include "plugins/sdk/module.h"

namespace lathe::cuda {

// Reads the bytes; the code goes to a device with the first launch there. Needs no driver until
// then.
std::unique_ptr<sdk::ModuleNode> LoadCudaModule(std::string_view bytes);
// Sound bytes for an architecture that no device here has: recompile.
sdk::ProbeResult ProbeCudaModule(std::string_view bytes);

}  // namespace lathe::cuda
