// The planted bugs (base/planted.h): does the random run find each?
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "tests/prove/prove.h"

namespace lathe::prove {

constexpr int64_t kProgramsPerBug = 2000;

// Switches one bug on after the other (only `bug` where that is not empty) and runs programs of
// options.seed until one fails that does not fail without the bug. Prints a table; false where a
// bug stays hidden, and in a build without the switch.
bool FindPlanted(const ProveOptions& options, const std::string& bug, std::ostream& out);

}  // namespace lathe::prove
