// A compiled module as bytes: machine code or PTX, how its kernels are launched, and the source
// that it was made from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "backends/cuda/tensor_memory.h"
#include "plugins/sdk/kernel.h"

namespace lathe::cuda {

struct Image {
  std::string arch;  // "sm_80"
  bool is_ptx = false;
  int64_t argument_alignment = 1;  // bytes; of the data that pointer arguments point to
  std::string code;
  std::vector<sdk::Kernel> kernels;
  std::vector<std::string> symbols;          // of the kernels in the code
  std::vector<std::vector<TensorMap>> maps;  // of each kernel: its last parameters
  std::string source, log, metadata;
};

std::string WriteImage(const Image& image);
// Throws `module-damaged`: the bytes carry a checksum.
Image ReadImage(std::string_view bytes);

}  // namespace lathe::cuda
