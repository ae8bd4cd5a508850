// `lathe compare`: a model's results here and in another framework, and where they begin to differ.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <set>

#include "driver/time_limit.h"
#include "graph/import/onnx/import.h"
#include "graph/import/onnx/model.h"
#include "runtime/graph/plan_module.h"
#include "runtime/status.h"
#include "tools/lathe/files.h"
#include "tools/lathe/graph.h"
#include "tools/lathe/measure.h"
#include "tools/lathe/model_inputs.h"
#include "tools/lathe/numbers.h"
#include "tools/lathe/peer.h"
#include "tools/lathe/printable.h"
#include "tools/lathe/program.h"
#include "tools/lathe/progress.h"

namespace lathe::cli {
namespace {

using graph::onnx::LoadedModel;
using runtime::MakeStatus;
using runtime::Tensor;

constexpr Option kOptions[] = {
    {"--with", "PEER", "onnxruntime (the default) or pytorch"},
    {"--peer-model", "FILE", "with pytorch: the same model as TorchScript"},
    {"--python", "PROGRAM", "the Python that has the peer (python3)"},
    {"--rtol", "R", "results may differ by this part of the largest value (0.001)"},
    {"--atol", "A", "and by this (0.00001)"},
    {"--layers", nullptr, "compare all values between, even if the outputs agree (onnxruntime)"},
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

// How much two results differ.
struct Difference {
  double most = 0;     // the largest absolute difference; infinite if one of the two is no number
  double largest = 0;  // the largest absolute value of the peer
  bool same_shape = true;
  bool agrees = true;
};

absl::StatusOr<Difference> Compare(const Arguments& arguments, const Tensor& ours,
                                   const Tensor& theirs) {
  Difference out;
  out.same_shape = std::ranges::equal(ours.shape(), theirs.shape());
  if (!out.same_shape) {
    out.agrees = false;
    return out;
  }
  LATHE_ASSIGN_OR_RETURN(const std::vector<double> a, NumbersOf(ours));
  LATHE_ASSIGN_OR_RETURN(const std::vector<double> b, NumbersOf(theirs));
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) {
      if (std::isfinite(b[i])) out.largest = std::max(out.largest, std::fabs(b[i]));
      continue;
    }
    const double difference = std::fabs(a[i] - b[i]);
    out.most = std::max(out.most, std::isfinite(difference) ? difference : INFINITY);
    if (std::isfinite(b[i])) out.largest = std::max(out.largest, std::fabs(b[i]));
  }
  const double most = arguments.Number("--atol", 1e-5, 0, 1e30) +
                      arguments.Number("--rtol", 1e-3, 0, 1e30) * out.largest;
  out.agrees = out.most <= most;
  return out;
}

void PrintLine(const std::string& name, const Tensor& ours, const Tensor& theirs,
               const Difference& difference) {
  if (!difference.same_shape) {
    std::printf("%-32s shapes differ: %s here, %s there\n", Printable(name).c_str(),
                ours.ToString().c_str(), theirs.ToString().c_str());
    return;
  }
  std::printf("%-32s %12.4g %12.4g  %s\n", Printable(name).c_str(), difference.most,
              difference.largest, difference.agrees ? "agrees" : "DIFFERS");
}

void PrintHead() { std::printf("%-32s %12s %12s\n", "value", "difference", "largest"); }

absl::Status Differs(const std::string& what, const std::string& note, const std::string& help) {
  return MakeStatus(absl::StatusCode::kInvalidArgument, "compare-differs",
                    what + note + "\n  help: " + help);
}

// -- The values between.

// A field of a protobuf message: a length, then bytes.
std::string Field(char tag, const std::string& bytes) {
  std::string out(1, tag);
  uint64_t size = bytes.size();
  for (; size >= 128; size >>= 7) out += static_cast<char>(size | 128);
  return out + static_cast<char>(size) + bytes;
}

struct Layer {
  std::string value, op;
};

// The results of the model's nodes, in their order, without sequences and optionals.
std::vector<Layer> LayersOf(const graph::onnx::Model& model) {
  std::vector<Layer> layers;
  for (const graph::onnx::Node& node : model.graph.nodes) {
    const bool is_tensor =
        node.op.find("Sequence") == std::string_view::npos && !node.op.starts_with("Optional");
    if (!is_tensor || node.outputs.empty() || node.outputs[0].empty()) continue;
    layers.push_back({std::string(node.outputs[0]), std::string(node.op)});
  }
  return layers;
}

// The model with these values as further outputs. Messages of protobuf that are written one behind
// the other are one message, and their lists are joined: ModelProto.graph is field 7,
// GraphProto.output 12, ValueInfoProto.name 1.
std::string WithOutputs(std::string_view bytes, const std::vector<Layer>& layers,
                        const graph::onnx::Model& model) {
  std::set<std::string> known;
  for (const auto& output : model.graph.outputs) known.emplace(output.name);
  std::string outputs;
  for (const Layer& layer : layers) {
    if (known.insert(layer.value).second) outputs += Field(0x62, Field(0x0a, layer.value));
  }
  return std::string(bytes) + Field(0x3a, outputs);
}

// Compiles the changed model like the whole one and runs it.
absl::StatusOr<std::vector<Tensor>> RunChanged(const Arguments& arguments, const std::string& bytes,
                                               const std::string& folder, const Prepared& prepared,
                                               std::vector<std::string>* names) {
  const auto owner = std::make_shared<const std::string>(bytes);
  const LoadedModel model{graph::onnx::ReadModel(*owner), owner, folder};
  graph::onnx::ImportOptions wanted;
  LATHE_ASSIGN_OR_RETURN(const graph::ModelInputs shapes, ShapesGiven(arguments));
  for (const auto& [name, input] : shapes) wanted.shapes[name] = input.shape;
  const graph::onnx::ImportedModel imported = graph::onnx::ImportModel(model, wanted);
  *names = imported.outputs;
  const auto [target, options] = GraphBuildOf(arguments);
  LATHE_ASSIGN_OR_RETURN(const runtime::Module module,
                         graph::BuildGraphModule(imported.module, "main", target, options, "main"));
  LATHE_ASSIGN_OR_RETURN(const auto executable, runtime::graph::FindExecutable(module, "main"));
  runtime::graph::Context context(executable);
  return context.RunOnce(prepared.inputs);
}

// Compares value by value, in the order of the nodes.
absl::Status CompareLayers(const Arguments& arguments, const Prepared& prepared, PeerRun run,
                           bool outputs_differ) {
  Progress progress;
  progress.Show("comparing the values between");
  const std::string& path = arguments.positional()[0];
  graph::MappedFile file;
  const FileProblem problem = graph::MapFile(path, Links::kFollow, &file);
  if (!problem.ok()) return WriteFailed(path, problem.text);
  const graph::onnx::Model model = graph::onnx::ReadModel(file.bytes);
  const std::vector<Layer> layers = LayersOf(model);
  const std::string changed = WithOutputs(file.bytes, layers, model);
  const std::string parent = std::filesystem::path(path).parent_path().string();
  run.data_folder = parent.empty() ? "." : parent;
  run.model = run.folder + "/changed.onnx";
  const FileProblem written = WriteFile(run.model, changed);
  if (!written.ok()) return WriteFailed(run.model, written.text);
  LATHE_ASSIGN_OR_RETURN(
      const std::vector<Tensor> ours,
      RunChanged(arguments, changed, run.data_folder, prepared, &run.output_names));
  LATHE_ASSIGN_OR_RETURN(const std::vector<Tensor> theirs, RunPeer(run));
  progress.Clear();
  std::map<std::string, size_t> places;
  for (size_t i = 0; i < run.output_names.size(); ++i) places[run.output_names[i]] = i;
  std::printf("\n");
  PrintHead();
  const Layer* last_good = nullptr;
  for (const Layer& layer : layers) {
    const size_t at = places[layer.value];
    LATHE_ASSIGN_OR_RETURN(const Difference difference, Compare(arguments, ours[at], theirs[at]));
    PrintLine(layer.value, ours[at], theirs[at], difference);
    if (!difference.agrees) {
      return Differs("`" + layer.value + "` (" + layer.op + ") is the first value that differs",
                     last_good == nullptr ? ""
                                          : "\n  note: `" + last_good->value + "` before it (" +
                                                last_good->op + ") agrees",
                     "`lathe bisect` searches our passes and kernels");
    }
    last_good = &layer;
  }
  if (!outputs_differ) return absl::OkStatus();
  return Differs("each value agrees when all are kept, but the outputs differ",
                 "\n  note: the difference comes from what is computed together, or adds up",
                 "`lathe bisect` searches our passes and kernels; `--opt-level 0` computes every "
                 "operator alone");
}

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
  if (peer == "onnxruntime") {
    LATHE_ASSIGN_OR_RETURN(const graph::ModelFormat* format,
                           graph::FormatOfFile(arguments.positional()[0]));
    if (format == nullptr || std::string_view(format->name) != "ONNX") {
      throw UsageError(Diagnostic{.name = "cli-bad-value",
                                  .message = "ONNX Runtime reads ONNX files",
                                  .expected = "the model as ONNX",
                                  .found = format == nullptr ? "no model" : format->name,
                                  .help = "name the file that was imported"});
    }
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
  LATHE_ASSIGN_OR_RETURN(
      const PartialOutput place,
      PartialOutput::Create((std::filesystem::temp_directory_path() / "compare").string()));
  run.folder = std::filesystem::path(place.path()).parent_path().string();
  Progress progress;
  progress.Show("running " + run.peer);
  LATHE_ASSIGN_OR_RETURN(const std::vector<Tensor> theirs, RunPeer(run));
  progress.Clear();
  if (theirs.size() != plan.outputs.size()) {
    return Differs(run.peer + " has another number of outputs: " + std::to_string(theirs.size()) +
                       ", not " + std::to_string(plan.outputs.size()),
                   "", "compare the same model");
  }
  PrintHead();
  bool agrees = true;
  for (size_t i = 0; i < theirs.size(); ++i) {
    LATHE_ASSIGN_OR_RETURN(const Tensor ours, prepared.context->GetOutput(static_cast<int>(i)));
    LATHE_ASSIGN_OR_RETURN(const Difference difference, Compare(arguments, ours, theirs[i]));
    PrintLine(run.output_names[i], ours, theirs[i], difference);
    agrees = agrees && difference.agrees;
  }
  if (run.peer == "onnxruntime" && (!agrees || arguments.Has("--layers")))
    return CompareLayers(arguments, prepared, std::move(run), !agrees);
  if (agrees) return absl::OkStatus();
  return Differs("the outputs differ", "", "compare with onnxruntime to find the first value");
}

}  // namespace

const Command kCompare = {
    .name = "compare",
    .arguments = "MODEL [--with PEER]",
    .what = "compare a model's results with ONNX Runtime's or PyTorch's",
    .details =
        "Both get the same inputs: those of --input, others random. For each output, the largest "
        "difference is\n"
        "printed beside the largest value. If an output differs, all values between are compared, "
        "and the first\n"
        "that differs is named (ONNX Runtime). The peer runs in a Python process of its own; Lathe "
        "needs no Python.\n",
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
