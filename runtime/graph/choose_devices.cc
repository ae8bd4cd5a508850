#include "runtime/graph/choose_devices.h"

#include <algorithm>
#include <string>

#include "runtime/status.h"

namespace lathe::runtime::graph {
namespace {

// "cpu, opencl" or "cpu, opencl, a second opencl"
std::string Expected(const Plan& plan) {
  std::string text;
  for (const PlanDevice& device : plan.devices) {
    text += (text.empty() ? "" : ", ") + device.kind;
    if (device.slot > 0) text += " (slot " + std::to_string(device.slot) + ")";
  }
  return text;
}

std::string Found(std::span<const Device> given) {
  std::string text;
  for (const Device& device : given) text += (text.empty() ? "" : ", ") + device.ToString();
  return text.empty() ? "none" : text;
}

absl::Status Wrong(const Plan& plan, std::span<const Device> given, const std::string& what,
                   std::string_view help) {
  return MakeStatus(absl::StatusCode::kInvalidArgument, "graph-device",
                    {"`", plan.name, "` ", what, "\nexpected: ", Expected(plan),
                     "\nfound: ", Found(given), "\nhelp: ", help});
}

}  // namespace

absl::StatusOr<std::vector<Device>> ChooseDevices(const Plan& plan, std::span<const Device> given) {
  for (const Device& device : given) {
    const bool used =
        device.is_cpu() || (device.session == 0 && device.kind != kDLCPU &&
                            std::ranges::any_of(plan.devices, [&](const PlanDevice& of) {
                              return of.kind == DeviceKindName(device.kind);
                            }));
    if (!used)
      return Wrong(plan, given, "does not run on " + device.ToString(),
                   "compile the graph for a target of that device");
  }
  std::vector<Device> chosen = {Device::Cpu()};
  for (size_t i = 1; i < plan.devices.size(); ++i) {
    const PlanDevice& wanted = plan.devices[i];
    Device device;
    if (!FindDeviceKind(wanted.kind, &device.kind)) device.kind = DeriveDeviceKind(wanted.kind);
    int32_t count = 0;
    bool found = false;
    for (const Device& one : given) {
      if (one.kind != device.kind) continue;
      if (count++ == wanted.slot) {
        device = one;
        found = true;
      }
    }
    if (!found && count > 0)
      return Wrong(plan, given, "needs more devices of the kind `" + wanted.kind + "`",
                   "give all devices, in the order of their slots, or none of this kind");
    if (!found) device.id = wanted.slot;
    chosen.push_back(device);
  }
  return chosen;
}

}  // namespace lathe::runtime::graph
