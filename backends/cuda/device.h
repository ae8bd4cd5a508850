// The devices "cuda" and "cuda_host" (page-locked host memory) over the driver's API.
#pragma once

#include <memory>
#include <string>

#include "plugins/sdk/device.h"

namespace lathe::cuda {

// NVIDIA's devices. Without a driver there are none, and asking for one throws `cuda-no-driver`
// with the reason. A stream handle is the driver's CUstream, so that streams of other libraries
// serve as they are; NULL is the legacy default stream.
std::unique_ptr<sdk::DeviceAPI> MakeCudaDevice();
// Host memory that all devices reach: copies from and to it run at full speed. One device, where
// there is any CUDA device.
std::unique_ptr<sdk::DeviceAPI> MakePinnedDevice();

// What -arch= would say of a device: "sm_80", "sm_90a" (code for 9.0 and 10.0 devices may use what
// only exactly these have).
std::string ArchOf(int32_t id);

}  // namespace lathe::cuda
