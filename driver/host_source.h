// The code of the host in a program for a device, as text.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "ir/module.h"
#include "lower/pass.h"
#include "plugins/host/codegen.h"
#include "target/target.h"

namespace lathe::driver {

// What the plugin of the host (HostOf) writes for the functions of `module` (at stage `tile`) that
// launch its kernels; Compile gives the kernels. `target` takes kernels. Thread-safe.
absl::StatusOr<std::string> HostSource(const ir::Module& module, const target::Target& target,
                                       plugins::OutputKind output,
                                       const lower::PassContext& context);

}  // namespace lathe::driver
