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
// -alignment, -range, -device, -read-only. A symbolic extent binds at the first dimension that is
// that variable alone; everything else about it is asserted. A tensor's byte offset goes into its
// data pointer, so that views of any offset are taken where the buffer declares no element offset
// of its own.
//
// One body serves every alignment: on the processors we generate code for, unaligned vector
// accesses to memory that happens to be aligned cost nothing (docs/design/alignment.md), so code
// promises no more than the element's alignment.
#pragma once

#include <cstddef>
#include <set>

#include "lower/pass.h"

namespace lathe::lower {

// The key of an Attr around the body of a function whose tensors are on a device, or that calls
// packed functions: its value is the device's number, as the arguments' tensors have it. It is gone
// after lower/lower_errors.
inline constexpr const char* kDeviceIdKey = "device_id";

// The attribute of a function that says which parameters it writes: their numbers, as in "1,2".
// Tensor objects that are flagged read-only are refused there. Only for machines of 64 bits.
inline constexpr const char* kWritesKey = "writes";
// What it says; what is no number of a parameter is left out.
std::set<size_t> WrittenParameters(const ir::Func& func);

// Functions whose attribute "calling_convention" is absent; others are left alone. The device that
// tensors must be on comes from the function's attributes "device_type" (default: the host's
// memory). On another than the host's that device is made current before the body (S38). With
// "opaque_pointers" (bool) no address is computed from a tensor's: its byte offset must be 0, or be
// a buffer's declared element offset.
ir::Module BindArguments(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
