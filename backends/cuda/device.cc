#include "backends/cuda/device.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <new>

#include "backends/cuda/context.h"
#include "backends/cuda/copy.h"
#include "lathe/abi/names.h"

namespace lathe::cuda {
namespace {

using sdk::Value;

// The alignment of the driver's allocations.
constexpr uint64_t kDriverAlignment = 256;

CUdeviceptr AsPointer(const void* data) { return reinterpret_cast<CUdeviceptr>(data); }
void* AsData(CUdeviceptr pointer) { return reinterpret_cast<void*>(pointer); }
CUstream AsStream(void* stream) { return static_cast<CUstream>(stream); }
CUevent AsEvent(void* event) { return static_cast<CUevent>(event); }

[[noreturn]] void NoSuchScope(std::string_view scope) {
  throw sdk::Error(LATHE_INVALID_ARGUMENT, "device-no-such-scope",
                   "memory of scope \"" + std::string(scope) + "\" cannot be allocated on cuda",
                   "expected: \"global\"");
}

// The keys of Attribute whose values are numbers from the driver.
const std::map<std::string_view, CUdevice_attribute>& NumberAttributes() {
  static const auto& known = *new std::map<std::string_view, CUdevice_attribute>{
      {LATHE_PROPERTY_MAX_THREADS_PER_BLOCK, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK},
      {LATHE_PROPERTY_WARP_SIZE, CU_DEVICE_ATTRIBUTE_WARP_SIZE},
      // The most that a kernel may request; without a request it gets 48 KiB.
      {LATHE_PROPERTY_MAX_SHARED_MEMORY_PER_BLOCK,
       CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN},
      {LATHE_PROPERTY_MAX_REGISTERS_PER_BLOCK, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK},
      {LATHE_PROPERTY_MULTI_PROCESSOR_COUNT, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
      {LATHE_PROPERTY_MAX_CLOCK_KHZ, CU_DEVICE_ATTRIBUTE_CLOCK_RATE},
      {"memory_clock_khz", CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE},
      {"memory_bus_bits", CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH},
      {"l2_cache_size", CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE},
      {"compute_capability_major", CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR},
      {"compute_capability_minor", CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR},
      {"concurrent_kernels", CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS},
      {"async_engine_count", CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT},
  };
  return known;
}

class CudaDevice final : public sdk::DeviceAPI {
 public:
  uint64_t flags() const override { return LATHE_DEVICE_POINTER_ARITHMETIC; }
  bool CopiesStrided() const override { return true; }

  int32_t Count() override {
    const Driver* driver = FindDriver();
    return driver == nullptr ? 0 : driver->device_count;
  }

  Value Attribute(int32_t id, std::string_view key) override {
    Context& context = Context::Of(id);
    const Driver& driver = context.driver();
    if (const auto found = NumberAttributes().find(key); found != NumberAttributes().end())
      return context.Attribute(found->second);
    if (key == LATHE_PROPERTY_NAME) {
      char name[256] = {};
      context.Check(driver.cuDeviceGetName(name, sizeof(name) - 1, context.device()),
                    "reading the device's name");
      return name;
    }
    if (key == LATHE_PROPERTY_VENDOR) return "NVIDIA";
    if (key == LATHE_PROPERTY_ARCH) return std::string_view(ArchOf(id));
    if (key == LATHE_PROPERTY_DRIVER_VERSION) {
      return std::string_view(std::to_string(driver.version / 1000) + "." +
                              std::to_string(driver.version % 1000 / 10));
    }
    if (key == LATHE_PROPERTY_TOTAL_MEMORY) {
      size_t bytes = 0;
      context.Check(driver.cuDeviceTotalMem(&bytes, context.device()), "reading the memory's size");
      return static_cast<int64_t>(bytes);
    }
    if (key == LATHE_PROPERTY_MAX_THREAD_DIMENSIONS) {
      std::string text;
      for (const CUdevice_attribute axis :
           {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,
            CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z})
        text += (text.empty() ? "" : ",") + std::to_string(context.Attribute(axis));
      return std::string_view(text);
    }
    return {};
  }

  void* Alloc(int32_t id, const lathe_alloc_request& request) override {
    if (std::string_view(request.scope) != LATHE_SCOPE_GLOBAL) NoSuchScope(request.scope);
    Context& context = Enter(id);
    const uint64_t more = request.alignment > kDriverAlignment ? request.alignment : 0;
    CUdeviceptr base = 0;
    const std::string doing = "allocating " + std::to_string(request.bytes) + " bytes";
    if (request.bytes + more < request.bytes)
      throw sdk::Error(LATHE_RESOURCE_EXHAUSTED, "device-out-of-memory",
                       doing + " is more than there can be");
    context.Check(context.driver().cuMemAlloc(&base, request.bytes + more), doing);
    if (more == 0) return AsData(base);
    const CUdeviceptr aligned = (base + more - 1) / more * more;
    try {
      const std::lock_guard<std::mutex> lock(mutex_);
      bases_[{id, aligned}] = base;
    } catch (const std::bad_alloc&) {
      context.driver().cuMemFree(base);
      throw;
    }
    return AsData(aligned);
  }

  void Free(int32_t id, std::string_view scope, void* data) override {
    if (scope != LATHE_SCOPE_GLOBAL) NoSuchScope(scope);
    Context& context = Context::Of(id);
    CUdeviceptr base = AsPointer(data);
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (const auto found = bases_.find({id, base}); found != bases_.end()) {
        base = found->second;
        bases_.erase(found);
      }
    }
    context.MakeCurrent();
    // Waits for all work that uses the memory.
    context.Check(context.driver().cuMemFree(base), "freeing memory");
  }

  sdk::MemoryInfo GetMemoryInfo(int32_t id, std::string_view scope) override {
    if (scope != LATHE_SCOPE_GLOBAL) NoSuchScope(scope);
    Context& context = Enter(id);
    size_t free = 0, total = 0;
    context.Check(context.driver().cuMemGetInfo(&free, &total), "reading how much memory is free");
    return {free, total};
  }

  void Copy(const DLTensor& from, DLTensor& to, void* stream) override {
    CopyTensor(from, to, AsStream(stream));
  }

  void Fill(int32_t id, void* data, uint64_t offset, uint64_t bytes, uint64_t pattern,
            int32_t pattern_bytes, void* stream) override {
    Context& context = Enter(id);
    const Driver& driver = context.driver();
    const CUdeviceptr to = AsPointer(data) + offset;
    const CUstream on = AsStream(stream);
    const auto width = static_cast<uint64_t>(pattern_bytes);
    if ((width != 1 && width != 2 && width != 4 && width != 8) || bytes % width != 0) {
      throw sdk::Error(LATHE_INVALID_ARGUMENT, "device-bad-fill",
                       "a pattern of " + std::to_string(pattern_bytes) + " bytes does not fill " +
                           std::to_string(bytes) + " bytes",
                       "expected: 1, 2, 4 or 8 bytes that divide them");
    }
    if (bytes == 0) return;
    const auto low = static_cast<unsigned>(pattern), high = static_cast<unsigned>(pattern >> 32);
    CUresult result = CUDA_SUCCESS;
    if (to % width != 0 || (width == 8 && to % 4 != 0)) {
      // The driver fills whole words only; the host copies instead.
      throw sdk::Error(LATHE_UNIMPLEMENTED, "device-unsupported",
                       "this device fills at addresses that its pattern's size divides");
    }
    if (width == 1) {
      result = driver.cuMemsetD8Async(to, static_cast<unsigned char>(pattern), bytes, on);
    } else if (width == 2) {
      result = driver.cuMemsetD16Async(to, static_cast<uint16_t>(pattern), bytes / 2, on);
    } else if (width == 4 || low == high) {
      result = driver.cuMemsetD32Async(to, low, bytes / 4, on);
    } else {
      // Every second word: two columns of width one.
      result = driver.cuMemsetD2D32Async(to, 8, low, 1, bytes / 8, on);
      if (result == CUDA_SUCCESS)
        result = driver.cuMemsetD2D32Async(to + 4, 8, high, 1, bytes / 8, on);
    }
    context.Check(result, "filling memory");
  }

  void* NewStream(int32_t id, std::string_view kind) override {
    Context& context = Enter(id);
    int priority = 0;
    if (kind == LATHE_STREAM_HIGH_PRIORITY) {
      int least = 0;
      context.Check(context.driver().cuCtxGetStreamPriorityRange(&least, &priority),
                    "reading the priorities of streams");
    }
    CUstream stream = nullptr;
    context.Check(
        context.driver().cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, priority),
        "making a stream");
    return stream;
  }
  void FreeStream(int32_t id, void* stream) override {
    Context& context = Enter(id);
    context.Forget(AsStream(stream));
    context.Check(context.driver().cuStreamDestroy(AsStream(stream)), "freeing a stream");
  }
  void SyncStream(int32_t id, void* stream) override {
    Context& context = Enter(id);
    context.CheckWaited(context.driver().cuStreamSynchronize(AsStream(stream)), AsStream(stream),
                        "waiting for a stream");
  }

  void* NewEvent(int32_t id) override {
    Context& context = Enter(id);
    CUevent event = nullptr;
    context.Check(context.driver().cuEventCreate(&event, CU_EVENT_DEFAULT), "making an event");
    return event;
  }
  void FreeEvent(int32_t id, void* event) override {
    Context& context = Enter(id);
    context.Check(context.driver().cuEventDestroy(AsEvent(event)), "freeing an event");
  }
  void RecordEvent(int32_t id, void* event, void* stream) override {
    Context& context = Enter(id);
    context.Check(context.driver().cuEventRecord(AsEvent(event), AsStream(stream)),
                  "recording an event");
  }
  void WaitEvent(int32_t id, void* event, void* stream) override {
    Context& context = Enter(id);
    context.Check(context.driver().cuStreamWaitEvent(AsStream(stream), AsEvent(event), 0),
                  "making a stream wait");
  }
  void SyncEvent(int32_t id, void* event) override {
    Context& context = Enter(id);
    context.Check(context.driver().cuEventSynchronize(AsEvent(event)), "waiting for an event");
  }
  double ElapsedNanoseconds(int32_t id, void* start, void* end) override {
    Context& context = Enter(id);
    float milliseconds = 0;
    context.Check(context.driver().cuEventElapsedTime(&milliseconds, AsEvent(start), AsEvent(end)),
                  "reading the time between events");
    return static_cast<double>(milliseconds) * 1e6;
  }

  void* WrapHost(int32_t id, void* host, uint64_t bytes) override {
    Context& context = Enter(id);
    const Driver& driver = context.driver();
    context.Check(driver.cuMemHostRegister(
                      host, bytes, CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP),
                  "page-locking host memory");
    CUdeviceptr pointer = 0;
    const CUresult result = driver.cuMemHostGetDevicePointer(&pointer, host, 0);
    if (result != CUDA_SUCCESS) driver.cuMemHostUnregister(host);
    context.Check(result, "mapping host memory");
    try {
      const std::lock_guard<std::mutex> lock(mutex_);
      wrapped_[{id, pointer}] = host;
    } catch (const std::bad_alloc&) {
      driver.cuMemHostUnregister(host);
      throw;
    }
    return AsData(pointer);
  }
  void UnwrapHost(int32_t id, void* data) override {
    Context& context = Enter(id);
    void* host = nullptr;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      const auto found = wrapped_.find({id, AsPointer(data)});
      if (found == wrapped_.end())
        throw sdk::Error(LATHE_INVALID_ARGUMENT, "cuda-error", "this memory was not wrapped");
      host = found->second;
      wrapped_.erase(found);
    }
    context.Check(context.driver().cuMemHostUnregister(host), "unlocking host memory");
  }

  void MakeCurrent(int32_t id) override { Context::Of(id).MakeCurrent(); }
  void Status(int32_t id) override { Context::Of(id).CheckAlive(); }

 private:
  static Context& Enter(int32_t id) {
    Context& context = Context::Of(id);
    context.MakeCurrent();
    return context;
  }

  using Place = std::pair<int32_t, CUdeviceptr>;
  std::mutex mutex_;
  std::map<Place, CUdeviceptr> bases_;  // of allocations with a larger alignment than the driver's
  std::map<Place, void*> wrapped_;
};

class PinnedDevice final : public sdk::DeviceAPI {
 public:
  uint64_t flags() const override {
    return LATHE_DEVICE_POINTER_ARITHMETIC | LATHE_DEVICE_HOST_VISIBLE;
  }
  int32_t Count() override { return FindDriver() == nullptr ? 0 : 1; }
  Value Attribute(int32_t id, std::string_view key) override {
    CheckId(id);
    if (key == LATHE_PROPERTY_NAME) return "page-locked host memory";
    return {};
  }
  void* Alloc(int32_t id, const lathe_alloc_request& request) override {
    CheckId(id);
    if (std::string_view(request.scope) != LATHE_SCOPE_GLOBAL) NoSuchScope(request.scope);
    Context& context = Context::Of(0);
    context.MakeCurrent();
    void* data = nullptr;
    const std::string doing =
        "allocating " + std::to_string(request.bytes) + " bytes of page-locked memory";
    if (request.alignment > 4096)
      throw sdk::Error(LATHE_INVALID_ARGUMENT, "cuda-error",
                       doing + " aligned to " + std::to_string(request.alignment),
                       "expected: an alignment of at most 4096");
    context.Check(context.driver().cuMemHostAlloc(&data, request.bytes, CU_MEMHOSTALLOC_PORTABLE),
                  doing);
    return data;
  }
  void Free(int32_t id, std::string_view, void* data) override {
    CheckId(id);
    Context& context = Context::Of(0);
    context.MakeCurrent();
    context.Check(context.driver().cuMemFreeHost(data), "freeing page-locked memory");
  }
  void Copy(const DLTensor& from, DLTensor& to, void*) override {
    std::memcpy(sdk::DataOf(to), sdk::DataOf(from), sdk::NumBytes(from));
  }
  void* ExportHost(int32_t id, void* data, uint64_t) override { return CheckId(id), data; }
  void MakeCurrent(int32_t id) override { CheckId(id); }

 private:
  static void CheckId(int32_t id) {
    GetDriver();
    if (id != 0)
      throw sdk::Error(LATHE_NOT_FOUND, "cuda-no-device",
                       "there is no device cuda_host:" + std::to_string(id), "expected: 0");
  }
};

}  // namespace

std::string ArchOf(int32_t id) {
  Context& context = Context::Of(id);
  const int major = context.Attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
            minor = context.Attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  const int number = major * 10 + minor;
  return "sm_" + std::to_string(number) + (number == 90 || number == 100 ? "a" : "");
}

std::unique_ptr<sdk::DeviceAPI> MakeCudaDevice() { return std::make_unique<CudaDevice>(); }
std::unique_ptr<sdk::DeviceAPI> MakePinnedDevice() { return std::make_unique<PinnedDevice>(); }

}  // namespace lathe::cuda
