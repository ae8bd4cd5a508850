// A vendor whose machine has blocks and threads. What a GPU's plugin does, on any machine: kernels
// arrive at stage `flat` and run in the reference interpreter, which finds their races.
#include "ir/names.h"
#include "ir/text/printer.h"
#include "plugins/threads_example/device.h"
#include "plugins/threads_example/program.h"

namespace lathe::threads_example {

class Generator final : public sdk::CodeGenerator {
 public:
  std::string Check(std::string_view ir, const sdk::Target&) override {
    const ir::Module module = ir::DecodeModule(ir);
    for (const ir::Func& function : module->functions) {
      if (ir::StringAttr(function->attrs, ir::func_attr::kCallingConvention) !=
          ir::convention::kKernel)
        return "function `" + function->name + "` is no kernel";
    }
    return "";
  }
  sdk::CompileResult Compile(const sdk::CompileRequest& request) override {
    sdk::CompileResult result;
    result.consumed.assign(request.num_constants, '\1');
    if (request.output == LATHE_OUTPUT_MODULE) {
      result.output = SaveProgram(request);
      result.module_kind = "threads";
    } else if (request.output == LATHE_OUTPUT_IR || request.output == LATHE_OUTPUT_SOURCE) {
      result.output = ir::ToText(ir::DecodeModule(request.ir));
    } else {
      UnsupportedOutput(request);
    }
    return result;
  }
};

}  // namespace lathe::threads_example

void lathe::sdk::RegisterPlugin(Plugin& plugin) {
  auto device = std::make_unique<threads_example::Device>();
  threads_example::Device* raw = device.get();
  plugin.Device("threads", std::move(device));
  plugin.Module("threads",
                [raw](std::string_view bytes) { return threads_example::LoadProgram(bytes, raw); });
  plugin.CodeGen("threads", std::make_unique<threads_example::Generator>());
}
