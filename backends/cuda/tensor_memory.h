// Operands of `wgmma`: shared memory in the layout that the tensor cores need, filled by the tensor
// memory accelerator (TMA) of sm_90a.
//
// In the IR that memory is an ordinary buffer of rows of 64 elements (128 bytes), filled by
//
// and read by `lathe_wgmma_*`. No other code sees the order of its bytes: on the device, TMA and
// wgmma both use the swizzle of 128 bytes (wgmma.h). This pass makes each such loop one TMA load.
// The load takes the tensor's shape from a tensor map, an extra parameter that the launch passes.
// async_commit and async_wait become those of a ring of mbarriers (prelude.h).
//
// Refused (`cuda-tensor-memory`): operands of wgmma that other code reads or writes, or that are
// filled in another way.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/module.h"

namespace lathe::cuda {

// A number known at the launch: a constant times scalar parameters.
struct LaunchNumber {
  int64_t constant = 1;
  std::vector<int64_t> params;  // their positions among the kernel's parameters
};

// The arguments of cuTensorMapEncodeTiled: a tensor of rows of `columns` elements of 16 bits,
// loaded in boxes of `box_rows` x 64.
struct TensorMap {
  int64_t param = 0;  // the pointer's position among the kernel's parameters
  bool is_bfloat16 = false;
  int64_t box_rows = 0;
  LaunchNumber columns, elements;  // of a row; of the whole
};

// The function that kernels call to load a box through the map of that number: TmaFunction(...)(to,
// from, tensor, columns).
std::string TmaFunction(size_t number, const TensorMap& map);

// True if a kernel calls wgmma.
bool UsesWgmma(const ir::FuncNode& kernel);

// Returns the kernel with its TMA loads as calls of TmaFunction; describes the maps in `*maps`.
ir::Func WithTensorMaps(const ir::Func& kernel, std::vector<TensorMap>* maps);

}  // namespace lathe::cuda
