#include "plugins/sdk/codegen.h"

#include <cstddef>
#include <string>

namespace lathe::sdk {
namespace {

using internal::Guard;

CodeGenerator& Self(void* self) { return *static_cast<CodeGenerator*>(self); }

std::string_view View(const lathe_bytes& bytes) { return {bytes.data, bytes.size}; }

// The output kind that a host asks for; a newer host may know more kinds.
lathe_output_kind OutputOf(int32_t output) {
  if (output < LATHE_OUTPUT_MODULE || output > LATHE_OUTPUT_SOURCE) {
    throw Error(LATHE_UNIMPLEMENTED, "output-unsupported",
                "this plugin's SDK knows no output kind " + std::to_string(output));
  }
  return static_cast<lathe_output_kind>(output);
}

const char* OutputName(lathe_output_kind output) {
  switch (output) {
    case LATHE_OUTPUT_MODULE:
      return "a module";
    case LATHE_OUTPUT_OBJECT:
      return "an object file";
    case LATHE_OUTPUT_ASSEMBLY:
      return "assembly";
    case LATHE_OUTPUT_IR:
      return "its own IR";
    case LATHE_OUTPUT_SOURCE:
      return "source";
  }
  return "this kind of output";
}

}  // namespace

Target CodeGenerator::Canonical(Target target) { return target; }

std::string CodeGenerator::Check(std::string_view, const Target&) { return ""; }

std::string CodeGenerator::Link(const std::vector<std::string_view>&, const Target&,
                                lathe_output_kind) {
  throw Error(LATHE_UNIMPLEMENTED, "link-unsupported", "this code generator does not link");
}

void CodeGenerator::UnsupportedOutput(const CompileRequest& request) {
  throw Error(LATHE_UNIMPLEMENTED, "output-unsupported",
              "target `" + request.target.kind + "` cannot produce " + OutputName(request.output));
}

namespace internal {
namespace {

// Hosts of the first ABI do not have this member.
const char* const* SymbolsOf(const lathe_compile_request& request) {
  constexpr size_t kEnd =
      offsetof(lathe_compile_request, constant_symbols) + sizeof(request.constant_symbols);
  return request.struct_size < kEnd ? nullptr : request.constant_symbols;
}

// None if there are no times.
Value TimesOf(const std::vector<StageTime>& times) {
  if (times.empty()) return Value();
  std::string bytes;
  for (const StageTime& one : times) {
    lathe_stage_time entry{};
    one.stage.copy(entry.stage, sizeof entry.stage - 1);
    entry.seconds = one.seconds;
    bytes.append(reinterpret_cast<const char*>(&entry), sizeof entry);
  }
  return Value::Bytes(bytes);
}

}  // namespace

lathe_codegen_api CodeGenTable(CodeGenerator* generator) {
  lathe_codegen_api table{};
  table.struct_size = sizeof(table);
  table.self = generator;
  table.canonical = [](void* self, const char* target, lathe_value* result) noexcept {
    return Guard(result, [&] {
      *result = Value(Self(self).Canonical(ParseTarget(target)).ToString()).Release();
    });
  };
  table.check = [](void* self, const lathe_bytes* ir, const char* target, int32_t* accepted,
                   lathe_value* reason) noexcept {
    return Guard(reason, [&] {
      const std::string why = Self(self).Check(View(*ir), ParseTarget(target));
      if (!why.empty()) *reason = Value(why).Release();
      *accepted = why.empty() ? 1 : 0;
    });
  };
  table.compile = [](void* self, const lathe_compile_request* request, lathe_compile_result* result,
                     lathe_value* error) noexcept {
    return Guard(error, [&] {
      const Target target = ParseTarget(request->target);
      CompileResult made = Self(self).Compile({View(request->ir), target, OutputOf(request->output),
                                               request->constants, request->num_constants,
                                               request->options, SymbolsOf(*request)});
      // All allocations that can fail come before the first write, so that the result is never half
      // filled.
      Value output = Value::Bytes(made.output), kind = Value(made.module_kind),
            log = Value(made.log);
      Value consumed = Value::Bytes(made.consumed), times = TimesOf(made.times);
      result->output = output.Release();
      result->module_kind = kind.Release();
      result->consumed = consumed.Release();
      result->log = log.Release();
      // An older host has no room for them.
      if (result->struct_size >= offsetof(lathe_compile_result, times) + sizeof(result->times))
        result->times = times.Release();
    });
  };
  table.link = [](void* self, const lathe_bytes* objects, uint32_t num_objects, const char* target,
                  int32_t output, lathe_value* result) noexcept {
    return Guard(result, [&] {
      std::vector<std::string_view> views;
      for (uint32_t i = 0; i < num_objects; ++i) views.push_back(View(objects[i]));
      const auto kind = OutputOf(output);
      *result = Value::Bytes(Self(self).Link(views, ParseTarget(target), kind)).Release();
    });
  };
  return table;
}

}  // namespace internal
}  // namespace lathe::sdk
