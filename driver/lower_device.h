// Lowers programs for devices with threads: kernels for the device's plugin, and host code that
// launches them.
//
//   auto [host, device] = LowerForDevice(loops, ParseTarget("acme"), ParseTarget("llvm"), {});
//
// A target takes kernels if the machine in its manifest has thread axes. Schedules are checked
// against that machine's axes, memory and limits (docs/design/device.md). Thread-safe.
#pragma once

#include "ir/module.h"
#include "lower/pass.h"
#include "target/target.h"

namespace lathe::driver {

// Does the target's manifest declare thread axes?
bool TakesKernels(const target::Target& target);

// The target of the code that launches `device`'s kernels: the one that `-host=` names, else this
// machine's. Throws what target::HostTarget throws.
target::Target HostOf(const target::Target& device);

struct DeviceModules {
  ir::Module host;    // at the stage that `host` reads: the functions, which launch kernels by name
  ir::Module device;  // at the stage that `device` reads: functions of calling convention "kernel"
};

// `module` is at stage `tile`; the tensors of its functions are on the device. The functions keep
// their names and arguments, and refuse tensors of other devices. Before the first launch they make
// the device of their tensors current (S38). Each of the two modules has its own metadata; the
// kernels' metadata says how they are launched (runtime/metadata.h). Both modules get all constants
// of `module`. Throws what DevicePasses throw, including "unbound-device-loop" and "device-limit",
// and "target-without-threads" if `device` takes no kernels.
DeviceModules LowerForDevice(const ir::Module& module, const target::Target& device,
                             const target::Target& host, const lower::PassContext& context);

}  // namespace lathe::driver
