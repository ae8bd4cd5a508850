// Inserts a barrier where one thread reads what another wrote, or writes what another read or wrote
// (S25).
//
//   S[tx] = A[tx]                     S[tx] = A[tx]
//   B[tx] = S[31 - tx]      -->       barrier("shared")
//                                     B[tx] = S[31 - tx]
//
// For kernels after lower/device/thread_axes.h. It examines shared memory, and global memory that a
// kernel both writes and reads. A loop is analysed together with its next iteration: a buffer that
// is filled in every iteration gets a barrier before it is filled again. No barrier is needed if
// all accesses of an element come from one thread (both use the thread's index in the same place of
// the element's index), or if the elements differ. Buffers in one allocation
// (lower/device/shared_memory.h) conflict if they overlap. Accesses of different blocks conflict in
// global memory only, and then the barrier is "global".
//
// A barrier is never in divergent control flow, that is under a condition or in a loop whose range
// differs between threads. If one is needed there: Error barrier-divergent. If blocks must wait for
// each other and the device's machine has no barrier for that: Error barrier-grid.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

ir::Module InsertBarriers(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
