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
// A buffer lives from the first to the last statement that mentions it, in the sequence that nested
// allocations form when their bodies are strung together; a loop is one statement. A later
// allocation takes over the memory of an outer one of the same element type, scope and alignment
// that is no longer alive and at least as large (S41). Both sizes are constants. Buffers whose
// address is taken, in a view or for a call, keep their memory (S26).
//
// On flat buffers, of host functions only: threads that run at once would need barriers around what
// is shared.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

ir::Module StorageReuse(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
