// The import of a graph: the nodes that the outputs need, functions, outputs; inputs.cc has its
// inputs and constants.
#include "graph/import/tensorflow/importer.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "base/error.h"
#include "graph/import/tensorflow/operators.h"

namespace lathe::graph::tensorflow {
namespace {

constexpr int64_t kMostNodes = 1 << 20;
constexpr int kMostDepth = 100;

// Nodes that compute nothing.
bool IsInput(Text op) { return op == "Placeholder"; }

}  // namespace

Reference ParseReference(Text text) {
  Reference reference;
  if (text.starts_with('^')) {
    reference.node = text.substr(1);
    reference.is_control = true;
    return reference;
  }
  const size_t last = text.rfind(':');
  if (last == Text::npos) {
    reference.node = text;
    return reference;
  }
  const Text digits = text.substr(last + 1);
  int64_t index = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (error != std::errc() || end != digits.data() + digits.size() || index < 0) {
    reference.node = text;
    return reference;
  }
  reference.index = index;
  reference.node = text.substr(0, last);
  if (const size_t first = reference.node.find(':'); first != Text::npos) {
    reference.output = reference.node.substr(first + 1);
    reference.node = reference.node.substr(0, first);
  }
  return reference;
}

Importer::Importer(const LoadedModel& model, const ImportOptions& options)
    : model_(model), options_(options) {}

// -- Checks before anything is made.

Scope Importer::ScopeOf(const std::vector<Node>& nodes) const {
  Scope scope;
  for (const Node& node : nodes) {
    if (scope.nodes.emplace(node.name, &node).second) continue;
    throw Error(Diagnostic{.name = "tensorflow-graph",
                           .message = "two nodes have the name " + Quoted(node.name)});
  }
  return scope;
}

void Importer::CheckOptions() const {
  std::vector<std::string> names;
  for (const Node& node : model_.model.nodes) {
    if (IsInput(node.op)) names.emplace_back(node.name);
  }
  for (const auto& [name, shape] : options_.shapes) {
    if (std::ranges::count(names, name) != 0) continue;
    throw Error(Diagnostic{.name = "tensorflow-input-unknown",
                           .message = "the model has no input " + Quoted(name),
                           .expected = QuotedList(names),
                           .found = Quoted(name)});
  }
}

std::vector<Reference> Importer::OutputsOf(const Scope& scope) const {
  std::vector<Reference> outputs;
  for (const std::string& name : options_.outputs) {
    outputs.push_back(ParseReference(name));
    if (scope.nodes.contains(outputs.back().node)) continue;
    std::vector<std::string> names;
    for (const Node& node : model_.model.nodes) names.emplace_back(node.name);
    throw Error(Diagnostic{.name = "tensorflow-outputs",
                           .message = "the model has no node " + Quoted(name),
                           .expected = QuotedList(NearestNames(name, names)),
                           .found = Quoted(name)});
  }
  if (!outputs.empty()) return outputs;
  std::set<Text> read;
  for (const Node& node : model_.model.nodes) {
    for (const Text input : node.inputs) read.insert(ParseReference(input).node);
  }
  for (const Node& node : model_.model.nodes) {
    const bool counts = !IsInput(node.op) && node.op != "NoOp" && node.op != "Const";
    if (counts && !read.contains(node.name)) outputs.push_back({.node = node.name});
  }
  if (outputs.empty()) {
    throw Error(Diagnostic{.name = "tensorflow-outputs",
                           .message = "the model has no outputs: each node is read by another",
                           .help = "name the outputs at import"});
  }
  return outputs;
}

void Importer::CheckOperators(const Scope& scope, const std::vector<Reference>& wanted) const {
  std::map<std::string, int> counts;
  std::set<const Function*> met;
  std::vector<const Function*> called;
  // Counts what `needed` of one scope need, and remembers the functions that they call.
  const auto count = [&](const Scope& in, const std::vector<Reference>& needed) {
    std::set<Text> seen;
    std::vector<const Node*> work;
    const auto visit = [&](Text name) {
      const auto at = in.nodes.find(name);
      if (at != in.nodes.end() && seen.insert(name).second) work.push_back(at->second);
    };
    for (const Reference& reference : needed) visit(reference.node);
    while (!work.empty()) {
      const Node& node = *work.back();
      work.pop_back();
      if (FindConversion(node.op) == nullptr) ++counts[std::string(node.op)];
      const auto call = [&](Text name) {
        const Function* function = FindFunction(name);
        if (function != nullptr && met.insert(function).second) called.push_back(function);
      };
      for (const auto& [name, attribute] : node.attributes) {
        if (attribute.kind == Attribute::Kind::kFunction) call(attribute.text);
        for (const Text one : attribute.functions) call(one);
      }
      for (const Text input : node.inputs) {
        const Reference reference = ParseReference(input);
        if (!reference.is_control) visit(reference.node);
      }
    }
  };
  count(scope, wanted);
  while (!called.empty()) {
    const Function& function = *called.back();
    called.pop_back();
    std::vector<Reference> returned;
    for (const auto& [output, value] : function.returns) returned.push_back(ParseReference(value));
    count(ScopeOf(function.nodes), returned);
  }
  if (counts.empty()) return;
  Diagnostic diagnostic{.name = "tensorflow-unsupported",
                        .message = std::to_string(counts.size()) +
                                   (counts.size() == 1 ? " operator" : " operators") +
                                   " of the model cannot be imported"};
  for (const auto& [name, times] : counts) {
    std::string note = std::to_string(times) + " x " + name;
    if (const std::string_view reason = ReasonFor(name); !reason.empty()) {
      note += ": " + std::string(reason);
    } else if (const auto near = NearestNames(name, SupportedOperators()); !near.empty()) {
      note += "; known are " + QuotedList(near);
    }
    diagnostic.notes.push_back(std::move(note));
  }
  diagnostic.help =
      "name other outputs at import, if these operators belong to what comes before or after the "
      "model";
  throw Error(std::move(diagnostic));
}

const Function* Importer::FindFunction(Text name) const {
  for (const Function& function : model_.model.functions) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

GraphVar Importer::Find(const Reference& reference, const Scope& scope,
                        const std::string& reader) const {
  const auto at = scope.results.find(reference.node);
  LATHE_CHECK(at != scope.results.end()) << "a node was not imported before its reader";
  int64_t index = reference.index;
  const auto node = scope.nodes.find(reference.node);
  if (!reference.output.empty() && node != scope.nodes.end()) {
    const Conversion* conversion = FindConversion(node->second->op);
    if (conversion != nullptr) {
      const auto& names = conversion->results;
      const auto named = std::ranges::find(names, reference.output);
      if (named != names.end()) index += named - names.begin();
    }
  }
  if (index >= static_cast<int64_t>(at->second.size())) {
    throw Error(Diagnostic{.name = "tensorflow-graph",
                           .message = reader + " reads a result of " + Quoted(reference.node) +
                                      " that it does not have here",
                           .expected = std::to_string(at->second.size()) + " results",
                           .found = "result " + std::to_string(index)});
  }
  return at->second[static_cast<size_t>(index)];
}

// -- Nodes.

void Importer::ImportNodes(const std::vector<Reference>& wanted, Scope* scope) {
  struct Step {
    const Node* node;
    bool ready;
  };
  std::vector<Step> work;
  std::set<const Node*> open;
  const auto need = [&](const Reference& reference, const std::string& reader) {
    if (scope->results.contains(reference.node)) return;
    const auto at = scope->nodes.find(reference.node);
    if (at == scope->nodes.end()) {
      throw Error(Diagnostic{
          .name = "tensorflow-graph",
          .message = reader + " reads " + Quoted(reference.node) + ", which is not there",
          .expected = "a node",
          .found = Quoted(reference.node)});
    }
    if (open.contains(at->second)) {
      throw Error(Diagnostic{
          .name = "tensorflow-graph",
          .message = reader + " reads " + Quoted(reference.node) + ", which depends on it",
          .expected = "a graph without cycles",
          .found = "a cycle"});
    }
    work.push_back({at->second, false});
  };
  for (const Reference& reference : wanted) {
    need(reference, "the model");
    while (!work.empty()) {
      Step& top = work.back();
      const Node& node = *top.node;
      if (scope->results.contains(node.name)) {
        work.pop_back();
        continue;
      }
      if (top.ready) {
        open.erase(&node);
        work.pop_back();
        ImportNode(node, scope);
        continue;
      }
      top.ready = true;
      open.insert(&node);
      const std::string reader = NodeContext(*this, node).Title();
      for (auto input = node.inputs.rbegin(); input != node.inputs.rend(); ++input) {
        const Reference operand = ParseReference(*input);
        if (!operand.is_control) need(operand, reader);
      }
    }
  }
}

void Importer::ImportNode(const Node& node, Scope* scope) {
  NodeContext n(*this, node);
  if (++nodes_ > kMostNodes) {
    throw Error(Diagnostic{.name = "tensorflow-too-deep",
                           .message = "the functions of the model make too many nodes",
                           .expected = "at most " + std::to_string(kMostNodes),
                           .found = "more"});
  }
  for (const Text input : node.inputs) {
    const Reference operand = ParseReference(input);
    if (!operand.is_control) n.inputs.push_back(Find(operand, *scope, n.Title()));
  }
  const Conversion* conversion = FindConversion(node.op);
  if (conversion == nullptr) n.Fail("has an operator that cannot be imported");
  try {
    scope->results[node.name] = conversion->convert(n);
  } catch (const Error& error) {
    // Errors of the builder do not know the node.
    if (error.name().starts_with("tensorflow-")) throw;
    Diagnostic diagnostic = error.diagnostic();
    diagnostic.notes.insert(diagnostic.notes.begin(), "in " + n.Title());
    throw Error(std::move(diagnostic));
  }
}

Results Importer::ImportFunction(Text name, const std::vector<GraphVar>& args,
                                 const NodeContext& caller) {
  const Function* function = FindFunction(name);
  if (function == nullptr) {
    caller.Fail("calls a function that the model lacks", "a function of its library", Quoted(name));
  }
  if (++depth_ > kMostDepth) {
    throw Error(Diagnostic{
        .name = "tensorflow-too-deep",
        .message = "functions of the model call each other too deep, at " + caller.Title(),
        .expected = "at most " + std::to_string(kMostDepth) + " levels, without recursion",
        .found = "more"});
  }
  if (function->inputs.size() != args.size()) {
    caller.Fail("calls a function with the wrong number of arguments",
                std::to_string(function->inputs.size()), std::to_string(args.size()));
  }
  Scope scope = ScopeOf(function->nodes);
  for (size_t i = 0; i < args.size(); ++i) scope.results[function->inputs[i]] = {args[i]};
  std::vector<Reference> wanted;
  for (const Text output : function->outputs) {
    const auto at = function->returns.find(output);
    if (at == function->returns.end()) {
      caller.Fail("calls a function that does not make its result " + Quoted(output));
    }
    wanted.push_back(ParseReference(at->second));
  }
  ImportNodes(wanted, &scope);
  Results results;
  for (const Reference& reference : wanted) {
    results.push_back(Find(reference, scope, caller.Title()));
  }
  --depth_;
  return results;
}

// -- The whole.

ImportedModel Importer::Run() {
  CheckOptions();
  Scope scope = ScopeOf(model_.model.nodes);
  const std::vector<Reference> wanted = OutputsOf(scope);
  CheckOperators(scope, wanted);
  ImportedModel result;
  // Inputs have the order of the model.
  for (const Node& node : model_.model.nodes) {
    if (IsInput(node.op)) scope.results[node.name] = {AddInput(node)};
  }
  ImportNodes(wanted, &scope);
  std::vector<GraphVar> outputs;
  for (const Reference& reference : wanted) {
    const GraphVar value = Find(reference, scope, "the model");
    std::string name(reference.node);
    if (reference.index != 0) name += ":" + std::to_string(reference.index);
    result.outputs.push_back(name);
    outputs.push_back(NamedResult(b(), value, name, inputs_.contains(value)));
  }
  FinishImport(b(), outputs, options_.weights_are_inputs ? &weights_ : nullptr, &result);
  return result;
}

ImportedModel ImportModel(const LoadedModel& model, const ImportOptions& options) {
  return Importer(model, options).Run();
}

}  // namespace lathe::graph::tensorflow
