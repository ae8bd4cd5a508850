// The fake driver's devices, contexts and memory.

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "backends/cuda/fake/state.h"

using namespace lathe::cuda::fake;  // NOLINT: this file is C functions over that state

namespace {

constexpr uint64_t kAlignment = 256;

State& Lathe() { return State::Get(); }

// The host address of bytes in host or device memory; null if they are invalid.
char* Resolve(CUmemorytype type, Device* device, const void* host, CUdeviceptr address,
              uint64_t bytes) {
  if (type == CU_MEMORYTYPE_HOST) return static_cast<char*>(const_cast<void*>(host));
  return type == CU_MEMORYTYPE_DEVICE ? Look(device, address, bytes) : nullptr;
}

// Copies as the driver does: both addresses are resolved when the copy runs. Host memory that is
// not page-locked is read at once.
CUresult PutOffCopy(CUstream on, std::function<char*()> to, std::function<char*()> from,
                    uint64_t bytes) {
  Stream* stream = FindStream(on);
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  Enqueue(stream, [=] {
    char* target = to();
    const char* source = from();
    if (target == nullptr || source == nullptr) return CUDA_ERROR_ILLEGAL_ADDRESS;
    std::memcpy(target, source, bytes);
    return CUDA_SUCCESS;
  });
  return CUDA_SUCCESS;
}

template <class Word>
CUresult PutOffSet(CUdeviceptr to, size_t pitch, Word value, size_t width, size_t height,
                   CUstream on) {
  Stream* stream = FindStream(on);
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (to % sizeof(Word) != 0) return CUDA_ERROR_INVALID_VALUE;
  Device* device = Current();
  Enqueue(stream, [=] {
    for (size_t row = 0; row < height; ++row) {
      char* memory = Look(device, to + row * pitch, width * sizeof(Word));
      if (memory == nullptr) return CUDA_ERROR_ILLEGAL_ADDRESS;
      for (size_t i = 0; i < width; ++i)
        std::memcpy(memory + i * sizeof(Word), &value, sizeof(Word));
    }
    return CUDA_SUCCESS;
  });
  return CUDA_SUCCESS;
}

}  // namespace

// A side without host memory has a null pointer, with any offset.
template <class T>
static T* Moved(T* host, size_t bytes) {
  return host == nullptr ? nullptr : host + bytes;
}

extern "C" {

CUresult CUDAAPI cuInit(unsigned int) {
  const Entry entry("cuInit", false);
  if (Lathe().devices.empty()) {
    // The devices that the process sees until a test calls reset.
    const char* devices = std::getenv("LATHE_FAKE_CUDA_DEVICES");
    const char* arch = std::getenv("LATHE_FAKE_CUDA_ARCH");
    lathe_fake_cuda()->reset(devices != nullptr ? std::atoi(devices) : 1,
                             arch != nullptr ? std::atoi(arch) : 80, uint64_t{1} << 30);
  }
  return entry.result();
}

CUresult CUDAAPI cuDriverGetVersion(int* version) {
  *version = 13000;
  return CUDA_SUCCESS;
}

// NVRTC calls this on a driver that is in the process, and works without it.
CUresult CUDAAPI cuGetExportTable(const void** table, const CUuuid*) {
  *table = nullptr;
  return CUDA_ERROR_NOT_FOUND;
}

CUresult CUDAAPI cuGetErrorName(CUresult error, const char** name) {
  switch (error) {
#define FAKE_NAME(code) \
  case code:            \
    *name = #code;      \
    return CUDA_SUCCESS;
    FAKE_NAME(CUDA_SUCCESS)
    FAKE_NAME(CUDA_ERROR_INVALID_VALUE)
    FAKE_NAME(CUDA_ERROR_OUT_OF_MEMORY)
    FAKE_NAME(CUDA_ERROR_NO_DEVICE)
    FAKE_NAME(CUDA_ERROR_INVALID_CONTEXT)
    FAKE_NAME(CUDA_ERROR_INVALID_HANDLE)
    FAKE_NAME(CUDA_ERROR_INVALID_IMAGE)
    FAKE_NAME(CUDA_ERROR_INVALID_PTX)
    FAKE_NAME(CUDA_ERROR_NO_BINARY_FOR_GPU)
    FAKE_NAME(CUDA_ERROR_NOT_FOUND)
    FAKE_NAME(CUDA_ERROR_NOT_READY)
    FAKE_NAME(CUDA_ERROR_ILLEGAL_ADDRESS)
    FAKE_NAME(CUDA_ERROR_LAUNCH_FAILED)
    FAKE_NAME(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
    FAKE_NAME(CUDA_ERROR_DEVICE_UNAVAILABLE)
#undef FAKE_NAME
    default:
      *name = nullptr;
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult CUDAAPI cuGetErrorString(CUresult error, const char** text) {
  switch (error) {
    case CUDA_ERROR_OUT_OF_MEMORY:
      *text = "out of memory";
      return CUDA_SUCCESS;
    case CUDA_ERROR_NO_DEVICE:
      *text = "no CUDA-capable device is detected";
      return CUDA_SUCCESS;
    case CUDA_ERROR_ILLEGAL_ADDRESS:
      *text = "an illegal memory access was encountered";
      return CUDA_SUCCESS;
    default:
      *text = "the fake driver's error";
      return CUDA_SUCCESS;
  }
}

CUresult CUDAAPI cuDeviceGetCount(int* count) {
  const Entry entry("cuDeviceGetCount", false);
  *count = static_cast<int>(Lathe().devices.size());
  return entry.result();
}

CUresult CUDAAPI cuDeviceGet(CUdevice* device, int ordinal) {
  const Entry entry("cuDeviceGet", false);
  *device = ordinal;
  return entry.result();
}

CUresult CUDAAPI cuDeviceGetName(char* name, int size, CUdevice device) {
  const std::string text = "Fake GPU " + std::to_string(device);
  std::strncpy(name, text.c_str(), static_cast<size_t>(size));
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  const Entry entry("cuDeviceGetAttribute", false);
  const int arch = Lathe().devices.at(static_cast<size_t>(device))->arch;
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      *value = arch / 10;
      break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      *value = arch % 10;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
      *value = 1024;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
      *value = 64;
      break;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
      *value = 32;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      *value = arch == 75                 ? 64 << 10
               : arch == 86 || arch == 89 ? 99 << 10
               : arch >= 90               ? 227 << 10
                                          : 163 << 10;
      break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      *value = 108;
      break;
    default:
      *value = 1;
  }
  return entry.result();
}

CUresult CUDAAPI cuDeviceTotalMem(size_t* bytes, CUdevice device) {
  *bytes = Lathe().devices.at(static_cast<size_t>(device))->total;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice id) {
  const Entry entry("cuDevicePrimaryCtxRetain", false);
  if (entry.failed()) return entry.result();
  Device* device = Lathe().devices.at(static_cast<size_t>(id)).get();
  ++device->contexts;
  *context = reinterpret_cast<CUcontext>(device);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDevicePrimaryCtxRelease(CUdevice id) {
  --Lathe().devices.at(static_cast<size_t>(id))->contexts;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxSetCurrent(CUcontext context) {
  const Entry entry("cuCtxSetCurrent", false);
  if (!entry.failed()) Current() = reinterpret_cast<Device*>(context);
  return entry.result();
}

CUresult CUDAAPI cuCtxSynchronize() {
  FAKE_ENTRY(cuCtxSynchronize);
  return DrainDevice(Current());
}

CUresult CUDAAPI cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  FAKE_ENTRY(cuCtxGetStreamPriorityRange);
  *least = 0;
  *greatest = -5;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemAlloc(CUdeviceptr* address, size_t bytes) {
  FAKE_ENTRY(cuMemAlloc);
  Device* device = Current();
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (bytes > device->total - device->used) return CUDA_ERROR_OUT_OF_MEMORY;
  const uint64_t room = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (device->next + room + kAlignment > device->end) return CUDA_ERROR_OUT_OF_MEMORY;
  auto* memory = static_cast<char*>(std::malloc(bytes));
  if (memory == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  std::memset(memory, 0xcd, bytes);  // uninitialised memory is recognisable
  *address = device->next;
  device->next += room + kAlignment;  // a gap: reading past the end is found
  device->used += bytes;
  device->allocations[*address] = {bytes, memory};
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemFree(CUdeviceptr address) {
  FAKE_ENTRY(cuMemFree);
  Device* device = Current();
  const auto found = device->allocations.find(address);
  if (found == device->allocations.end()) return CUDA_ERROR_INVALID_VALUE;
  const CUresult result = DrainDevice(device);
  device->used -= found->second.bytes;
  std::free(found->second.memory);
  device->allocations.erase(found);
  return result;
}

CUresult CUDAAPI cuMemGetInfo(size_t* free, size_t* total) {
  FAKE_ENTRY(cuMemGetInfo);
  *total = Current()->total;
  *free = Current()->total - Current()->used;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemHostAlloc(void** data, size_t bytes, unsigned int) {
  FAKE_ENTRY(cuMemHostAlloc);
  constexpr uint64_t kMost = uint64_t{1} << 32;
  *data = bytes > kMost ? nullptr : std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  if (*data == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  Lathe().host_allocations[*data] = bytes;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemFreeHost(void* data) {
  FAKE_ENTRY(cuMemFreeHost);
  if (Lathe().host_allocations.erase(data) == 0) return CUDA_ERROR_INVALID_VALUE;
  const CUresult result = DrainDevice(Current());
  std::free(data);
  return result;
}

CUresult CUDAAPI cuMemHostRegister(void* data, size_t bytes, unsigned int) {
  FAKE_ENTRY(cuMemHostRegister);
  if (!Lathe().registrations.emplace(data, bytes).second)
    return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemHostUnregister(void* data) {
  FAKE_ENTRY(cuMemHostUnregister);
  if (Lathe().registrations.erase(data) == 0) return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  Current()->allocations.erase(reinterpret_cast<CUdeviceptr>(data));
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemHostGetDevicePointer(CUdeviceptr* address, void* data, unsigned int) {
  FAKE_ENTRY(cuMemHostGetDevicePointer);
  const auto found = Lathe().registrations.find(data);
  if (found == Lathe().registrations.end()) return CUDA_ERROR_INVALID_VALUE;
  *address = reinterpret_cast<CUdeviceptr>(data);  // as unified addressing does
  Current()->allocations[*address] = {found->second, static_cast<char*>(data)};
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream on) {
  FAKE_ENTRY(cuMemcpyHtoDAsync);
  Device* device = Current();
  return PutOffCopy(
      on, [=] { return Look(device, to, bytes); },
      [=] { return static_cast<char*>(const_cast<void*>(from)); }, bytes);
}

CUresult CUDAAPI cuMemcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream on) {
  FAKE_ENTRY(cuMemcpyDtoHAsync);
  Device* device = Current();
  return PutOffCopy(
      on, [=] { return static_cast<char*>(to); }, [=] { return Look(device, from, bytes); }, bytes);
}

CUresult CUDAAPI cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream on) {
  FAKE_ENTRY(cuMemcpyDtoDAsync);
  Device* device = Current();
  return PutOffCopy(
      on, [=] { return Look(device, to, bytes); }, [=] { return Look(device, from, bytes); },
      bytes);
}

CUresult CUDAAPI cuMemcpyPeerAsync(CUdeviceptr to, CUcontext target, CUdeviceptr from,
                                   CUcontext source, size_t bytes, CUstream on) {
  FAKE_ENTRY(cuMemcpyPeerAsync);
  auto* there = reinterpret_cast<Device*>(target);
  auto* here = reinterpret_cast<Device*>(source);
  return PutOffCopy(
      on, [=] { return Look(there, to, bytes); }, [=] { return Look(here, from, bytes); }, bytes);
}

CUresult CUDAAPI cuMemcpy2DAsync(const CUDA_MEMCPY2D* request, CUstream on) {
  FAKE_ENTRY(cuMemcpy2DAsync);
  const CUDA_MEMCPY2D copy = *request;
  if (copy.srcPitch < copy.WidthInBytes || copy.dstPitch < copy.WidthInBytes ||
      copy.WidthInBytes == 0 || copy.Height == 0)
    return CUDA_ERROR_INVALID_VALUE;
  Device* device = Current();
  for (size_t row = 0; row < copy.Height; ++row) {
    const size_t from = row * copy.srcPitch, to = row * copy.dstPitch;
    const CUresult result = PutOffCopy(
        on,
        [=] {
          return Resolve(copy.dstMemoryType, device, Moved(static_cast<char*>(copy.dstHost), to),
                         copy.dstDevice + to, copy.WidthInBytes);
        },
        [=] {
          return Resolve(copy.srcMemoryType, device,
                         Moved(static_cast<const char*>(copy.srcHost), from), copy.srcDevice + from,
                         copy.WidthInBytes);
        },
        copy.WidthInBytes);
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream on) {
  FAKE_ENTRY(cuMemsetD8Async);
  return PutOffSet(to, 0, value, count, 1, on);
}
CUresult CUDAAPI cuMemsetD16Async(CUdeviceptr to, unsigned short value,  // NOLINT: cuda.h's type
                                  size_t count, CUstream on) {
  FAKE_ENTRY(cuMemsetD16Async);
  return PutOffSet(to, 0, value, count, 1, on);
}
CUresult CUDAAPI cuMemsetD32Async(CUdeviceptr to, unsigned int value, size_t count, CUstream on) {
  FAKE_ENTRY(cuMemsetD32Async);
  return PutOffSet(to, 0, value, count, 1, on);
}
CUresult CUDAAPI cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned int value, size_t width,
                                    size_t height, CUstream on) {
  FAKE_ENTRY(cuMemsetD2D32Async);
  return PutOffSet(to, pitch, value, width, height, on);
}

// Supports two dimensions and elements of 16 bits, which is what the project uses. The other rules
// are the driver's.
CUresult CUDAAPI cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank,
                                        void* address, const cuuint64_t* shape,
                                        const cuuint64_t* strides, const cuuint32_t* box,
                                        const cuuint32_t* steps, CUtensorMapInterleave interleave,
                                        CUtensorMapSwizzle swizzle, CUtensorMapL2promotion,
                                        CUtensorMapFloatOOBfill) {
  FAKE_ENTRY(cuTensorMapEncodeTiled);
  const bool known =
      rank == 2 && interleave == CU_TENSOR_MAP_INTERLEAVE_NONE &&
      (type == CU_TENSOR_MAP_DATA_TYPE_FLOAT16 || type == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
  const auto at = reinterpret_cast<uint64_t>(address);
  if (!known || reinterpret_cast<uint64_t>(map) % 64 != 0 || at % 16 != 0 || strides[0] % 16 != 0 ||
      strides[0] < shape[0] * 2 || strides[0] >= uint64_t{1} << 40)
    return CUDA_ERROR_INVALID_VALUE;
  for (int d = 0; d < 2; ++d) {
    if (shape[d] == 0 || shape[d] > uint64_t{1} << 32 || box[d] == 0 || box[d] > 256 ||
        steps[d] != 1)
      return CUDA_ERROR_INVALID_VALUE;
  }
  if (swizzle == CU_TENSOR_MAP_SWIZZLE_128B && box[0] * 2 > 128) return CUDA_ERROR_INVALID_VALUE;
  const lathe::cuda::FakeTensorMap fake = {lathe::cuda::FakeTensorMap::kMagic,
                                           at,
                                           {shape[0], shape[1]},
                                           strides[0],
                                           static_cast<uint32_t>(type),
                                           {box[0], box[1]},
                                           static_cast<uint32_t>(swizzle)};
  std::memcpy(map, &fake, sizeof(fake));
  return CUDA_SUCCESS;
}

}  // extern "C"
