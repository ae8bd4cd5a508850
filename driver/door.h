// Checks every module before a plugin gets it. Plugins may rely on these checks.
#pragma once

#include "ir/module.h"
#include "target/target_schema.h"

namespace lathe::driver {

// Checks that the module is well-formed at the stage that the target's plugin reads
// (ir::VerifyModule). Also checks that buffers fit into each memory whose size the manifest
// declares: the buffers of one function that live at the same time, each aligned to the memory's
// alignment. The shared memory of devices with threads is checked elsewhere
// (lower/device/device_limits.h), because its sizes may be known only at a launch.
//
// Throws Error: what ir::VerifyModule throws; "target-memory" if buffers do not fit or have no
// constant size. Thread-safe.
void CheckAtDoor(const ir::Module& module, const target::TargetSchema& schema);

}  // namespace lathe::driver
