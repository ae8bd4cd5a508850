// Programs for devices with threads: kernels for the device's plugin, and code for the host that
// launches them.
//
//   auto [host, device] = LowerForDevice(loops, ParseTarget("acme"), ParseTarget("llvm"), {});
//
// A target takes kernels where its manifest's machine has thread axes. Its axes, memory and limits
// are what schedules are checked against (docs/design/device.md). Thread-safe.
#pragma once

#include "ir/module.h"
#include "lower/pass.h"
#include "target/target.h"

namespace lathe::driver {

// Does the target's manifest declare thread axes?
bool TakesKernels(const target::Target& target);

// The target of the code that launches `device`'s kernels: what its `-host=` names, else
// this machine's. Throws what target::HostTarget throws.
target::Target HostOf(const target::Target& device);

struct DeviceModules {
  ir::Module host;    // at the stage that `host` reads: the functions, which launch kernels by name
  ir::Module device;  // at the stage that `device` reads: functions of calling convention "kernel"
};

// `module` at stage `tile`, of functions whose tensors live on the device. The functions keep their
// names and arguments, and refuse tensors of other devices; before the first launch they make the
// device of their tensors current (S38). Both modules carry metadata of theirs; that of kernels
// says how they are launched (runtime/metadata.h). Either gets all constants of `module`. Throws
// what DevicePasses throw, among it "unbound-device-loop" and "device-limit", and
// "target-without-threads" where `device` takes no kernels.
DeviceModules LowerForDevice(const ir::Module& module, const target::Target& device,
                             const target::Target& host, const lower::PassContext& context);

}  // namespace lathe::driver
