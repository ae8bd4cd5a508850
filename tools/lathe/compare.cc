// `lathe compare`: a model's results here and in another framework, and where they begin to differ.
#include <filesystem>
#include <string_view>

#include "driver/time_limit.h"
#include "runtime/status.h"
#include "tools/lathe/compare_layers.h"
#include "tools/lathe/files.h"
#include "tools/lathe/graph.h"
#include "tools/lathe/model_inputs.h"
#include "tools/lathe/program.h"
#include "tools/lathe/progress.h"

namespace lathe::cli {
namespace {

using runtime::Tensor;

constexpr Option kOptions[] = {
    {"--with", "PEER", "onnxruntime (the default) or pytorch"},
    {"--peer-model", "FILE", "with pytorch: the same model as TorchScript"},
    {"--python", "PROGRAM", "the Python that has the peer (python3)"},
    {"--rtol", "R", "results may differ by this part of the largest value (0.001)"},
    {"--atol", "A", "and by this (0.00001)"},
    {"--layers", nullptr, "compare all values between, even if the outputs agree"},
    kInputValueOption,
    kThreadsOption,
    kResizeOption,
    kCropOption,
    kDivideOption,
    kMeanOption,
    kStdOption,
    kLayoutOption,
    kBgrOption,
    kGraphTargetOption,
    kFunctionOption,
    kOptLevelOption,
    kPassOption,
    kDisableOption,
    kVerifyOption,
    kTimeLimitOption,
    kIsolateOption,
    kNoCacheOption,
};

// The format of the model's file. The values between are those that an ONNX file names.
absl::StatusOr<std::string> FormatOf(const Arguments& arguments) {
  LATHE_ASSIGN_OR_RETURN(const graph::ModelFormat* format,
                         graph::FormatOfFile(arguments.positional()[0]));
  return format == nullptr ? std::string("no model") : format->name;
}
constexpr std::string_view kOnnx = "ONNX";

absl::Status CheckPeer(const Arguments& arguments, const std::string& peer) {
  if (peer != "onnxruntime" && peer != "pytorch") {
    throw UsageError(Diagnostic{.name = "cli-bad-value",
                                .message = "there is no peer `" + peer + "`",
                                .expected = "onnxruntime or pytorch",
                                .found = "`" + peer + "`",
                                .help = "choose one of them"});
  }
  if (peer == "pytorch" && !arguments.Has("--peer-model")) {
    throw UsageError(Diagnostic{
        .name = "cli-bad-value",
        .message = "PyTorch does not read ONNX files",
        .expected = "`--peer-model FILE`: the same model as TorchScript",
        .found = "no --peer-model",
        .help = "torch.jit.trace(model, example).save(\"model.pt\") writes it where the model was "
                "exported"});
  }
  LATHE_ASSIGN_OR_RETURN(const std::string format, FormatOf(arguments));
  if (peer == "onnxruntime" && format != kOnnx) {
    throw UsageError(Diagnostic{.name = "cli-bad-value",
                                .message = "ONNX Runtime reads ONNX files",
                                .expected = "the model as ONNX",
                                .found = format,
                                .help = "name the file that was imported"});
  }
  if (arguments.Has("--layers") && format != kOnnx) {
    throw UsageError(Diagnostic{.name = "cli-bad-value",
                                .message = "--layers compares the values of an ONNX file",
                                .expected = "the model as ONNX",
                                .found = format,
                                .help = "name the file that was imported, or leave --layers out"});
  }
  return absl::OkStatus();
}

absl::Status Run(const Arguments& arguments) {
  PeerRun run;
  run.peer = arguments.Get("--with", "onnxruntime");
  LATHE_RETURN_IF_ERROR(CheckPeer(arguments, run.peer));
  run.python = arguments.Get("--python", "python3");
  run.model = arguments.Get("--peer-model", arguments.positional()[0]);
  LATHE_ASSIGN_OR_RETURN(const Prepared prepared, Prepare(arguments));
  LATHE_RETURN_IF_ERROR(prepared.context->Run());
  const runtime::graph::Plan& plan = prepared.model.plan();
  for (const auto& input : plan.inputs) run.input_names.push_back(input.name);
  run.inputs = prepared.inputs;
  for (size_t i = 0; i < plan.outputs.size(); ++i) run.output_names.push_back(OutputName(plan, i));
  // Its folder is removed at the end, and by Ctrl-C.
  LATHE_ASSIGN_OR_RETURN(const PartialOutput place, PartialOutput::CreateTemporary("compare"));
  run.folder = std::filesystem::path(place.path()).parent_path().string();
  Progress progress;
  progress.Show("running " + run.peer);
  LATHE_ASSIGN_OR_RETURN(std::vector<Tensor> theirs, RunPeer(run));
  progress.Clear();
  if (theirs.size() != plan.outputs.size()) {
    return Differs(run.peer + " has another number of outputs: " + std::to_string(theirs.size()) +
                       ", not " + std::to_string(plan.outputs.size()),
                   "", "compare the same model");
  }
  PrintHead();
  const Tolerance tolerance = ToleranceOf(arguments);
  bool agree = true;
  std::vector<Difference> differences;
  for (size_t i = 0; i < theirs.size(); ++i) {
    LATHE_ASSIGN_OR_RETURN(const Tensor ours, prepared.context->GetOutput(static_cast<int>(i)));
    LATHE_ASSIGN_OR_RETURN(const Difference difference, DifferenceOf(ours, theirs[i], tolerance));
    PrintLine(run.output_names[i], ours, theirs[i], difference);
    agree = agree && difference.agrees;
    differences.push_back(difference);
  }
  theirs.clear();
  if (agree && !arguments.Has("--layers")) return absl::OkStatus();
  LATHE_ASSIGN_OR_RETURN(const std::string format, FormatOf(arguments));
  if (format != kOnnx)
    return Differs("the outputs differ", "", "compare the ONNX file to find the first value");
  return CompareLayers(arguments, prepared, std::move(run), differences);
}

}  // namespace

const Command kCompare = {
    .name = "compare",
    .arguments = "MODEL [--with PEER]",
    .what = "compare a model's results with ONNX Runtime's or PyTorch's",
    .details =
        "Both get the same inputs: those of --input, others random. For each output, the largest "
        "difference is\n"
        "printed beside the largest value. If an output of an ONNX model differs, all values "
        "between are compared,\n"
        "and the first that differs is named. PyTorch names values otherwise: there, a value's "
        "counterpart is the\n"
        "one of its shape that agrees with it, and the first value is named such that neither it "
        "nor anything\n"
        "computed from it has one. The peer runs in a Python process of its own; Lathe needs no "
        "Python.\n",
    .example =
        "  lathe compare model.onnx\n"
        "  lathe compare model.onnx --input data=cat.png --python peer/bin/python --layers\n"
        "  lathe compare model.onnx --with pytorch --peer-model model.pt\n",
    .options = kOptions,
    .fewest = 1,
    .most = 1,
    .run = Run,
};

}  // namespace lathe::cli
