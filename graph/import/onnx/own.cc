// Nodes that a converter of the caller's own turns into a graph (ImportOptions::converters).
#include "base/error.h"
#include "graph/import/onnx/importer.h"

namespace lathe::graph::onnx {
namespace {

// AttributeProto.AttributeType; 0 in old files, which leave it out.
enum AttributeType : int32_t {
  kFloatType = 1,
  kIntType = 2,
  kStringType = 3,
  kTensorType = 4,
  kFloatsType = 6,
  kIntsType = 7,
  kStringsType = 8,
};

int32_t TypeOf(const Attribute& attribute) {
  if (attribute.type != 0) return attribute.type;
  if (!attribute.tensors.empty()) return kTensorType;
  if (!attribute.floats.empty()) return kFloatsType;
  if (!attribute.ints.empty()) return kIntsType;
  if (!attribute.strings.empty()) return kStringsType;
  if (!attribute.s.empty()) return kStringType;
  return attribute.f != 0 ? kFloatType : kIntType;
}

AttributeValue ValueOf(NodeContext& n, const Attribute& attribute) {
  switch (TypeOf(attribute)) {
    case kFloatType:
      return static_cast<double>(attribute.f);
    case kIntType:
      return attribute.i;
    case kStringType:
      return std::string(attribute.s);
    case kFloatsType:
      return std::vector<double>(attribute.floats.begin(), attribute.floats.end());
    case kIntsType:
      return attribute.ints;
    case kStringsType:
      return std::vector<std::string>(attribute.strings.begin(), attribute.strings.end());
    case kTensorType:
      if (attribute.tensors.size() == 1) return n.importer.ReadTensor(attribute.tensors[0]);
      break;
    default:
      break;
  }
  n.FailAttribute(attribute.name, "has a value that converters of the caller's own do not get",
                  "a number, a text, a list of these, or a tensor", "another value");
}

[[noreturn]] void FailResults(const NodeContext& n, const std::string& problem,
                              std::string expected, std::string found) {
  throw Error(Diagnostic{.name = "onnx-custom",
                         .message = "the caller's converter of " + n.Title() + " " + problem,
                         .expected = std::move(expected),
                         .found = std::move(found)});
}

}  // namespace

Results ConvertOwn(NodeContext& n, const OwnConverter& converter) {
  if (!converter) FailResults(n, "is empty", "a function", "nothing");
  OwnNode node{.title = n.Title(),
               .values = n.importer,
               .make = n,
               .inputs = {},
               .attributes = {},
               .outputs = n.node.outputs.size()};
  for (size_t i = 0; i < n.inputs.size(); ++i) {
    node.inputs.push_back(n.Has(i) ? n.In(i) : GraphVar());
  }
  for (const Attribute& attribute : n.node.attributes) {
    const Attribute* const value =
        n.Find(attribute.name);  // that of a function, if it refers to one
    if (value == nullptr) continue;
    node.attributes.emplace(std::string(attribute.name), ValueOf(n, *value));
  }
  const std::vector<GraphVar> made = converter(node);
  if (made.size() != node.outputs) {
    FailResults(n, "gives the wrong number of results", std::to_string(node.outputs),
                std::to_string(made.size()));
  }
  Results results;
  for (size_t i = 0; i < made.size(); ++i) {
    if (!made[i] || ir::As<ir::TensorType>(made[i]->type) == nullptr) {
      FailResults(n, "gives a wrong result " + std::to_string(i), "a tensor",
                  made[i] ? TypeText(made[i]->type) : "nothing");
    }
    results.emplace_back(made[i]);
  }
  return results;
}

}  // namespace lathe::graph::onnx
