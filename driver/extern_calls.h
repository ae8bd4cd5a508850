// Who calls C functions by name, for errors about functions that nobody defines.
#pragma once

#include "absl/status/status.h"
#include "ir/module.h"

namespace lathe::driver {

// `status`, an error of compiling or loading `module`. For each function that its text names and
// that `module` calls by call_extern or call_pure_extern, a line says which stage of which function
// calls it; then a line says how such a function is brought in. Other errors stay as they are.
absl::Status WithExternCallers(const absl::Status& status, const ir::Module& module);

}  // namespace lathe::driver
