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
#include <cstdint>
#include <set>
#include <vector>

#include "lower/pass.h"

namespace lathe::lower {

// The key of an Attr around the body of a function whose tensors are on a device, or that calls
// packed functions: its value is the device's number, as the arguments' tensors have it. It is gone
// after lower/lower_errors.
inline constexpr const char* kDeviceIdKey = "device_id";

// What a function's attribute "writes" (ir::func_attr::kWrites) says of the parameters that it
// writes: their numbers, as in "1,2"; what is no number of a parameter is left out. Tensor objects
// that are flagged read-only are refused there. Only for machines of 64 bits.
std::set<size_t> WrittenParameters(const ir::Func& func);

// With bit 1 of the option "entries" a function becomes another one as well, without any check, or
// that one alone:
//
//   func f.unchecked(buffers, sizes, workspace, threads) -> int32
//     let A.data = buffers[0]; let n = sizes[0]; let x = sizes[1]
//     body
//     return 0
//
// The tensors' addresses come in the order of the parameters, the sizes in that of EntrySizes. It
// is for the host's processor; driver/metadata.h refuses other targets.
inline constexpr int64_t kCheckedEntry = 1, kUncheckedEntry = 2;  // bits of the option
inline constexpr const char* kUncheckedSuffix = ".unchecked";
// Its attribute "entry_of" (ir::func_attr::kEntryOf) names the function that it enters.
// The variables that a function's callers bind: its scalar parameters, and those of its tensors'
// extents, strides and element offsets; parameter by parameter, each once, where it stands first.
std::vector<ir::Var> EntrySizes(const ir::Func& func);

// Functions whose attribute "calling_convention" is absent; others are left alone. The device that
// tensors must be on comes from the function's attributes "device_type" (default: the host's
// memory). On another than the host's that device is made current before the body (S38). With
// "opaque_pointers" (bool) no address is computed from a tensor's: its byte offset must be 0, or be
// a buffer's declared element offset.
ir::Module BindArguments(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
