// CodeGen: the code generator of a plugin, as the compiler uses it.
//
// With LATHE_DUMP_BOUNDARY=folder every request is written there before it is made (boundary.h), so
// that what crossed the border can be looked at and run again.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "lathe/abi/codegen.h"
#include "target/target.h"

namespace lathe::runtime {
struct PluginCodeGen;
}

namespace lathe::plugins {

enum class OutputKind {
  kModule = LATHE_OUTPUT_MODULE,
  kObject = LATHE_OUTPUT_OBJECT,
  kAssembly = LATHE_OUTPUT_ASSEMBLY,
  kIr = LATHE_OUTPUT_IR,
  kSource = LATHE_OUTPUT_SOURCE,
};
// "module", "object", "assembly", "ir", "source".
const char* OutputKindName(OutputKind kind);
bool OutputKindFromName(std::string_view name, OutputKind* kind);

// Borrowed for the call.
struct CompileInput {
  std::string_view ir;  // the binary form, of version CodeGen::ir_version()
  OutputKind output = OutputKind::kModule;
  std::span<const DLTensor* const> constants;  // in host memory, compact
  std::string options;                         // "key=value" lines
  // Empty, or one per constant, as lathe_compile_request has them.
  std::span<const char* const> constant_symbols;
};

struct CompileOutput {
  std::string bytes;
  std::string module_kind;     // with kModule and kObject: who loads it, "module.load.<kind>"
  std::vector<bool> consumed;  // per constant: the code holds it, the host may drop it
  std::string log;             // warnings
};

struct CheckResult {
  bool accepted = false;
  std::string reason;  // where not accepted
};

// Copyable, thread-safe: compiles may run at once.
class CodeGen {
 public:
  // Loads the plugin of the target's kind (a failure is what PluginLoader::LoadKind says), makes
  // the target canonical, and chooses the version of the binary IR: the newest that both sides
  // know, of those this host writes
  // ([oldest_written, newest_written]). Fails with `plugin-ir-version`, naming the SDK to rebuild
  // with.
  static absl::StatusOr<CodeGen> For(const target::Target& target, int oldest_written,
                                     int newest_written);

  const target::Target& target() const { return target_; }
  int ir_version() const { return ir_version_; }
  // The versions of [oldest_written, newest_written] that the schema's plugin reads, newest.
  static absl::StatusOr<int> ChooseIrVersion(const target::Target& target, int oldest_written,
                                             int newest_written);

  absl::StatusOr<CheckResult> Check(std::string_view ir) const;
  // Fails with `output-unsupported` (the target's outputs) before the plugin is asked, or with what
  // the plugin says. Throws runtime::Interrupted where the plugin learned that the work is to end.
  absl::StatusOr<CompileOutput> Compile(const CompileInput& input) const;
  // One file of several objects. Fails with `link-unsupported` (kUnimplemented) where the plugin
  // does not link.
  absl::StatusOr<std::string> Link(const std::vector<std::string_view>& objects,
                                   OutputKind output) const;

 private:
  CodeGen(const runtime::PluginCodeGen* plugin, target::Target target, int ir_version)
      : plugin_(plugin),
        target_(std::move(target)),
        target_text_(target_.ToString()),
        ir_version_(ir_version) {}

  const runtime::PluginCodeGen* plugin_;  // lives as long as the process
  target::Target target_;
  std::string target_text_;
  int ir_version_;
};

}  // namespace lathe::plugins
