// The devices of the plugin under test, as device checks get them.
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
  bool has_addresses = true;  // a pointer to its memory is an address
  runtime::Device device(int id = 0) const { return {kind, id, 0}; }
};

struct DeviceCheck {
  const char* name;
  absl::Status (*run)(const Dev& dev);
};
// Each check for each kind of device of the subject, named "copy" or, with several, "acme.copy".
// Where no device is here the checks do not apply.
void AddFor(const Subject& subject, Checks* checks, const std::vector<DeviceCheck>& all);

}  // namespace lathe::kit
