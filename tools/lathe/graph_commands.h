// `lathe compile`, `bisect` and `explain` for graphs: called by these commands where the file has
// one.
#pragma once

#include "absl/status/status.h"
#include "tools/lathe/command.h"

namespace lathe::cli {

// Writes the compiled graph (.o, .so, .tar) or the graph after its passes (.lathe).
absl::Status CompileGraphFile(const Arguments& arguments);
// Prints which step changed a result.
absl::Status BisectGraphFile(const Arguments& arguments);
// Prints layouts, groups, kernels and memory.
absl::Status ExplainGraphFile(const Arguments& arguments);

}  // namespace lathe::cli
