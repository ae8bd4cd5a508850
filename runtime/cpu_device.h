// The device that this code runs on.
#pragma once

#include "runtime/device_api.h"

namespace lathe::runtime {

// One device, id 0, scope "global". Everything is done when a call returns; streams and events
// exist so that code written for any device works, and an event's clock is the monotonic one.
DeviceAPI* CpuDeviceAPI();

// Processors that this process may run on (its affinity mask); at least 1.
int UsableProcessors();

}  // namespace lathe::runtime
