// The devices of all OpenCL platforms, their queues and memory.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "backends/opencl/cl_api.h"

namespace lathe::opencl_backend {

// An in-order command queue with profiling; the host calls it a stream. A thread that puts commands
// into the queue must hold its mutex: the standard allows several threads, but drivers have hung.
struct Queue {
  cl_command_queue queue = nullptr;
  int32_t device = 0;
  std::mutex mutex;
  std::string last_kernel;  // named in asynchronous errors
};

// The host's pointer to device memory refers to this: a handle, never an address.
struct Memory {
  cl_mem mem = nullptr;
  int32_t device = 0;
  std::string scope;
  uint64_t bytes = 0;
  // Memory of scope "texture": its image is made when its rows and row length are known, at the
  // allocation or at the first launch that uses it.
  bool is_image = false;
  int64_t rows = 0, columns = 0;  // in elements
  DLDataType dtype = {kDLFloat, 32, 1};
};

struct DeviceInfo {
  std::string name, vendor, version, driver, platform, extensions;
  uint64_t global_bytes = 0, local_bytes = 0, most_bytes = 0;  // most_bytes: of one allocation
  uint64_t threads = 0;                                        // of a work-group
  uint64_t sizes[3] = {0, 0, 0};                               // of a work-group
  uint32_t units = 0, megahertz = 0, alignment = 0;
  bool fp16 = false, fp64 = false, images = false, exact_division = false;
  uint64_t image_width = 0, image_height = 0;
};

class ClDevice {
 public:
  ClDevice(int32_t id, cl_platform_id platform, cl_device_id device);

  const int32_t id;
  const cl_platform_id platform;
  const cl_device_id device;
  DeviceInfo info;

  // Made on first use. Throws "device-lost" if the device is lost.
  cl_context context();
  Queue* default_queue();
  Queue* Or(void* stream) {
    return stream == nullptr ? default_queue() : static_cast<Queue*>(stream);
  }
  Queue* NewQueue();

  std::atomic<uint64_t> allocated{0};

  // Throws unless `code` is CL_SUCCESS: "device-out-of-memory", "device-lost" (the device stays
  // lost), else "opencl-error". `what` names the action: "launching `f_kernel0`".
  void Check(cl_int code, std::string_view what);
  // Throws "device-lost" if the device is lost.
  void CheckAlive();

 private:
  void Lose(const std::string& why);
  std::mutex mutex_;
  cl_context context_ = nullptr;
  Queue* default_ = nullptr;
  std::atomic<bool> lost_{false};
  std::string why_lost_;
};

// All devices, found on first use; empty if there are none, with the reason in *why.
const std::vector<std::unique_ptr<ClDevice>>& AllDevices(std::string* why = nullptr);
// Throws "opencl-unavailable", with the reason, if there is no device of that number.
ClDevice& DeviceOf(int32_t id);

// The memory behind an allocated handle. Throws "opencl-foreign-memory" for any other pointer.
Memory& MemoryAt(void* data, std::string_view whose);
void Remember(Memory* memory);
void Forget(Memory* memory);
// Makes an image of that shape for `memory` (of scope "texture") unless it has one. Throws
// "opencl-image" if the device does not support such images or the memory has another shape
// already.
void EnsureImage(ClDevice& device, Memory& memory, int64_t rows, int64_t columns, DLDataType dtype);

// The device that this thread works on (S38).
int32_t CurrentDevice();
void SetCurrentDevice(int32_t id);

}  // namespace lathe::opencl_backend
