// Assertions in kernels.
#pragma once

#include "ir/module.h"

namespace lathe::lower {

// Kernels cannot raise errors. So their assertions become reports, which the host reads after the
// launch. The first thread that fails writes the number of its assertion and the values shown; the
// host raises the error.
//
//   for tx on threadIdx.x in range(n):       allocate W.code: int32[1], W.values: int64[8]
//     assert 0 <= B[tx] < m, "...", B[tx]    device_store(W.code, 0, 0)
//     C[tx] = A[B[tx]]                       for tx on threadIdx.x in range(n):
//                                     -->      ok[0] = 1
//                                              if not 0 <= B[tx] < m:
//                                                if atomic_compare_exchange(W.code[0], 0, 1) == 0:
//                                                  W.values[0] = B[tx]
//                                                ok[0] = 0
//                                              if ok[0] == 1: C[tx] = A[B[tx]]
//                                            if device_load(W.code, 0) != 0: raise ...
//
// A store, or another statement without parts, is left out by a thread for which its check failed:
// an access outside of its buffer could end the device's work before the report is read. Other
// statements run. Functions without assertions in thread loops are unchanged.
ir::Func ReportFromKernels(const ir::Func& func);

}  // namespace lathe::lower
