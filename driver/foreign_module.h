// Code that was compiled for another machine, as a module of this process. Its functions cannot be
// called here; it can be exported (ExportLibrary), saved and inspected, and it can import modules.
#pragma once

#include "absl/status/statusor.h"
#include "driver/compiled.h"
#include "runtime/module.h"

namespace lathe::driver {

// `why` is the error with which loading failed, `artifact-machine`; calls of functions fail with
// it. Fails if the code's metadata cannot be read.
absl::StatusOr<runtime::Module> MakeForeignModule(const Compiled& compiled,
                                                  const absl::Status& why);

// Null for other modules. Lives as long as the module.
const Compiled* ForeignCode(const runtime::Module& module);

}  // namespace lathe::driver
