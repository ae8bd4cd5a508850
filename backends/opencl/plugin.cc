// The plugin's shell: device, modules and code for OpenCL.

#include <memory>

#include "backends/opencl/codegen.h"
#include "backends/opencl/device.h"
#include "backends/opencl/module.h"
#include "plugins/sdk/ir.h"
#include "plugins/sdk/sdk.h"

namespace lathe::opencl_backend {
namespace {

class OpenClGenerator final : public sdk::CodeGenerator {
 public:
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
  } catch (const std::exception& error) {
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
