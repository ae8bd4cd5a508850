// Imports models of TFLite: a function of tensors, `main`, made of Lathe's operators.
//
//   absl::StatusOr<LoadedModel> model = LoadModel("keywords.tflite");
//   ImportedModel imported =
//       ImportModel(*model, {.shapes = {{"input_1", {{"n"}, {49}, {10}, {1}}}}});
//   CompileGraph(imported.module, "main", target, {});
//
// Images stay in TFLite's order of dimensions, NHWC. Quantised models compute with whole numbers,
// bit for bit as TFLite's reference kernels (docs/tflite.md has the exceptions). Inputs and outputs
// keep their names, and each binding has the name of the tensor that it computes.
// docs/design/graph_import.md explains the design.
//
// All functions are thread-safe. Errors are thrown; all name the operator and the tensor.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph/import/maker.h"
#include "graph/import/tflite/model.h"
#include "ir/graph.h"

namespace lathe::graph::tflite {

struct ImportOptions {
  // Shapes of inputs, by name: they replace what the model says.
  std::map<std::string, std::vector<Extent>, std::less<>> shapes = {};
  // FULLY_CONNECTED of int8 rounds its sums twice, as all other operators do and as it did up to
  // TensorFlow 2.14. Current kernels round them once.
  bool rounds_twice = false;
  // Weights become parameters of `main`, behind its inputs, and their data is returned.
  bool weights_are_inputs = false;
};

using graph::ImportedModel;

// Throws Error
//   tflite-unsupported    operators that cannot be imported: all of them, with counts and ways out
//   tflite-graph          tensors that nothing makes (cycles among them), or two operators make
//   tflite-input-shape    a shape in the options that does not fit
//   tflite-input-unknown  options for an input that the model lacks
//   tflite-operator       an operator has wrong inputs, or uses what is not supported here
//   tflite-tensor         a tensor's data or element type is wrong, or not supported
//   tflite-value-needed   what decides shapes must be known when the model is imported
//   and those of Builder, with the operator as a note.
ImportedModel ImportModel(const LoadedModel& model, const ImportOptions& options = {});

// The operators that can be imported, sorted: "CONV_2D", "custom TFLite_Detection_PostProcess".
std::vector<std::string> SupportedOperators();
// All operators of the schema, by their numbers.
std::vector<std::string> AllOperators();

}  // namespace lathe::graph::tflite
