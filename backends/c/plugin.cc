// The plugin: registers the code generator, and the modules whose C is not compiled.
#include <memory>
#include <sstream>

#include "backends/c/codegen.h"
#include "backends/c/compiler.h"
#include "backends/c/module.h"
#include "base/error.h"
#include "base/poll.h"
#include "ir/names.h"
#include "plugins/sdk/ir.h"
#include "plugins/sdk/sdk.h"

namespace lathe::c_backend {
namespace {

// Attributes of the target (manifest.json).
constexpr char kCc[] = "cc";
constexpr char kCcOptions[] = "cc-options";

std::vector<std::string> OptionsOf(const sdk::Target& target) {
  std::vector<std::string> out;
  std::istringstream list(target.Get(kCcOptions));
  for (std::string one; std::getline(list, one, ',');)
    if (!one.empty()) out.push_back(one);
  return out;
}

class CCodeGenerator final : public sdk::CodeGenerator {
 public:
  std::string Check(std::string_view ir, const sdk::Target&) override {
    const ir::Module module = ir::DecodeModule(ir);
    try {
      Generate(*module, {});
    } catch (const lathe::Error& error) {
      return error.diagnostic().message;
    }
    return "";
  }

  sdk::CompileResult Compile(const sdk::CompileRequest& request) override {
    if (request.output != LATHE_OUTPUT_MODULE && request.output != LATHE_OUTPUT_OBJECT &&
        request.output != LATHE_OUTPUT_SOURCE)
      UnsupportedOutput(request);
    const ir::Module module = ir::DecodeModule(request.ir);
    Generated made = Generate(*module, {request.constants, request.num_constants});
    sdk::CompileResult result;
    result.consumed.assign(request.num_constants, 1);  // the text contains them all
    if (request.output == LATHE_OUTPUT_SOURCE) {
      result.output = std::move(made.source);
      return result;
    }
    const std::string& cc = request.target.Get(kCc);
    const std::string compiler = FindCompiler(cc);
    if (compiler.empty()) {
      if (request.output == LATHE_OUTPUT_OBJECT) ThrowNoCompiler(cc);
      result.output = SourceModule{.source = std::move(made.source),
                                   .metadata = sdk::MetadataOf(module),
                                   .cc = cc,
                                   .functions = std::move(made.functions)}
                          .Save();
      result.module_kind = "c";
      return result;
    }
    result.output = CompileObject(compiler, OptionsOf(request.target), made.source);
    result.module_kind = "elf";
    return result;
  }
};

}  // namespace
}  // namespace lathe::c_backend

void lathe::sdk::RegisterPlugin(Plugin& plugin) {
  using namespace lathe::c_backend;  // NOLINT: this function only
  lathe::SetPoll(lathe::sdk::Poll);
  plugin.Module("c", LoadSourceModule, ProbeSourceModule);
  plugin.CodeGen("c", std::make_unique<CCodeGenerator>());
}
