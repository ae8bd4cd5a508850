// A function on tensors and scalars becomes a packed function: arguments are taken from tagged
// values, checked, bound.
//
//   func f(A: float32[n], x: int32)            func f(self, args, num_args, ret) -> int32
//     body                             -->       assert num_args == 2 ...
//                                                let A.data = ...; let n = shape of A; let x = ...
//                                                body
//                                                return 0
//
// All checks come before the body (S39) and name the argument, what was expected and what was found
// (S30-S38): call-argument-count, -kind, -null, -dtype, -rank, -shape, -strides, -offset,
// -alignment, -range, -device. A symbolic extent binds at the first dimension that is that variable
// alone; everything else about it is asserted. A tensor's byte offset goes into its data pointer,
// so that views of any offset are taken where the buffer declares no element offset of its own.
//
// One body serves every alignment: on the processors we generate code for, unaligned vector
// accesses to memory that happens to be aligned cost nothing (docs/design/alignment.md), so code
// promises no more than the element's alignment.
#pragma once

#include "lower/pass.h"

namespace lathe::lower {

// Functions whose attribute "calling_convention" is absent; others are left alone. The device that
// tensors must be on comes from the function's attributes "device_type" (default: the host's
// memory).
ir::Module BindArguments(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
