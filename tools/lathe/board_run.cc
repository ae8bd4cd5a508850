// `lathe board run`: a program or a model is compiled for a board, runs there, and its results are
// compared with what this machine computes.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "driver/cache/compile_cache.h"
#include "driver/compile.h"
#include "driver/time_limit.h"
#include "runtime/graph/plan_module.h"
#include "runtime/rpc/connect.h"
#include "runtime/rpc/server.h"
#include "runtime/status.h"
#include "target/host_target.h"
#include "tools/lathe/board.h"
#include "tools/lathe/call.h"
#include "tools/lathe/call_values.h"
#include "tools/lathe/files.h"
#include "tools/lathe/graph.h"
#include "tools/lathe/measure.h"
#include "tools/lathe/model.h"
#include "tools/lathe/model_inputs.h"
#include "tools/lathe/program.h"
#include "tools/lathe/progress.h"
#include "tools/lathe/remote_call.h"
#include "tools/lathe/run_model.h"
#include "tools/rpc/options.h"

namespace lathe::cli {
namespace {

using driver::BisectArguments;
using runtime::MakeStatus;
using runtime::Tensor;
using runtime::rpc::RemoteSession;

// Results of networks: other instructions round differently, and layers add up.
constexpr double kModelTolerance = 1e-3;

constexpr Option kOptions[] = {
    kHostOption,
    kTrackerOption,
    {"--key", "KEY", "the kind of device; default with --tracker: the board's name"},
    kSecretFileOption,
    {"--worker", "FILE",
     "no server yet: start this lathe-rpc-worker, which was built for the board, on this machine"},
    {"--launcher", "COMMAND", "with --worker: what runs it, as `qemu-aarch64`"},
    {"--no-check", nullptr, "do not compare with what this machine computes"},
    {"--tolerance", "X",
     "floats may differ by X times the largest magnitude in their tensor; default: by format, "
     "and 0.001 for models"},
    {"--number", "N", "calls per sample (1)"},
    {"--repeat", "N", "samples (10)"},
    {"--out", "[NAME=]FILE", "write an output as .npy; without NAME the outputs in order"},
    kOutShapeOption,
    kExtentOption,
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
    {"--target", "TARGET", "what else to compile for, as `opencl`; default: the board's"},
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

// -- The board.

struct Reached {
  std::unique_ptr<runtime::rpc::Server> server;  // if this process started one
  Ref<RemoteSession> session;
};

absl::StatusOr<Reached> StartWorker(const Arguments& arguments) {
  const std::string worker = std::filesystem::absolute(arguments.Get("--worker"));
  if (!std::filesystem::is_regular_file(worker))
    return MakeStatus(absl::StatusCode::kUnavailable, "file-unreadable",
                      {"there is no worker `", worker,
                       "`\n  expected: lathe-rpc-worker, built for the board\n  help: `bazel build "
                       "--config=ci --config=BOARD //tools/rpc:static` builds it"});
  runtime::rpc::ServerOptions options;
  options.supervisor.machine = runtime::rpc::ThisMachine();
  options.worker = rpc_tools::Words(arguments.Get("--launcher"));
  options.worker.push_back(worker);
  Reached reached;
  LATHE_ASSIGN_OR_RETURN(reached.server, runtime::rpc::Server::Start(std::move(options)));
  runtime::rpc::ConnectOptions connect;
  connect.port = reached.server->port();
  LATHE_ASSIGN_OR_RETURN(reached.session, runtime::rpc::Connect(std::move(connect)));
  return reached;
}

absl::StatusOr<Reached> Reach(const Arguments& arguments, const Board& board) {
  const bool named = arguments.Has("--host") || arguments.Has("--tracker");
  if (!named && arguments.Has("--worker")) return StartWorker(arguments);
  if (!named && *board.address == '\0')
    throw UsageError(Diagnostic{
        .name = "cli-no-board",
        .message =
            std::string("the entry of `") + board.name + "` does not say where its server is",
        .expected = "`--host HOST:PORT`, `--tracker HOST:PORT`, or `--worker FILE`",
        .found = "none of them",
        .help =
            std::string("without a board, in the source tree: `bazel run --config=ci //boards:") +
            board.name + "_run -- PROGRAM ...` runs it under the emulator"});
  Reached reached;
  LATHE_ASSIGN_OR_RETURN(reached.session, OpenSession(arguments, board.address, board.name));
  return reached;
}

// -- What is compiled.

// Writes it as a file that is loaded without a linker, and reads that file.
absl::StatusOr<std::string> BytesOf(absl::FunctionRef<absl::Status(const std::string& path)> write,
                                    const std::string& name) {
  LATHE_ASSIGN_OR_RETURN(const PartialOutput place, PartialOutput::CreateTemporary(name));
  LATHE_RETURN_IF_ERROR(write(place.path()));
  return ReadInput(place.path(), kMostArtifactBytes);
}

void SayCompiled(const std::string& path, const std::string& bytes, double seconds) {
  std::printf("compiled: %s, %zu bytes, %s\n", path.c_str(), bytes.size(),
              TimeText(seconds).c_str());
}

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

absl::Status Judge(const Arguments& arguments, const BisectArguments& expected,
                   const BisectArguments& found, double tolerance, const char* oracle) {
  driver::Tolerance allowed{tolerance};
  if (arguments.Has("--tolerance")) allowed.relative = arguments.Number("--tolerance", 0, 0, 1e9);
  const std::string what = driver::Compare(expected, found, allowed);
  if (!what.empty())
    return MakeStatus(absl::StatusCode::kInvalidArgument, "board-differs",
                      {"the board computes something else\n  expected: ", oracle, "\n  found: ",
                       what, "\n  help: `lathe bisect` says whether a pass is wrong"});
  std::printf("results: equal to %s\n", oracle);
  return absl::OkStatus();
}

absl::Status RunProgram(const Arguments& arguments, const Reached& reached, const std::string& path,
                        const LoadedProgram& read) {
  const driver::TimeLimit limit(TimeLimitOf(arguments));
  const double before = Now();
  LATHE_ASSIGN_OR_RETURN(const driver::ProgramToCompile program, ToCompile(arguments, read));
  LATHE_ASSIGN_OR_RETURN(const runtime::Module module,
                         driver::BuildProgram(program, CacheOf(arguments)));
  LATHE_ASSIGN_OR_RETURN(
      const std::string bytes,
      BytesOf([&](const std::string& out) { return driver::ExportLibrary(module, out); },
              program.name + ".tar"));
  SayCompiled(path, bytes, Now() - before);
  LATHE_ASSIGN_OR_RETURN(const RemoteModule there,
                         LoadThere(arguments, reached.session, program.name + ".tar", bytes));
  std::span<const std::string> given = std::span(arguments.positional()).subspan(2);
  LATHE_ASSIGN_OR_RETURN(const runtime::FunctionMetadata* const described,
                         ChooseFunction(there.module, path, &given));
  const std::vector<std::string> random(described->arguments.size(), "random");
  if (given.empty()) given = random;
  Call call(arguments, *described, reached.session->device(kDLCPU));
  LATHE_RETURN_IF_ERROR(call.Bind(given));
  LATHE_ASSIGN_OR_RETURN(BisectArguments values, ValuesOf(call));
  LATHE_RETURN_IF_ERROR(ClearOutputs(call, &values));
  RemoteCall remote{.values = call.values(), .device = call.device()};
  LATHE_ASSIGN_OR_RETURN(remote.function, there.module.GetFunction(described->name));
  LATHE_RETURN_IF_ERROR(CallThere(remote).status());
  LATHE_RETURN_IF_ERROR(call.WriteOutputs());
  if (!arguments.Has("--no-check")) {
    LATHE_ASSIGN_OR_RETURN(const BisectArguments found, ValuesOf(call));
    Progress progress;
    progress.Show("interpreting");
    const BisectArguments expected = driver::ComputeDefinition(read.loaded, std::move(values));
    progress.Clear();
    LATHE_RETURN_IF_ERROR(Judge(arguments, expected, found, -1, "the interpreter's"));
  }
  return TimeThere(arguments, *reached.session, remote);
}

absl::StatusOr<BisectArguments> ValuesOf(const runtime::graph::Plan& plan,
                                         const std::vector<Tensor>& outputs) {
  BisectArguments values;
  for (size_t i = 0; i < outputs.size(); ++i) {
    LATHE_ASSIGN_OR_RETURN(values.arguments.emplace_back(),
                           ValueOf(OutputName(plan, i), outputs[i]));
  }
  return values;
}

// What the model gives when it is compiled for this machine. (The interpreter of graphs takes
// minutes for networks; that compiled models equal it is what `lathe compile --check` shows.)
absl::StatusOr<std::vector<Tensor>> RunHere(const LoadedGraph& loaded,
                                            const std::vector<Tensor>& inputs) {
  LATHE_ASSIGN_OR_RETURN(const runtime::Module module,
                         graph::BuildGraphModule(loaded.module, loaded.function,
                                                 target::HostTarget(), {}, loaded.function));
  LATHE_ASSIGN_OR_RETURN(const auto executable,
                         runtime::graph::FindExecutable(module, loaded.function));
  return runtime::graph::Context(executable).RunOnce(inputs);
}

absl::StatusOr<LoadedGraph> ReadModel(const Arguments& arguments, const std::string& path) {
  if (arguments.positional().size() > 2)
    throw UsageError(Diagnostic{.name = "cli-bad-value",
                                .message = "`" + path + "` is a model: its inputs have names",
                                .expected = "`--input NAME=VALUE`; others are random",
                                .found = "`" + arguments.positional()[2] + "`",
                                .help = "`lathe help run` shows an example"});
  const driver::TimeLimit limit(TimeLimitOf(arguments));
  Progress progress;
  progress.Show("reading");
  LATHE_ASSIGN_OR_RETURN(const graph::ModelInputs shapes, ShapesGiven(arguments));
  return LoadGraphFile(path, arguments, shapes);
}

absl::Status RunModel(const Arguments& arguments, const Reached& reached, const std::string& path,
                      const LoadedGraph& loaded) {
  const driver::TimeLimit limit(TimeLimitOf(arguments));
  const double before = Now();
  Progress progress;
  progress.Show("compiling");
  auto [target, options] = GraphBuildOf(arguments, &progress);
  LATHE_ASSIGN_OR_RETURN(
      const runtime::Module module,
      graph::BuildGraphModule(loaded.module, loaded.function, target, options, loaded.function));
  LATHE_ASSIGN_OR_RETURN(
      const std::string bytes,
      BytesOf([&](const std::string& out) { return driver::ExportLibrary(module, out); },
              "model.tar"));
  progress.Clear();
  SayCompiled(path, bytes, Now() - before);
  progress.Show("uploading");
  LATHE_ASSIGN_OR_RETURN(const RemoteModule there,
                         LoadThere(arguments, reached.session, "model.tar", bytes));
  LATHE_ASSIGN_OR_RETURN(const WantedOutputs wanted, WantedOutputsOf(arguments, *there.plan));
  LATHE_ASSIGN_OR_RETURN(const std::vector<Tensor> inputs,
                         InputsOf(arguments, *there.plan, Missing::kRandom));
  LATHE_ASSIGN_OR_RETURN(const RemoteCall call, ModelCall(there, inputs));
  progress.Show("running");
  LATHE_ASSIGN_OR_RETURN(const runtime::Value result, CallThere(call));
  LATHE_ASSIGN_OR_RETURN(const std::vector<Tensor> outputs, TensorsOf(result, there));
  progress.Clear();
  LATHE_RETURN_IF_ERROR(WriteOutputs(arguments, *there.plan, wanted, outputs));
  if (!arguments.Has("--no-check")) {
    LATHE_ASSIGN_OR_RETURN(const std::vector<Tensor> ours, RunHere(loaded, inputs));
    LATHE_ASSIGN_OR_RETURN(const BisectArguments expected, ValuesOf(*there.plan, ours));
    LATHE_ASSIGN_OR_RETURN(const BisectArguments found, ValuesOf(*there.plan, outputs));
    LATHE_RETURN_IF_ERROR(
        Judge(arguments, expected, found, kModelTolerance, "those of this machine"));
  }
  return TimeThere(arguments, *reached.session, call);
}

absl::Status Run(const Arguments& arguments) {
  const Board& board = FindBoard(arguments.positional()[0]);
  const std::string& path = arguments.positional()[1];
  LATHE_RETURN_IF_ERROR(runtime::graph::RegisterGraph());
  // Before a board is asked for, which others may wait for: what is wrong here needs none.
  std::optional<LoadedProgram> program;
  std::optional<LoadedGraph> model;
  if (HasGraph(path)) {
    LATHE_ASSIGN_OR_RETURN(model, ReadModel(arguments, path));
  } else {
    LATHE_ASSIGN_OR_RETURN(program, LoadProgram(path));
  }
  LATHE_ASSIGN_OR_RETURN(const Reached reached, Reach(arguments, board));
  std::printf("board: %s, %s%s\n", board.name, reached.session->machine().target.c_str(),
              reached.server != nullptr ? " (its worker, started on this machine)" : "");
  const absl::Status status = model ? RunModel(arguments, reached, path, *model)
                                    : RunProgram(arguments, reached, path, *program);
  reached.session->Close();
  return status;
}

}  // namespace

const Command kBoardRun = {
    .name = "board run",
    .arguments = "BOARD PROGRAM|MODEL [ARGUMENT...]",
    .what = "compile a program for a board, run it there, compare the results, print times",
    .details =
        "The board's server is reached by --host or --tracker, else where the board's entry says. "
        "Without a\n"
        "board, --worker and --launcher start its worker on this machine, under an emulator. "
        "Arguments,\n"
        "inputs and outputs are as for `lathe run`; a program without arguments, and inputs of a "
        "model that\n"
        "are not given, get random numbers.\n"
        "A program's results are compared with the interpreter's, a model's with those of the "
        "model\n"
        "compiled for this machine. Times are measured by the board's clock; an emulator's say "
        "little.\n",
    .example =
        "  lathe board run rk3399 examples/programs/gemm_tiled.lathe --host rk3399.lab:9090\n"
        "  lathe board run rpi4 mobilenet.onnx --tracker 10.0.0.7:9190\n"
        "  lathe board run eaidk310 add.lathe random:1000 random --worker lathe-rpc-worker "
        "--launcher qemu-aarch64\n",
    .options = kOptions,
    .fewest = 2,
    .most = 1 << 20,
    .run = Run,
};

}  // namespace lathe::cli
