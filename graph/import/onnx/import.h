// Imports models of ONNX: a function of tensors, `main`, made of Lathe's operators.
//
//   absl::StatusOr<LoadedModel> model = LoadModel("resnet.onnx");
//   ImportedModel imported = ImportModel(*model, {.shapes = {{"data", {{1}, {3}, {224}, {224}}}}});
//   CompileGraph(imported.module, "main", target, {});
//
// Operator sets 7 to 28. Inputs and outputs keep their names, and each binding has the name of the
// value of the model that it computes. docs/design/graph_import.md explains the design.
//
// All functions are thread-safe. Errors are thrown; all name the node.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "graph/import/maker.h"
#include "graph/import/onnx/model.h"
#include "graph/import/onnx/tensor_data.h"
#include "ir/graph.h"

namespace lathe::graph::onnx {

using graph::Extent;

// The value of an attribute of a node.
using AttributeValue = std::variant<int64_t, double, std::string, std::vector<int64_t>,
                                    std::vector<double>, std::vector<std::string>, TensorValue>;

// A node, as a converter of the caller's own gets it.
struct OwnNode {
  std::string title;                 // for errors: "node `y` (test.Scale, opset 1)"
  Values& values;                    // the graph so far, and what is known of its values
  const Maker& make;                 // makes bindings, which get the node's name
  std::vector<ir::GraphVar> inputs;  // null: left out
  std::map<std::string, AttributeValue, std::less<>> attributes;
  size_t outputs;  // how many the node has
};
// Returns a tensor for each output.
using OwnConverter = std::function<std::vector<ir::GraphVar>(const OwnNode&)>;

struct ImportOptions {
  // Shapes of inputs, by name: they replace what the model says.
  std::map<std::string, std::vector<Extent>, std::less<>> shapes = {};
  // Inputs that are constants from now on, for what must be known when the model is compiled.
  std::map<std::string, TensorValue, std::less<>> values = {};
  // The shapes of the tensors of inputs that are sequences; `main` has an input for each, `name.0`,
  // `name.1`, ...
  std::map<std::string, std::vector<std::vector<Extent>>, std::less<>> sequences = {};
  // Inputs that are optionals and have no value.
  std::set<std::string, std::less<>> absent = {};
  // Inputs without an element type get this one.
  DataType dtype = DataType::Float(32);
  int64_t opset = 0;  // of the default domain; 0: what the model says
  // Converters of the caller's own, by operator: "Gelu" of ONNX's domain, "com.example.Scale". They
  // come before Lathe's, and before the model's functions.
  std::map<std::string, OwnConverter, std::less<>> converters = {};
  // Weights become parameters of `main`, behind its inputs, and their data is returned.
  bool weights_are_inputs = false;
};

struct ImportedModel : graph::ImportedModel {
  std::vector<std::string> external_files;  // in the model's folder, that were read
};

// Throws Error
//   onnx-unsupported     operators that cannot be imported: all of them, with counts and ways out
//   onnx-opset           a version of the operators that is not known
//   onnx-graph           values that nothing makes (cycles among them), or two things make
//   onnx-input-shape     an input without rank, or a shape in the options that does not fit
//   onnx-input-unknown   options for an input that the model lacks
//   onnx-node            a node has wrong inputs, or uses what its operator does not support here
//   onnx-attribute       an attribute is unknown, missing, or out of range
//   onnx-custom          a converter of `converters` does not give the results of its node
//   onnx-value-needed    what decides shapes must be known when the model is imported
//   and those of ReadTensor and Builder, with the node as a note.
ImportedModel ImportModel(const LoadedModel& model, const ImportOptions& options = {});

// The operators that can be imported, sorted: "Conv", "com.microsoft.FusedMatMul".
std::vector<std::string> SupportedOperators();

}  // namespace lathe::graph::onnx
