// Tensor maps of a launch (tensor_memory.h): what TMA loads are told of a tensor, made by the
// driver from its pointer and sizes.
#pragma once

#include <cuda.h>

#include <vector>

#include "backends/cuda/context.h"
#include "backends/cuda/tensor_memory.h"
#include "plugins/sdk/kernel.h"

namespace lathe::cuda {

// In the order of `maps`; they may be kept for launches with equal values. Throws `cuda-tensor-map`
// naming the tensor where the driver takes it for none, or is too old.
std::vector<CUtensorMap> EncodeTensorMaps(const std::vector<TensorMap>& maps,
                                          const sdk::Kernel& kernel, const sdk::Launch& launch,
                                          Context& context);

}  // namespace lathe::cuda
