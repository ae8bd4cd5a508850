// The CUDA driver, opened at run time: libcuda.so.1, or the library that LATHE_CUDA_DRIVER names.
// On a machine without a driver this plugin loads, too, and has no devices.
//
// Thread-safe.
#pragma once

#include <cuda.h>

#include <string>

namespace lathe::cuda {

// cuda.h renames functions by macro (cuMemAlloc is cuMemAlloc_v2). The members have the plain
// names; the symbols that are looked up are the renamed ones, to which this header's signatures
// belong.
#define LATHE_CUDA_FUNCTIONS(X)  \
  X(cuInit)                      \
  X(cuDriverGetVersion)          \
  X(cuGetErrorName)              \
  X(cuGetErrorString)            \
  X(cuDeviceGetCount)            \
  X(cuDeviceGet)                 \
  X(cuDeviceGetName)             \
  X(cuDeviceGetAttribute)        \
  X(cuDeviceTotalMem)            \
  X(cuDevicePrimaryCtxRetain)    \
  X(cuDevicePrimaryCtxRelease)   \
  X(cuCtxSetCurrent)             \
  X(cuCtxSynchronize)            \
  X(cuCtxGetStreamPriorityRange) \
  X(cuMemAlloc)                  \
  X(cuMemFree)                   \
  X(cuMemGetInfo)                \
  X(cuMemHostAlloc)              \
  X(cuMemFreeHost)               \
  X(cuMemHostRegister)           \
  X(cuMemHostUnregister)         \
  X(cuMemHostGetDevicePointer)   \
  X(cuMemcpyHtoDAsync)           \
  X(cuMemcpyDtoHAsync)           \
  X(cuMemcpyDtoDAsync)           \
  X(cuMemcpyPeerAsync)           \
  X(cuMemcpy2DAsync)             \
  X(cuMemsetD8Async)             \
  X(cuMemsetD16Async)            \
  X(cuMemsetD32Async)            \
  X(cuMemsetD2D32Async)          \
  X(cuStreamCreateWithPriority)  \
  X(cuStreamDestroy)             \
  X(cuStreamSynchronize)         \
  X(cuStreamWaitEvent)           \
  X(cuEventCreate)               \
  X(cuEventDestroy)              \
  X(cuEventRecord)               \
  X(cuEventSynchronize)          \
  X(cuEventElapsedTime)          \
  X(cuModuleLoadDataEx)          \
  X(cuModuleUnload)              \
  X(cuModuleGetFunction)         \
  X(cuFuncSetAttribute)          \
  X(cuFuncGetAttribute)          \
  X(cuLaunchKernel)              \
  X(cuLaunchCooperativeKernel)

// The members of struct Driver, under the plain names. The macros of cuda.h rename them here, too;
// that is harmless, because every user includes this header.
struct Driver {
#define LATHE_CUDA_MEMBER(name) decltype(&::name) name = nullptr;
  LATHE_CUDA_FUNCTIONS(LATHE_CUDA_MEMBER)
#undef LATHE_CUDA_MEMBER
  // Null if the driver is older than 12.0.
  decltype(&::cuTensorMapEncodeTiled) cuTensorMapEncodeTiled = nullptr;
  int version = 0;  // such as 13000
  int device_count = 0;
};

// The driver, opened and initialised on the first call. Null if there is none; `*reason` (`reason`
// may be null) then says why: no library, a missing function, no device.
const Driver* FindDriver(std::string* reason = nullptr);
// The same, but throws `cuda-no-driver` with the reason instead of returning null.
const Driver& GetDriver();

}  // namespace lathe::cuda
