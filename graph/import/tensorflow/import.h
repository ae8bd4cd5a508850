// Imports frozen graphs of TensorFlow (GraphDef): a function of tensors, `main`, made of Lathe's
// operators.
//
//   absl::StatusOr<LoadedModel> model = LoadModel("frozen_graph.pb");
//   ImportedModel imported =
//       ImportModel(*model, {.shapes = {{"input", {{1}, {224}, {224}, {3}}}}});
//   CompileGraph(imported.module, "main", target, {});
//
// Images stay in the order of dimensions that their operators state. Control flow has its
// functional forms (If, While, PartitionedCall). Inputs keep their names, and each binding has the
// name of the node that it is a part of. docs/tensorflow.md says how a model is frozen.
//
// All functions are thread-safe. Errors are thrown; all name the node.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "graph/import/maker.h"
#include "graph/import/tensorflow/model.h"
#include "ir/graph.h"

namespace lathe::graph::tensorflow {

struct ImportOptions {
  // Shapes of inputs, by name: they replace what the model says.
  std::map<std::string, std::vector<Extent>, std::less<>> shapes = {};
  // Nodes whose results are those of `main`, "softmax" or "split:1". None: those that nobody reads.
  std::vector<std::string> outputs = {};
  // Weights become parameters of `main`, behind its inputs, and their data is returned.
  bool weights_are_inputs = false;
};

using graph::ImportedModel;

// Throws Error
//   tensorflow-unsupported    operators that cannot be imported: all of them, with counts
//   tensorflow-graph          a cycle, two nodes of one name, or a node that reads a missing one
//   tensorflow-outputs        options name an output that the model lacks, or it has none
//   tensorflow-input-shape    an input without rank, or a shape in the options that does not fit
//   tensorflow-input-unknown  options for an input that the model lacks
//   tensorflow-node           a node has wrong inputs or attributes, or uses what is not supported
//   tensorflow-tensor         a constant's data or element type is wrong, or not supported
//   tensorflow-value-needed   what decides shapes must be known when the model is imported
//   tensorflow-too-deep       functions call each other too deep
//   and those of Builder, with the node as a note.
ImportedModel ImportModel(const LoadedModel& model, const ImportOptions& options = {});

// The operators that can be imported, sorted.
std::vector<std::string> SupportedOperators();

}  // namespace lathe::graph::tensorflow
