// Which stacks of calls the tests of failed allocations try.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/faults/heap.h"
#include "tests/faults/symbols.h"

namespace lathe::faults {

// A hash of the frames of a stack that are Lathe's business; 0 if the stack is not to be tried.
//
// Other people's code may end the process where memory runs out, so that stacks with any frame of
// LLVM, NVRTC, PoCL or the fake CUDA driver are not tried. LLVM does so by design, for it has no
// exceptions. A stack ends where CPython called Lathe: the frames outside do not distinguish
// stacks. One whose innermost frames are CPython's or NumPy's is not tried.
uint64_t OwnPart(const Site& site, Symbols& symbols);

// The code of the libraries, among those that are loaded now, with whose frames no stack is tried.
std::vector<Code> ForeignCode();

}  // namespace lathe::faults
