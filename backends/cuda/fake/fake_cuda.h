// A libcuda.so.1 for tests on machines without a GPU: the driver's functions over host memory.
//
// Its device addresses are no valid host pointers (they lie in reserved pages), so that whoever
// touches device memory past the driver dies. Work on streams is put off until something waits for
// it, each stream in its order, so that a missing wait shows. A fault of a kernel stays: every
// later call answers with it. Modules are ELF files or PTX texts as the compiler makes them; a
// cubin of another architecture is refused, and the sizes of parameters are the file's. Kernels do
// what a test registers for their names.
//
// A test opens the library (LATHE_CUDA_DRIVER names it) and steers it through the one function
// below. One lock around everything: thread-safe, callbacks included.
#pragma once

#include <cuda.h>

#include <cstdint>

namespace lathe::cuda {

// A launch, as the device sees it. Valid in the callback.
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
// What a kernel does. Not CUDA_SUCCESS: the fault that it dies of.
using FakeKernel = CUresult (*)(void* user, const FakeLaunch& launch);

// What the 128 bytes of a tensor map hold: all that cuTensorMapEncodeTiled was told.
struct FakeTensorMap {
  static constexpr uint64_t kMagic = 0x7061'4d65'6b61'46ull;
  uint64_t magic, address, shape[2], row_bytes;
  uint32_t type, box[2], swizzle;
};

struct FakeCounts {
  int64_t allocations, host_allocations, registrations, streams, events, modules, contexts;
  int64_t launches, pending;  // done since the last reset; put off now
};

// The steering wheel.
struct FakeCuda {
  // Back to `devices` new devices of an architecture (80 is sm_80) and `memory` bytes each. Nothing
  // may be alive but contexts.
  void (*reset)(int devices, int arch, uint64_t memory);
  // What is alive now.
  FakeCounts (*counts)();
  // The next call but `skip` of that function ("cuMemAlloc") answers `result` and does nothing.
  void (*fail)(const char* function, CUresult result, int skip);
  // Null as `kernel` forgets the name. Launching a kernel that no test knows is a
  // fault, or does nothing where LATHE_FAKE_CUDA_IDLE is set.
  void (*kernel)(const char* name, FakeKernel kernel, void* user);
  // Where bytes of a device's memory lie on the host; null where they are not one allocation's.
  void* (*look)(int device, CUdeviceptr address, uint64_t bytes);
  // Bytes from the address to the end of its allocation; 0 where it is in none.
  uint64_t (*room)(int device, CUdeviceptr address);
  // Whether the calling thread's current context is this device's.
  bool (*is_current)(int device);
};

}  // namespace lathe::cuda

// The same table every time.
extern "C" __attribute__((visibility("default"))) const lathe::cuda::FakeCuda* lathe_fake_cuda();
