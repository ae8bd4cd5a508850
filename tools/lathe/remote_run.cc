// `lathe remote run`: calls a function or a model on another machine, as `lathe run` does on this
// one.
#include "runtime/status.h"
#include "tools/lathe/call.h"
#include "tools/lathe/files.h"
#include "tools/lathe/graph.h"
#include "tools/lathe/model.h"
#include "tools/lathe/model_inputs.h"
#include "tools/lathe/remote.h"
#include "tools/lathe/remote_call.h"
#include "tools/lathe/run_model.h"

namespace lathe::cli {
namespace {

constexpr Option kOptions[] = {
    kHostOption,
    kTrackerOption,
    kKeyOption,
    kSecretFileOption,
    {"--out", "[NAME=]FILE", "write an output as .npy; without NAME the outputs in order"},
    kOutShapeOption,
    kExtentOption,
    {"--time", nullptr, "measure the call, by the other machine's clock"},
    {"--number", "N", "with --time: calls per sample (1)"},
    {"--repeat", "N", "with --time: samples (10)"},
    kFunctionOption,
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
};

absl::Status Run(const Arguments& arguments) {
  const std::string& path = arguments.positional()[0];
  LATHE_ASSIGN_OR_RETURN(const std::string bytes, ReadInput(path, kMostArtifactBytes));
  LATHE_ASSIGN_OR_RETURN(const auto session, OpenSession(arguments));
  LATHE_ASSIGN_OR_RETURN(const RemoteModule there, LoadThere(arguments, session, path, bytes));
  return RunThere(arguments, there, std::span(arguments.positional()).subspan(1));
}

}  // namespace

const Command kRemoteRun = {
    .name = "remote run",
    .arguments = "ARTEFACT [FUNCTION] ARGUMENT...",
    .what = "call a compiled function or a compiled model on another machine",
    .details =
        "ARTEFACT is a .o, .so or .tar file that was compiled for that machine. It is uploaded, "
        "and its\n"
        "function is called there. Arguments, inputs and outputs are as for `lathe run`: an "
        "ARGUMENT is\n"
        "a .npy file, `random` or `zeros` (with a shape: `random:2x3`), or a number; the inputs of "
        "a\n"
        "model have names, --input NAME=VALUE for each.\n",
    .example =
        "  lathe compile add.lathe --target \"llvm -mtriple=aarch64-linux-gnu\" -o add.tar\n"
        "  lathe remote run add.tar random:1000 random --host rk3399.lab:9090 --time\n"
        "  lathe remote run mobilenet.tar --input data=cat.png --top 5 --tracker 10.0.0.7:9190 "
        "--key rk3399\n",
    .options = kOptions,
    .fewest = 1,
    .most = 1 << 20,
    .run = Run,
};

}  // namespace lathe::cli
