// Barriers where one thread reads what another wrote, or writes what another read or wrote (S25).
//
//   S[tx] = A[tx]                     S[tx] = A[tx]
//   B[tx] = S[31 - tx]      -->       barrier("shared")
//                                     B[tx] = S[31 - tx]
//
// For kernels after lower/device/thread_axes.h. Shared memory is looked at, and global memory that
// a kernel both writes and reads. A loop is analysed with what follows it in its next iteration: a
// buffer that is filled in every iteration gets a barrier before it is filled again. None is put
// where all accesses of an element come from one thread: the same index of the thread, in both, in
// the same place; or where the elements differ. Buffers in one allocation
// (lower/device/shared_memory.h) conflict where they overlap. Accesses of different blocks conflict
// in global memory alone, and then the barrier is "global".
//
// A barrier never stands in divergent control flow, that is under a condition or in a loop whose
// range differs between threads. Where one would have to: Error barrier-divergent.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

ir::Module InsertBarriers(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
