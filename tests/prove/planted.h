// The planted bugs (base/planted.h). Checks that the random run finds each.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "tests/prove/prove.h"

namespace lathe::prove {

constexpr int64_t kProgramsPerBug = 2000;

// Switches on one bug after the other (only `bug` if that is not empty), and runs programs of
// options.seed until one fails that does not fail without the bug. Prints a table. Returns false if
// a bug is not found, or if this build has no planted bugs.
bool FindPlanted(const ProveOptions& options, const std::string& bug, std::ostream& out);

}  // namespace lathe::prove
