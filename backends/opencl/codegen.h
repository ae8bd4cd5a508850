// Generates modules from IR: the source of all kernels, and the data that their launches need.
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

// A parameter that is an image: its rows and the elements of a row; 0 if only the launch knows
// them.
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

// The contents of a module of kind "opencl". Any bytes give a Program or an Error
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

// Throws the errors of GenerateC; "opencl-no-fp64" if the target states that it has no float64;
// "device-limit" for a kernel beyond the target's limits.
Program Generate(const ir::ModuleNode& module, const sdk::Target& target,
                 std::span<const DLTensor* const> constants);

}  // namespace lathe::opencl_backend
