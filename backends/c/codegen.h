// Generates a module's C.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/module.h"
#include "lathe/abi/dlpack.h"

namespace lathe::c_backend {

struct Generated {
  std::string source;                  // the whole module
  std::vector<std::string> functions;  // that callers reach, by name
};

// `module` is at stage `flat`. Throws the errors of sdk::GenerateC.
Generated Generate(const ir::ModuleNode& module, std::span<const DLTensor* const> constants);

}  // namespace lathe::c_backend
