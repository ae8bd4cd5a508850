// The plugin: the SDK's code generator interface, implemented by codegen.h.

#include <memory>

#include "backends/llvm/codegen.h"
#include "backends/llvm/machine.h"
#include "base/poll.h"
#include "ir/binary.h"
#include "lathe/abi/names.h"
#include "plugins/sdk/sdk.h"

namespace lathe::llvm_backend {
namespace {

// Options of ours; the others are in abi/names.h.
constexpr char kBitcode[] = "bitcode";
constexpr char kPlainIr[] = "plain-ir";

// True if the request's options have the line `key=1`.
bool HasOption(std::string_view options, std::string_view key) {
  const std::string wanted = std::string(key) + "=1";
  for (size_t begin = 0; begin < options.size();) {
    const size_t end = std::min(options.find('\n', begin), options.size());
    if (options.substr(begin, end - begin) == wanted) return true;
    begin = end + 1;
  }
  return false;
}

// Options: `time=1` logs the time of each stage as a line `time STAGE MILLISECONDS`; `plain-ir=1`
// returns LLVM IR as generated instead of optimised; `bitcode=1` returns it as bitcode.
class LlvmCodeGenerator final : public sdk::CodeGenerator {
 public:
  sdk::Target Canonical(sdk::Target target) override { return CanonicalTarget(std::move(target)); }

  std::string Check(std::string_view ir, const sdk::Target& target) override {
    return llvm_backend::Check(ir::DecodeModule(ir), target);
  }

  sdk::CompileResult Compile(const sdk::CompileRequest& request) override {
    sdk::CompileResult result;
    Output output = Output::kObject;
    switch (request.output) {
      case LATHE_OUTPUT_MODULE:
      case LATHE_OUTPUT_OBJECT:
        result.module_kind = "elf";
        break;
      case LATHE_OUTPUT_ASSEMBLY:
        output = Output::kAssembly;
        break;
      case LATHE_OUTPUT_IR:
        output = HasOption(request.options, kBitcode)   ? Output::kBitcode
                 : HasOption(request.options, kPlainIr) ? Output::kPlainIr
                                                        : Output::kIr;
        break;
      default:
        UnsupportedOutput(request);
    }
    const Constants constants = {{request.constants, request.num_constants},
                                 request.constant_symbols};
    Compilation made =
        llvm_backend::Compile(ir::DecodeModule(request.ir), request.target, constants, output);
    result.output = std::move(made.output);
    result.consumed = std::move(made.consumed);
    if (HasOption(request.options, LATHE_OPTION_TIME)) result.times = made.times.List();
    return result;
  }
};

}  // namespace
}  // namespace lathe::llvm_backend

void lathe::sdk::RegisterPlugin(Plugin& plugin) {
  lathe::SetPoll(lathe::sdk::Poll);
  plugin.CodeGen("llvm", std::make_unique<lathe::llvm_backend::LlvmCodeGenerator>());
}
