#include "tools/plugin_test/device_subject.h"

#include "tools/plugin_test/programs.h"

namespace lathe::kit {

void AddFor(const Subject& subject, Checks* checks, const std::vector<DeviceCheck>& all) {
  for (const runtime::ManifestDevice& device : subject.manifest.devices) {
    const std::string prefix = subject.manifest.devices.size() > 1 ? device.kind + "." : "";
    bool has_addresses = true;
    for (const target::TargetSchema& target : subject.targets)
      if (target.device == device.kind) has_addresses = target.machine.pointer_arithmetic;
    for (const DeviceCheck& check : all) {
      checks->push_back({"device", prefix + check.name,
                         [run = check.run, kind = device.kind,
                          has_addresses](const Subject& tested) -> absl::Status {
                           UsePlugin(tested);
                           Dev dev;
                           dev.kind = runtime::DeviceKindFromName(kind);
                           dev.has_addresses = has_addresses;
                           const auto api = runtime::GetDeviceAPI(dev.kind);
                           if (!api.ok()) return api.status();
                           dev.api = *api;
                           const auto count = dev.api->Count();
                           if (!count.ok()) return count.status();
                           if (*count == 0)
                             return NotApplicable("no device of kind `" + kind + "` is here");
                           dev.count = *count;
                           return run(dev);
                         }});
    }
  }
}

}  // namespace lathe::kit
