#include "tools/lathe/compare_layers.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>

#include "graph/import/onnx/import.h"
#include "graph/import/onnx/model.h"
#include "runtime/graph/plan_module.h"
#include "runtime/status.h"
#include "tools/lathe/files.h"
#include "tools/lathe/graph.h"
#include "tools/lathe/layers.h"
#include "tools/lathe/match.h"
#include "tools/lathe/model_inputs.h"
#include "tools/lathe/printable.h"
#include "tools/lathe/progress.h"

namespace lathe::cli {
namespace {

using graph::onnx::LoadedModel;
using runtime::MakeStatus;
using runtime::Tensor;

// A model with more outputs, and what it gives for them here.
struct Changed {
  std::vector<Layer> layers;
  std::string bytes, folder;  // of the model, and of its external data
  std::vector<std::string> names;
  std::vector<Tensor> values;            // as named
  std::map<std::string, size_t> places;  // of the names
};

// Compiles the changed model like the whole one and runs it.
absl::Status RunChanged(const Arguments& arguments, const Prepared& prepared, Changed* out) {
  const auto owner = std::make_shared<const std::string>(out->bytes);
  const LoadedModel model{graph::onnx::ReadModel(*owner), owner, out->folder};
  graph::onnx::ImportOptions wanted;
  LATHE_ASSIGN_OR_RETURN(const graph::ModelInputs shapes, ShapesGiven(arguments));
  for (const auto& [name, input] : shapes) wanted.shapes[name] = input.shape;
  const graph::onnx::ImportedModel imported = graph::onnx::ImportModel(model, wanted);
  out->names = imported.outputs;
  const auto [target, options] = GraphBuildOf(arguments);
  LATHE_ASSIGN_OR_RETURN(const runtime::Module module,
                         graph::BuildGraphModule(imported.module, "main", target, options, "main"));
  LATHE_ASSIGN_OR_RETURN(const auto executable, runtime::graph::FindExecutable(module, "main"));
  runtime::graph::Context context(executable);
  LATHE_ASSIGN_OR_RETURN(out->values, context.RunOnce(prepared.inputs));
  for (size_t i = 0; i < out->names.size(); ++i) out->places[out->names[i]] = i;
  return absl::OkStatus();
}

absl::StatusOr<Changed> ValuesHere(const Arguments& arguments, const Prepared& prepared,
                                   Layers which) {
  const std::string& path = arguments.positional()[0];
  graph::MappedFile file;
  const FileProblem problem = graph::MapFile(path, Links::kFollow, &file);
  if (!problem.ok()) return WriteFailed(path, problem.text);
  const graph::onnx::Model model = graph::onnx::ReadModel(file.bytes);
  Changed out;
  out.layers = LayersOf(model, which);
  out.bytes = WithOutputs(file.bytes, out.layers, model);
  const std::string parent = std::filesystem::path(path).parent_path().string();
  out.folder = parent.empty() ? "." : parent;
  LATHE_RETURN_IF_ERROR(RunChanged(arguments, prepared, &out));
  return out;
}

// "`relu1` (Relu)".
std::string Named(const Layer& layer) { return "`" + layer.value + "` (" + layer.op + ")"; }

constexpr const char* kBisect = "`lathe bisect` searches our passes and kernels";

// ONNX Runtime runs the same changed model: names are the same.
absl::Status CompareByName(const Arguments& arguments, const Prepared& prepared, PeerRun run,
                           bool outputs_differ) {
  Progress progress;
  progress.Show("comparing the values between");
  LATHE_ASSIGN_OR_RETURN(const Changed ours, ValuesHere(arguments, prepared, Layers::kAll));
  run.data_folder = ours.folder;
  run.output_names = ours.names;
  run.model = run.folder + "/changed.onnx";
  const FileProblem written = WriteFile(run.model, ours.bytes);
  if (!written.ok()) return WriteFailed(run.model, written.text);
  LATHE_ASSIGN_OR_RETURN(const std::vector<Tensor> theirs, RunPeer(run));
  progress.Clear();
  std::printf("\n");
  PrintHead();
  const Layer* last_good = nullptr;
  for (const Layer& layer : ours.layers) {
    const size_t at = ours.places.at(layer.value);
    LATHE_ASSIGN_OR_RETURN(const Difference difference,
                           DifferenceOf(ours.values[at], theirs[at], ToleranceOf(arguments)));
    PrintLine(layer.value, ours.values[at], theirs[at], difference);
    if (!difference.agrees) {
      return Differs(
          Named(layer) + " is the first value that differs",
          last_good == nullptr ? "" : "\n  note: " + Named(*last_good) + " before it agrees",
          kBisect);
    }
    last_good = &layer;
  }
  if (!outputs_differ) return absl::OkStatus();
  return Differs("each value agrees when all are kept, but the outputs differ",
                 "\n  note: the difference comes from what is computed together, or adds up",
                 std::string(kBisect) + "; `--opt-level 0` computes every operator alone");
}

// -- PyTorch has values of its own, with other names.

// "`input.5` (aten::relu, layer1.0)".
std::string Named(const PeerLayer& layer) {
  return "`" + layer.name + "` (" + layer.op + (layer.place.empty() ? "" : ", " + layer.place) +
         ")";
}

// The counterparts of our layers; one of an output is the peer's output, and nothing else.
absl::StatusOr<std::vector<std::optional<Counterpart>>> Match(
    const Changed& ours, const PeerRun& run, size_t number_of_theirs,
    const std::vector<Difference>& outputs, const Tolerance& tolerance) {
  std::vector<Tensor> values;
  for (const Layer& layer : ours.layers) values.push_back(ours.values[ours.places.at(layer.value)]);
  LATHE_ASSIGN_OR_RETURN(ValueMatcher matcher, ValueMatcher::Create(std::move(values), tolerance));
  for (size_t i = 0; i < number_of_theirs; ++i) {
    LATHE_ASSIGN_OR_RETURN(const Tensor theirs, ReadPeerLayer(run, i));
    LATHE_RETURN_IF_ERROR(matcher.Offer(i, theirs));
  }
  std::vector<std::optional<Counterpart>> found = std::move(matcher.counterparts());
  for (size_t i = 0; i < outputs.size(); ++i) {
    for (size_t k = 0; k < found.size(); ++k) {
      if (ours.layers[k].value != run.output_names[i]) continue;
      found[k] = {};
      if (outputs[i].agrees) found[k] = Counterpart{number_of_theirs + i, outputs[i], true};
    }
  }
  return found;
}

void PrintMatches(const std::vector<Layer>& layers, const std::vector<PeerLayer>& theirs,
                  const std::vector<std::optional<Counterpart>>& found) {
  std::printf("\n%-32s %12s %12s  %s\n", "value", "difference", "largest", "counterpart");
  for (size_t i = 0; i < layers.size(); ++i) {
    const std::string name = Printable(layers[i].value);
    if (!found[i]) {
      std::printf("%-32s %12s %12s  none\n", name.c_str(), "", "");
      continue;
    }
    const std::string what = found[i]->index < theirs.size()
                                 ? Named(theirs[found[i]->index])
                                 : "output " + std::to_string(found[i]->index - theirs.size());
    std::printf("%-32s %12.4g %12.4g  %s%s\n", name.c_str(), found[i]->difference.most,
                found[i]->difference.largest, Printable(what).c_str(),
                found[i]->varies ? "" : ": all elements are the same");
  }
}

absl::Status CompareByValue(const Arguments& arguments, const Prepared& prepared,
                            const PeerRun& run, const std::vector<Difference>& outputs) {
  Progress progress;
  progress.Show("comparing the values between");
  LATHE_ASSIGN_OR_RETURN(const std::vector<PeerLayer> theirs, RunPeerLayers(run));
  LATHE_ASSIGN_OR_RETURN(const Changed ours, ValuesHere(arguments, prepared, Layers::kOfInputs));
  LATHE_ASSIGN_OR_RETURN(const auto found,
                         Match(ours, run, theirs.size(), outputs, ToleranceOf(arguments)));
  progress.Clear();
  PrintMatches(ours.layers, theirs, found);
  std::vector<std::vector<size_t>> from;
  for (const Layer& layer : ours.layers) from.push_back(layer.from);
  if (const std::optional<size_t> first = FirstDifferent(from, found)) {
    size_t before = *first;
    while (before > 0 && !found[before - 1]) --before;
    return Differs(
        Named(ours.layers[*first]) +
            " is the first value that differs: PyTorch has neither it nor "
            "anything that is computed from it",
        before == 0 ? "" : "\n  note: " + Named(ours.layers[before - 1]) + " before it agrees",
        kBisect);
  }
  if (std::ranges::all_of(outputs, &Difference::agrees)) return absl::OkStatus();
  return Differs("PyTorch has each value, but the outputs differ",
                 "\n  note: its model computes something more, or has its outputs in another order",
                 "compare the same model");
}

}  // namespace

Tolerance ToleranceOf(const Arguments& arguments) {
  return {.rtol = arguments.Number("--rtol", 1e-3, 0, 1e30),
          .atol = arguments.Number("--atol", 1e-5, 0, 1e30)};
}

void PrintHead() { std::printf("%-32s %12s %12s\n", "value", "difference", "largest"); }

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

absl::Status Differs(const std::string& what, const std::string& note, const std::string& help) {
  return MakeStatus(absl::StatusCode::kInvalidArgument, "compare-differs",
                    what + note + "\n  help: " + help);
}

absl::Status CompareLayers(const Arguments& arguments, const Prepared& prepared, PeerRun run,
                           const std::vector<Difference>& outputs) {
  const bool agree = std::ranges::all_of(outputs, &Difference::agrees);
  if (run.peer == "onnxruntime") return CompareByName(arguments, prepared, std::move(run), !agree);
  return CompareByValue(arguments, prepared, run, outputs);
}

}  // namespace lathe::cli
