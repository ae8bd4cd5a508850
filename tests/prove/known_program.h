// Programs of known kinds whose arithmetic is written by hand: an oracle that shares nothing with
// te's evaluator.
#pragma once

#include "tests/prove/random_program.h"

namespace lathe::prove {

TestProgram KnownProgram(uint64_t seed, const std::vector<Extent>& extents);

}  // namespace lathe::prove
