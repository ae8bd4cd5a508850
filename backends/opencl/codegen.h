// From IR to modules: the source of all kernels with what a launch must know of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/sdk/c_source.h"
#include "plugins/sdk/kernel.h"
#include "plugins/sdk/target.h"

namespace lathe::opencl_backend {

// A parameter that is an image: rows and elements of a row, 0 where only the launch would know.
struct ImageParam {
  bool is_image = false;
  int64_t rows = 0, columns = 0;
  DLDataType dtype = {kDLFloat, 32, 1};
};

struct KernelEntry {
  sdk::Kernel kernel;
  std::string symbol;              // in the source
  std::vector<ImageParam> images;  // by parameter
};

// What a module of kind "opencl" holds. Any bytes at all end in a Program or in an Error
// (`module-damaged`).
struct Program {
  std::string source;
  std::string metadata;  // JSON, or ""
  std::string options;   // for the device's compiler
  bool fp16 = false, fp64 = false, long_atomics = false;
  std::vector<KernelEntry> kernels;

  std::string Save() const;
  static Program Load(std::string_view bytes);
};

// Throws what GenerateC does, and "opencl-no-fp64" where the target says that it has none,
// "device-limit" for a kernel beyond the target's limits.
Program Generate(const ir::ModuleNode& module, const sdk::Target& target,
                 std::span<const DLTensor* const> constants);

}  // namespace lathe::opencl_backend
