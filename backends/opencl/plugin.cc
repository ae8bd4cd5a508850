// The plugin: registers device, modules and code generator for OpenCL.

#include <algorithm>
#include <memory>
#include <string>

#include "backends/opencl/codegen.h"
#include "backends/opencl/device.h"
#include "backends/opencl/machine.h"
#include "backends/opencl/module.h"
#include "plugins/sdk/ir.h"
#include "plugins/sdk/sdk.h"

namespace lathe::opencl_backend {
namespace {

// Adds the limits of opencl(0) that the target does not state: kernels beyond them are refused
// before they are compiled. Other devices refuse at the launch. Without a device the manifest's
// limits are used.
void AddLimits(sdk::Target* target) {
  const auto& devices = AllDevices();
  if (devices.empty()) return;
  const auto add = [&](const char* key, uint64_t most, uint64_t schema) {
    if (most > 0) target->attributes.try_emplace(key, std::to_string(std::min(most, schema)));
  };
  const DeviceInfo& info = devices[0]->info;
  add("max-threads-per-block", info.threads, 65536);
  add("max-shared-memory-per-block", info.local_bytes, uint64_t{1} << 30);
}

class OpenClGenerator final : public sdk::CodeGenerator {
 public:
  sdk::Target Canonical(sdk::Target target) override {
    AddLimits(&target);
    return target;
  }

  sdk::CompileResult Compile(const sdk::CompileRequest& request) override {
    if (request.output != LATHE_OUTPUT_MODULE && request.output != LATHE_OUTPUT_SOURCE)
      UnsupportedOutput(request);
    const Program program = Generate(*ir::DecodeModule(request.ir), request.target,
                                     {request.constants, request.num_constants});
    sdk::CompileResult result;
    result.consumed.assign(request.num_constants, 1);
    if (request.output == LATHE_OUTPUT_SOURCE) {
      result.output = program.source;
      return result;
    }
    result.output = program.Save();
    result.module_kind = "opencl";
    return result;
  }
};

sdk::ProbeResult Probe(std::string_view bytes) {
  try {
    Program::Load(bytes);
    return {};
  } catch (const sdk::Error& error) {
    return {LATHE_PROBE_REFUSE, error.what()};
  }
}

}  // namespace
}  // namespace lathe::opencl_backend

void lathe::sdk::RegisterPlugin(Plugin& plugin) {
  using namespace lathe::opencl_backend;  // NOLINT: this function only
  plugin.Device("opencl", std::make_unique<OpenClDevice>());
  plugin.Module("opencl", LoadModule, Probe);
  plugin.CodeGen("opencl", std::make_unique<OpenClGenerator>());
  plugin.CodeGen("opencl-fp16", std::make_unique<OpenClGenerator>());
}
