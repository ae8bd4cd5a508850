// What importers of all formats make graphs with.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/builder.h"
#include "graph/import/values.h"

namespace lathe::graph {

// Makes bindings, and knows the values of those that depend on constants only: shapes, axes, sizes.
// Exporters compute them by chains of nodes. One thread uses it.
class Values {
 public:
  Builder& b() { return builder_; }
  // Emits a value, and remembers how it is made if that is from constants only.
  ir::GraphVar Emit(ir::NodeRef value, const std::string& name);
  ir::GraphVar Constant(TensorValue value, const std::string& name);
  // The value of a tensor that depends on constants only, or whose elements are known otherwise;
  // nothing if that is not so, or if it has more than kMostElements. The interpreter of graphs
  // computes it when it is asked for.
  static constexpr int64_t kMostElements = 1 << 20;
  std::optional<TensorValue> ConstantOf(const ir::GraphVar& var);

 private:
  Builder builder_{"main"};
  // How values are made that depend on constants only.
  std::unordered_map<ir::GraphVar, ir::NodeRef, RefHash, RefEqual> definitions_;
  std::unordered_map<ir::GraphVar, TensorValue, RefHash, RefEqual> evaluated_;
};

// Makes what one node of a model becomes. All bindings have the name of the node.
class Maker {
 public:
  Maker(Values& values, std::string name) : values_(values), name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  static const ir::TensorType& TypeOf(const ir::GraphVar& var);
  static const std::vector<ir::Expr>& ShapeOf(const ir::GraphVar& var) { return TypeOf(var).shape; }
  static DataType DTypeOf(const ir::GraphVar& var) { return TypeOf(var).dtype; }
  static int64_t RankOf(const ir::GraphVar& var) {
    return static_cast<int64_t>(ShapeOf(var).size());
  }

  ir::GraphVar Call(const std::string& op, std::vector<ir::GraphVar> args,
                    ir::Dict attrs = {}) const;
  ir::GraphVar Field(const ir::GraphVar& tuple, int64_t index, const std::string& name) const;
  ir::GraphVar Constant(TensorValue value) const;
  ir::GraphVar Scalar(double value, DataType dtype) const;
  ir::GraphVar IntTensor(const std::vector<int64_t>& values,
                         DataType dtype = DataType::Int(64)) const;
  ir::GraphVar Cast(const ir::GraphVar& x, DataType dtype) const;
  ir::GraphVar Reshape(const ir::GraphVar& x, std::vector<ir::Expr> shape) const;
  ir::GraphVar Transpose(const ir::GraphVar& x, std::vector<int64_t> axes) const;
  ir::GraphVar BroadcastTo(const ir::GraphVar& x, std::vector<ir::Expr> shape) const;
  ir::GraphVar Slice(const ir::GraphVar& x, int64_t axis, ir::Expr begin, ir::Expr end) const;
  ir::GraphVar Squeeze(const ir::GraphVar& x, std::vector<int64_t> axes) const;
  ir::GraphVar ExpandDims(const ir::GraphVar& x, int64_t axis, int64_t count = 1) const;
  ir::GraphVar Add(const ir::GraphVar& x, const ir::GraphVar& y) const;
  ir::GraphVar Mul(const ir::GraphVar& x, const ir::GraphVar& y) const;
  ir::GraphVar Sub(const ir::GraphVar& x, const ir::GraphVar& y) const;
  ir::GraphVar Div(const ir::GraphVar& x, const ir::GraphVar& y) const;

 private:
  Values& values_;
  std::string name_;
};

struct ImportedModel {
  ir::GraphModule module;
  std::vector<std::string> inputs, outputs;                  // the names in the model, in order
  std::vector<std::pair<std::string, TensorValue>> weights;  // if they are inputs
};

// Makes parameters of `func` of constants that something reads, and appends their data to `lifted`.
using NamedVars = std::vector<std::pair<std::string, ir::GraphVar>>;
GraphFuncRef LiftWeights(const GraphFuncRef& func, const NamedVars& weights,
                         std::vector<std::pair<std::string, TensorValue>>* lifted);

// A result of the model with a name of its own, also if the value is an input.
ir::GraphVar NamedResult(Builder& b, const ir::GraphVar& value, const std::string& name,
                         bool is_input);
// The end of an import: the module whose function returns `results`, several as a tuple. `weights`
// become parameters; null: they stay constants. Sets the module, the inputs and the weights.
void FinishImport(Builder& b, const std::vector<ir::GraphVar>& results, const NamedVars* weights,
                  ImportedModel* out);

}  // namespace lathe::graph
