// A compiled module: kernels as binary IR, how each is launched, and their constants.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/sdk/ir.h"
#include "plugins/threads_example/device.h"

namespace lathe::threads_example {

// Bytes from which LoadProgram makes a module. Throws sdk::Error for what is no kernel,
// lathe::Error for what is no IR.
std::string SaveProgram(const sdk::CompileRequest& request);
// Its launches run on `device`, which outlives it.
std::unique_ptr<sdk::ModuleNode> LoadProgram(std::string_view bytes, Device* device);

}  // namespace lathe::threads_example
