// A libcuda.so.1 for tests on machines without a GPU: the driver's functions over host memory.
//
// Its device addresses are not valid host pointers (they lie in reserved pages), so a test that
// touches device memory without the driver crashes. Work on streams is delayed until something
// waits for it, in order within each stream, so that a missing wait is noticed. After a kernel's
// fault every later call returns that fault. Modules are ELF files or PTX texts as the compiler
// makes them; a cubin for another architecture is refused, and the sizes of parameters come from
// the file. A kernel does what a test registers for its name.
//
// A test opens the library (LATHE_CUDA_DRIVER names it) and controls it through the one function
// below. One lock protects everything: thread-safe, callbacks included.
#pragma once

#include <cuda.h>

#include <cstdint>

namespace lathe::cuda {

// A launch, as the device sees it. Valid during the callback only.
struct FakeLaunch {
  const char* kernel;
  int device;
  unsigned grid[3], block[3];
  unsigned shared_bytes;
  bool cooperative;
  int num_params;
  const void* const* params;  // each parameter's bytes
  const uint64_t* param_bytes;
};
// The implementation of a kernel. A result other than CUDA_SUCCESS is the kernel's fault.
using FakeKernel = CUresult (*)(void* user, const FakeLaunch& launch);

// The contents of a tensor map's 128 bytes: all arguments of cuTensorMapEncodeTiled.
struct FakeTensorMap {
  static constexpr uint64_t kMagic = 0x7061'4d65'6b61'46ull;
  uint64_t magic, address, shape[2], row_bytes;
  uint32_t type, box[2], swizzle;
};

struct FakeCounts {
  int64_t allocations, host_allocations, registrations, streams, events, modules, contexts;
  int64_t launches, pending;  // finished since the last reset; delayed now
};

// The functions by which a test controls the fake driver.
struct FakeCuda {
  // Resets to `devices` new devices of an architecture (80 is sm_80) with `memory` bytes each. No
  // object but contexts may be alive.
  void (*reset)(int devices, int arch, uint64_t memory);
  // The numbers of objects alive now.
  FakeCounts (*counts)();
  // After `skip` more calls of that function ("cuMemAlloc"), the next one returns `result` and does
  // nothing.
  void (*fail)(const char* function, CUresult result, int skip);
  // `kernel` null removes the name. Launching a kernel that no test registered is a fault, or does
  // nothing if LATHE_FAKE_CUDA_IDLE is set.
  void (*kernel)(const char* name, FakeKernel kernel, void* user);
  // The host address of bytes in a device's memory; null if they are not within one allocation.
  void* (*look)(int device, CUdeviceptr address, uint64_t bytes);
  // Bytes from the address to the end of its allocation; 0 if it is in none.
  uint64_t (*room)(int device, CUdeviceptr address);
  // True if the calling thread's current context is this device's.
  bool (*is_current)(int device);
};

}  // namespace lathe::cuda

// Returns the same table on every call.
extern "C" __attribute__((visibility("default"))) const lathe::cuda::FakeCuda* lathe_fake_cuda();
