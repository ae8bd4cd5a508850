// Entries without checks, for callers that have checked sizes, types and devices (plans).
//
//   func f(A: float32[n], x: int32)            func f.unchecked(buffers, sizes, workspace, threads)
//     body                             -->       let A.data = buffers[0]; let n = sizes[0]
//                                                let x = sizes[1]
//                                                body
//                                                return 0
//
// The addresses of the tensors are in the order of the parameters, the sizes in that of EntrySizes.
// For the host's processor only; driver/metadata.h refuses other targets.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/module.h"

namespace lathe::lower {

// Bits of the option "entries": the function with checks (lower/bind_arguments.h), and the one
// without.
inline constexpr int64_t kCheckedEntry = 1, kUncheckedEntry = 2;
inline constexpr const char* kUncheckedSuffix = ".unchecked";  // of which: func_attr::kEntryOf

// The variables that a function's callers bind: its scalar parameters, and the variables in its
// tensors' extents, strides and element offsets; parameter by parameter, each once, where it first
// occurs.
std::vector<ir::Var> EntrySizes(const ir::Func& func);

// The function without checks, of calling convention convention::kUnchecked. It has the variables
// of `func`, which can be in one module only once (ir::Refresh).
ir::Func UncheckedEntry(const ir::Func& func);

}  // namespace lathe::lower
