// `lathe bisect`: finds the pass of the compiler that changed a program's answer.
#include <cstdio>
#include <cstring>

#include "driver/bisect/bisect.h"
#include "driver/compile.h"
#include "driver/metadata.h"
#include "runtime/module.h"
#include "runtime/status.h"
#include "schedule/loop_nest.h"
#include "tools/lathe/bisect_report.h"
#include "tools/lathe/call.h"
#include "tools/lathe/call_values.h"
#include "tools/lathe/files.h"
#include "tools/lathe/graph.h"
#include "tools/lathe/graph_commands.h"
#include "tools/lathe/npy.h"
#include "tools/lathe/program.h"

namespace lathe::cli {
namespace {

using driver::BisectArguments;
using driver::BisectReport;
using driver::BisectStage;
using runtime::MakeStatus;
using runtime::Tensor;

constexpr Option kOptions[] = {
    {"--wrong", "[NAME=]FILE",
     "an output as you got it (.npy): says whether it is wrong, and whether it appears here"},
    {"--tolerance", "X",
     "floats may differ by X times the largest magnitude in their tensor; default: by format"},
    {"--no-code", nullptr, "compare the passes only, without compiling and running"},
    {"--seed", "N", "of a graph: of its random inputs; default: 1"},
    kFunctionOption,
    kInputShapeOption,
    kOptLevelOption,
    kOutShapeOption,
    kExtentOption,
    kGraphTargetOption,
    kPassOption,
    kDisableOption,
    kVerifyOption,
};

// A copy of `expected`, with the tensor of --wrong in place of its output.
absl::StatusOr<BisectArguments> ReadWrong(const std::string& text, const Call& call,
                                          const BisectArguments& expected) {
  const size_t equals = text.find('=');
  size_t index = 0;
  if (equals != std::string::npos) {
    LATHE_ASSIGN_OR_RETURN(index, call.FindTensor(text.substr(0, equals)));
  } else {
    while (index < call.values().size() && !call.IsOutput(index)) ++index;
  }
  const std::string path = equals == std::string::npos ? text : text.substr(equals + 1);
  LATHE_ASSIGN_OR_RETURN(std::string bytes, ReadInput(path, kMaxNpyBytes));
  LATHE_ASSIGN_OR_RETURN(Tensor tensor, DecodeNpy(bytes, path));
  BisectArguments out = expected;
  BisectArguments::Argument& argument = out.arguments[index];
  const std::vector<int64_t> shape(tensor.shape().begin(), tensor.shape().end());
  if (tensor.dtype() != argument.dtype || shape != argument.shape) {
    return MakeStatus(absl::StatusCode::kInvalidArgument, "bisect-wrong-shape",
                      "`" + path + "` does not fit `" + argument.name +
                          "`\n  expected: its element type and shape\n  found: " +
                          tensor.dtype().ToString() + " of rank " + std::to_string(shape.size()) +
                          "\n  help: give the file that holds this output");
  }
  LATHE_RETURN_IF_ERROR(tensor.CopyToHost(argument.bytes.data(), argument.bytes.size()));
  return out;
}

// Runs the compiled code on the same arguments.
absl::StatusOr<BisectArguments> RunCode(const LoadedProgram& program, const target::Target& target,
                                        const lower::PassContext& context, const Call& call) {
  const schedule::Loaded& loaded = program.loaded;
  LATHE_ASSIGN_OR_RETURN(
      runtime::Module module,
      driver::Build(driver::Lower(loaded.schedule, loaded.args, loaded.name, context), target,
                    context));
  LATHE_ASSIGN_OR_RETURN(runtime::Function function, module.GetFunction(loaded.name));
  std::vector<lathe_value> values;
  for (const runtime::Value& value : call.values()) values.push_back(value.c());
  LATHE_RETURN_IF_ERROR(
      function.TryCallPacked(values.data(), static_cast<int32_t>(values.size())).status());
  return ValuesOf(call);
}

absl::Status Run(const Arguments& arguments) {
  if (HasGraph(arguments.positional()[0])) return BisectGraphFile(arguments);
  const lower::PassContext context = MakePassContext(arguments);
  LATHE_ASSIGN_OR_RETURN(LoadedProgram program, LoadProgram(arguments.positional()[0]));
  const schedule::Loaded& loaded = program.loaded;
  const target::Target target = TargetOf(arguments);
  const runtime::Metadata metadata = driver::DescribeModule(
      ir::MakeModule({schedule::LowerSchedule(loaded.schedule, loaded.args, loaded.name)}), target);
  Call call(arguments, metadata.functions.at(0));
  LATHE_RETURN_IF_ERROR(call.Bind(std::span(arguments.positional()).subspan(1)));
  LATHE_ASSIGN_OR_RETURN(BisectArguments given, ValuesOf(call));
  LATHE_RETURN_IF_ERROR(ClearOutputs(call, &given));

  driver::BisectOptions options;
  options.context = context;
  if (arguments.Has("--tolerance"))
    options.tolerance.relative = arguments.Number("--tolerance", 0, 0, 1e9);
  const BisectReport report =
      driver::Bisect(loaded, given, driver::AllPipelines(), target, options);
  Print(report);
  std::fflush(stdout);  // the compiled code may end the process

  BisectArguments wrong;
  if (arguments.Has("--wrong")) {
    LATHE_ASSIGN_OR_RETURN(wrong, ReadWrong(arguments.Get("--wrong"), call, report.expected));
    if (driver::Compare(report.expected, wrong, options.tolerance).empty()) {
      return MakeStatus(absl::StatusCode::kInvalidArgument, "bisect-not-wrong",
                        "the result of --wrong is what the program's definition says\n  expected: "
                        "another result than that\n  help: look for the mistake in the definition, "
                        "or lower --tolerance");
    }
  }
  if (report.changed) return Culprit(report.stages.back().name);
  if (!arguments.Has("--no-code") && driver::HasThreads(loaded)) {
    std::printf("%-18s %s\n", "code", "not run: kernels need a device");
  } else if (!arguments.Has("--no-code")) {
    LATHE_ASSIGN_OR_RETURN(const BisectArguments found, RunCode(program, target, context, call));
    const std::string what = driver::Compare(report.expected, found, options.tolerance);
    std::printf("%-18s %s\n", "code",
                StateName(what.empty() ? BisectStage::kSame : BisectStage::kChanged));
    if (!what.empty()) {
      std::printf("\n%s\n", what.c_str());
      if (arguments.Has("--wrong") && driver::Compare(wrong, found, options.tolerance).empty()) {
        std::printf("It is the result of --wrong.\n");
      }
      return Culprit("code");
    }
  }
  if (arguments.Has("--wrong")) {
    return MakeStatus(absl::StatusCode::kInvalidArgument, "bisect-not-reproduced",
                      "no step here gives the result of --wrong\n  expected: the same program, "
                      "schedule, arguments and target that gave it\n  help: check the arguments; a "
                      "library or a machine may differ from this one");
  }
  return absl::OkStatus();
}

}  // namespace

const Command kBisect = {
    .name = "bisect",
    .arguments = "PROGRAM ARGUMENT...",
    .what = "find the pass that changed a program's answer",
    .details =
        "Computes the program from its definition, then interprets the schedule's loop nest, then "
        "what each pass\n"
        "makes of it, and at last runs the compiled code, on the same arguments (as for `lathe "
        "run`). Names the first\n"
        "step with another answer, and shows the smallest statement that it changed, before and "
        "after. Ends with 70\n"
        "where there is such a step. Loops over thread axes become kernels, which are interpreted "
        "with their threads.\n"
        "Interpreting is slow: take the smallest arguments that show "
        "the mistake.\n"
        "A graph is interpreted as it is, after each pass over graphs and after fusion, with "
        "random "
        "inputs; then each\n"
        "kernel is searched, with the tensors that it gets, and at last the whole plan runs. "
        "`--extent` gives its sizes.\n",
    .example =
        "  lathe bisect examples/programs/vector_add.lathe random:10 random\n"
        "  lathe run mine.lathe a.npy random:8x8 --out got.npy      # looks wrong\n"
        "  lathe bisect mine.lathe a.npy random:8x8 --wrong got.npy\n"
        "  lathe bisect network.lathe --extent n=16 --opt-level 3   # a graph\n"
        "which prints, where the pass `vectorize` were at fault:\n"
        "  definition         computed\n"
        "  schedule           same answer\n"
        "  compact_realize    same answer\n"
        "  ...\n"
        "  vectorize          ANOTHER ANSWER\n"
        "\n"
        "  C[0, 3] is 11, expected 12; 5 of 64 elements differ\n"
        "\n"
        "  # before\n"
        "  vectorized for j in range(8) { C[i * 8 + j] = A[i * 8 + j] + 1.0 }\n"
        "  # after\n"
        "  C[ramp(i * 8, 1, 8)] = A[ramp(i * 8, 1, 8)] + broadcast(2.0, 8)\n",
    .options = kOptions,
    .fewest = 1,
    .most = 1 << 20,
    .run = Run,
};

}  // namespace lathe::cli
