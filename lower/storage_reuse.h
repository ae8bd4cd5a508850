// Temporary buffers whose lifetimes do not overlap share memory.
//
//   allocate A[64]:                         allocate A[64]:
//     A = ...                                 A = ...
//     allocate B[64]:                         allocate B[64]:
//       B = ... A ...               -->         B = ... A ...
//       allocate C[32]:                         A = ... B ...
//         C = ... B ...                         out = ... A ...
//         out = ... C ...
//
// A buffer lives from the first to the last statement that mentions it, in the sequence of all
// statements in nested allocations; a loop counts as one statement. A later allocation takes the
// memory of an earlier one with the same element type, scope and alignment that is no longer alive
// and at least as large (S41). Both sizes must be constant. A buffer whose address is taken, in a
// view or for a call, keeps its memory (S26).
//
// For flat buffers of host functions only: threads that run at the same time would need barriers
// around the shared memory.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

ir::Module StorageReuse(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
