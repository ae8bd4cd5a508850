// The entries that Lathe itself puts into the table of intrinsics. Only ir/intrinsic.cc includes
// this.
#pragma once

#include <vector>

#include "ir/intrinsic.h"

namespace lathe::ir {

// Elementwise functions of numbers (intrinsic_math.cc).
std::vector<Intrinsic> MathIntrinsics();
// Control, calls, vectors, memory and the calling convention (intrinsic_core.cc).
std::vector<Intrinsic> CoreIntrinsics();

}  // namespace lathe::ir
