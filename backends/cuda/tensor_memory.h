// Operands of `wgmma`: shared memory in the layout that the tensor cores want, filled by the tensor
// memory accelerator (TMA) of sm_90a.
//
// In the IR that memory is an ordinary buffer of rows of 64 elements (128 bytes), filled by
//
//   for i in range(rows) { async_copy(S[i * 64 + ...], A[i * ld + ...], 64) }
//
// and read by `lathe_wgmma_*`. What the bytes' order is nobody else sees: on the device both use
// the swizzle of 128 bytes (wgmma.h). Here such loops become one TMA load each, which takes the
// tensor's shape from a tensor map that the launch passes as a parameter of its own, and
// async_commit and async_wait become those of a ring of mbarriers (prelude.h).
//
// Refused (`cuda-tensor-memory`): operands of wgmma that anything else reads or writes, or that are
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
  std::vector<int64_t> params;  // their numbers among the kernel's
};

// What cuTensorMapEncodeTiled has to be told: rows of `columns` elements of 16 bits, in boxes of
// `box_rows` x 64.
struct TensorMap {
  int64_t param = 0;  // the pointer, by its number among the kernel's parameters
  bool is_bfloat16 = false;
  int64_t box_rows = 0;
  LaunchNumber columns, elements;  // of a row; of the whole
};

// What kernels call to load a box by their map of that number: TmaFunction(...)(to, from, tensor,
// columns).
std::string TmaFunction(size_t number, const TensorMap& map);

// Whether a kernel calls wgmma.
bool UsesWgmma(const ir::FuncNode& kernel);

// The kernel with its TMA loads as calls of TmaFunction, and what the maps are.
ir::Func WithTensorMaps(const ir::Func& kernel, std::vector<TensorMap>* maps);

}  // namespace lathe::cuda
