// `lathe run`: calls a function on .npy files. The function is from an artefact, or from a program
// file that is compiled for the call.
#include <cstdio>

#include "driver/cache/compile_cache.h"
#include "driver/time_limit.h"
#include "runtime/module.h"
#include "runtime/status.h"
#include "runtime/thread_pool.h"
#include "runtime/timer.h"
#include "tools/lathe/call.h"
#include "tools/lathe/program.h"

namespace lathe::cli {
namespace {

using runtime::FunctionMetadata;
using runtime::MakeStatus;
using runtime::Value;

constexpr Option kOptions[] = {
    {"--out", "[NAME=]FILE", "write an output as .npy; without NAME the outputs in order"},
    kOutShapeOption,
    kExtentOption,
    {"--time", nullptr, "measure the call"},
    {"--number", "N", "with --time: calls per sample (1)"},
    {"--repeat", "N", "with --time: samples (10)"},
    {"--min-repeat-ms", "MS",
     "with --time: calls per sample grow until a sample lasts this long (20)"},
    {"--threads", "N", "threads that parallel loops use"},
    kTargetOption,
    kScheduleOption,
    kKnobOption,
    kPassOption,
    kDisableOption,
    kVerifyOption,
    kCheckOption,
    kTimeLimitOption,
    kIsolateOption,
    kNoCacheOption,
};

bool IsArtifact(const std::string& path) {
  return path.ends_with(".o") || path.ends_with(".so") || path.ends_with(".tar");
}

absl::StatusOr<runtime::Module> LoadOrBuild(const Arguments& arguments) {
  const driver::TimeLimit limit(TimeLimitOf(arguments));
  const std::string& path = arguments.positional()[0];
  if (IsArtifact(path)) {
    absl::StatusOr<runtime::Module> module = runtime::LoadModuleFile(path);
    if (!module.ok()) return AsEnvironment(module.status());
    return module;
  }
  LATHE_ASSIGN_OR_RETURN(const LoadedProgram read, LoadProgram(path));
  LATHE_ASSIGN_OR_RETURN(const driver::ProgramToCompile program, ToCompile(arguments, read));
  return driver::BuildProgram(program, CacheOf(arguments));
}

absl::Status Time(const Arguments& arguments, const runtime::Function& function, const Call& call) {
  runtime::TimerOptions options;
  options.number = arguments.Integer("--number", 1, 1, int64_t{1} << 40);
  options.repeat = arguments.Integer("--repeat", 10, 1, 1 << 20);
  options.min_repeat_ms =
      arguments.Number("--min-repeat-ms", arguments.Has("--number") ? 0 : 20, 0, 1e9);
  LATHE_ASSIGN_OR_RETURN(runtime::TimerResult result,
                         runtime::TimeFunction(function, call.values(), call.device(), options));
  std::printf("time: %s\n", result.ToString().c_str());
  return absl::OkStatus();
}

absl::Status Run(const Arguments& arguments) {
  if (arguments.Has("--threads"))
    runtime::SetNumThreads(static_cast<int>(arguments.Integer("--threads", 1, 1, 1024)));
  LATHE_ASSIGN_OR_RETURN(runtime::Module module, LoadOrBuild(arguments));
  std::span<const std::string> given = std::span(arguments.positional()).subspan(1);
  const runtime::Metadata& metadata = module->metadata();
  std::string name;
  if (!given.empty() && metadata.FindFunction(given[0]) != nullptr) {
    name = given[0];
    given = given.subspan(1);
  } else if (!metadata.entry.empty()) {
    name = metadata.entry;
  } else if (metadata.functions.size() == 1) {
    name = metadata.functions[0].name;
  } else {
    const absl::StatusOr<runtime::Function> entry = module.EntryFunction();  // lists the functions
    if (!entry.ok()) return AsEnvironment(entry.status());
    name = "main";
  }
  const FunctionMetadata* described = metadata.FindFunction(name);
  if (described == nullptr) {
    return MakeStatus(
        absl::StatusCode::kFailedPrecondition, "run-no-metadata",
        "`" + arguments.positional()[0] + "` does not describe its function `" + name +
            "`\n  expected: metadata, as `lathe compile` writes it\n  help: compile it again");
  }
  LATHE_ASSIGN_OR_RETURN(runtime::Function function, module.GetFunction(name));
  Call call(arguments, *described);
  LATHE_RETURN_IF_ERROR(call.Bind(given));
  std::vector<lathe_value> values;
  for (const Value& value : call.values()) values.push_back(value.c());
  LATHE_RETURN_IF_ERROR(
      function.TryCallPacked(values.data(), static_cast<int32_t>(values.size())).status());
  LATHE_RETURN_IF_ERROR(call.WriteOutputs());
  if (arguments.Has("--time")) return Time(arguments, function, call);
  return absl::OkStatus();
}

}  // namespace

const Command kRun = {
    .name = "run",
    .arguments = "ARTEFACT|PROGRAM [FUNCTION] ARGUMENT...",
    .what = "call a compiled function, or a program file's, on .npy files",
    .details =
        "ARTEFACT is a .o, .so or .tar file; anything else is a program file and compiled for "
        "--target.\n"
        "An ARGUMENT is a .npy file, `random` or `zeros` (with a shape: `random:2x3`), or a "
        "number. Give one for each\n"
        "input; outputs are allocated. Or give one for every argument, to start outputs from "
        "values.\n"
        "Outputs are summarised, or written with --out.\n",
    .example =
        "  lathe run examples/programs/vector_add.lathe random:1000 random --out sum.npy\n"
        "  lathe compile examples/programs/gemm_tiled.lathe -o gemm.so\n"
        "  lathe run gemm.so random random --time\n",
    .options = kOptions,
    .fewest = 1,
    .most = 1 << 20,
    .run = Run,
};

}  // namespace lathe::cli
