#include "tools/lathe/layers.h"

#include <map>
#include <set>

namespace lathe::cli {
namespace {

using graph::onnx::Graph;
using graph::onnx::Model;
using graph::onnx::Node;

// A field of a protobuf message: a length, then bytes.
std::string Field(char tag, const std::string& bytes) {
  std::string out(1, tag);
  uint64_t size = bytes.size();
  for (; size >= 128; size >>= 7) out += static_cast<char>(size | 128);
  return out + static_cast<char>(size) + bytes;
}

bool IsTensor(const Node& node) {
  return node.op.find("Sequence") == std::string_view::npos && !node.op.starts_with("Optional");
}

// What a value is computed from: whether inputs of the model are among it, and which layers.
struct Source {
  bool from_inputs = false;
  std::set<size_t> layers;
  void Add(const Source& other) {
    from_inputs = from_inputs || other.from_inputs;
    layers.insert(other.layers.begin(), other.layers.end());
  }
};
using Sources = std::map<std::string_view, Source>;

// What a node reads; the graphs in its attributes (of If, Loop, Scan) use values from outside, too.
Source SourceOf(const Node& node, const Sources& sources) {
  Source out;
  const auto read = [&](std::string_view value) {
    if (const auto found = sources.find(value); found != sources.end()) out.Add(found->second);
  };
  for (const std::string_view input : node.inputs) read(input);
  for (const auto& attribute : node.attributes) {
    for (const auto& graph : attribute.graphs) {
      for (const Node& inner : graph->nodes) out.Add(SourceOf(inner, sources));
      for (const auto& output : graph->outputs) read(output.name);
    }
  }
  return out;
}

}  // namespace

std::vector<Layer> LayersOf(const Model& model, Layers which) {
  Sources sources;
  for (const auto& input : model.graph.inputs) sources[input.name].from_inputs = true;
  // Old files list the weights as inputs, too.
  for (const auto& weight : model.graph.initializers) sources.erase(weight.name);
  std::vector<Layer> layers;
  for (const Node& node : model.graph.nodes) {
    const bool is_shape = node.op == "Shape" || node.op == "Size";
    Source source = is_shape ? Source{} : SourceOf(node, sources);
    const bool wanted = which == Layers::kAll || source.from_inputs;
    if (wanted && IsTensor(node) && !node.outputs.empty() && !node.outputs[0].empty()) {
      layers.push_back({std::string(node.outputs[0]), std::string(node.op),
                        std::vector<size_t>(source.layers.begin(), source.layers.end())});
      source.layers = {layers.size() - 1};
    }
    for (const std::string_view output : node.outputs) sources[output] = source;
  }
  return layers;
}

// Messages of protobuf that are written one behind the other are one message, and their lists are
// joined: ModelProto.graph is field 7, GraphProto.output 12, ValueInfoProto.name 1.
std::string WithOutputs(std::string_view bytes, const std::vector<Layer>& layers,
                        const Model& model) {
  std::set<std::string> known;
  for (const auto& output : model.graph.outputs) known.emplace(output.name);
  std::string outputs;
  for (const Layer& layer : layers) {
    if (known.insert(layer.value).second) outputs += Field(0x62, Field(0x0a, layer.value));
  }
  return std::string(bytes) + Field(0x3a, outputs);
}

}  // namespace lathe::cli
