// Assertions become branches that raise an error through the runtime and leave the function; large
// allocations become workspace of the runtime, given back on every way out.
//
//   assert c, "name", "message {0}", x
//     -->
//   if !c { raise("name", "message {0}", x); free what is held; return -1 }
//
//   allocate B[n]
//   body
//     -->
//   p = workspace_alloc(...)
//   if p is null { free what is held; return -1 }
//   view B = p
//   body
//   workspace_free(p)
//
// An assertion without a name passes on a pending error. Allocations of constant size are on the
// stack if those that are open at the same time stay within the option stack.max_bytes (S41); those
// of scope "local" have a separate sum.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

// For functions whose calling convention is "packed", "parallel_body" or "unchecked"; the last two
// leave the error pending.
ir::Module LowerErrors(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
