// The import of a graph: inputs, constants, the nodes that the outputs need, outputs.
#include "graph/import/tensorflow/importer.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <set>

#include "base/error.h"
#include "graph/import/map_file.h"
#include "graph/import/tensorflow/operators.h"

namespace lathe::graph::tensorflow {
namespace {

constexpr int64_t kMostNodes = 1 << 20;
constexpr int kMostDepth = 100;

std::string Quoted(std::string_view text) { return "`" + std::string(text) + "`"; }

// Nodes that compute nothing.
bool IsInput(Text op) { return op == "Placeholder"; }

std::string BytesOf(const TensorData& tensor, DataType dtype, size_t count,
                    const std::function<void(size_t)>& fail) {
  const auto width = static_cast<size_t>(dtype.bytes());
  const bool is_float = tensor.type == kFloat, is_double = tensor.type == kDouble;
  const size_t found = is_float    ? tensor.floats.size()
                       : is_double ? tensor.doubles.size()
                                   : tensor.ints.size();
  // The last element stands for all that follow; none at all for zeros.
  if (found > count) fail(found);
  std::string out(count * width, '\0');
  for (size_t i = 0; i < count && found > 0; ++i) {
    const size_t from = std::min(i, found - 1);
    const void* element = is_float    ? static_cast<const void*>(&tensor.floats[from])
                          : is_double ? static_cast<const void*>(&tensor.doubles[from])
                                      : static_cast<const void*>(&tensor.ints[from]);
    std::memcpy(out.data() + i * width, element, width);
  }
  return out;
}

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

// -- Values.

TensorValue Importer::Read(const TensorData& tensor, Text name) const {
  const auto fail = [&](const std::string& problem, std::string expected, std::string found) {
    throw Error(Diagnostic{.name = "tensorflow-tensor",
                           .message = "the constant " + Quoted(name) + " " + problem,
                           .expected = std::move(expected),
                           .found = std::move(found)});
  };
  const std::optional<DataType> dtype = DTypeOf(tensor.type);
  if (!dtype) {
    fail("has an element type that graphs do not have", "floats, integers or truth values",
         ElementTypeName(tensor.type));
  }
  int64_t count = 1;
  for (const int64_t extent : tensor.shape.dims) {
    if (extent < 0 || __builtin_mul_overflow(count, extent, &count) || count > (INT64_MAX >> 4)) {
      fail("has an impossible shape", "extents of 0 and more", std::to_string(extent));
    }
  }
  TensorValue value{*dtype, tensor.shape.dims, {}};
  const int64_t bytes = count * dtype->bytes();
  if (tensor.has_content && !tensor.content.empty()) {
    if (static_cast<int64_t>(tensor.content.size()) != bytes) {
      fail("has the wrong number of bytes", std::to_string(bytes),
           std::to_string(tensor.content.size()));
    }
    value.data = DataOf({tensor.content, model_.bytes});
    return value;
  }
  // One number may stand for many, but not for more than a machine has.
  constexpr int64_t kMostBytes = int64_t{1} << 30;
  if (bytes > kMostBytes) {
    fail("is too large for what the file has of it", std::to_string(kMostBytes) + " bytes",
         std::to_string(bytes));
  }
  value.data = Blob::Copy(BytesOf(tensor, *dtype, static_cast<size_t>(count), [&](size_t found) {
    fail("has too many elements", std::to_string(count), std::to_string(found));
  }));
  return value;
}

GraphVar Importer::AddConstant(const Node& node, const TensorData& tensor) {
  const std::string name(node.name);
  const GraphVar var = Constant(Read(tensor, node.name), name);
  if (depth_ == 0 && b().OpenBlocks() == 1) weights_.emplace_back(name, var);
  return var;
}

GraphVar Importer::AddInput(const Node& node) {
  const std::string name(node.name);
  const NodeContext n(*this, node);
  const DataType dtype = n.Type("dtype");
  const Attribute* attribute = n.Find("shape");
  const auto fail = [&](const std::string& problem, std::string expected, std::string found) {
    throw Error(Diagnostic{.name = "tensorflow-input-shape",
                           .message = "input " + Quoted(name) + " " + problem,
                           .expected = std::move(expected),
                           .found = std::move(found),
                           .help = "give its shape at import: shape={\"" + name + "\": [...]}"});
  };
  const Shape stated = attribute == nullptr ? Shape() : attribute->shape;
  const auto size = [&](const std::string& text) {
    const auto at = sizes_.find(text);
    return at != sizes_.end() ? at->second : sizes_.emplace(text, b().Size(text)).first->second;
  };
  std::vector<Expr> shape;
  if (const auto given = options_.shapes.find(name); given != options_.shapes.end()) {
    if (stated.has_rank && stated.dims.size() != given->second.size()) {
      fail("has another rank in the model than in the options", std::to_string(stated.dims.size()),
           std::to_string(given->second.size()));
    }
    for (const Extent& extent : given->second) {
      if (const int64_t* number = std::get_if<int64_t>(&extent)) {
        if (*number < 0) fail("has a negative extent", "0 and more", std::to_string(*number));
        shape.push_back(Int64(*number));
      } else {
        shape.push_back(size(SizeName(std::get<std::string>(extent))));
      }
    }
  } else {
    if (!stated.has_rank) fail("has no shape", "at least a rank", "nothing");
    for (size_t d = 0; d < stated.dims.size(); ++d) {
      shape.push_back(stated.dims[d] >= 0 ? Int64(stated.dims[d])
                                          : size(SizeName(name) + "_" + std::to_string(d)));
    }
  }
  const GraphVar var = b().Input(name, dtype, std::move(shape));
  inputs_.emplace(var, name);
  return var;
}

std::string Importer::OriginOf(const GraphVar& var) const {
  const auto at = inputs_.find(var);
  return at == inputs_.end() ? "a value that the model computes, " + Quoted(var->name)
                             : "the input " + Quoted(at->second);
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
    // A result has a name of its own, and is no input.
    outputs.push_back(value);
    if (value->name != name || inputs_.contains(value)) {
      outputs.back() = b().Call("identity", {value}, {}, name);
    }
  }
  GraphFuncRef func = b().Finish(outputs.size() == 1 ? outputs[0] : b().Tuple(outputs, "outputs"));
  if (options_.weights_are_inputs) func = LiftWeights(func, weights_, &result.weights);
  for (const GraphVar& param : func->params) result.inputs.push_back(param->name);
  Ref<ir::GraphModuleNode> module = Make<ir::GraphModuleNode>();
  module->functions.push_back(func);
  result.module = module;
  return result;
}

ImportedModel ImportModel(const LoadedModel& model, const ImportOptions& options) {
  return Importer(model, options).Run();
}

}  // namespace lathe::graph::tensorflow
