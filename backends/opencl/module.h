// A loaded module: kernels, each device's program built on its first launch there.
#pragma once

#include <memory>
#include <string_view>

#include "plugins/sdk/module.h"

namespace lathe::opencl_backend {

// Needs no device. Throws `module-damaged`.
//
// A launch may throw: what sdk::ReadLaunch does; "opencl-unavailable"; "opencl-no-fp16",
// "opencl-no-fp64", "opencl-no-int64-atomics" where the device lacks what a kernel uses;
// "opencl-build-failed" with the compiler's log and the lines it names; "opencl-foreign-memory",
// "opencl-wrong-device" for what is no memory of the device; "opencl-image"; "device-limit" where
// the device takes no work-groups of that size; "device-out-of-memory", "device-lost",
// "opencl-error".
std::unique_ptr<sdk::ModuleNode> LoadModule(std::string_view bytes);

}  // namespace lathe::opencl_backend
