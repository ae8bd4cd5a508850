#include "plugins/host/codegen.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "lathe/abi/plugin.h"
#include "plugins/host/boundary.h"
#include "plugins/host/compiler_stack.h"
#include "plugins/host/isolate.h"
#include "runtime/cancel.h"
#include "runtime/function.h"
#include "runtime/plugin_loader/host_table.h"
#include "runtime/plugin_loader/plugin_loader.h"
#include "runtime/status.h"
#include "target/canonical.h"

namespace lathe::plugins {
namespace {

using runtime::MakeStatus;
using runtime::PluginCodeGen;
using runtime::Value;

constexpr OutputKind kOutputKinds[] = {OutputKind::kModule, OutputKind::kObject,
                                       OutputKind::kAssembly, OutputKind::kIr, OutputKind::kSource};

// The string or bytes in a plugin's result; "" for NONE.
absl::StatusOr<std::string> TakeBytes(lathe_value* value, const PluginCodeGen& plugin,
                                      const char* what) {
  const Value owned = Value::Adopt(std::exchange(*value, lathe_value{}));
  if (owned.is_none()) return std::string();
  if (owned.Is<std::string>()) return owned.As<std::string>();
  return MakeStatus(absl::StatusCode::kInternal, "plugin-contract",
                    plugin.identity->origin + ": " + what + " is neither bytes nor a string");
}

// A value that a plugin hands back; released if nobody takes it.
struct OwnedValue {
  lathe_value raw{};
  ~OwnedValue() { runtime::DropValue(&raw); }
};

// Releases the objects of a result in all cases.
struct OwnedResult {
  lathe_compile_result raw{sizeof(lathe_compile_result), {}, {}, {}, 0, {}, {}};
  ~OwnedResult() {
    for (lathe_value* value : {&raw.output, &raw.module_kind, &raw.consumed, &raw.log, &raw.times})
      runtime::DropValue(value);
  }
};

// What ended the work, handed back by the plugin.
[[noreturn]] void ThrowInterrupted(lathe_value* error) {
  try {
    runtime::ThrowStatus(runtime::TakePluginError(error, ""));
  } catch (const runtime::CallError& said) {
    throw runtime::Interrupted(said);
  }
}

absl::StatusOr<CompileOutput> Unpack(OwnedResult& result, const CompileInput& input,
                                     const PluginCodeGen& plugin) {
  CompileOutput output;
  if (result.raw.output.kind == LATHE_VALUE_NONE) {
    return MakeStatus(absl::StatusCode::kInternal, "plugin-contract",
                      plugin.identity->origin + ": compile gave neither output nor error");
  }
  LATHE_ASSIGN_OR_RETURN(output.bytes, TakeBytes(&result.raw.output, plugin, "the output"));
  LATHE_ASSIGN_OR_RETURN(output.module_kind,
                         TakeBytes(&result.raw.module_kind, plugin, "the module kind"));
  LATHE_ASSIGN_OR_RETURN(const std::string consumed,
                         TakeBytes(&result.raw.consumed, plugin, "the consumed constants"));
  LATHE_ASSIGN_OR_RETURN(output.log, TakeBytes(&result.raw.log, plugin, "the log"));
  LATHE_ASSIGN_OR_RETURN(const std::string times,
                         TakeBytes(&result.raw.times, plugin, "the times of its stages"));
  if (!TimesFromBytes(times, &output.times)) {
    return MakeStatus(absl::StatusCode::kInternal, "plugin-contract",
                      plugin.identity->origin + ": the times of its stages are " +
                          std::to_string(times.size()) + " bytes, no multiple of " +
                          std::to_string(sizeof(lathe_stage_time)));
  }
  if (!consumed.empty() && consumed.size() != input.constants.size()) {
    return MakeStatus(absl::StatusCode::kInternal, "plugin-contract",
                      plugin.identity->origin + ": says of " + std::to_string(consumed.size()) +
                          " constants whether it holds them; there are " +
                          std::to_string(input.constants.size()));
  }
  output.consumed.assign(input.constants.size(), false);
  for (size_t i = 0; i < consumed.size(); ++i) output.consumed[i] = consumed[i] != 0;
  const bool needs_kind =
      input.output == OutputKind::kModule || input.output == OutputKind::kObject;
  if (needs_kind && output.module_kind.empty()) {
    return MakeStatus(absl::StatusCode::kInternal, "plugin-contract",
                      plugin.identity->origin + ": does not say which module kind it made");
  }
  return output;
}

}  // namespace

bool TimesFromBytes(std::string_view bytes, std::vector<lathe_stage_time>* times) {
  if (bytes.size() % sizeof(lathe_stage_time) != 0) return false;
  times->resize(bytes.size() / sizeof(lathe_stage_time));
  if (!bytes.empty()) std::memcpy(times->data(), bytes.data(), bytes.size());
  for (lathe_stage_time& one : *times) one.stage[sizeof one.stage - 1] = '\0';
  return true;
}

const char* OutputKindName(OutputKind kind) {
  switch (kind) {
    case OutputKind::kModule:
      return "module";
    case OutputKind::kObject:
      return "object";
    case OutputKind::kAssembly:
      return "assembly";
    case OutputKind::kIr:
      return "ir";
    case OutputKind::kSource:
      return "source";
  }
  return "";
}

bool OutputKindFromName(std::string_view name, OutputKind* kind) {
  for (OutputKind one : kOutputKinds) {
    if (name == OutputKindName(one)) {
      *kind = one;
      return true;
    }
  }
  return false;
}

absl::StatusOr<int> CodeGen::ChooseIrVersion(const target::Target& target, int oldest_written,
                                             int newest_written) {
  const target::TargetSchema& schema = *target.schema;
  const int version = std::min(schema.ir_highest, newest_written);
  if (version >= std::max(schema.ir_lowest, oldest_written)) return version;
  const auto range = [](int lowest, int highest) {
    return lowest == highest ? std::to_string(lowest)
                             : std::to_string(lowest) + " to " + std::to_string(highest);
  };
  const bool too_old = schema.ir_highest < oldest_written;
  return MakeStatus(
      absl::StatusCode::kFailedPrecondition, "plugin-ir-version",
      "plugin `" + target.plugin +
          "` and this Lathe share no version of the binary IR\nexpected: one of " +
          range(oldest_written, newest_written) +
          ", which Lathe " LATHE_VERSION " writes\nfound: target `" + target.kind + "` reads " +
          range(schema.ir_lowest, schema.ir_highest) + "\nhelp: " +
          (too_old ? "rebuild the plugin with SDK " LATHE_VERSION
                   : "use a newer Lathe, or rebuild the plugin with SDK " LATHE_VERSION));
}

absl::StatusOr<CodeGen> CodeGen::For(const target::Target& target, int oldest_written,
                                     int newest_written) {
  LATHE_ASSIGN_OR_RETURN(const int version,
                         ChooseIrVersion(target, oldest_written, newest_written));
  LATHE_ASSIGN_OR_RETURN(target::Target canonical, target::CanonicalTarget(target));
  LATHE_ASSIGN_OR_RETURN(const PluginCodeGen* plugin, target::FindCodeGen(target));
  return CodeGen(plugin, std::move(canonical), version);
}

absl::StatusOr<CheckResult> CodeGen::Check(std::string_view ir) const {
  if (plugin_->table.check == nullptr) return CheckResult{true, ""};
  LATHE_RETURN_IF_ERROR(plugin_->identity->CheckAlive());
  const runtime::PluginCall call(*plugin_->identity);
  const lathe_bytes bytes = {ir.data(), ir.size()};
  int32_t accepted = 0;
  OwnedValue reason;
  LATHE_ASSIGN_OR_RETURN(const int32_t failed, OnCompilerStack([&] {
                           return plugin_->table.check(plugin_->table.self, &bytes,
                                                       target_text_.c_str(), &accepted,
                                                       &reason.raw);
                         }));
  if (failed != 0) return runtime::TakePluginError(&reason.raw, plugin_->identity->origin);
  LATHE_ASSIGN_OR_RETURN(std::string text, TakeBytes(&reason.raw, *plugin_, "the reason"));
  if (accepted == 0 && text.empty()) text = "no reason was given";
  return CheckResult{accepted != 0, std::move(text)};
}

absl::StatusOr<CompileOutput> CodeGen::Compile(const CompileInput& input) const {
  LATHE_RETURN_IF_ERROR(plugin_->identity->CheckAlive());
  const std::vector<std::string>& outputs = target_.schema->outputs;
  if (std::find(outputs.begin(), outputs.end(), OutputKindName(input.output)) == outputs.end()) {
    return MakeStatus(absl::StatusCode::kUnimplemented, "output-unsupported",
                      "target `" + target_.kind +
                          "` does not make this kind of output\nexpected: " + QuotedList(outputs) +
                          "\nfound: `" + OutputKindName(input.output) + "`");
  }
  LATHE_RETURN_IF_ERROR(DumpRequest(target_, target_text_, input));
  if (input.isolate) return CompileInChild(target_, target_text_, ir_version_, input);
  const runtime::PluginCall call(*plugin_->identity);
  const lathe_compile_request request = {
      sizeof(request),
      {input.ir.data(), input.ir.size()},
      target_text_.c_str(),
      static_cast<int32_t>(input.output),
      static_cast<uint32_t>(input.constants.size()),
      input.constants.data(),
      input.options.c_str(),
      input.constant_symbols.empty() ? nullptr : input.constant_symbols.data()};
  OwnedResult result;
  OwnedValue error;
  bool interrupted = false;
  const auto compile = [&] {
    runtime::TakePollFailed();
    const int32_t failed =
        plugin_->table.compile(plugin_->table.self, &request, &result.raw, &error.raw);
    interrupted = failed != 0 && runtime::TakePollFailed();
    return failed;
  };
  LATHE_ASSIGN_OR_RETURN(const int32_t failed, OnCompilerStack(compile));
  if (interrupted) ThrowInterrupted(&error.raw);
  if (failed != 0) return runtime::TakePluginError(&error.raw, plugin_->identity->origin);
  absl::StatusOr<CompileOutput> made = Unpack(result, input, *plugin_);
  if (made.ok() && !made->log.empty()) {
    runtime::HostTable()->log(LATHE_LOG_WARNING, ("target " + target_.kind).c_str(),
                              made->log.c_str());
  }
  return made;
}

absl::StatusOr<std::string> CodeGen::Link(const std::vector<std::string_view>& objects,
                                          OutputKind output) const {
  if (plugin_->table.link == nullptr) {
    return MakeStatus(absl::StatusCode::kUnimplemented, "link-unsupported",
                      plugin_->identity->origin + " does not link");
  }
  LATHE_RETURN_IF_ERROR(plugin_->identity->CheckAlive());
  const runtime::PluginCall call(*plugin_->identity);
  std::vector<lathe_bytes> views;
  for (std::string_view object : objects) views.push_back({object.data(), object.size()});
  OwnedValue result;
  LATHE_ASSIGN_OR_RETURN(const int32_t failed, OnCompilerStack([&] {
                           return plugin_->table.link(plugin_->table.self, views.data(),
                                                      static_cast<uint32_t>(views.size()),
                                                      target_text_.c_str(),
                                                      static_cast<int32_t>(output), &result.raw);
                         }));
  if (failed != 0) return runtime::TakePluginError(&result.raw, plugin_->identity->origin);
  return TakeBytes(&result.raw, *plugin_, "the linked file");
}

}  // namespace lathe::plugins
