#include "plugins/sdk/ir.h"

#include <sstream>
#include <utility>

#include "ir/names.h"

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
      CompileAll(*ir::DecodeModule(ir));
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  }

  CompileResult Compile(const CompileRequest& request) override {
    if (request.output != LATHE_OUTPUT_MODULE) UnsupportedOutput(request);
    const ir::Module module = ir::DecodeModule(request.ir);
    CompileResult result;
    result.output = SaveWordFunctions(magic_, CompileAll(*module), MetadataOf(module));
    result.module_kind = module_kind_;
    return result;
  }

 private:
  WordFunctions CompileAll(const ir::ModuleNode& module) const {
    WordFunctions functions;
    for (const ir::Func& function : module.functions) {
      functions[function->name] = compile_(*function);
    }
    return functions;
  }

  const std::string magic_, module_kind_;
  const CompileToWords compile_;
};

}  // namespace

Kernel KernelOf(const ir::FuncNode& function) {
  if (ir::StringAttr(function.attrs, ir::func_attr::kCallingConvention) !=
      ir::convention::kKernel) {
    throw Error(LATHE_INVALID_ARGUMENT, "not-a-kernel",
                "function `" + function.name + "` is no kernel: this device takes nothing else");
  }
  Kernel kernel;
  kernel.name = function.name;
  for (const ir::NodeRef& node : function.params) {
    const auto* param = ir::As<ir::VarNode>(node);
    if (param == nullptr) {
      throw Error(LATHE_INVALID_ARGUMENT, "not-a-kernel",
                  "kernel `" + function.name + "` has a parameter that is no variable");
    }
    kernel.params.push_back({param->name, param->dtype.dl()});
  }
  std::istringstream tags(ir::StringAttr(function.attrs, ir::func_attr::kLaunch));
  for (std::string tag; tags >> tag;) kernel.launch.push_back(tag);
  ir::PreOrder(function.body, [&](const ir::Node& node) {
    const auto* allocate = ir::As<ir::Allocate>(&node);
    if (allocate != nullptr && allocate->buffer->scope == ir::memory_scope::kSharedDynamic)
      kernel.dynamic_shared = true;
    return !ir::IsExpr(&node);
  });
  return kernel;
}

std::string MetadataOf(const ir::Module& module) {
  return ir::StringAttr(module->attrs, ir::module_attr::kMetadata);
}

std::unique_ptr<CodeGenerator> WordCodeGenerator(std::string magic, std::string module_kind,
                                                 CompileToWords compile) {
  return std::make_unique<WordGenerator>(std::move(magic), std::move(module_kind),
                                         std::move(compile));
}

}  // namespace lathe::sdk
