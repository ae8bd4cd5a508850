#include "graph/devices.h"

#include "graph/op.h"

namespace lathe::graph {

bool IsPlacement(std::string_view op) { return op == "on_device" || op == "device_copy"; }

std::string_view KindOfDevice(std::string_view device) {
  return device.substr(0, device.find(':'));
}

int SlotOfDevice(std::string_view device) {
  const std::string_view kind = KindOfDevice(device);
  if (kind.empty()) return -1;
  if (kind.size() == device.size()) return 0;
  const std::string_view digits = device.substr(kind.size() + 1);
  if (digits.empty() || digits.size() > 3) return -1;
  int slot = 0;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') return -1;
    slot = 10 * slot + (digit - '0');
  }
  return kind == kHostDevice && slot != 0 ? -1 : slot;
}

std::string DeviceAttrOf(const ir::GraphCall& call) {
  const auto at = call.attrs.find(kDeviceAttr);
  const auto* name = at == call.attrs.end() ? nullptr : ir::As<ir::StringImm>(at->second);
  return name == nullptr ? "" : name->value;
}

std::string DeviceOf(const ir::GraphCall& call, const GraphDevices& devices) {
  std::string device = DeviceAttrOf(call);
  return device.empty() ? devices.main : device;
}

}  // namespace lathe::graph
