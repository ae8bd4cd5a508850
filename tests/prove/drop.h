// Leaves operations out of random programs, for shrinking.
#pragma once

#include <set>
#include <string>

#include "tests/prove/random_program.h"

namespace lathe::prove {

// Returns `program` with the named operations replaced by inputs, or removed if nothing else reads
// them. Throws Error "prove-nothing-left" if no output remains, or what building the rest throws.
TestProgram Without(const TestProgram& program, const std::set<std::string>& operations);

// Returns the names of operations that can be left out: all computed ones, readers first.
std::vector<std::string> OperationsOf(const TestProgram& program);

}  // namespace lathe::prove
