// A device's context, its errors, and the kernels that are running on it.
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

// There is one per device for the life of the process. It is made on first use with the device's
// primary context, which other libraries in the process (such as PyTorch) share. Thread-safe.
//
// An error may leave the context unusable (a kernel accessed invalid memory, a device fell off the
// bus). The device is then *lost*: the call that met the error and every later one throw
// `device-lost`, with the names of the kernels that were running.
class Context {
 public:
  // Throws `cuda-no-driver`; `cuda-no-device` if no device has this id.
  static Context& Of(int32_t id);

  int32_t id() const { return id_; }
  CUdevice device() const { return device_; }
  CUcontext handle() const { return context_; }
  const Driver& driver() const { return driver_; }

  // Makes it the current context of the calling thread. Throws `device-lost`.
  void MakeCurrent();
  // The device that this thread made current last, for launches that name no device; 0 at first.
  static int32_t CurrentId();
  // Throws `device-lost` if the device is lost. Does not call the driver.
  void CheckAlive() const;

  // Throws unless `result` is CUDA_SUCCESS: `device-out-of-memory`, `device-lost`, `cuda-error`.
  // `doing` names the action for the message: "copying to the device".
  void Check(CUresult result, std::string_view doing);
  // The same for a call that waited for `stream` or reports its errors: after success, the kernels
  // on the stream count as finished.
  void CheckWaited(CUresult result, CUstream stream, std::string_view doing);

  int Attribute(CUdevice_attribute attribute);

  // A launch of `kernel` was queued on `stream`. `kernel` must stay valid for the life of the
  // process.
  void Launched(CUstream stream, const std::string* kernel);
  // Forgets the kernels of `stream`.
  void Forget(CUstream stream);

 private:
  Context(const Driver& driver, int32_t id);
  [[noreturn]] void Lose(CUresult result, std::string_view doing, const CUstream* stream);
  // "kernel `f` was under way", for one stream or, if `stream` is null, for all.
  std::string UnderWay(const CUstream* stream);

  // The kernels launched on a stream since the last wait for it.
  struct Launches {
    std::vector<const std::string*> kernels;  // each once, the latest last
    int64_t count = 0;
  };

  const Driver& driver_;
  const int32_t id_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  std::atomic<const std::string*> lost_{nullptr};  // the reason; never freed
  std::mutex mutex_;
  std::unordered_map<CUstream, Launches> launches_;  // under mutex_
};

// "an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)".
std::string ErrorText(const Driver& driver, CUresult result);

}  // namespace lathe::cuda
