// Makes the tensor maps of a launch (tensor_memory.h). A tensor map describes a tensor for TMA
// loads; the driver makes it from the pointer and the sizes.
#pragma once

#include <cuda.h>

#include <vector>

#include "backends/cuda/context.h"
#include "backends/cuda/tensor_memory.h"
#include "plugins/sdk/kernel.h"

namespace lathe::cuda {

// Returns them in the order of `maps`; they may be reused for launches with equal values. Throws
// `cuda-tensor-map` with the tensor's name if the driver refuses it or is too old.
std::vector<CUtensorMap> EncodeTensorMaps(const std::vector<TensorMap>& maps,
                                          const sdk::Kernel& kernel, const sdk::Launch& launch,
                                          Context& context);

}  // namespace lathe::cuda
