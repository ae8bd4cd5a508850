// The fake driver's streams, events, modules and launches.

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "backends/cuda/fake/state.h"

using namespace lathe::cuda::fake;  // NOLINT: this file is C functions over that state

namespace {

State& Lathe() { return State::Get(); }

constexpr unsigned kMaxThreads = 1024;

Event* FindEvent(CUevent event) {
  const auto found = Lathe().events.find(reinterpret_cast<Event*>(event));
  return found == Lathe().events.end() ? nullptr : *found;
}

// Runs the work that was queued before the event's last record.
CUresult Reach(Event* event) {
  while (event->waiting > 0) {
    Stream* stream = event->stream == nullptr ? &event->device->default_stream
                                              : reinterpret_cast<Stream*>(event->stream);
    if (const CUresult result = Drain(stream); result != CUDA_SUCCESS) return result;
  }
  return event->device->fault;
}

// Copies the parameters at the launch: their memory may be gone when the kernel runs.
std::vector<std::vector<char>> ReadParams(const Kernel& kernel, void** params) {
  std::vector<std::vector<char>> values;
  for (size_t i = 0; i < kernel.param_bytes.size(); ++i) {
    const char* bytes = static_cast<const char*>(params[i]);
    values.emplace_back(bytes, bytes + kernel.param_bytes[i]);
  }
  return values;
}

CUresult Launch(CUfunction function, const unsigned (&grid)[3], const unsigned (&block)[3],
                unsigned shared_bytes, CUstream on, void** params, bool cooperative) {
  auto* kernel = reinterpret_cast<Kernel*>(function);
  Stream* stream = FindStream(on);
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  Device* device = Current();
  if (kernel->module->device != device || stream->device != device)
    return CUDA_ERROR_INVALID_CONTEXT;
  for (int i = 0; i < 3; ++i) {
    if (grid[i] == 0 || block[i] == 0 || grid[i] > (i == 0 ? 0x7fffffffu : 65535u))
      return CUDA_ERROR_INVALID_VALUE;
  }
  if (static_cast<uint64_t>(block[0]) * block[1] * block[2] > kMaxThreads || block[2] > 64 ||
      static_cast<int64_t>(shared_bytes) > kernel->max_dynamic_shared)
    return CUDA_ERROR_INVALID_VALUE;
  const std::string name = kernel->name;
  const std::vector<uint64_t> sizes = kernel->param_bytes;
  std::vector<unsigned> dims = {grid[0], grid[1], grid[2], block[0], block[1], block[2]};
  Enqueue(stream, [=, values = ReadParams(*kernel, params)] {
    const auto found = Lathe().kernels.find(name);
    if (found == Lathe().kernels.end())
      return std::getenv("LATHE_FAKE_CUDA_IDLE") ? CUDA_SUCCESS : CUDA_ERROR_LAUNCH_FAILED;
    std::vector<const void*> pointers;
    for (const std::vector<char>& value : values) pointers.push_back(value.data());
    lathe::cuda::FakeLaunch launch = {};
    launch.kernel = name.c_str();
    launch.device = device->id;
    for (size_t i = 0; i < 3; ++i) {
      launch.grid[i] = dims[i];
      launch.block[i] = dims[i + 3];
    }
    launch.shared_bytes = shared_bytes;
    launch.cooperative = cooperative;
    launch.num_params = static_cast<int>(pointers.size());
    launch.params = pointers.data();
    launch.param_bytes = sizes.data();
    ++Lathe().launches;
    return found->second.first(found->second.second, launch);
  });
  return CUDA_SUCCESS;
}

}  // namespace

extern "C" {

CUresult CUDAAPI cuStreamCreateWithPriority(CUstream* stream, unsigned int flags, int) {
  FAKE_ENTRY(cuStreamCreateWithPriority);
  if ((flags & CU_STREAM_NON_BLOCKING) == 0) return CUDA_ERROR_INVALID_VALUE;  // unsupported
  auto* made = new Stream;
  made->device = Current();
  Lathe().streams.insert(made);
  *stream = reinterpret_cast<CUstream>(made);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamDestroy(CUstream handle) {
  FAKE_ENTRY(cuStreamDestroy);
  Stream* stream = handle == nullptr ? nullptr : FindStream(handle);
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  const CUresult result = Drain(stream);
  Lathe().streams.erase(stream);
  delete stream;
  return result;
}

CUresult CUDAAPI cuStreamSynchronize(CUstream handle) {
  FAKE_ENTRY(cuStreamSynchronize);
  Stream* stream = FindStream(handle);
  return stream == nullptr ? CUDA_ERROR_INVALID_HANDLE : Drain(stream);
}

CUresult CUDAAPI cuStreamWaitEvent(CUstream handle, CUevent which, unsigned int) {
  FAKE_ENTRY(cuStreamWaitEvent);
  Stream* stream = FindStream(handle);
  Event* event = FindEvent(which);
  if (stream == nullptr || event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (event->waiting > 0 && event->stream != handle) {
    // The event may be gone or recorded again by then; the work that counts is queued before it
    // now.
    Stream* other = event->stream == nullptr ? &event->device->default_stream
                                             : reinterpret_cast<Stream*>(event->stream);
    Enqueue(stream, [other] { return Drain(other); });
  }
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuEventCreate(CUevent* event, unsigned int flags) {
  FAKE_ENTRY(cuEventCreate);
  auto* made = new Event;
  made->device = Current();
  made->timing = (flags & CU_EVENT_DISABLE_TIMING) == 0;
  Lathe().events.insert(made);
  *event = reinterpret_cast<CUevent>(made);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuEventDestroy(CUevent handle) {
  FAKE_ENTRY(cuEventDestroy);
  Event* event = FindEvent(handle);
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  Lathe().events.erase(event);
  delete event;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuEventRecord(CUevent handle, CUstream on) {
  FAKE_ENTRY(cuEventRecord);
  Stream* stream = FindStream(on);
  Event* event = FindEvent(handle);
  if (stream == nullptr || event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (event->device != stream->device) return CUDA_ERROR_INVALID_HANDLE;
  event->recorded = true;
  event->stream = on;
  ++event->waiting;
  Enqueue(stream, [event] {
    if (Lathe().events.count(event) == 0) return CUDA_SUCCESS;
    --event->waiting;
    event->milliseconds = event->device->clock;
    return CUDA_SUCCESS;
  });
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuEventSynchronize(CUevent handle) {
  FAKE_ENTRY(cuEventSynchronize);
  Event* event = FindEvent(handle);
  return event == nullptr ? CUDA_ERROR_INVALID_HANDLE : Reach(event);
}

CUresult CUDAAPI cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  FAKE_ENTRY(cuEventElapsedTime);
  const Event* from = FindEvent(start);
  const Event* to = FindEvent(end);
  if (from == nullptr || to == nullptr || !from->recorded || !to->recorded || !from->timing ||
      !to->timing)
    return CUDA_ERROR_INVALID_HANDLE;
  if (from->waiting > 0 || to->waiting > 0) return CUDA_ERROR_NOT_READY;
  *milliseconds = static_cast<float>(to->milliseconds - from->milliseconds);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned int count,
                                    CUjit_option* options, void** values) {
  FAKE_ENTRY(cuModuleLoadDataEx);
  auto made = std::make_unique<Module>();
  made->device = Current();
  const CUresult result = ReadImage(image, Current()->arch, &made->kernels);
  for (unsigned i = 0; i < count && result != CUDA_SUCCESS; ++i) {
    // The driver's compiler writes its log into the buffer that the options name.
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
      std::strcpy(static_cast<char*>(values[i]), "fake ptxas: no such image");
  }
  if (result != CUDA_SUCCESS) return result;
  for (auto& [name, kernel] : made->kernels) kernel.module = made.get();
  *module = reinterpret_cast<CUmodule>(made.get());
  Lathe().modules.insert(made.release());
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuModuleUnload(CUmodule handle) {
  FAKE_ENTRY(cuModuleUnload);
  auto* module = reinterpret_cast<Module*>(handle);
  if (Lathe().modules.erase(module) == 0) return CUDA_ERROR_INVALID_HANDLE;
  if (module->device != Current()) return CUDA_ERROR_INVALID_CONTEXT;
  const CUresult result = DrainDevice(module->device);
  delete module;
  return result;
}

CUresult CUDAAPI cuModuleGetFunction(CUfunction* function, CUmodule handle, const char* name) {
  FAKE_ENTRY(cuModuleGetFunction);
  auto* module = reinterpret_cast<Module*>(handle);
  const auto found = module->kernels.find(name);
  if (found == module->kernels.end()) return CUDA_ERROR_NOT_FOUND;
  *function = reinterpret_cast<CUfunction>(&found->second);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute,
                                    int value) {
  FAKE_ENTRY(cuFuncSetAttribute);
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) return CUDA_SUCCESS;
  auto* kernel = reinterpret_cast<Kernel*>(function);
  int most = 0;
  cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, Current()->id);
  if (value + kernel->static_shared > most) return CUDA_ERROR_INVALID_VALUE;
  kernel->max_dynamic_shared = value;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuFuncGetAttribute(int* value, CUfunction_attribute attribute,
                                    CUfunction function) {
  FAKE_ENTRY(cuFuncGetAttribute);
  const auto* kernel = reinterpret_cast<Kernel*>(function);
  *value = attribute == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES ? kernel->static_shared : 0;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuLaunchKernel(CUfunction function, unsigned int gx, unsigned int gy,
                                unsigned int gz, unsigned int bx, unsigned int by, unsigned int bz,
                                unsigned int shared_bytes, CUstream stream, void** params,
                                void** extra) {
  FAKE_ENTRY(cuLaunchKernel);
  if (extra != nullptr) return CUDA_ERROR_INVALID_VALUE;
  return Launch(function, {gx, gy, gz}, {bx, by, bz}, shared_bytes, stream, params, false);
}

CUresult CUDAAPI cuLaunchCooperativeKernel(CUfunction function, unsigned int gx, unsigned int gy,
                                           unsigned int gz, unsigned int bx, unsigned int by,
                                           unsigned int bz, unsigned int shared_bytes,
                                           CUstream stream, void** params) {
  FAKE_ENTRY(cuLaunchCooperativeKernel);
  return Launch(function, {gx, gy, gz}, {bx, by, bz}, shared_bytes, stream, params, true);
}

}  // extern "C"
