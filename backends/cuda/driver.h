// The CUDA driver, opened at run time: libcuda.so.1, or what LATHE_CUDA_DRIVER names. Machines
// without one load this plugin all the same and have no devices.
//
// Thread-safe.
#pragma once

#include <cuda.h>

#include <string>

namespace lathe::cuda {

// cuda.h renames functions by macro (cuMemAlloc is cuMemAlloc_v2): the members bear the plain
// names, and what is looked up are the names that this header's signatures belong to.
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

// The members of struct Driver, under the plain names: the macros of cuda.h would rename them here
// too, which is harmless as every user includes this header.
struct Driver {
#define LATHE_CUDA_MEMBER(name) decltype(&::name) name = nullptr;
  LATHE_CUDA_FUNCTIONS(LATHE_CUDA_MEMBER)
#undef LATHE_CUDA_MEMBER
  // Null where the driver is older than 12.0.
  decltype(&::cuTensorMapEncodeTiled) cuTensorMapEncodeTiled = nullptr;
  int version = 0;  // such as 13000
  int device_count = 0;
};

// The driver, opened and initialised on the first call; null where there is none, and `*reason`
// (which may be null) then says why: no library, no function of some name, no device.
const Driver* FindDriver(std::string* reason = nullptr);
// The same; throws `cuda-no-driver` with the reason.
const Driver& GetDriver();

}  // namespace lathe::cuda
