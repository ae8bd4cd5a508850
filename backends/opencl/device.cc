#include "backends/opencl/device.h"

#include <algorithm>
#include <memory>
#include <string>

#include "backends/opencl/copy.h"
#include "backends/opencl/machine.h"
#include "lathe/abi/names.h"

namespace lathe::opencl_backend {
namespace {

constexpr uint64_t kMegahertz = 1000;  // in kHz

// Properties that other devices do not have.
constexpr char kPlatform[] = "platform";
constexpr char kExtensions[] = "extensions";
constexpr char kMaxAllocation[] = "max_allocation";
constexpr char kFp16[] = "fp16";
constexpr char kFp64[] = "fp64";
constexpr char kImages[] = "images";

struct Event {
  std::mutex mutex;
  cl_event event = nullptr;  // null: not recorded yet
};

cl_event Recorded(void* event) {
  auto* of = static_cast<Event*>(event);
  const std::lock_guard lock(of->mutex);
  if (of->event == nullptr)
    throw sdk::Error(LATHE_FAILED_PRECONDITION, "opencl-event",
                     "an event is used before it is recorded");
  return of->event;
}

struct Release {
  void operator()(Memory* memory) const {
    // Queued commands keep their memory until they have run.
    if (memory->mem != nullptr) Cl().clReleaseMemObject(memory->mem);
    delete memory;
  }
};

}  // namespace

void Finish(ClDevice& device, Queue& queue) {
  device.CheckAlive();
  const std::lock_guard lock(queue.mutex);
  const cl_int code = Cl().clFinish(queue.queue);
  if (code == CL_SUCCESS) return;
  const std::string& kernel = queue.last_kernel;
  device.Check(code, kernel.empty() ? "waiting for a queue" : "running `" + kernel + "`");
}

int32_t OpenClDevice::Count() {
  std::string why;
  const size_t count = AllDevices(&why).size();
  if (count == 0) sdk::Log(LATHE_LOG_INFO, "opencl.unavailable", "no OpenCL device: " + why);
  return static_cast<int32_t>(count);
}

sdk::Value OpenClDevice::Attribute(int32_t id, std::string_view key) {
  const DeviceInfo& info = DeviceOf(id).info;
  const auto number = [](uint64_t value) { return sdk::Value(static_cast<int64_t>(value)); };
  if (key == LATHE_PROPERTY_NAME) return sdk::Value(info.name);
  if (key == LATHE_PROPERTY_VENDOR) return sdk::Value(info.vendor);
  if (key == LATHE_PROPERTY_ARCH) return sdk::Value(info.version);
  if (key == LATHE_PROPERTY_DRIVER_VERSION) return sdk::Value(info.driver);
  if (key == kPlatform) return sdk::Value(info.platform);
  if (key == kExtensions) return sdk::Value(info.extensions);
  if (key == LATHE_PROPERTY_TOTAL_MEMORY) return number(info.global_bytes);
  if (key == LATHE_PROPERTY_MAX_THREADS_PER_BLOCK) return number(info.threads);
  if (key == LATHE_PROPERTY_MAX_SHARED_MEMORY_PER_BLOCK) return number(info.local_bytes);
  if (key == kMaxAllocation) return number(info.most_bytes);
  if (key == LATHE_PROPERTY_MULTI_PROCESSOR_COUNT) return number(info.units);
  if (key == LATHE_PROPERTY_MAX_CLOCK_KHZ) return number(info.megahertz * kMegahertz);
  if (key == kFp16) return sdk::Value(info.fp16);
  if (key == kFp64) return sdk::Value(info.fp64);
  if (key == kImages) return sdk::Value(info.images);
  if (key == LATHE_PROPERTY_MAX_THREAD_DIMENSIONS)
    return sdk::Value(std::to_string(info.sizes[0]) + "," + std::to_string(info.sizes[1]) + "," +
                      std::to_string(info.sizes[2]));
  return {};
}

void* OpenClDevice::Alloc(int32_t id, const lathe_alloc_request& request) {
  ClDevice& device = DeviceOf(id);
  device.CheckAlive();
  const std::string scope = request.scope;
  if (scope != LATHE_SCOPE_GLOBAL && scope != LATHE_SCOPE_TEXTURE)
    throw sdk::Error(
        LATHE_INVALID_ARGUMENT, "device-no-such-scope",
        "OpenCL allocates memory of scope \"global\" and \"texture\", not \"" + scope + "\"");
  std::unique_ptr<Memory, Release> memory(new Memory);
  memory->device = id;
  memory->scope = scope;
  memory->bytes = request.bytes;
  const auto exhausted = [&](const std::string& why) {
    throw sdk::Error(LATHE_RESOURCE_EXHAUSTED, "device-out-of-memory",
                     std::to_string(request.bytes) + " bytes on opencl(" + std::to_string(id) +
                         "), " + device.info.name + ": " + why);
  };
  if (request.bytes > device.info.most_bytes)
    exhausted("the most in one allocation is " + std::to_string(device.info.most_bytes));
  const uint64_t before = device.allocated.load();
  // Drivers that use host memory as device memory accept any size and fail when the memory is used.
  if (request.bytes > device.info.global_bytes - std::min(before, device.info.global_bytes))
    exhausted(std::to_string(before) + " of " + std::to_string(device.info.global_bytes) +
              " bytes are taken");
  if (request.alignment > std::max<uint64_t>(device.info.alignment, 1))
    throw sdk::Error(LATHE_INVALID_ARGUMENT, "opencl-alignment",
                     "memory is aligned to " + std::to_string(device.info.alignment) +
                         " bytes, not to " + std::to_string(request.alignment));
  if (scope == LATHE_SCOPE_TEXTURE) {
    memory->is_image = true;
    // Rows of texels: the last dimension is a row, the others are the rows. Scratch memory has no
    // shape and gets its image from the first kernel that uses it.
    if (request.ndim >= 1 && request.shape != nullptr) {
      int64_t rows = 1;
      for (int32_t d = 0; d + 1 < request.ndim; ++d) rows *= request.shape[d];
      EnsureImage(device, *memory, rows, request.shape[request.ndim - 1] * request.dtype.lanes,
                  request.dtype);
    }
  } else {
    cl_int code = CL_SUCCESS;
    memory->mem =
        Cl().clCreateBuffer(device.context(), CL_MEM_READ_WRITE, request.bytes, nullptr, &code);
    if (code != CL_SUCCESS)
      device.Check(code, "allocating " + std::to_string(request.bytes) + " bytes");
  }
  Remember(memory.get());
  device.allocated += request.bytes;
  return memory.release();
}

void OpenClDevice::Free(int32_t id, std::string_view, void* data) {
  Memory& memory = MemoryAt(data, "what is to be freed");
  Forget(&memory);
  DeviceOf(id).allocated -= memory.bytes;
  Release()(&memory);
}

sdk::MemoryInfo OpenClDevice::GetMemoryInfo(int32_t id, std::string_view) {
  ClDevice& device = DeviceOf(id);
  const uint64_t total = device.info.global_bytes;
  return {.free = total - std::min(total, device.allocated.load()), .total = total};
}

void OpenClDevice::Copy(const DLTensor& from, DLTensor& to, void* stream) {
  CopyTensor(from, to, stream);
}

void OpenClDevice::Fill(int32_t id, void* data, uint64_t offset, uint64_t bytes, uint64_t pattern,
                        int32_t pattern_bytes, void* stream) {
  if (bytes == 0) return;
  ClDevice& device = DeviceOf(id);
  Memory& memory = MemoryAt(data, "what is to be filled");
  if (memory.is_image)
    throw sdk::Error(LATHE_UNIMPLEMENTED, "device-unsupported", "images are not filled");
  device.CheckAlive();
  Queue& queue = *device.Or(stream);
  const std::lock_guard lock(queue.mutex);
  device.Check(Cl().clEnqueueFillBuffer(queue.queue, memory.mem, &pattern,
                                        static_cast<size_t>(pattern_bytes), offset, bytes, 0,
                                        nullptr, nullptr),
               "filling memory");
}

void* OpenClDevice::NewStream(int32_t id, std::string_view) { return DeviceOf(id).NewQueue(); }

void OpenClDevice::FreeStream(int32_t id, void* stream) {
  ClDevice& device = DeviceOf(id);
  const std::unique_ptr<Queue> queue(static_cast<Queue*>(stream));
  const cl_int code = Cl().clFinish(queue->queue);
  Cl().clReleaseCommandQueue(queue->queue);
  if (code == CL_SUCCESS) return;
  const std::string& kernel = queue->last_kernel;
  device.Check(code, kernel.empty() ? "closing a queue" : "running `" + kernel + "`");
}

void OpenClDevice::SyncStream(int32_t id, void* stream) {
  ClDevice& device = DeviceOf(id);
  Finish(device, *device.Or(stream));
}

void* OpenClDevice::NewEvent(int32_t id) {
  DeviceOf(id).CheckAlive();
  return new Event;
}

void OpenClDevice::FreeEvent(int32_t, void* event) {
  auto* of = static_cast<Event*>(event);
  if (of->event != nullptr) Cl().clReleaseEvent(of->event);
  delete of;
}

void OpenClDevice::RecordEvent(int32_t id, void* event, void* stream) {
  ClDevice& device = DeviceOf(id);
  cl_event made = nullptr;
  Queue* queue = device.Or(stream);
  const std::lock_guard queue_lock(queue->mutex);
  device.Check(Cl().clEnqueueMarkerWithWaitList(queue->queue, 0, nullptr, &made),
               "recording an event");
  // Others may wait for the event without flushing this queue.
  device.Check(Cl().clFlush(queue->queue), "recording an event");
  auto* of = static_cast<Event*>(event);
  const std::lock_guard lock(of->mutex);
  if (of->event != nullptr) Cl().clReleaseEvent(of->event);
  of->event = made;
}

void OpenClDevice::WaitEvent(int32_t id, void* event, void* stream) {
  ClDevice& device = DeviceOf(id);
  const cl_event of = Recorded(event);
  Queue& queue = *device.Or(stream);
  const std::lock_guard lock(queue.mutex);
  device.Check(Cl().clEnqueueBarrierWithWaitList(queue.queue, 1, &of, nullptr),
               "waiting for an event");
}

void OpenClDevice::SyncEvent(int32_t id, void* event) {
  ClDevice& device = DeviceOf(id);
  device.CheckAlive();
  const cl_event of = Recorded(event);
  device.Check(Cl().clWaitForEvents(1, &of), "waiting for an event");
}

double OpenClDevice::ElapsedNanoseconds(int32_t id, void* start, void* end) {
  ClDevice& device = DeviceOf(id);
  cl_ulong times[2] = {0, 0};
  void* const events[2] = {start, end};
  for (int i = 0; i < 2; ++i) {
    device.Check(Cl().clGetEventProfilingInfo(Recorded(events[i]), CL_PROFILING_COMMAND_END,
                                              sizeof(cl_ulong), &times[i], nullptr),
                 "reading an event's clock");
  }
  return static_cast<double>(times[1]) - static_cast<double>(times[0]);
}

void OpenClDevice::MakeCurrent(int32_t id) {
  DeviceOf(id).CheckAlive();
  SetCurrentDevice(id);
}

void OpenClDevice::Status(int32_t id) { DeviceOf(id).CheckAlive(); }

}  // namespace lathe::opencl_backend
