// Another program that differs in names alone.
#pragma once

#include <cstdint>

#include "tests/prove/random_program.h"

namespace lathe::prove {

// Gives everything in the program that has a name another one: operations, axes, sizes, buffers,
// variables of statements and reducers, and tags that mean nothing. Names are drawn from `seed`;
// those of operations and axes may be equal. In place: the program must be nobody else's, and have
// no schedule yet. Knows nothing of te/canonical.h.
void RenameAll(const TestProgram& program, uint64_t seed);
// The same, but arguments and sizes keep their names.
void RenameInner(const TestProgram& program, uint64_t seed);

}  // namespace lathe::prove
