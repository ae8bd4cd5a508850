// The devices "cuda" and "cuda_host" (page-locked host memory) over the driver's API.
#pragma once

#include <memory>
#include <string>

#include "plugins/sdk/device.h"

namespace lathe::cuda {

// NVIDIA's devices. Without a driver there are no devices, and asking for one throws
// `cuda-no-driver` with the reason. A stream handle is the driver's CUstream, so streams of other
// libraries can be used directly; NULL is the legacy default stream.
std::unique_ptr<sdk::DeviceAPI> MakeCudaDevice();
// Page-locked host memory, which all devices can access: copies from and to it run at full speed.
// It is one device, which exists if there is any CUDA device.
std::unique_ptr<sdk::DeviceAPI> MakePinnedDevice();

// The value of -arch= for a device: "sm_80", "sm_90a" (the "a" of 9.0 and 10.0: code may use
// instructions that only exactly this architecture has).
std::string ArchOf(int32_t id);

}  // namespace lathe::cuda
