#include "base/error.h"
#include "driver/lower_device.h"
#include "graph/build.h"
#include "target/host_target.h"

namespace lathe::graph {
namespace {

[[noreturn]] void Fail(const std::string& what, const std::string& expected,
                       const target::Target& found) {
  throw Error(Diagnostic{.name = "graph-target",
                         .message = what,
                         .expected = expected,
                         .found = "`" + found.ToString() + "`",
                         .help = "the operators alone can be compiled for other targets"});
}

}  // namespace

GraphTargets SortTargets(const std::vector<target::Target>& targets) {
  GraphTargets out;
  const target::Target* host = nullptr;
  for (const target::Target& target : targets) {
    if (driver::TakesKernels(target)) {
      const std::string& kind = target.schema->device;
      if (!out.devices.emplace(kind, target).second)
        Fail("two targets are for the device `" + kind + "`", "one target for each kind of device",
             target);
      if (targets.size() == 1) out.main_device = kind;
    } else if (target.schema->makes_host_code) {
      if (host != nullptr) Fail("two targets are for the host", "one target for the host", target);
      host = &target;
    } else {
      Fail("graphs are compiled for processors and for devices with threads",
           "a target such as `llvm` or `opencl`", target);
    }
  }
  if (host != nullptr) {
    out.host = *host;
  } else {
    out.host =
        out.devices.empty() ? target::HostTarget() : driver::HostOf(out.devices.begin()->second);
  }
  return out;
}

}  // namespace lathe::graph
