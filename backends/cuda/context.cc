#include "backends/cuda/context.h"

#include <algorithm>
#include <memory>

#include "plugins/sdk/value.h"

namespace lathe::cuda {
namespace {

// The most kernels that an error lists.
constexpr size_t kMostListed = 8;

thread_local int32_t g_current = 0;

// After these errors the context is unusable.
bool IsFatal(CUresult result) {
  switch (result) {
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_TENSOR_MEMORY_LEAK:
    case CUDA_ERROR_EXTERNAL_DEVICE:
    case CUDA_ERROR_MPS_CLIENT_TERMINATED:
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
    case CUDA_ERROR_CONTAINED:
      return true;
    default:
      return false;
  }
}

[[noreturn]] void ThrowLost(const std::string& why) {
  throw sdk::Error(LATHE_UNAVAILABLE, "device-lost", why,
                   "help: start a new process; this one cannot use the device any more");
}

}  // namespace

std::string ErrorText(const Driver& driver, CUresult result) {
  const char* name = nullptr;
  const char* text = nullptr;
  driver.cuGetErrorName(result, &name);
  driver.cuGetErrorString(result, &text);
  return std::string(text != nullptr ? text : "unknown error") + " (" +
         (name != nullptr ? name : std::to_string(static_cast<int>(result))) + ")";
}

Context& Context::Of(int32_t id) {
  // The list of contexts is fixed once the driver is open; contexts are made on first use and never
  // destroyed.
  static std::mutex& mutex = *new std::mutex;
  static std::vector<std::atomic<Context*>>& contexts =
      *new std::vector<std::atomic<Context*>>(static_cast<size_t>(GetDriver().device_count));
  if (id < 0 || static_cast<size_t>(id) >= contexts.size()) {
    throw sdk::Error(LATHE_NOT_FOUND, "cuda-no-device",
                     "there is no device cuda:" + std::to_string(id),
                     "expected: an id below " + std::to_string(contexts.size()));
  }
  std::atomic<Context*>& entry = contexts[static_cast<size_t>(id)];
  if (Context* made = entry.load(std::memory_order_acquire)) return *made;
  const std::lock_guard<std::mutex> lock(mutex);
  if (entry.load() == nullptr) entry.store(new Context(GetDriver(), id));
  return *entry.load();
}

Context::Context(const Driver& driver, int32_t id) : driver_(driver), id_(id) {
  Check(driver_.cuDeviceGet(&device_, id), "finding the device");
  Check(driver_.cuDevicePrimaryCtxRetain(&context_, device_), "making the device's context");
}

void Context::CheckAlive() const {
  if (const std::string* why = lost_.load(std::memory_order_acquire)) ThrowLost(*why);
}

int32_t Context::CurrentId() { return g_current; }

void Context::MakeCurrent() {
  g_current = id_;
  CheckAlive();
  Check(driver_.cuCtxSetCurrent(context_), "making the device current");
}

void Context::Check(CUresult result, std::string_view doing) {
  if (result == CUDA_SUCCESS) return;
  if (IsFatal(result)) Lose(result, doing, nullptr);
  const std::string where = "cuda:" + std::to_string(id_) + ": " + std::string(doing) + " failed: ";
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    throw sdk::Error(LATHE_RESOURCE_EXHAUSTED, "device-out-of-memory",
                     where + ErrorText(driver_, result));
  throw sdk::Error(result == CUDA_ERROR_INVALID_VALUE ? LATHE_INVALID_ARGUMENT : LATHE_INTERNAL,
                   "cuda-error", where + ErrorText(driver_, result));
}

void Context::CheckWaited(CUresult result, CUstream stream, std::string_view doing) {
  if (result == CUDA_SUCCESS) return Forget(stream);
  if (IsFatal(result)) Lose(result, doing, &stream);
  Check(result, doing);
}

void Context::Lose(CUresult result, std::string_view doing, const CUstream* stream) {
  std::string why = "cuda:" + std::to_string(id_) + " is lost: " + ErrorText(driver_, result);
  why += ", met while " + std::string(doing);
  if (const std::string kernels = UnderWay(stream); !kernels.empty()) why += "; " + kernels;
  auto text = std::make_unique<std::string>(std::move(why));
  const std::string* none = nullptr;
  // Only the first reason is kept.
  if (lost_.compare_exchange_strong(none, text.get())) text.release();
  ThrowLost(*lost_.load());
}

std::string Context::UnderWay(const CUstream* stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<std::string> names;
  int64_t count = 0;
  for (const auto& [key, launches] : launches_) {
    if (stream != nullptr && key != *stream) continue;
    count += launches.count;
    for (const std::string* kernel : launches.kernels) names.push_back("`" + *kernel + "`");
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (names.empty()) return "";
  if (names.size() == 1) return "kernel " + names[0] + " was under way";
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return "one of the " + std::to_string(count) +
         " launches since the last synchronisation failed, of kernels " + list +
         "; LATHE_CUDA_BLOCKING=1 waits after each launch and so tells which";
}

int Context::Attribute(CUdevice_attribute attribute) {
  int value = 0;
  Check(driver_.cuDeviceGetAttribute(&value, attribute, device_), "reading an attribute");
  return value;
}

void Context::Launched(CUstream stream, const std::string* kernel) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Launches& launches = launches_[stream];
  ++launches.count;
  std::vector<const std::string*>& kernels = launches.kernels;
  if (!kernels.empty() && kernels.back() == kernel) return;
  if (auto found = std::find(kernels.begin(), kernels.end(), kernel); found != kernels.end())
    kernels.erase(found);
  else if (kernels.size() == kMostListed)
    kernels.erase(kernels.begin());
  kernels.push_back(kernel);
}

void Context::Forget(CUstream stream) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (const auto found = launches_.find(stream); found != launches_.end()) {
    found->second.kernels.clear();
    found->second.count = 0;
  }
}

}  // namespace lathe::cuda
