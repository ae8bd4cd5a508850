// Wraps a plugin's device table as the runtime's DeviceAPI.
#pragma once

#include <memory>

#include "lathe/abi/device.h"
#include "runtime/device_api.h"
#include "runtime/plugin_loader/plugin_identity.h"

namespace lathe::runtime {

// `table` is a checked copy (its required members are not null); `identity` outlives the result.
// After the plugin's shutdown every call except Free returns `plugin-shut-down`.
std::unique_ptr<DeviceAPI> MakePluginDevice(const PluginIdentity* identity, int32_t kind,
                                            const lathe_device_api& table);

}  // namespace lathe::runtime
