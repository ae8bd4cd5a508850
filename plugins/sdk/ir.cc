#include "plugins/sdk/ir.h"

#include <utility>

namespace lathe::sdk {
namespace {

class WordGenerator final : public CodeGenerator {
 public:
  WordGenerator(std::string magic, std::string module_kind, CompileToWords compile)
      : magic_(std::move(magic)),
        module_kind_(std::move(module_kind)),
        compile_(std::move(compile)) {}

  std::string Check(std::string_view ir, const Target&) override {
    try {
      CompileAll(ir);
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  }

  CompileResult Compile(const CompileRequest& request) override {
    if (request.output != LATHE_OUTPUT_MODULE) UnsupportedOutput(request);
    CompileResult result;
    result.output = SaveWordFunctions(magic_, CompileAll(request.ir));
    result.module_kind = module_kind_;
    return result;
  }

 private:
  WordFunctions CompileAll(std::string_view bytes) const {
    WordFunctions functions;
    const ir::Module module = ir::DecodeModule(bytes);
    for (const ir::Func& function : module->functions) {
      functions[function->name] = compile_(*function);
    }
    return functions;
  }

  const std::string magic_, module_kind_;
  const CompileToWords compile_;
};

}  // namespace

std::unique_ptr<CodeGenerator> WordCodeGenerator(std::string magic, std::string module_kind,
                                                 CompileToWords compile) {
  return std::make_unique<WordGenerator>(std::move(magic), std::move(module_kind),
                                         std::move(compile));
}

}  // namespace lathe::sdk
