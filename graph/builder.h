// Builds graphs binding by binding; every binding gets its type when it is made.
//
//   Builder b("main");
//   const ir::Expr n = b.Size("n");
//   const ir::GraphVar x = b.Input("x", DataType::Float(32), {n, Int64(784)});
//   const ir::GraphVar w = b.Constant("w", DataType::Float(32), {10, 784}, blob);
//   const ir::GraphVar y = b.Call("nn.softmax", {b.Call("nn.dense", {x, w})});
//   ir::Ref<const ir::GraphFunc> main = b.Finish(y);
//
// Importers, passes and people build graphs with it, so a graph never lacks types, and an error
// names the binding that is wrong as soon as it is made. One thread uses a Builder.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/op.h"
#include "ir/graph.h"
#include "ir/rewrite.h"

namespace lathe::graph {

using GraphFuncRef = Ref<const ir::GraphFunc>;
using GraphBlockRef = Ref<const ir::GraphBlock>;
using ir::List;

class Builder {
 public:
  // `module` has the functions that may be invoked by name, and the data types; it may be null.
  explicit Builder(std::string function_name, ir::GraphModule module = {});

  // A symbolic size of the function; an int64.
  ir::Expr Size(std::string name);
  ir::GraphVar Input(std::string name, DataType dtype, std::vector<ir::Expr> shape);
  ir::GraphVar Input(std::string name, ir::NodeRef type);
  // A constant whose name is kept, so that it can be replaced by name when the graph is loaded.
  ir::GraphVar Constant(std::string name, DataType dtype, std::vector<int64_t> shape,
                        Ref<const Blob> data);
  // A tensor of rank 0, rounded to the type.
  ir::GraphVar Scalar(double value, DataType dtype, std::string name = "");
  ir::GraphVar Call(std::string op, std::vector<ir::GraphVar> args, ir::Dict attrs = {},
                    std::string name = "");
  ir::GraphVar Tuple(std::vector<ir::GraphVar> fields, std::string name = "");
  ir::GraphVar Get(ir::GraphVar tuple, int64_t index, std::string name = "");

  // Any value: infers its type and appends `name = value` to the open block. The parts of `value`
  // must have types. Throws the errors of TypeOfCall, with the binding as a note, and Error
  // "graph-type" for the other values; "graph-datatype" for a data type that the module does not
  // have, "graph-match-missing" for a match without all cases.
  ir::GraphVar Emit(ir::NodeRef value, std::string name = "");

  // Calls that are emitted from now on have this attribute `device` (devices.h), unless they have
  // one already; "": none. Rewrite sets it to that of the binding that is rewritten.
  void SetDevice(std::string device) { device_ = std::move(device); }

  // Between the two calls, bindings are appended to a new block: the arm of an if, the body of a
  // loop or of a closure.
  void OpenBlock();
  GraphBlockRef CloseBlock(ir::GraphVar result);

  // The parameters so far.
  const std::vector<ir::GraphVar>& Inputs() const { return params_; }
  size_t OpenBlocks() const { return blocks_.size(); }  // 1: the function's body
  // The bindings of the open block so far.
  const List<ir::GraphBinding>& OpenBindings() const { return blocks_.back(); }

  // The functions and data types that values may name; may be null.
  const ir::GraphModule& module() const { return module_; }

  // The elements of an integer tensor, if they are known (TypeContext::values).
  const std::vector<ir::Expr>* ValueOf(const ir::GraphVar& var) const;

  // The function. The builder is empty afterwards.
  GraphFuncRef Finish(ir::GraphVar result, ir::Dict attrs = {});

 private:
  TypeResult TypeOf(const ir::Node& value) const;
  std::optional<std::vector<ir::Expr>> KnownValue(const ir::GraphVar& var) const;

  std::string name_, device_;
  ir::GraphModule module_;
  std::vector<ir::Var> sizes_;
  std::vector<ir::GraphVar> params_;
  std::vector<List<ir::GraphBinding>> blocks_;
  std::unordered_map<ir::GraphVar, std::vector<ir::Expr>, RefHash, RefEqual> values_;
};

// A shallow copy, to be changed.
template <class T>
Ref<T> CopyOf(const T& node) {
  return Ref<T>::Adopt(static_cast<T*>(ir::CloneNode(node).release()));
}

// Do two types agree, with extents compared by arithmetic?
bool SameType(const ir::NodeRef& a, const ir::NodeRef& b);
// "float32[n, 784]", "(float32[n], int64[])".
std::string TypeText(const ir::NodeRef& type);
// An int64 constant, for shapes.
inline ir::Expr Int64(int64_t value) { return ir::Int(value, DataType::Int(64)); }

// Builds a function anew. `rule` is called for each binding, those of nested blocks included, with
// the value after the variables in it were replaced; it emits what it likes into the builder and
// returns the variable that stands for the binding's from now on, or null to emit the value as it
// is. Blocks may nest kMaxBlockDepth deep; else throws Error "graph-too-deep".
inline constexpr int kMaxBlockDepth = 1000;
using RewriteRule = std::function<ir::GraphVar(const ir::GraphBinding& before,
                                               const ir::NodeRef& value, Builder& builder)>;
GraphFuncRef Rewrite(const ir::GraphFunc& func, const ir::GraphModule& module,
                     const RewriteRule& rule);

// The extents that a call's arguments give to the sizes of a function; nothing if the types of
// arguments and parameters cannot agree.
std::optional<ir::VarMap> BindSizes(const ir::GraphFunc& func,
                                    const std::vector<ir::GraphVar>& args);
// Emits the body of `func` with `args` for its parameters and `sizes` for its sizes. Returns what
// stands for its result. Throws what Emit throws.
ir::GraphVar InlineCall(const ir::GraphFunc& func, const std::vector<ir::GraphVar>& args,
                        const ir::VarMap& sizes, Builder& builder);

}  // namespace lathe::graph
