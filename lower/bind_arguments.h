// A function on tensors and scalars becomes a packed function: its arguments are read from tagged
// values, checked and bound.
//
//   func f(A: float32[n], x: int32)            func f(self, args, num_args, ret) -> int32
//     body                             -->       assert num_args == 2 ...
//                                                let A.data = ...; let n = shape of A; let x = ...
//                                                body
//                                                return 0
//
// All checks come before the body (S39) and name the argument, the expected and the actual value
// (S30-S38): call-argument-count, -kind, -null, -dtype, -rank, -shape, -strides, -offset,
// -alignment, -range, -device, -read-only. A symbolic extent is bound at the first dimension that
// is exactly that variable; all other dimensions with it are asserted. A tensor's byte offset is
// added to its data pointer, so views with any offset are accepted if the buffer declares no
// element offset.
//
// A buffer with declared strides: a constant is compared, a variable is bound as for extents,
// except where the stride does not matter (S31). Negative ones are refused. If the function writes
// the tensor, no two of its elements may share memory (lower/element_places.h):
// call-argument-strides.
//
// One body serves every alignment: on the supported processors, unaligned vector accesses to memory
// that happens to be aligned cost nothing extra (docs/design/alignment.md), so code promises no
// more than the element's alignment.
#pragma once

#include <cstddef>
#include <set>

#include "lower/pass.h"

namespace lathe::lower {

// The key of an Attr around the body of a function whose tensors are on a device, or that calls
// packed functions: its value is the device's number, taken from the argument tensors.
// lower/lower_errors removes it.
inline constexpr const char* kDeviceIdKey = "device_id";

// Reads a function's attribute "writes" (ir::func_attr::kWrites), which lists the parameters it
// writes by number: "1,2". For these, tensor objects with the read-only flag are refused. Only for
// 64-bit machines. Numbers that are not a parameter's are ignored.
std::set<size_t> WrittenParameters(const ir::Func& func);

// Changes functions without the attribute "calling_convention". The function's attributes
// "device_type" says on which device the tensors must be (default: in the host's memory). Another
// device than the host is made current before the body (S38). With "opaque_pointers" (bool) no
// address is computed from a tensor's address: its byte offset must be 0, or must equal a buffer's
// declared element offset. The option "entries" says whether the function with checks is made, one
// without (lower/unchecked_entry.h), or both.
ir::Module BindArguments(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
