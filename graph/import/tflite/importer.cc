// The import of a model: inputs, constants, operators in their order, outputs.
#include "graph/import/tflite/importer.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "graph/import/map_file.h"
#include "graph/import/tflite/operators.h"

namespace lathe::graph::tflite {
namespace {

constexpr int64_t kMostOperators = 1 << 20;
constexpr int kMostDepth = 100;

// Numbers of 4 bits, the first in the lower half of a byte, as bytes.
std::string Unpacked(Text bytes, int64_t count) {
  std::string out(static_cast<size_t>(count), '\0');
  for (int64_t i = 0; i < count; ++i) {
    const auto byte = static_cast<uint8_t>(bytes[static_cast<size_t>(i / 2)]);
    const auto high = static_cast<int8_t>(i % 2 == 0 ? byte << 4 : byte & 0xF0);
    out[static_cast<size_t>(i)] = static_cast<char>(high >> 4);
  }
  return out;
}

TensorValue Read(const TensorInfo& tensor, const std::shared_ptr<const void>& owner) {
  const auto fail = [&](const std::string& problem, std::string expected, std::string found) {
    throw Error(Diagnostic{.name = "tflite-tensor",
                           .message = "tensor " + Quoted(tensor.name) + " " + problem,
                           .expected = std::move(expected),
                           .found = std::move(found)});
  };
  const std::optional<DataType> dtype = DTypeOf(tensor.type);
  if (!dtype) {
    fail("has an element type that graphs do not have", "floats, integers or truth values",
         ElementTypeName(tensor.type));
  }
  if (tensor.is_sparse) {
    fail("is sparse", "dense tensors", "a sparse one; convert the model without sparsity");
  }
  int64_t count = 1;
  for (const int64_t extent : tensor.shape) {
    if (extent < 0 || __builtin_mul_overflow(count, extent, &count) || count > (INT64_MAX >> 4)) {
      fail("has an impossible shape", "extents of 0 and more", std::to_string(extent));
    }
  }
  const bool packed = tensor.type == kInt4;
  const int64_t expected = packed ? (count + 1) / 2 : count * dtype->bytes();
  if (static_cast<int64_t>(tensor.data.size()) != expected) {
    fail("has the wrong number of bytes", std::to_string(expected),
         std::to_string(tensor.data.size()));
  }
  if (packed) return {*dtype, tensor.shape, Blob::Copy(Unpacked(tensor.data, count))};
  return {*dtype, tensor.shape, DataOf({tensor.data, owner})};
}

}  // namespace

Importer::Importer(const LoadedModel& model, const ImportOptions& options)
    : model_(model), options_(options) {}

// -- Checks before anything is made.

void Importer::CheckOptions() const {
  const SubGraph& graph = model_.model.graphs[0];
  std::vector<std::string> names;
  for (const int32_t index : graph.inputs) {
    names.emplace_back(graph.tensors[static_cast<size_t>(index)].name);
  }
  for (const auto& [name, shape] : options_.shapes) {
    if (std::ranges::count(names, name) != 0) continue;
    throw Error(Diagnostic{.name = "tflite-input-unknown",
                           .message = "the model has no input " + Quoted(name),
                           .expected = QuotedList(names),
                           .found = Quoted(name)});
  }
}

void Importer::CheckOperators() const {
  std::map<std::string, int> counts;
  for (const SubGraph& graph : model_.model.graphs) {
    for (const Operator& op : graph.operators) {
      if (FindConversion(op) == nullptr) ++counts[NameOf(op)];
    }
  }
  if (counts.empty()) return;
  Diagnostic diagnostic{.name = "tflite-unsupported",
                        .message = std::to_string(counts.size()) +
                                   (counts.size() == 1 ? " operator" : " operators") +
                                   " of the model cannot be imported"};
  for (const auto& [name, count] : counts) {
    std::string note = std::to_string(count) + " x " + name;
    if (const std::string_view reason = ReasonFor(name); !reason.empty()) {
      note += ": " + std::string(reason);
    }
    diagnostic.notes.push_back(std::move(note));
  }
  diagnostic.help = "docs/tflite.md lists the operators that can be imported";
  throw Error(std::move(diagnostic));
}

// -- Values.

GraphVar Importer::AddInput(const TensorInfo& tensor) {
  const std::string name(tensor.name);
  const auto fail = [&](const std::string& problem, std::string expected, std::string found) {
    throw Error(
        Diagnostic{.name = "tflite-input-shape",
                   .message = "input " + Quoted(name) + " " + problem,
                   .expected = std::move(expected),
                   .found = std::move(found),
                   .help = "give its shape at import: shape_dict={\"" + name + "\": [...]}"});
  };
  const std::optional<DataType> dtype = DTypeOf(tensor.type);
  if (!dtype) {
    throw Error(Diagnostic{
        .name = "tflite-tensor",
        .message = "input " + Quoted(name) + " has an element type that graphs do not have",
        .expected = "floats, integers or truth values",
        .found = ElementTypeName(tensor.type)});
  }
  std::vector<Extent> extents(tensor.shape.begin(), tensor.shape.end());
  if (const auto given = options_.shapes.find(name); given != options_.shapes.end()) {
    // Models of inputs whose rank varies have no shape at all.
    if (!extents.empty() && extents.size() != given->second.size()) {
      fail("has another rank in the model than in the options", std::to_string(extents.size()),
           std::to_string(given->second.size()));
    }
    extents = given->second;
  }
  std::vector<Expr> shape;
  for (const Extent& extent : extents) {
    if (const int64_t* number = std::get_if<int64_t>(&extent)) {
      if (*number < 0) fail("has a negative extent", "0 and more", std::to_string(*number));
      shape.push_back(Int64(*number));
      continue;
    }
    const std::string size = SizeName(std::get<std::string>(extent));
    const auto at = sizes_.find(size);
    shape.push_back(at != sizes_.end() ? at->second
                                       : sizes_.emplace(size, b().Size(size)).first->second);
  }
  const GraphVar var = b().Input(name, *dtype, std::move(shape));
  inputs_.emplace(var, name);
  return var;
}

void Importer::AddInputs(Scope* scope) {
  std::set<std::string_view> names;
  for (const int32_t index : scope->graph.inputs) {
    const TensorInfo& tensor = scope->graph.tensors[static_cast<size_t>(index)];
    if (!names.insert(tensor.name).second) {
      throw Error(Diagnostic{.name = "tflite-graph",
                             .message = "two inputs have the name " + Quoted(tensor.name)});
    }
    scope->values[static_cast<size_t>(index)] = AddInput(tensor);
  }
}

GraphVar Importer::AddConstant(const TensorInfo& tensor) {
  const std::string name(tensor.name);
  const GraphVar var = Constant(Read(tensor, model_.bytes), name);
  if (depth_ == 0) weights_.emplace_back(name, var);
  return var;
}

std::string Importer::OriginOf(const GraphVar& var) const {
  const auto at = inputs_.find(var);
  return at == inputs_.end() ? "a value that the model computes, " + Quoted(var->name)
                             : "the input " + Quoted(at->second);
}

GraphVar Importer::ValueOf(Scope* scope, int32_t index, const OpContext& n) {
  if (index < 0) return {};
  const auto at = static_cast<size_t>(index);
  if (scope->values[at]) return scope->values[at];
  const TensorInfo& tensor = scope->graph.tensors[at];
  const bool is_empty = std::ranges::count(tensor.shape, 0) != 0;
  if (!tensor.data.empty() || is_empty) return scope->values[at] = AddConstant(tensor);
  // The state of a recurrent operator. It begins with zeros in each run.
  if (tensor.is_variable) return {};
  throw Error(Diagnostic{
      .name = "tflite-graph",
      .message = n.Title() + " reads " + Quoted(tensor.name) + ", which nothing before it makes",
      .expected = "an input, a constant or an output of an earlier operator",
      .found = Quoted(tensor.name),
      .help = "operators must be in the order in which they are computed, without a cycle"});
}

// -- Operators.

void Importer::ImportOperators(Scope* scope) {
  for (const Operator& op : scope->graph.operators) ImportOperator(op, scope);
}

void Importer::ImportOperator(const Operator& op, Scope* scope) {
  OpContext n(*this, op, scope->graph);
  if (++operators_ > kMostOperators) {
    throw Error(Diagnostic{.name = "tflite-too-deep",
                           .message = "the graphs of the model make too many operators",
                           .expected = "at most " + std::to_string(kMostOperators),
                           .found = "more"});
  }
  const Conversion* conversion = FindConversion(op);
  LATHE_CHECK(conversion != nullptr) << "an unknown operator was not reported";
  if (op.options_type != 0 && op.options_type != conversion->options_type &&
      conversion->options_type != 0) {
    n.Fail("has options of another operator", "type " + std::to_string(conversion->options_type),
           "type " + std::to_string(op.options_type));
  }
  Results results;
  try {
    for (const int32_t input : op.inputs) n.inputs.push_back(ValueOf(scope, input, n));
    results = conversion->convert(n);
  } catch (const Error& error) {
    // Errors of the builder do not know the operator.
    if (error.name().starts_with("tflite-")) throw;
    Diagnostic diagnostic = error.diagnostic();
    diagnostic.notes.insert(diagnostic.notes.begin(), "in " + n.Title());
    throw Error(std::move(diagnostic));
  }
  if (results.size() < op.outputs.size()) {
    n.Fail("has an output that is not supported here", std::to_string(results.size()) + " outputs",
           std::to_string(op.outputs.size()));
  }
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    GraphVar& value = scope->values[static_cast<size_t>(op.outputs[i])];
    if (value) {
      throw Error(
          Diagnostic{.name = "tflite-graph",
                     .message = "two operators make the tensor " + Quoted(n.OutInfo(i).name)});
    }
    if (results[i] && Maker::DTypeOf(results[i]) != n.OutType(i)) {
      n.Fail("has a result of another type than the model says",
             Maker::DTypeOf(results[i]).ToString(), n.OutType(i).ToString());
    }
    value = results[i];
  }
}

GraphVar Importer::Output(Scope* scope, int32_t index) {
  const auto at = static_cast<size_t>(index);
  const TensorInfo& tensor = scope->graph.tensors[at];
  if (!scope->values[at] && !tensor.data.empty()) scope->values[at] = AddConstant(tensor);
  if (!scope->values[at]) {
    throw Error(Diagnostic{.name = "tflite-graph",
                           .message = "nothing makes the output " + Quoted(tensor.name)});
  }
  return scope->values[at];
}

Results Importer::ImportBody(int64_t graph, const std::vector<GraphVar>& args,
                             const OpContext& caller) {
  if (graph <= 0 || graph >= static_cast<int64_t>(model_.model.graphs.size())) {
    caller.Fail("calls a graph that the model lacks",
                "1 to " + std::to_string(model_.model.graphs.size() - 1), std::to_string(graph));
  }
  if (++depth_ > kMostDepth) {
    throw Error(Diagnostic{
        .name = "tflite-too-deep",
        .message = "graphs of the model call each other too deep, at " + caller.Title(),
        .expected = "at most " + std::to_string(kMostDepth) + " levels, without recursion",
        .found = "more"});
  }
  const SubGraph& body = model_.model.graphs[static_cast<size_t>(graph)];
  if (body.inputs.size() != args.size()) {
    caller.Fail("calls a graph with the wrong number of inputs", std::to_string(body.inputs.size()),
                std::to_string(args.size()));
  }
  Scope scope{body, std::vector<GraphVar>(body.tensors.size())};
  for (size_t i = 0; i < args.size(); ++i) {
    scope.values[static_cast<size_t>(body.inputs[i])] = args[i];
  }
  ImportOperators(&scope);
  Results results;
  for (const int32_t output : body.outputs) results.push_back(Output(&scope, output));
  --depth_;
  return results;
}

void Importer::ReturnTo(int depth, size_t open_blocks) {
  depth_ = depth;
  while (b().OpenBlocks() > open_blocks) {
    b().CloseBlock(b().Scalar(0, DataType::Int(32)));  // what was made in it is dropped
  }
}

ImportedModel Importer::Run() {
  model_.model.file->Restart();
  CheckOptions();
  CheckOperators();
  const SubGraph& graph = model_.model.graphs[0];
  ImportedModel result;
  Scope scope{graph, std::vector<GraphVar>(graph.tensors.size())};
  AddInputs(&scope);
  ImportOperators(&scope);
  std::vector<GraphVar> outputs;
  for (const int32_t index : graph.outputs) {
    const GraphVar value = Output(&scope, index);
    const std::string name(graph.tensors[static_cast<size_t>(index)].name);
    result.outputs.push_back(name);
    outputs.push_back(NamedResult(b(), value, name, inputs_.contains(value)));
  }
  if (outputs.empty()) {
    throw Error(Diagnostic{.name = "tflite-graph", .message = "the model has no outputs"});
  }
  FinishImport(b(), outputs, options_.weights_are_inputs ? &weights_ : nullptr, &result);
  return result;
}

ImportedModel ImportModel(const LoadedModel& model, const ImportOptions& options) {
  return Importer(model, options).Run();
}

}  // namespace lathe::graph::tflite
