// What converters of operators are written with (graph/import/tflite/operators.h lists them).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/import/operator_context.h"
#include "graph/import/tflite/import.h"
#include "graph/import/tflite/model.h"

namespace lathe::graph::tflite {

using ir::Expr;
using ir::GraphVar;
using Results = std::vector<GraphVar>;

// The values of a graph's tensors, by their numbers; null: nothing has made it yet.
struct Scope {
  const SubGraph& graph;
  std::vector<GraphVar> values;
};

class OpContext;

// The state of one import.
class Importer : public Values {
 public:
  Importer(const LoadedModel& model, const ImportOptions& options);
  ImportedModel Run();

  // -- For converters.
  // The operators of another graph of the model, in the open block, with `args` for its inputs; its
  // outputs.
  Results ImportBody(int64_t graph, const std::vector<GraphVar>& args, const OpContext& caller);
  std::string OriginOf(const GraphVar& var) const;
  const ImportOptions& options() const { return options_; }
  // After an error within graphs: closes the blocks that it left open.
  int depth() const { return depth_; }
  void ReturnTo(int depth, size_t open_blocks);

 private:
  void CheckOptions() const;
  void CheckOperators() const;
  void AddInputs(Scope* scope);
  GraphVar AddInput(const TensorInfo& tensor);
  GraphVar AddConstant(const TensorInfo& tensor);
  // The value of a tensor for operator `n`: made by an earlier one, or a constant.
  GraphVar ValueOf(Scope* scope, int32_t index, const OpContext& n);
  void ImportOperators(Scope* scope);
  void ImportOperator(const Operator& op, Scope* scope);
  GraphVar Output(Scope* scope, int32_t index);

  const LoadedModel& model_;
  const ImportOptions& options_;
  std::unordered_map<std::string, Expr> sizes_;
  std::unordered_map<GraphVar, std::string, RefHash, RefEqual> inputs_;
  NamedVars weights_;
  int64_t operators_ = 0;  // that were imported, each as often as it was
  int depth_ = 0;          // of graphs
};

// One operator while it is converted.
class OpContext : public OperatorContext {
 public:
  OpContext(Importer& importer, const Operator& op, const SubGraph& graph);

  Importer& importer;
  const Operator& op;
  const SubGraph& graph;
  std::vector<GraphVar> inputs;  // null: left out

  // -- Inputs and outputs. Those that are needed and not there are errors.
  bool Has(size_t i) const override { return i < inputs.size() && inputs[i]; }
  GraphVar In(size_t i) const override;
  std::vector<GraphVar> All() const;
  const TensorInfo& InInfo(size_t i) const;
  const TensorInfo& OutInfo(size_t i = 0) const;
  DataType OutType(size_t i = 0) const;

  // -- Options, by the numbers of their fields in the schema.
  int64_t Number(uint32_t field, const char* what, int64_t fallback = 0) const {
    return op.options.Get<int32_t>(field, what, static_cast<int32_t>(fallback));
  }
  int64_t Byte(uint32_t field, const char* what) const {
    return op.options.Get<int8_t>(field, what);
  }
  double Float(uint32_t field, const char* what, float fallback = 0) const {
    return op.options.Get<float>(field, what, fallback);
  }
  bool Flag(uint32_t field, const char* what, bool fallback = false) const {
    return op.options.Flag(field, what, fallback);
  }

  // All fields of the result of an operator that has several.
  Results Fields(const GraphVar& tuple) const;

  // "operator `conv1` (CONV_2D, version 3)".
  std::string Title() const override;
  // Throws "tflite-value-needed".
  [[noreturn]] void FailValue(size_t i, const char* what) const override;

 private:
  // Throws "tflite-operator".
  [[noreturn]] void Throw(const std::string& problem, std::string expected, std::string found,
                          std::string help) const override;
};

// "CONV_2D", "custom FlexErf".
std::string NameOf(const Operator& op);

}  // namespace lathe::graph::tflite
