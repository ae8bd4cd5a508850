// The device on which this code runs.
#pragma once

#include "runtime/device_api.h"

namespace lathe::runtime {

// One device, id 0, scope "global". Every operation is complete when its call returns; streams and
// events exist so that code for any device works. The clock of events is the monotonic one.
DeviceAPI* CpuDeviceAPI();

// Processors that this process may run on (its affinity mask); at least 1.
int UsableProcessors();

}  // namespace lathe::runtime
