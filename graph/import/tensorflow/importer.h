// What converters of operators are written with (graph/import/tensorflow/operators.h lists them).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "graph/import/operator_context.h"
#include "graph/import/tensorflow/import.h"
#include "graph/import/tensorflow/model.h"

namespace lathe::graph::tensorflow {

using ir::Expr;
using ir::GraphVar;
using Results = std::vector<GraphVar>;

// An input of a node, taken apart: "split:1", "split:output:1", "^control".
struct Reference {
  Text node, output;  // the output's name, of references within functions
  int64_t index = 0;
  bool is_control = false;
};
Reference ParseReference(Text text);

// The nodes of the model or of a function, and the results of those that were imported.
struct Scope {
  std::unordered_map<Text, const Node*> nodes;
  std::unordered_map<Text, Results> results;  // by nodes, and arguments of functions
};

class NodeContext;

// The state of one import.
class Importer : public Values {
 public:
  Importer(const LoadedModel& model, const ImportOptions& options);
  ImportedModel Run();

  // -- For converters.
  // The nodes of a function, in the open block, with `args` for its inputs; its outputs.
  Results ImportFunction(Text name, const std::vector<GraphVar>& args, const NodeContext& caller);
  std::string OriginOf(const GraphVar& var) const;
  TensorValue Read(const TensorData& tensor, Text name) const;
  GraphVar AddInput(const Node& node);
  GraphVar AddConstant(const Node& node, const TensorData& tensor);
  // Lists whose elements have no shape yet (lists.cc).
  void AddOpenList(const GraphVar& list) { open_lists_.insert(list); }
  bool IsOpenList(const GraphVar& list) const { return open_lists_.contains(list); }

 private:
  void CheckOptions() const;
  // Counts the operators that `wanted` need.
  void CheckOperators(const Scope& scope, const std::vector<Reference>& wanted) const;
  Scope ScopeOf(const std::vector<Node>& nodes) const;
  std::vector<Reference> OutputsOf(const Scope& scope) const;
  // Imports what `wanted` need, each node after those that it reads.
  void ImportNodes(const std::vector<Reference>& wanted, Scope* scope);
  void ImportNode(const Node& node, Scope* scope);
  GraphVar Find(const Reference& reference, const Scope& scope, const std::string& reader) const;
  const Function* FindFunction(Text name) const;

  const LoadedModel& model_;
  const ImportOptions& options_;
  std::unordered_map<std::string, Expr> sizes_;
  std::unordered_map<GraphVar, std::string, RefHash, RefEqual> inputs_;
  NamedVars weights_;
  std::unordered_set<GraphVar, RefHash, RefEqual> open_lists_;
  int64_t nodes_ = 0;  // that were imported, each as often as it was
  int depth_ = 0;      // of functions
};

// One node while it is converted.
class NodeContext : public OperatorContext {
 public:
  NodeContext(Importer& importer, const Node& node);

  Importer& importer;
  const Node& node;
  std::vector<GraphVar> inputs;

  bool Has(size_t i) const override { return i < inputs.size(); }
  GraphVar In(size_t i) const override;
  std::vector<GraphVar> All(size_t from = 0) const;

  // -- Attributes.
  using OperatorContext::Int;
  using OperatorContext::Ints;
  const Attribute* Find(std::string_view name) const;
  int64_t Int(std::string_view name, int64_t fallback) const;
  bool Flag(std::string_view name, bool fallback = false) const {
    return Int(name, fallback ? 1 : 0) != 0;
  }
  double Float(std::string_view name, double fallback) const;
  std::string String(std::string_view name, std::string fallback) const;
  std::vector<int64_t> Ints(std::string_view name) const;
  // An element type. Throws "tensorflow-node" if graphs do not have it.
  DataType Type(std::string_view name) const;
  Text FunctionName(std::string_view name) const;

  // All fields of the result of an operator that has several.
  Results Fields(const GraphVar& tuple) const;
  GraphVar Identity(const GraphVar& x) const { return Call("identity", {x}); }

  // "node `conv1` (Conv2D)".
  std::string Title() const override;
  // Throws "tensorflow-value-needed".
  [[noreturn]] void FailValue(size_t i, const char* what) const override;

 private:
  // Throws "tensorflow-node".
  [[noreturn]] void Throw(const std::string& problem, std::string expected, std::string found,
                          std::string help) const override;
};

}  // namespace lathe::graph::tensorflow
