// Makes a program that differs in names only.
#pragma once

#include <cstdint>

#include "tests/prove/random_program.h"

namespace lathe::prove {

// Renames everything in the program that has a name: operations, axes, sizes, buffers, variables of
// statements and reducers, and tags without meaning. Names are drawn from `seed`; operations and
// axes may get equal names. Works in place: nothing else may share the program, and it must have no
// schedule yet. Does not use te/canonical.h.
void RenameAll(const TestProgram& program, uint64_t seed);
// The same, but arguments and sizes keep their names.
void RenameInner(const TestProgram& program, uint64_t seed);

}  // namespace lathe::prove
