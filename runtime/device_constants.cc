#include "runtime/device_constants.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "lathe/abi/kernel.h"
#include "runtime/launch.h"
#include "runtime/status.h"
#include "runtime/tensor.h"

namespace lathe::runtime {
namespace {

class DeviceConstants {
 public:
  absl::StatusOr<void*> CopyOf(const void* data, int64_t bytes) {
    const Device device = LaunchDevice();
    std::lock_guard lock(mutex_);
    // Host memory does not move while its artefact is loaded.
    for (const Copy& copy : copies_) {
      if (copy.data == data && copy.there.device() == device) return copy.there.dl().data;
    }
    LATHE_ASSIGN_OR_RETURN(Tensor there, Tensor::FromHost(data, static_cast<uint64_t>(bytes),
                                                          {&bytes, 1}, DataType::UInt(8), device));
    copies_.push_back({data, std::move(there)});
    return copies_.back().there.dl().data;
  }

 private:
  struct Copy {
    const void* data;
    Tensor there;
  };
  std::mutex mutex_;
  std::vector<Copy> copies_;
};

}  // namespace

Function MakeDeviceConstants() {
  return Function::From([constants = std::make_shared<DeviceConstants>()](
                            void* data, int64_t bytes) { return constants->CopyOf(data, bytes); },
                        LATHE_DEVICE_CONSTANT);
}

}  // namespace lathe::runtime
