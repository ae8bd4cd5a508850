// What converters of operators are written with (graph/import/onnx/operators.h lists them).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/builder.h"
#include "graph/import/onnx/import.h"
#include "graph/import/onnx/model.h"
#include "graph/import/operator_context.h"

namespace lathe::graph::onnx {

using ir::Expr;
using ir::GraphVar;

// A value of the model while it is imported. Sequences and optionals exist only then: how many
// elements they have, and whether there is one, must be known.
struct Value {
  enum class Kind : uint8_t { kNothing, kTensor, kSequence };
  Kind kind = Kind::kNothing;  // kNothing: an input that was left out, an empty optional
  GraphVar tensor;
  std::shared_ptr<const std::vector<Value>> items;
  // The element type of ONNX, if elements are stored in another one: int4 in int8, float8 in uint8;
  // else 0. Few operators take such values.
  int32_t narrow = 0;

  Value() = default;
  Value(GraphVar var) : kind(Kind::kTensor), tensor(std::move(var)) {}  // NOLINT
  static Value Sequence(std::vector<Value> items);
};
using Results = std::vector<Value>;

// Names of values, of one graph or function; inner graphs see those of the outer ones.
struct Scope {
  std::unordered_map<std::string_view, Value> values;
  const Scope* outer = nullptr;
  // Within a function: its attributes' values, which attributes of its nodes may refer to.
  const std::unordered_map<std::string_view, const Attribute*>* attributes = nullptr;
  const std::vector<OpsetId>* opsets = nullptr;

  const Value* Find(std::string_view name) const;
};

class NodeContext;

// The state of one import.
class Importer : public Values {
 public:
  Importer(const LoadedModel& model, const ImportOptions& options);
  ImportedModel Run();

  // -- For converters.
  // The nodes of an inner graph, in the open block, with `args` for its inputs; its outputs.
  std::vector<Value> ImportBody(const Graph& graph, const std::vector<Value>& args,
                                const Scope& outer);
  // "the input `n`" if the tensor is an input of the model, else what computes it.
  std::string OriginOf(const GraphVar& var) const;
  TensorValue ReadTensor(const TensorData& tensor) { return reader_.Read(tensor); }
  TensorValue ReadTensor(const SparseData& sparse) { return reader_.Read(sparse); }
  // A number for each node that makes random numbers.
  uint64_t NextKey() { return ++keys_; }

 private:
  friend class NodeContext;
  void CheckOptions() const;
  void CheckOperators() const;
  void CountUnsupported(const std::vector<Node>& nodes, const std::vector<OpsetId>& opsets,
                        std::unordered_map<std::string, int>* counts) const;
  void AddInputs(Scope* scope);
  Value AddInput(const ValueInfo& info);
  Value AddSequence(const std::string& name, const Type& item);
  // `given` is the shape if it is not null; else the model's.
  ir::NodeRef TensorTypeOf(const std::string& name, const Type& type,
                           const std::vector<Extent>* given);
  void AddInitializers(const Graph& graph, Scope* scope);
  void ImportNodes(const std::vector<Node>& nodes, Scope* scope);
  void ImportNode(const Node& node, Scope* scope);
  std::vector<Value> ImportFunction(const Function& function, NodeContext& n);
  const Function* FindFunction(const Node& node) const;
  const OwnConverter* FindOwn(std::string_view domain, std::string_view op) const;
  int64_t OpsetOf(std::string_view domain, const Scope& scope) const;
  void Define(Scope* scope, std::string_view name, Value value);

  const LoadedModel& model_;
  const ImportOptions& options_;
  TensorReader reader_;
  std::unordered_map<std::string, Expr> sizes_;
  std::unordered_map<GraphVar, std::string, RefHash, RefEqual> inputs_;
  std::vector<std::pair<std::string, GraphVar>> weights_;
  uint64_t keys_ = 0;
  int64_t nodes_ = 0;  // that were imported, each as often as it was
  int depth_ = 0;      // of graphs and functions
};

// One node while it is converted.
class NodeContext : public OperatorContext {
 public:
  NodeContext(Importer& importer, const Node& node, int64_t opset, const Scope& scope,
              std::vector<Value> inputs)
      : OperatorContext(importer, NameOf(node)),
        importer(importer),
        node(node),
        opset(opset),
        scope(scope),
        inputs(std::move(inputs)) {}
  // The name of its first output, or its own.
  static std::string NameOf(const Node& node);

  Importer& importer;
  const Node& node;
  int64_t opset;  // whose rules the converter follows
  const Scope& scope;
  std::vector<Value> inputs;

  // -- Inputs. Those that are needed and not there are errors.
  bool Has(size_t i) const override {
    return i < inputs.size() && inputs[i].kind != Value::Kind::kNothing;
  }
  GraphVar In(size_t i) const override;
  const std::vector<Value>& Items(size_t i) const;  // of a sequence
  std::vector<GraphVar> All() const;
  bool Wants(size_t output) const {
    return output < node.outputs.size() && !node.outputs[output].empty();
  }

  // -- Values that must be known. `what` names the input in errors: "axes".
  // How many numbers a vector has, which decides a rank; 1 for one number of rank 0. Throws
  // "onnx-value-needed".
  int64_t CountOf(size_t i, const char* what) const;
  // Beyond what OperatorContext knows, integers that only a run knows become sizes, if there are
  // few of them; none may be negative then.
  std::vector<Expr> Extents(size_t i, const char* what) const;

  // -- Attributes. An attribute that no converter asks for is an error at the end.
  using OperatorContext::Floats;
  using OperatorContext::Int;
  using OperatorContext::Ints;
  const Attribute* Find(std::string_view name) const;
  bool Has(std::string_view name) const { return Find(name) != nullptr; }
  int64_t Int(std::string_view name, int64_t fallback) const;
  double Float(std::string_view name, double fallback) const;
  std::string String(std::string_view name, std::string fallback) const;
  std::vector<int64_t> Ints(std::string_view name, std::vector<int64_t> fallback = {}) const;
  std::vector<double> Floats(std::string_view name) const;
  std::vector<std::string> Strings(std::string_view name) const;
  const Graph& Body(std::string_view name) const;
  // Attributes that say nothing about the result.
  void Ignore(std::initializer_list<std::string_view> names) const;
  // Throws "onnx-attribute" if an attribute was not asked for.
  void CheckAttributes() const;

  // -- Making values.
  GraphVar Get(const GraphVar& tuple, int64_t index) const;
  // All fields of the result of an operator that has several.
  Results Fields(const GraphVar& tuple) const;

  // "node `conv1` (Conv, opset 13)".
  std::string Title() const override;
  [[noreturn]] void FailAttribute(std::string_view attribute, const std::string& problem,
                                  std::string expected, std::string found) const;
  // Throws "onnx-value-needed".
  [[noreturn]] void FailValue(size_t i, const char* what) const override;

 private:
  // Throws "onnx-node".
  [[noreturn]] void Throw(const std::string& problem, std::string expected, std::string found,
                          std::string help) const override;

  mutable std::set<std::string_view> asked_;
};

// What a converter of the caller's own makes of the node (own.cc).
Results ConvertOwn(NodeContext& n, const OwnConverter& converter);

// An extent as a number of rank 0.
GraphVar ExtentAsTensor(const NodeContext& n, const Expr& extent, DataType dtype);
// Indices that may be negative, from the beginning of `extent` elements.
GraphVar FromBegin(NodeContext& n, const GraphVar& indices, const Expr& extent);

}  // namespace lathe::graph::onnx
