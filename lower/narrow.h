// Index arithmetic in 32 bits where that is proved to suffice (S29).
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

// An int64 index (of a load or store), comparison of int64 values, or int64 value that is cast to
// 32 bits or fewer is computed in int32 if the whole of it and each part of it lies in int32,
// whatever its variables are:
//
//   for i in range(100)                           for i in range(100)
//     A[int64(i) * 4096i64 + int64(j)]      -->     A[i * 4096 + j]
//
// One part that may not fit (`int64(i) * stride`, a variable int64) keeps the whole wide, also
// where the end result would fit: intermediate values must not wrap. Bounds are constants: of
// loops, values of lets, and types (a variable int32 is at most 2^31 - 1). Other int64 arithmetic,
// such as data, is left alone. The same pointer where nothing changes. Near-linear.
ir::Module Narrow(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
