// Multi-dimensional buffers become rank 1, their indices one element offset.
//
//   A: float32[n, 16], strides [s, 1]       A: float32[...]
//   A[i, j] = ...                    -->    A[i * s + j] = ...
//
// After this the module is at the contract stage `flat`. Indices are computed in 64 bits where a
// product may pass 2^31 (S29). An element offset is folded into the index. Views (DeclBuffer) keep
// sharing their data.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

ir::Module Flatten(const ir::Module& module, const PassContext& context);

// The element offset of `indices` in `buffer`, as Flatten computes it. Only the last index may be a
// vector.
ir::Expr ElementOffset(const ir::BufferNode& buffer, const std::vector<ir::Expr>& indices);

}  // namespace lathe::lower
