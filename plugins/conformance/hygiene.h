// Binary hygiene of a plugin: what must hold so that two plugins, each with its own LLVM or
// libstdc++, live in one process.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace lathe::plugins {

// One sentence per violation; empty for a clean library:
//   - it exports exactly one symbol, lathe_plugin_query_v1;
//   - it has no symbol of binding STB_GNU_UNIQUE (such symbols are shared by all libraries of a
//   process);
//   - it needs only the C and C++ system libraries, and its undefined symbols are theirs.
// Fails only where the file cannot be read as ELF. Works on libraries for other processors.
absl::StatusOr<std::vector<std::string>> CheckHygiene(const std::string& path);

}  // namespace lathe::plugins
