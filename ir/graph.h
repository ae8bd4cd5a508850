// Graphs: programs of whole tensors. The nodes of the functional IR; graph/ makes, checks and
// compiles them (docs/design/graph.md). docs/text.md describes the text.
//
//   graph main(%x: float32[n, 784], %w: float32[10, 784]) {
//     %0 = nn.dense(%x, %w)
//     %1 = nn.softmax(%0, axis=-1)
//     return %1
//   }
//
// A body is a list of bindings in normal form: each binding computes one value from variables, and
// gives it a name. So what is shared is computed once, the order of effects is the order of the
// list, and a body of 10,000 layers is a list and no deep tree. A block (the arm of an `if`, the
// body of a loop or of a function) sees the variables of the blocks around it.
//
// Meaning. A value is a tensor, a tuple, a function, or a value of a data type. Values never
// change. Bindings are evaluated in order. A dimension is an integer expression over symbolic
// sizes: the sizes of the function, which a call binds from the shapes of its arguments, and those
// that a binding introduces for what no expression can say (how many elements are not zero). A null
// type is not inferred yet.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/constants.h"
#include "ir/stmt.h"

namespace lathe::ir {

// -- Types: TensorType, TupleType, FuncType or TypeRef.

struct TensorType final : NodeOf<TensorType, Node> {
  DataType dtype;           // of one lane
  std::vector<Expr> shape;  // int64
  template <class F>
  static void Fields(F f) {
    f.Field("dtype", &TensorType::dtype);
    f.Field("shape", &TensorType::shape);
  }
};

struct TupleType final : NodeOf<TupleType, Node> {
  std::vector<NodeRef> fields;
  template <class F>
  static void Fields(F f) {
    f.Field("fields", &TupleType::fields);
  }
};

struct FuncType final : NodeOf<FuncType, Node> {
  std::vector<NodeRef> params;
  NodeRef result;
  template <class F>
  static void Fields(F f) {
    f.Field("params", &FuncType::params);
    f.Field("result", &FuncType::result);
  }
};

// A data type of the module (GraphDataType).
struct TypeRef final : NodeOf<TypeRef, Node> {
  std::string name;
  template <class F>
  static void Fields(F f) {
    f.Field("name", &TypeRef::name);
  }
};

// -- Variables and bindings.

// Has identity, like Var. `name` is for people, and for callers that set inputs and parameters by
// name.
struct GraphVarNode final : NodeOf<GraphVarNode, Node> {
  std::string name;
  NodeRef type;  // null until it is inferred
  template <class F>
  static void Fields(F f) {
    f.Field("name", &GraphVarNode::name);
    f.Optional("type", &GraphVarNode::type);
  }
};
using GraphVar = Ref<const GraphVarNode>;

// var = value. `value` is one of the nodes below, or a Constant. `sizes` are sizes that are known
// only when the value is; the type of `var` uses them.
struct GraphBinding final : NodeOf<GraphBinding, Node> {
  NodeRef value;
  std::vector<Var> sizes;
  GraphVar var;
  template <class F>
  static void Fields(F f) {
    f.Field("value", &GraphBinding::value);
    f.Define("sizes", &GraphBinding::sizes);
    f.Define("var", &GraphBinding::var);
  }
};

struct GraphBlock final : NodeOf<GraphBlock, Node> {
  List<GraphBinding> bindings;
  GraphVar result;
  template <class F>
  static void Fields(F f) {
    f.Field("bindings", &GraphBlock::bindings);
    f.Refer("result", &GraphBlock::result);
  }
};

// -- Values.

// A call of an operator (graph/ops). Values of attributes: IntImm, FloatImm, StringImm, or a list,
// which is a Call of `list` (kListOperand). An attribute that is not given has its default.
struct GraphCall final : NodeOf<GraphCall, Node> {
  std::string op;
  std::vector<GraphVar> args;
  Dict attrs;
  template <class F>
  static void Fields(F f) {
    f.Field("op", &GraphCall::op);
    f.Refer("args", &GraphCall::args);
    f.Field("attrs", &GraphCall::attrs);
  }
};

struct GraphTuple final : NodeOf<GraphTuple, Node> {
  std::vector<GraphVar> fields;
  template <class F>
  static void Fields(F f) {
    f.Refer("fields", &GraphTuple::fields);
  }
};

struct GraphTupleGet final : NodeOf<GraphTupleGet, Node> {
  GraphVar tuple;
  int64_t index = 0;
  template <class F>
  static void Fields(F f) {
    f.Refer("tuple", &GraphTupleGet::tuple);
    f.Field("index", &GraphTupleGet::index);
  }
};

// A function: of a module if it has a name, else a value (a closure) that may use the variables of
// the blocks around it. `sizes` are the symbolic sizes of its parameters' shapes, and those that
// only its result has.
struct GraphFunc final : NodeOf<GraphFunc, Node> {
  std::string name;
  std::vector<Var> sizes;
  std::vector<GraphVar> params;
  NodeRef result_type;  // null until it is inferred
  Ref<const GraphBlock> body;
  Dict attrs;
  template <class F>
  static void Fields(F f) {
    f.Field("name", &GraphFunc::name);
    f.Define("sizes", &GraphFunc::sizes);
    f.Define("params", &GraphFunc::params);
    f.Optional("result_type", &GraphFunc::result_type);
    f.Field("body", &GraphFunc::body);
    f.Field("attrs", &GraphFunc::attrs);
  }
};

// A call of a function of the module (`global`), or of a function that is a value (`callee`).
// Exactly one of them is given.
struct GraphInvoke final : NodeOf<GraphInvoke, Node> {
  std::string global;  // listed as `function`: `global` is a word of Python
  GraphVar callee;
  std::vector<GraphVar> args;
  template <class F>
  static void Fields(F f) {
    f.Field("function", &GraphInvoke::global);
    f.OptionalRefer("callee", &GraphInvoke::callee);
    f.Refer("args", &GraphInvoke::args);
  }
};

// The result of `then_block` if the condition (bool, rank 0) is true, else that of `else_block`.
// The other block is not evaluated.
struct GraphIf final : NodeOf<GraphIf, Node> {
  GraphVar condition;
  Ref<const GraphBlock> then_block, else_block;
  template <class F>
  static void Fields(F f) {
    f.Refer("condition", &GraphIf::condition);
    f.Field("then_block", &GraphIf::then_block);
    f.Field("else_block", &GraphIf::else_block);
  }
};

// carried = init; while (condition()) carried = body(); the value is the tuple of what is carried.
// `condition` gives a bool of rank 0, `body` a tuple of the same types as `carried`.
struct GraphLoop final : NodeOf<GraphLoop, Node> {
  std::vector<GraphVar> init;
  std::vector<GraphVar> carried;
  Ref<const GraphBlock> condition, body;
  template <class F>
  static void Fields(F f) {
    f.Refer("init", &GraphLoop::init);
    f.Define("carried", &GraphLoop::carried);
    f.Field("condition", &GraphLoop::condition);
    f.Field("body", &GraphLoop::body);
  }
};

// -- Data types: a value is made by one of its type's constructors, and keeps that constructor's
// fields. `match` finds out which. There are no type parameters; a field may be of the type itself.

struct GraphConstructor final : NodeOf<GraphConstructor, Node> {
  std::string name;             // "Cons", without dots
  std::vector<NodeRef> fields;  // their types
  template <class F>
  static void Fields(F f) {
    f.Field("name", &GraphConstructor::name);
    f.Field("fields", &GraphConstructor::fields);
  }
};

struct GraphDataType final : NodeOf<GraphDataType, Node> {
  std::string name;
  List<GraphConstructor> constructors;
  template <class F>
  static void Fields(F f) {
    f.Field("name", &GraphDataType::name);
    f.Field("constructors", &GraphDataType::constructors);
  }
};

// A new value of a data type. `constructor` is the type's name, a dot and the constructor's name:
// "List.Cons".
struct GraphConstruct final : NodeOf<GraphConstruct, Node> {
  std::string constructor;
  std::vector<GraphVar> args;
  template <class F>
  static void Fields(F f) {
    f.Field("constructor", &GraphConstruct::constructor);
    f.Refer("args", &GraphConstruct::args);
  }
};

// `vars` are the fields of a value that `constructor` made.
struct GraphCase final : NodeOf<GraphCase, Node> {
  std::string constructor;  // as in GraphConstruct
  std::vector<GraphVar> vars;
  Ref<const GraphBlock> block;
  template <class F>
  static void Fields(F f) {
    f.Field("constructor", &GraphCase::constructor);
    f.Define("vars", &GraphCase::vars);
    f.Field("block", &GraphCase::block);
  }
};

// The result of the case whose constructor made `value`. There is one case for each constructor of
// the type. The other cases are not evaluated.
struct GraphMatch final : NodeOf<GraphMatch, Node> {
  GraphVar value;
  List<GraphCase> cases;
  template <class F>
  static void Fields(F f) {
    f.Refer("value", &GraphMatch::value);
    f.Field("cases", &GraphMatch::cases);
  }
};

struct GraphModuleNode final : NodeOf<GraphModuleNode, Node> {
  List<GraphDataType> datatypes;  // names are unique
  List<GraphFunc> functions;      // names are unique
  Dict attrs;
  template <class F>
  static void Fields(F f) {
    f.Field("datatypes", &GraphModuleNode::datatypes);
    f.Field("functions", &GraphModuleNode::functions);
    f.Field("attrs", &GraphModuleNode::attrs);
  }
};
using GraphModule = Ref<const GraphModuleNode>;

// A size of a dimension: an int64 that is known not to be negative.
Var MakeGraphSize(std::string name);
// True for TensorType, TupleType, FuncType and TypeRef.
bool IsGraphType(const Node* node);
// True for what a binding may compute: a Constant, or one of the values above.
bool IsGraphValue(const Node* node);
// "List.Cons" is "List" and "Cons". Both views are into `constructor`; the first is empty if there
// is no dot.
std::pair<std::string_view, std::string_view> SplitConstructor(std::string_view constructor);

// -- Making nodes.

// Extents are widened to int64.
Ref<const TensorType> MakeTensorType(DataType dtype, std::vector<Expr> shape);
GraphVar MakeGraphVar(std::string name, NodeRef type = {});
Ref<const GraphBinding> Bind(GraphVar var, NodeRef value, std::vector<Var> sizes = {});
Ref<const GraphBlock> MakeGraphBlock(List<GraphBinding> bindings, GraphVar result);

}  // namespace lathe::ir
