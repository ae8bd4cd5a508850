// Calls of packed functions become calls through the runtime's table.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

// Each `call_packed(name, args...)` becomes code that fills tagged values, makes one call through
// the runtime table, and checks the result (abi/kernel.h):
//
//   C[0] = call_packed<float32>("f", A, n)
//     -->
//   let args = stack_values(2); let result = stack_values(1)
//   let A.dims = stack_slots(1); slot_store(A.dims, 0, int64(extent of A))
//   value_set(args, 0, DLTENSOR, stack_tensor(A.data, 1, A.dims, ...))
//   value_set(args, 1, INT, int64(n))
//   let status = runtime_call("call_packed", "f", call_site_cache(), args, 2, result)
//   assert status == 0                    (leaves with the callee's error)
//   assert value_kind(result, 0) is that of a number
//   let f.result = float32(value_get(result, 0)); C[0] = f.result
//
// A buffer is passed as a tensor with its shape and strides (none if compact), borrowed for the
// call, on the device of the function's tensors; to kernels of the module it is passed as a pointer
// to its first element. Integers and bool are passed as integers, floats as float64, strings and
// handles unchanged. An integer result must fit the call's type; a call of type void, or one whose
// result is not used, accepts any result. Must run while buffers still have their shapes.
//
// Throws Error "packed-call-position" for a call in a place that may not be evaluated, or may be
// evaluated more than once (an arm of if_then_else, a let's body, a while's condition), and
// "packed-call-argument" for an argument without a tagged value (a vector).
ir::Module LowerPackedCalls(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
