// `lathe run`: calls a function on .npy files. The function is from an artefact, or from a program
// file that is compiled for the call.
#include <cstdio>

#include "driver/cache/compile_cache.h"
#include "driver/time_limit.h"
#include "runtime/graph/plan_module.h"
#include "runtime/module.h"
#include "runtime/status.h"
#include "runtime/timer.h"
#include "tools/lathe/call.h"
#include "tools/lathe/graph.h"
#include "tools/lathe/model_inputs.h"
#include "tools/lathe/program.h"
#include "tools/lathe/records.h"
#include "tools/lathe/run_model.h"

namespace lathe::cli {
namespace {

using runtime::FunctionMetadata;
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
    kThreadsOption,
    kInputValueOption,
    kResizeOption,
    kCropOption,
    kDivideOption,
    kMeanOption,
    kStdOption,
    kLayoutOption,
    kBgrOption,
    kTopOption,
    kScoresOption,
    kLabelsOption,
    kSoftmaxOption,
    kFunctionOption,
    kOptLevelOption,
    kRecordsOption,
    kNoRecordsOption,
    kLockOption,
    kGraphTargetOption,
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
  UseThreads(arguments);
  const std::string& path = arguments.positional()[0];
  if (!IsArtifact(path) && HasGraph(path)) {
    LATHE_ASSIGN_OR_RETURN(const auto shapes, ShapesGiven(arguments));
    LATHE_ASSIGN_OR_RETURN(const Model model, LoadModel(arguments, shapes));
    return RunModel(arguments, model);
  }
  RefuseRecords(arguments);
  LATHE_RETURN_IF_ERROR(runtime::graph::RegisterGraph());
  LATHE_ASSIGN_OR_RETURN(runtime::Module module, LoadOrBuild(arguments));
  if (!runtime::graph::PlanNames(module).empty()) {
    LATHE_ASSIGN_OR_RETURN(const Model model, ModelOf(module, path, arguments));
    return RunModel(arguments, model);
  }
  if (arguments.Has("--input") || arguments.Has("--top")) {
    throw UsageError(Diagnostic{.name = "cli-bad-value",
                                .message = "`--input` and `--top` are for models",
                                .expected = "arguments in the order of the function",
                                .found = "an option of models",
                                .help = "`lathe inspect` shows the functions of an artefact"});
  }
  std::span<const std::string> given = std::span(arguments.positional()).subspan(1);
  LATHE_ASSIGN_OR_RETURN(const FunctionMetadata* const described,
                         ChooseFunction(module, path, &given));
  LATHE_ASSIGN_OR_RETURN(runtime::Function function, module.GetFunction(described->name));
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
    .arguments = "ARTEFACT|MODEL|PROGRAM [FUNCTION] ARGUMENT...",
    .what = "run a model on pictures or arrays, or call a compiled function",
    .details =
        "ARTEFACT is a .o, .so or .tar file; anything else is a model or a program file, and is "
        "compiled for --target.\n"
        "The inputs of a model have names: --input NAME=VALUE for each. A picture becomes what the "
        "model was trained\n"
        "with by --resize, --crop, --mean and --std; --top prints the best classes.\n\n"
        "A function is called with arguments in their order.\n"
        "An ARGUMENT is a .npy file, `random` or `zeros` (with a shape: `random:2x3`), or a "
        "number. Give one for each\n"
        "input; outputs are allocated. Or give one for every argument, to start outputs from "
        "values.\n"
        "Outputs are summarised, or written with --out.\n",
    .example =
        "  lathe run mobilenet.onnx --input input=cat.png --resize 256 --crop 224 "
        "--mean 0.485,0.456,0.406 \\\n"
        "    --std 0.229,0.224,0.225 --top 5 --softmax --labels labels.txt\n"
        "  lathe run model.so --input x=x.npy --out y=y.npy\n"
        "  lathe run examples/programs/vector_add.lathe random:1000 random --out sum.npy\n"
        "  lathe compile examples/programs/gemm_tiled.lathe -o gemm.so\n"
        "  lathe run gemm.so random random --time\n",
    .options = kOptions,
    .fewest = 1,
    .most = 1 << 20,
    .run = Run,
};

}  // namespace lathe::cli
