// The import of a model: initializers, nodes in their order, functions, outputs; inputs.cc has its
// inputs.
#include "graph/import/onnx/importer.h"

#include <algorithm>

#include "base/error.h"
#include "graph/import/onnx/operators.h"
#include "runtime/error_object.h"

namespace lathe::graph::onnx {
namespace {

constexpr int64_t kFirstOpset = 7, kLastOpset = 28;
// Functions that call each other twice, level by level, would never end.
constexpr int64_t kMostNodes = 1 << 20;

// ONNX's own domain has two names.
std::string_view Domain(std::string_view domain) { return domain == "ai.onnx" ? "" : domain; }

// Numbers that are stored in another type: most operators would compute nonsense.
void CheckNarrow(const NodeContext& n) {
  for (const std::string_view op :
       {"Cast", "CastLike", "DequantizeLinear", "QuantizeLinear", "Identity"}) {
    if (n.node.op == op) return;
  }
  for (const Value& input : n.inputs) {
    if (input.narrow == 0) continue;
    n.Fail("reads elements of type " + ElementTypeName(input.narrow),
           "DequantizeLinear, QuantizeLinear or Cast", std::string(n.node.op));
  }
}

}  // namespace

Importer::Importer(const LoadedModel& model, const ImportOptions& options)
    : model_(model), options_(options), reader_(model) {}

int64_t Importer::OpsetOf(std::string_view domain, const Scope& scope) const {
  domain = Domain(domain);
  if (domain.empty() && options_.opset > 0) return options_.opset;
  for (const Scope* at = &scope; at != nullptr; at = at->outer) {
    if (at->opsets == nullptr) continue;
    for (const OpsetId& opset : *at->opsets) {
      if (Domain(opset.domain) == domain) return opset.version;
    }
    break;
  }
  for (const OpsetId& opset : model_.model.opsets) {
    if (Domain(opset.domain) == domain) return opset.version;
  }
  return 1;
}

const Function* Importer::FindFunction(const Node& node) const {
  for (const Function& function : model_.model.functions) {
    if (function.name == node.op && Domain(function.domain) == Domain(node.domain) &&
        function.overload == node.overload) {
      return &function;
    }
  }
  return nullptr;
}

const OwnConverter* Importer::FindOwn(std::string_view domain, std::string_view op) const {
  const auto at = options_.converters.find(FullName(Domain(domain), op));
  return at == options_.converters.end() ? nullptr : &at->second;
}

// -- Checks before anything is made.

void Importer::CheckOptions() const {
  const Scope none;
  const int64_t opset = OpsetOf("", none);
  const bool uses_own = std::ranges::any_of(
      model_.model.graph.nodes, [](const Node& node) { return Domain(node.domain).empty(); });
  if (uses_own && (opset < kFirstOpset || opset > kLastOpset)) {
    throw Error(Diagnostic{
        .name = "onnx-opset",
        .message = "the model is written in a version of ONNX's operators that is not supported",
        .expected = "opset " + std::to_string(kFirstOpset) + " to " + std::to_string(kLastOpset),
        .found = "opset " + std::to_string(opset),
        .help = "convert it: `onnx.version_converter.convert_version(model, 21)` of the package "
                "onnx, or export it with another opset"});
  }
  std::vector<std::string> names;
  for (const ValueInfo& input : model_.model.graph.inputs) names.emplace_back(input.name);
  const auto check = [&](const std::string& name) {
    if (std::ranges::count(names, name) != 0) return;
    throw Error(Diagnostic{.name = "onnx-input-unknown",
                           .message = "the model has no input " + Quoted(name),
                           .expected = QuotedList(names),
                           .found = Quoted(name)});
  };
  for (const auto& [name, shape] : options_.shapes) check(name);
  for (const auto& [name, value] : options_.values) check(name);
  for (const auto& [name, shapes] : options_.sequences) check(name);
  for (const std::string& name : options_.absent) check(name);
}

void Importer::CountUnsupported(const std::vector<Node>& nodes, const std::vector<OpsetId>& opsets,
                                std::unordered_map<std::string, int>* counts) const {
  std::vector<const std::vector<Node>*> work{&nodes};
  while (!work.empty()) {
    const std::vector<Node>& list = *work.back();
    work.pop_back();
    for (const Node& node : list) {
      const std::string_view domain = Domain(node.domain);
      if (FindOwn(domain, node.op) == nullptr && FindFunction(node) == nullptr &&
          FindOperator(domain, node.op) == nullptr) {
        ++(*counts)[FullName(domain, node.op)];
      }
      for (const Attribute& attribute : node.attributes) {
        for (const auto& graph : attribute.graphs) work.push_back(&graph->nodes);
      }
    }
  }
}

void Importer::CheckOperators() const {
  std::unordered_map<std::string, int> counts;
  CountUnsupported(model_.model.graph.nodes, model_.model.opsets, &counts);
  for (const Function& function : model_.model.functions) {
    if (FindOwn(function.domain, function.name) != nullptr) continue;
    CountUnsupported(function.nodes, function.opsets, &counts);
  }
  if (counts.empty()) return;
  std::vector<std::string> names;
  for (const auto& [name, count] : counts) names.push_back(name);
  std::ranges::sort(names);
  Diagnostic diagnostic{.name = "onnx-unsupported",
                        .message = std::to_string(names.size()) +
                                   (names.size() == 1 ? " operator" : " operators") +
                                   " of the model cannot be imported"};
  for (const std::string& name : names) {
    const size_t dot = name.rfind('.');
    const std::string domain = dot == std::string::npos ? "" : name.substr(0, dot);
    const std::string op = dot == std::string::npos ? name : name.substr(dot + 1);
    std::string note = std::to_string(counts.at(name)) + " x " + name;
    if (const std::string_view reason = ReasonFor(domain, op); !reason.empty()) {
      note += ": " + std::string(reason);
    } else if (const auto near = NearestNames(name, SupportedOperators()); !near.empty()) {
      note += "; known are " + QuotedList(near);
    }
    diagnostic.notes.push_back(std::move(note));
  }
  diagnostic.help =
      "write them with other operators, or as functions of the model "
      "(`onnx.inliner` and exporters can), or convert them yourself, in Python by "
      "from_onnx(..., convert_map={\"" +
      names[0] + "\": function})";
  throw Error(std::move(diagnostic));
}

// -- Values.

std::string Importer::OriginOf(const GraphVar& var) const {
  const auto at = inputs_.find(var);
  return at == inputs_.end() ? "a value that the model computes, " + Quoted(var->name)
                             : "the input " + Quoted(at->second);
}

void Importer::Define(Scope* scope, std::string_view name, Value value) {
  if (name.empty()) return;
  if (!scope->values.emplace(name, std::move(value)).second) {
    throw Error(Diagnostic{.name = "onnx-graph",
                           .message = "two nodes or inputs make the value " + Quoted(name),
                           .expected = "one",
                           .found = "two",
                           .help = "`onnx.checker.check_model` of the package onnx tells more"});
  }
}

void Importer::AddInitializers(const Graph& graph, Scope* scope) {
  const auto add = [&](const auto& data, const TensorData& tensor) {
    const std::string name(tensor.name);
    const GraphVar var = Constant(reader_.Read(data), name);
    if (scope->outer == nullptr && depth_ == 0) weights_.emplace_back(name, var);
    Value value(var);
    value.narrow = NarrowType(tensor.type);
    Define(scope, tensor.name, value);
  };
  for (const TensorData& tensor : graph.initializers) add(tensor, tensor);
  for (const SparseData& sparse : graph.sparse_initializers) add(sparse, sparse.values);
}

// -- Nodes.

void Importer::ImportNodes(const std::vector<Node>& nodes, Scope* scope) {
  for (const Node& node : nodes) ImportNode(node, scope);
}

void Importer::ImportNode(const Node& node, Scope* scope) {
  const std::string_view domain = Domain(node.domain);
  const OwnConverter* const own = FindOwn(domain, node.op);
  const Function* const function = FindFunction(node);
  if (++nodes_ > kMostNodes) {
    throw Error(Diagnostic{.name = "onnx-too-deep",
                           .message = "the functions and loops of the model make too many nodes",
                           .expected = "at most " + std::to_string(kMostNodes),
                           .found = "more"});
  }
  NodeContext n(*this, node, OpsetOf(domain, *scope), *scope, {});
  for (const Text input : node.inputs) {
    if (input.empty()) {
      n.inputs.emplace_back();
      continue;
    }
    const Value* value = scope->Find(input);
    if (value == nullptr) {
      throw Error(Diagnostic{
          .name = "onnx-graph",
          .message = n.Title() + " reads " + Quoted(input) + ", which nothing before it makes",
          .expected = "an input, an initializer or an output of an earlier node",
          .found = Quoted(input),
          .help = "nodes must be in the order in which they are computed, without a cycle; "
                  "`onnx.checker.check_model` of the package onnx tells more"});
    }
    n.inputs.push_back(*value);
  }
  Results results;
  try {
    if (own != nullptr) {
      CheckNarrow(n);
      results = ConvertOwn(n, *own);
    } else if (function != nullptr) {
      results = ImportFunction(*function, n);
    } else {
      const Operator* op = FindOperator(domain, node.op);
      LATHE_CHECK(op != nullptr) << "an unknown operator was not reported";
      CheckNarrow(n);
      results = op->convert(n);
      n.CheckAttributes();
    }
  } catch (const Error& error) {
    // Errors of the builder do not know the node. Those of converters in another language do, and
    // are raised there again as they were.
    const bool is_foreign =
        !options_.converters.empty() && dynamic_cast<const runtime::CallError*>(&error) != nullptr;
    if (is_foreign || error.name().starts_with("onnx-")) throw;
    Diagnostic diagnostic = error.diagnostic();
    diagnostic.notes.insert(diagnostic.notes.begin(), "in " + n.Title());
    throw Error(std::move(diagnostic));
  }
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    if (node.outputs[i].empty()) continue;
    if (i >= results.size()) {
      n.Fail("has an output that is not supported here",
             std::to_string(results.size()) + " outputs", Quoted(node.outputs[i]));
    }
    Define(scope, node.outputs[i], results[i]);
  }
}

std::vector<Value> Importer::ImportFunction(const Function& function, NodeContext& n) {
  if (++depth_ > kMaxGraphDepth) {
    throw Error(Diagnostic{
        .name = "onnx-too-deep",
        .message = "functions of the model call each other too deep, at " + n.Title(),
        .expected = "at most " + std::to_string(kMaxGraphDepth) + " levels, without recursion",
        .found = "more"});
  }
  std::unordered_map<std::string_view, const Attribute*> attributes;
  for (const Attribute& attribute : function.defaults) attributes[attribute.name] = &attribute;
  for (const Attribute& attribute : n.node.attributes) {
    if (const Attribute* found = n.Find(attribute.name)) attributes[attribute.name] = found;
  }
  Scope scope;
  scope.attributes = &attributes;
  scope.opsets = &function.opsets;
  for (size_t i = 0; i < function.inputs.size(); ++i) {
    scope.values.emplace(function.inputs[i], i < n.inputs.size() ? n.inputs[i] : Value());
  }
  ImportNodes(function.nodes, &scope);
  std::vector<Value> results;
  for (const Text output : function.outputs) {
    const Value* value = scope.Find(output);
    if (value == nullptr)
      n.Fail("calls a function that does not make its output " + Quoted(output));
    results.push_back(*value);
  }
  --depth_;
  return results;
}

std::vector<Value> Importer::ImportBody(const Graph& graph, const std::vector<Value>& args,
                                        const Scope& outer) {
  ++depth_;
  Scope scope;
  scope.outer = &outer;
  scope.attributes = outer.attributes;
  scope.opsets = outer.opsets;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    scope.values.emplace(graph.inputs[i].name, i < args.size() ? args[i] : Value());
  }
  AddInitializers(graph, &scope);
  ImportNodes(graph.nodes, &scope);
  std::vector<Value> results;
  for (const ValueInfo& output : graph.outputs) {
    const Value* value = scope.Find(output.name);
    if (value == nullptr) {
      throw Error(Diagnostic{.name = "onnx-graph",
                             .message = "nothing makes the output " + Quoted(output.name) +
                                        " of graph " + Quoted(graph.name)});
    }
    results.push_back(*value);
  }
  --depth_;
  return results;
}

// -- The whole.

ImportedModel Importer::Run() {
  CheckOptions();
  CheckOperators();
  const Graph& graph = model_.model.graph;
  ImportedModel result;
  Scope scope;
  AddInputs(&scope);
  AddInitializers(graph, &scope);
  ImportNodes(graph.nodes, &scope);
  std::vector<GraphVar> outputs;
  for (const ValueInfo& output : graph.outputs) {
    const Value* value = scope.Find(output.name);
    if (value == nullptr || value->kind == Value::Kind::kNothing) {
      throw Error(Diagnostic{.name = "onnx-graph",
                             .message = "nothing makes the output " + Quoted(output.name)});
    }
    const std::string name(output.name);
    result.outputs.push_back(name);
    if (value->kind == Value::Kind::kSequence) {
      std::vector<GraphVar> items;
      for (const Value& item : *value->items) items.push_back(item.tensor);
      outputs.push_back(b().Tuple(std::move(items), name));
      continue;
    }
    outputs.push_back(NamedResult(b(), value->tensor, name, inputs_.contains(value->tensor)));
  }
  if (outputs.empty()) {
    throw Error(Diagnostic{.name = "onnx-graph", .message = "the model has no outputs"});
  }
  FinishImport(b(), outputs, options_.weights_are_inputs ? &weights_ : nullptr, &result);
  result.external_files = reader_.ExternalFiles();
  return result;
}

ImportedModel ImportModel(const LoadedModel& model, const ImportOptions& options) {
  return Importer(model, options).Run();
}

}  // namespace lathe::graph::onnx
