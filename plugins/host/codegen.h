// CodeGen: the compiler's interface to a plugin's code generator.
//
// With LATHE_DUMP_BOUNDARY=folder every request is written there before it is made (boundary.h), so
// that it can be inspected and run again.
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
  // Empty, or one per constant, as in lathe_compile_request.
  std::span<const char* const> constant_symbols;
  // In a process of its own, so that a code generator that ends it does not end this one
  // (isolate.h).
  bool isolate = false;
};

struct CompileOutput {
  std::string bytes;
  std::string module_kind;     // with kModule and kObject: "module.load.<kind>" loads it
  std::vector<bool> consumed;  // per constant: the code contains it, so the host may drop it
  std::string log;             // warnings, which were shown to the user
  std::vector<lathe_stage_time> times;  // with the option LATHE_OPTION_TIME, if the plugin has them
};

// The array in lathe_compile_result.times; false if the size does not fit. Stages end with a zero.
bool TimesFromBytes(std::string_view bytes, std::vector<lathe_stage_time>* times);

struct CheckResult {
  bool accepted = false;
  std::string reason;  // if not accepted
};

// Copyable, thread-safe: several compilations may run at once.
class CodeGen {
 public:
  // Loads the plugin of the target's kind (fails as PluginLoader::LoadKind does), makes the target
  // canonical, and chooses the version of the binary IR: the newest version that the plugin reads
  // and this host writes ([oldest_written, newest_written]). Fails with `plugin-ir-version`, which
  // names the SDK with which to rebuild the plugin.
  static absl::StatusOr<CodeGen> For(const target::Target& target, int oldest_written,
                                     int newest_written);

  const target::Target& target() const { return target_; }
  int ir_version() const { return ir_version_; }
  // The newest version in [oldest_written, newest_written] that the schema's plugin reads.
  static absl::StatusOr<int> ChooseIrVersion(const target::Target& target, int oldest_written,
                                             int newest_written);

  absl::StatusOr<CheckResult> Check(std::string_view ir) const;
  // Fails with `output-unsupported` (which lists the target's outputs) before the plugin is called,
  // or with the plugin's error, or with that of the process of its own (isolate.h). Throws
  // runtime::Interrupted if the plugin learned that the work is to end.
  absl::StatusOr<CompileOutput> Compile(const CompileInput& input) const;
  // Links several objects into one file. Fails with `link-unsupported` (kUnimplemented) if the
  // plugin does not link.
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
