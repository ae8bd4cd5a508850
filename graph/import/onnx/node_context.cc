#include "base/error.h"
#include "graph/import/onnx/importer.h"

namespace lathe::graph::onnx {

Value Value::Sequence(std::vector<Value> items) {
  Value value;
  value.kind = Kind::kSequence;
  value.items = std::make_shared<const std::vector<Value>>(std::move(items));
  return value;
}

const Value* Scope::Find(std::string_view name) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->outer) {
    const auto at = scope->values.find(name);
    if (at != scope->values.end()) return &at->second;
  }
  return nullptr;
}

// -- Errors.

std::string NodeContext::Title() const {
  const std::string domain = node.domain.empty() ? "" : std::string(node.domain) + ".";
  return "node `" + name() + "` (" + domain + std::string(node.op) + ", opset " +
         std::to_string(importer.OpsetOf(node.domain, scope)) + ")";
}

std::string NodeContext::NameOf(const Node& node) {
  for (const Text output : node.outputs) {
    if (!output.empty()) return std::string(output);
  }
  return std::string(node.name);
}

void NodeContext::Throw(const std::string& problem, std::string expected, std::string found,
                        std::string help) const {
  throw Error(Diagnostic{.name = "onnx-node",
                         .message = Title() + " " + problem,
                         .expected = std::move(expected),
                         .found = std::move(found),
                         .help = std::move(help)});
}

void NodeContext::FailAttribute(std::string_view attribute, const std::string& problem,
                                std::string expected, std::string found) const {
  throw Error(Diagnostic{
      .name = "onnx-attribute",
      .message = "attribute `" + std::string(attribute) + "` of " + Title() + " " + problem,
      .expected = std::move(expected),
      .found = std::move(found)});
}

void NodeContext::FailValue(size_t i, const char* what) const {
  const std::string origin = importer.OriginOf(In(i));
  throw Error(
      Diagnostic{.name = "onnx-value-needed",
                 .message = "input " + std::to_string(i) + " (`" + what + "`) of " + Title() +
                            " must be known when the model is imported, because it decides shapes",
                 .expected = "a constant, or a shape of an input",
                 .found = origin,
                 .help = "give the input that it depends on a value at import"});
}

// -- Inputs.

GraphVar NodeContext::In(size_t i) const {
  if (!Has(i)) Fail("lacks input " + std::to_string(i));
  if (inputs[i].kind != Value::Kind::kTensor) {
    Fail("has a wrong input " + std::to_string(i), "a tensor", "a sequence");
  }
  return inputs[i].tensor;
}

const std::vector<Value>& NodeContext::Items(size_t i) const {
  if (!Has(i)) Fail("lacks input " + std::to_string(i));
  if (inputs[i].kind != Value::Kind::kSequence) {
    Fail("has a wrong input " + std::to_string(i), "a sequence", "a tensor");
  }
  return *inputs[i].items;
}

std::vector<GraphVar> NodeContext::All() const {
  std::vector<GraphVar> vars;
  for (size_t i = 0; i < inputs.size(); ++i) vars.push_back(In(i));
  if (vars.empty()) Fail("has no input");
  return vars;
}

int64_t NodeContext::CountOf(size_t i, const char* what) const {
  const std::vector<Expr>& shape = ShapeOf(In(i));
  if (shape.empty()) return 1;
  const int64_t* count = shape.size() == 1 ? ir::AsConstInt(shape[0]) : nullptr;
  if (count == nullptr) FailValue(i, what);
  return *count;
}

std::vector<Expr> NodeContext::Extents(size_t i, const char* what) const {
  if (AreKnown(i)) return OperatorContext::Extents(i, what);
  GraphVar numbers = In(i);
  if (RankOf(numbers) != 1) numbers = Reshape(numbers, {Int64(-1)});
  const int64_t* count = ir::AsConstInt(ShapeOf(numbers)[0]);
  const DataType dtype = DTypeOf(numbers);
  if (count == nullptr || *count > 32 || dtype.is_bool()) FailValue(i, what);
  const GraphVar empty = Call("as_shape", {Cast(numbers, DataType::Int(64))});
  return {ShapeOf(empty).begin() + 1, ShapeOf(empty).end()};
}

// -- Attributes. The numbers of types are those of AttributeProto.AttributeType.

const Attribute* NodeContext::Find(std::string_view name) const {
  asked_.insert(name);
  for (const Attribute& attribute : node.attributes) {
    if (attribute.name != name) continue;
    if (attribute.refers_to.empty()) return &attribute;
    if (scope.attributes == nullptr) {
      FailAttribute(name, "refers to an attribute of a function", "a function around the node",
                    "none");
    }
    const auto at = scope.attributes->find(attribute.refers_to);
    return at == scope.attributes->end() ? nullptr : at->second;
  }
  return nullptr;
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
  return attribute == nullptr ? std::move(fallback) : std::string(attribute->s);
}
std::vector<int64_t> NodeContext::Ints(std::string_view name, std::vector<int64_t> fallback) const {
  const Attribute* attribute = Find(name);
  return attribute == nullptr ? std::move(fallback) : attribute->ints;
}
std::vector<double> NodeContext::Floats(std::string_view name) const {
  const Attribute* attribute = Find(name);
  if (attribute == nullptr) return {};
  return {attribute->floats.begin(), attribute->floats.end()};
}
std::vector<std::string> NodeContext::Strings(std::string_view name) const {
  const Attribute* attribute = Find(name);
  if (attribute == nullptr) return {};
  return {attribute->strings.begin(), attribute->strings.end()};
}

const Graph& NodeContext::Body(std::string_view name) const {
  const Attribute* attribute = Find(name);
  if (attribute == nullptr || attribute->graphs.empty()) {
    FailAttribute(name, "is missing", "a graph", "nothing");
  }
  return *attribute->graphs[0];
}

void NodeContext::Ignore(std::initializer_list<std::string_view> names) const {
  asked_.insert(names.begin(), names.end());
}

void NodeContext::CheckAttributes() const {
  for (const Attribute& attribute : node.attributes) {
    if (!asked_.contains(attribute.name)) {
      FailAttribute(attribute.name, "is not known", "an attribute of the operator",
                    "`" + std::string(attribute.name) + "`");
    }
  }
}

// -- Making values.

GraphVar NodeContext::Get(const GraphVar& tuple, int64_t index) const {
  const auto at = static_cast<size_t>(index);
  return Field(tuple, index, Wants(at) ? std::string(node.outputs[at]) : name());
}

Results NodeContext::Fields(const GraphVar& tuple) const {
  const auto* type = ir::As<ir::TupleType>(tuple->type);
  if (type == nullptr) return {tuple};
  Results results;
  for (size_t i = 0; i < type->fields.size(); ++i) {
    results.emplace_back(Get(tuple, static_cast<int64_t>(i)));
  }
  return results;
}

}  // namespace lathe::graph::onnx
