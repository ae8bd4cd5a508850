// The devices of the plugin under test, in the form that device checks take.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/device.h"
#include "runtime/device_api.h"
#include "tools/plugin_test/check.h"

namespace lathe::kit {

struct Dev {
  runtime::DeviceAPI* api = nullptr;
  int32_t kind = 0;
  int32_t count = 0;
  bool has_addresses = true;  // pointers to its memory are addresses
  runtime::Device device(int id = 0) const { return {kind, id, 0}; }
};

struct DeviceCheck {
  const char* name;
  absl::Status (*run)(const Dev& dev);
};
// Adds each check for each of the subject's kinds of device, named "copy" or, if there are several
// kinds, "acme.copy". If no device is present, the checks do not apply.
void AddFor(const Subject& subject, Checks* checks, const std::vector<DeviceCheck>& all);

}  // namespace lathe::kit
