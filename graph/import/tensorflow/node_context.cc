#include "base/error.h"
#include "graph/import/tensorflow/importer.h"

namespace lathe::graph::tensorflow {

NodeContext::NodeContext(Importer& importer, const Node& node)
    : OperatorContext(importer, std::string(node.name)), importer(importer), node(node) {}

// -- Errors.

std::string NodeContext::Title() const {
  return "node `" + name() + "` (" + std::string(node.op) + ")";
}

void NodeContext::Throw(const std::string& problem, std::string expected, std::string found,
                        std::string help) const {
  throw Error(Diagnostic{.name = "tensorflow-node",
                         .message = Title() + " " + problem,
                         .expected = std::move(expected),
                         .found = std::move(found),
                         .help = std::move(help)});
}

void NodeContext::FailValue(size_t i, const char* what) const {
  throw Error(Diagnostic{.name = "tensorflow-value-needed",
                         .message = "`" + std::string(what) + "` of " + Title() +
                                    " must be known when the model is imported, because it decides "
                                    "shapes",
                         .expected = "a constant, or a shape of an input",
                         .found = importer.OriginOf(In(i)),
                         .help = "give the model's inputs a shape at import, or freeze the model "
                                 "with a constant here"});
}

// -- Inputs.

GraphVar NodeContext::In(size_t i) const {
  if (i >= inputs.size()) Fail("lacks input " + std::to_string(i));
  return inputs[i];
}

std::vector<GraphVar> NodeContext::All(size_t from) const {
  if (inputs.size() <= from) Fail("has too few inputs");
  return {inputs.begin() + static_cast<ptrdiff_t>(from), inputs.end()};
}

// -- Attributes.

const Attribute* NodeContext::Find(std::string_view name) const {
  const auto at = node.attributes.find(name);
  return at == node.attributes.end() ? nullptr : &at->second;
}

int64_t NodeContext::Int(std::string_view name, int64_t fallback) const {
  const Attribute* attribute = Find(name);
  return attribute == nullptr ? fallback : attribute->i;
}

double NodeContext::Float(std::string_view name, double fallback) const {
  const Attribute* attribute = Find(name);
  return attribute == nullptr ? fallback : static_cast<double>(attribute->f);
}

std::string NodeContext::String(std::string_view name, std::string fallback) const {
  const Attribute* attribute = Find(name);
  return attribute == nullptr ? std::move(fallback) : std::string(attribute->text);
}

std::vector<int64_t> NodeContext::Ints(std::string_view name) const {
  const Attribute* attribute = Find(name);
  return attribute == nullptr ? std::vector<int64_t>{} : attribute->ints;
}

DataType NodeContext::Type(std::string_view name) const {
  const auto type = static_cast<int32_t>(Int(name, kNoType));
  const std::optional<DataType> dtype = lathe::graph::tensorflow::DTypeOf(type);
  if (!dtype) {
    Fail("has an element type that graphs do not have", "floats, integers or truth values",
         ElementTypeName(type));
  }
  return *dtype;
}

Text NodeContext::FunctionName(std::string_view name) const {
  const Attribute* attribute = Find(name);
  if (attribute == nullptr || attribute->kind != Attribute::Kind::kFunction) {
    Fail("lacks the attribute `" + std::string(name) + "`", "a function", "nothing");
  }
  return attribute->text;
}

Results NodeContext::Fields(const GraphVar& tuple) const {
  const auto* type = ir::As<ir::TupleType>(tuple->type);
  if (type == nullptr) return {tuple};
  Results results;
  for (size_t i = 0; i < type->fields.size(); ++i) {
    results.push_back(
        Field(tuple, static_cast<int64_t>(i), i == 0 ? name() : name() + ":" + std::to_string(i)));
  }
  return results;
}

}  // namespace lathe::graph::tensorflow
