// Index arithmetic is done in 32 bits if that is proved to be enough (S29).
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

// An int64 index (of a load or store), a comparison of int64 values, or an int64 value that is cast
// to 32 bits or fewer is computed in int32 if the whole expression and each part of it fits into
// int32 for all values of its variables:
//
//   for i in range(100)                           for i in range(100)
//     A[int64(i) * 4096i64 + int64(j)]      -->     A[i * 4096 + j]
//
// If one part may not fit (`int64(i) * stride`, an int64 variable), the whole stays wide, even if
// the result would fit: intermediate values must not wrap. The bounds used are constants: those of
// loops, of let values, and of types (an int32 variable is at most 2^31 - 1). Other int64
// arithmetic, such as data, is unchanged. Returns the same pointer if nothing changes. Near-linear.
ir::Module Narrow(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
