#include "backends/opencl/machine.h"

#include <algorithm>
#include <utility>

namespace lathe::opencl_backend {
namespace {

thread_local int32_t current_device = 0;

template <class T>
T Number(cl_device_id device, cl_device_info key, T otherwise = T()) {
  T value = otherwise;
  return Cl().clGetDeviceInfo(device, key, sizeof(value), &value, nullptr) == CL_SUCCESS
             ? value
             : otherwise;
}

std::string Text(cl_device_id device, cl_device_info key) {
  size_t size = 0;
  if (Cl().clGetDeviceInfo(device, key, 0, nullptr, &size) != CL_SUCCESS || size == 0) return "";
  std::string text(size, '\0');
  if (Cl().clGetDeviceInfo(device, key, size, text.data(), nullptr) != CL_SUCCESS) return "";
  while (!text.empty() && (text.back() == '\0' || text.back() == ' ')) text.pop_back();
  return text;
}

std::string PlatformText(cl_platform_id platform, cl_platform_info key) {
  size_t size = 0;
  if (Cl().clGetPlatformInfo(platform, key, 0, nullptr, &size) != CL_SUCCESS || size == 0)
    return "";
  std::string text(size, '\0');
  Cl().clGetPlatformInfo(platform, key, size, text.data(), nullptr);
  while (!text.empty() && (text.back() == '\0' || text.back() == ' ')) text.pop_back();
  return text;
}

DeviceInfo Describe(cl_platform_id platform, cl_device_id device) {
  DeviceInfo out;
  out.name = Text(device, CL_DEVICE_NAME);
  out.vendor = Text(device, CL_DEVICE_VENDOR);
  out.version = Text(device, CL_DEVICE_VERSION);
  out.driver = Text(device, CL_DRIVER_VERSION);
  out.extensions = " " + Text(device, CL_DEVICE_EXTENSIONS) + " ";
  out.platform =
      PlatformText(platform, CL_PLATFORM_NAME) + " " + PlatformText(platform, CL_PLATFORM_VERSION);
  out.global_bytes = Number<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE);
  out.local_bytes = Number<cl_ulong>(device, CL_DEVICE_LOCAL_MEM_SIZE);
  out.most_bytes = Number<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  out.threads = Number<size_t>(device, CL_DEVICE_MAX_WORK_GROUP_SIZE);
  size_t sizes[8] = {0};
  if (Cl().clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof(sizes), sizes, nullptr) ==
      CL_SUCCESS)
    std::copy(sizes, sizes + 3, out.sizes);
  out.units = Number<cl_uint>(device, CL_DEVICE_MAX_COMPUTE_UNITS);
  out.megahertz = Number<cl_uint>(device, CL_DEVICE_MAX_CLOCK_FREQUENCY);
  out.alignment = Number<cl_uint>(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN, 1024) / 8;
  out.images = Number<cl_bool>(device, CL_DEVICE_IMAGE_SUPPORT, CL_FALSE) == CL_TRUE;
  out.image_width = Number<size_t>(device, CL_DEVICE_IMAGE2D_MAX_WIDTH);
  out.image_height = Number<size_t>(device, CL_DEVICE_IMAGE2D_MAX_HEIGHT);
  out.fp16 = out.extensions.find(" cl_khr_fp16 ") != std::string::npos;
  out.fp64 = Number<cl_device_fp_config>(device, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
  out.exact_division = (Number<cl_device_fp_config>(device, CL_DEVICE_SINGLE_FP_CONFIG) &
                        CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  return out;
}

struct Found {
  std::vector<std::unique_ptr<ClDevice>> devices;
  std::string why;
};

Found Find() {
  Found out;
  const ClApi* cl = FindCl(&out.why);
  if (cl == nullptr) return out;
  cl_uint count = 0;
  const cl_int code = cl->clGetPlatformIDs(0, nullptr, &count);
  if (code != CL_SUCCESS || count == 0) {
    out.why = "the OpenCL loader finds no driver" +
              (code == CL_SUCCESS ? std::string() : ": " + ClErrorName(code));
    return out;
  }
  std::vector<cl_platform_id> platforms(count);
  cl->clGetPlatformIDs(count, platforms.data(), nullptr);
  std::vector<std::pair<cl_platform_id, cl_device_id>> accelerators, processors;
  for (cl_platform_id platform : platforms) {
    cl_uint devices = 0;
    if (cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &devices) != CL_SUCCESS)
      continue;
    std::vector<cl_device_id> ids(devices);
    if (cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, devices, ids.data(), nullptr) !=
        CL_SUCCESS)
      continue;
    for (cl_device_id id : ids) {
      const bool is_cpu = (Number<cl_device_type>(id, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0;
      (is_cpu ? processors : accelerators).emplace_back(platform, id);
    }
  }
  // opencl(0) is an accelerator if there is one.
  for (const auto& list : {accelerators, processors}) {
    for (const auto& [platform, id] : list) {
      out.devices.push_back(
          std::make_unique<ClDevice>(static_cast<int32_t>(out.devices.size()), platform, id));
    }
  }
  if (out.devices.empty()) out.why = "the OpenCL drivers have no device";
  return out;
}

struct Registry {
  std::mutex mutex;
  std::unordered_map<void*, Memory*> live;
};
Registry& Live() {
  static Registry* const registry = new Registry;
  return *registry;
}

bool MeansLost(cl_int code) {
  // One vendor's driver returns -9999 for a kernel that accessed invalid memory.
  return code == CL_DEVICE_NOT_AVAILABLE || code == CL_INVALID_COMMAND_QUEUE ||
         code == CL_INVALID_CONTEXT || code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST ||
         code == -9999;
}

// An image's channel type; throws if images cannot have such elements.
cl_image_format FormatOf(DLDataType dtype) {
  cl_image_format format{CL_RGBA, CL_FLOAT};
  const bool is_int = dtype.code == kDLInt, is_uint = dtype.code == kDLUInt;
  if (dtype.code == kDLFloat && dtype.bits == 32) return format;
  if (dtype.code == kDLFloat && dtype.bits == 16) {
    format.image_channel_data_type = CL_HALF_FLOAT;
    return format;
  }
  if ((is_int || is_uint) && (dtype.bits == 8 || dtype.bits == 16 || dtype.bits == 32)) {
    const cl_channel_type types[2][3] = {{CL_SIGNED_INT8, CL_SIGNED_INT16, CL_SIGNED_INT32},
                                         {CL_UNSIGNED_INT8, CL_UNSIGNED_INT16, CL_UNSIGNED_INT32}};
    format.image_channel_data_type = types[is_uint ? 1 : 0][dtype.bits == 8    ? 0
                                                            : dtype.bits == 16 ? 1
                                                                               : 2];
    return format;
  }
  throw sdk::Error(LATHE_INVALID_ARGUMENT, "opencl-image",
                   "images have no elements of code " + std::to_string(dtype.code) + ", " +
                       std::to_string(dtype.bits) + " bits");
}

}  // namespace

ClDevice::ClDevice(int32_t number, cl_platform_id platform_id, cl_device_id device_id)
    : id(number),
      platform(platform_id),
      device(device_id),
      info(Describe(platform_id, device_id)) {}

void ClDevice::CheckAlive() {
  if (!lost_) return;
  const std::lock_guard lock(mutex_);
  throw sdk::Error(LATHE_UNAVAILABLE, "device-lost",
                   "opencl(" + std::to_string(id) + ") is lost: " + why_lost_);
}

void ClDevice::Lose(const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (!lost_) why_lost_ = why;
  lost_ = true;
}

void ClDevice::Check(cl_int code, std::string_view what) {
  if (code == CL_SUCCESS) return;
  const std::string text = std::string(what) + " on opencl(" + std::to_string(id) + "), " +
                           info.name + ": " + ClErrorName(code);
  if (MeansLost(code)) {
    Lose(text);
    CheckAlive();
  }
  if (code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY ||
      code == CL_INVALID_BUFFER_SIZE || code == CL_OUT_OF_RESOURCES)
    throw sdk::Error(LATHE_RESOURCE_EXHAUSTED, "device-out-of-memory", text);
  throw sdk::Error(LATHE_INTERNAL, "opencl-error", text);
}

cl_context ClDevice::context() {
  CheckAlive();
  cl_int code = CL_SUCCESS;
  {
    const std::lock_guard lock(mutex_);
    if (context_ != nullptr) return context_;
    const cl_context_properties properties[] = {
        CL_CONTEXT_PLATFORM, reinterpret_cast<cl_context_properties>(platform), 0};
    context_ = Cl().clCreateContext(properties, 1, &device, nullptr, nullptr, &code);
    if (code == CL_SUCCESS) return context_;
    context_ = nullptr;
  }
  Check(code, "making a context");
  return nullptr;
}

Queue* ClDevice::NewQueue() {
  cl_int code = CL_SUCCESS;
  const cl_context of = context();
  auto queue = std::make_unique<Queue>();
  queue->device = id;
  queue->queue = Cl().clCreateCommandQueue(of, device, CL_QUEUE_PROFILING_ENABLE, &code);
  Check(code, "making a command queue");
  return queue.release();
}

Queue* ClDevice::default_queue() {
  CheckAlive();
  {
    const std::lock_guard lock(mutex_);
    if (default_ != nullptr) return default_;
  }
  Queue* made = NewQueue();
  const std::lock_guard lock(mutex_);
  if (default_ == nullptr) {
    default_ = made;
  } else {
    Cl().clReleaseCommandQueue(made->queue);
    delete made;
  }
  return default_;
}

const std::vector<std::unique_ptr<ClDevice>>& AllDevices(std::string* why) {
  static Found* const found = new Found(Find());
  if (why != nullptr) *why = found->why;
  return found->devices;
}

ClDevice& DeviceOf(int32_t id) {
  std::string why;
  const auto& devices = AllDevices(&why);
  if (id >= 0 && static_cast<size_t>(id) < devices.size()) return *devices[static_cast<size_t>(id)];
  if (why.empty()) why = "there are " + std::to_string(devices.size()) + " devices";
  throw sdk::Error(LATHE_UNAVAILABLE, "opencl-unavailable",
                   "there is no device opencl(" + std::to_string(id) + "): " + why,
                   "help: `lathe doctor` shows the devices that drivers report");
}

Memory& MemoryAt(void* data, std::string_view whose) {
  Registry& registry = Live();
  const std::lock_guard lock(registry.mutex);
  const auto found = registry.live.find(data);
  if (found != registry.live.end()) return *found->second;
  throw sdk::Error(LATHE_INVALID_ARGUMENT, "opencl-foreign-memory",
                   std::string(whose) + " is no memory of an OpenCL device, or was freed",
                   "help: copy the array to the device first");
}

void Remember(Memory* memory) {
  Registry& registry = Live();
  const std::lock_guard lock(registry.mutex);
  registry.live[memory] = memory;
}

void Forget(Memory* memory) {
  Registry& registry = Live();
  const std::lock_guard lock(registry.mutex);
  registry.live.erase(memory);
}

void EnsureImage(ClDevice& device, Memory& memory, int64_t rows, int64_t columns,
                 DLDataType dtype) {
  const auto refuse = [&](const std::string& what) {
    throw sdk::Error(LATHE_INVALID_ARGUMENT, "opencl-image", what);
  };
  if (!device.info.images) refuse(device.info.name + " has no images");
  if (columns % 4 != 0)
    refuse("a row of an image is made of whole texels of 4 elements, not of " +
           std::to_string(columns) + " elements");
  if (memory.mem != nullptr) {
    const bool same = memory.rows == rows && memory.columns == columns &&
                      memory.dtype.code == dtype.code && memory.dtype.bits == dtype.bits;
    if (same) return;
    // Scratch memory serves one stage after another: its old contents are not needed.
    Cl().clReleaseMemObject(memory.mem);
    memory.mem = nullptr;
  }
  const uint64_t width = static_cast<uint64_t>(columns) / 4, height = static_cast<uint64_t>(rows);
  if (width > device.info.image_width || height > device.info.image_height)
    refuse("an image of " + std::to_string(width) + " x " + std::to_string(height) +
           " texels is more than the device's " + std::to_string(device.info.image_width) + " x " +
           std::to_string(device.info.image_height));
  const cl_image_format format = FormatOf(dtype);
  cl_image_desc description{};
  description.image_type = CL_MEM_OBJECT_IMAGE2D;
  description.image_width = std::max<size_t>(width, 1);
  description.image_height = std::max<size_t>(height, 1);
  cl_int code = CL_SUCCESS;
  memory.mem = Cl().clCreateImage(device.context(), CL_MEM_READ_WRITE, &format, &description,
                                  nullptr, &code);
  if (code == CL_SUCCESS) {
    memory.rows = rows;
    memory.columns = columns;
    memory.dtype = dtype;
    return;
  }
  memory.mem = nullptr;
  device.Check(code, "making an image of " + std::to_string(width) + " x " +
                         std::to_string(height) + " texels");
}

int32_t CurrentDevice() { return current_device; }
void SetCurrentDevice(int32_t id) { current_device = id; }

}  // namespace lathe::opencl_backend
