// What is checked of every module before a plugin gets it: plugins may rely on it.
#pragma once

#include "ir/module.h"
#include "target/target_schema.h"

namespace lathe::driver {

// That the module is well-formed at the stage that the target's plugin reads (ir::VerifyModule),
// and that buffers in memory whose size the manifest declares fit into it: those of one function
// that live at once, each begun at the memory's alignment. The shared memory of devices with
// threads is checked elsewhere (lower/device/device_limits.h), for its sizes may be known at a
// launch alone.
//
// Throws Error: what ir::VerifyModule throws; "target-memory" where buffers do not fit, or have no
// constant size. Thread-safe.
void CheckAtDoor(const ir::Module& module, const target::TargetSchema& schema);

}  // namespace lathe::driver
