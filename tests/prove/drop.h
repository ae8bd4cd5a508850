// Random programs with operations left out: for shrinking.
#pragma once

#include <set>
#include <string>

#include "tests/prove/random_program.h"

namespace lathe::prove {

// `program` where the operations named are inputs instead, or gone where nothing else reads them.
// Throws Error "prove-nothing-left" where no output remains, or what building the rest throws.
TestProgram Without(const TestProgram& program, const std::set<std::string>& operations);

// The names of those that could be left out: all that is computed, readers first.
std::vector<std::string> OperationsOf(const TestProgram& program);

}  // namespace lathe::prove
