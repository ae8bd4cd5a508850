// A loaded module of kernels; a device's program is built on the first launch on that device.
#pragma once

#include <memory>
#include <string_view>

#include "plugins/sdk/module.h"

namespace lathe::opencl_backend {

// Needs no device. Throws `module-damaged`.
//
// A launch may throw: the errors of sdk::ReadLaunch; "opencl-unavailable"; "opencl-no-fp16",
// "opencl-no-fp64", "opencl-no-int64-atomics" if the device lacks a feature that a kernel uses;
// "opencl-build-failed" with the compiler's log and the source lines in it;
// "opencl-foreign-memory", "opencl-wrong-device" for pointers that are not memory of the device;
// "opencl-image"; "device-limit" if the device does not support work-groups of that size;
// "device-out-of-memory", "device-lost", "opencl-error".
std::unique_ptr<sdk::ModuleNode> LoadModule(std::string_view bytes);

}  // namespace lathe::opencl_backend
