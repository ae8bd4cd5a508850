// The built-in entries of the table of intrinsics. Only ir/intrinsic.cc includes this header.
#pragma once

#include <vector>

#include "ir/intrinsic.h"

namespace lathe::ir {

// Elementwise functions of numbers (intrinsic_math.cc).
std::vector<Intrinsic> MathIntrinsics();
// Control, calls, vectors, memory and the calling convention (intrinsic_core.cc).
std::vector<Intrinsic> CoreIntrinsics();
// Barriers, warps, atomics and asynchronous copies (intrinsic_threads.cc).
std::vector<Intrinsic> ThreadIntrinsics();

}  // namespace lathe::ir
