// A device's context, its errors, and which kernels are under way.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "backends/cuda/driver.h"

namespace lathe::cuda {

// One per device, for the life of the process; made on first use with the device's primary context,
// which other libraries in the process (PyTorch among them) share. Thread-safe.
//
// After an error that leaves the context unusable (a kernel that ran wild, a device that fell off
// the bus) the device is *lost*: the call that met it and every later one throw `device-lost`,
// naming the kernels that were under way.
class Context {
 public:
  // Throws `cuda-no-driver`, `cuda-no-device` for an id that there is none of.
  static Context& Of(int32_t id);

  int32_t id() const { return id_; }
  CUdevice device() const { return device_; }
  CUcontext handle() const { return context_; }
  const Driver& driver() const { return driver_; }

  // Makes it the calling thread's current one. Throws `device-lost`.
  void MakeCurrent();
  // The device that this thread made current last, for launches that say nothing else; 0 at first.
  static int32_t CurrentId();
  // Throws `device-lost` where it is. Asks nobody.
  void CheckAlive() const;

  // Throws unless `result` is CUDA_SUCCESS: `device-out-of-memory`, `device-lost`, `cuda-error`.
  // `doing` says what was tried: "copying to the device".
  void Check(CUresult result, std::string_view doing);
  // The same for a call that waited for `stream`, or met its errors: forgets what was under way
  // there after success.
  void CheckWaited(CUresult result, CUstream stream, std::string_view doing);

  int Attribute(CUdevice_attribute attribute);

  // A launch of `kernel` on `stream` was queued. `kernel` stays valid for the life of the process.
  void Launched(CUstream stream, const std::string* kernel);
  // Nothing is said of `stream` any more.
  void Forget(CUstream stream);

 private:
  Context(const Driver& driver, int32_t id);
  [[noreturn]] void Lose(CUresult result, std::string_view doing, const CUstream* stream);
  // "kernel `f` was under way", over one stream or all.
  std::string UnderWay(const CUstream* stream);

  // What was launched on a stream since it was last waited for.
  struct Launches {
    std::vector<const std::string*> kernels;  // different ones, the latest last
    int64_t count = 0;
  };

  const Driver& driver_;
  const int32_t id_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  std::atomic<const std::string*> lost_{nullptr};  // why; lives for ever
  std::mutex mutex_;
  std::unordered_map<CUstream, Launches> launches_;  // under mutex_
};

// "an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)".
std::string ErrorText(const Driver& driver, CUresult result);

}  // namespace lathe::cuda
