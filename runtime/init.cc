#include "runtime/init.h"

#include "base/error.h"
#include "runtime/cpu_device.h"
#include "runtime/device_api.h"

namespace lathe::runtime {
namespace {

bool RegisterAll() {
  const absl::Status status = RegisterDeviceAPI(CpuDeviceAPI());
  LATHE_CHECK(status.ok()) << status.message();
  return true;
}

}  // namespace

void Initialize() {
  static const bool done = RegisterAll();
  static_cast<void>(done);
}

}  // namespace lathe::runtime
