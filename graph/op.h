// Operators of graphs. Each is defined once, and everything else derives from the definition:
// checks, types, builders, documentation, the interpreter, code.
//
// A definition is a value of OpDef. Families of operators are files in graph/ops, each with a
// function that returns its definitions; graph/ops/ops.def lists the families. Where an operator of
// TVM 0.9's Relay does the same, name, attributes, their order and defaults are Relay's.
//
// Definitions are immutable after start-up; everything here is thread-safe.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "te/operation.h"

namespace lathe::graph {

// How an operator may be fused (graph/passes/fuse.h).
enum class OpKind : uint8_t {
  kElementwise,  // an element of the result depends on the elements at the same place, and on
                 // nothing else: not on where that is
  kBroadcast,    // the same, with operands that are repeated, or results that depend on the place
  kInjective,    // an element of the result is computed from one element of each operand: layouts
  kReduction,
  kAnchor,  // convolutions, products: heavy, with elementwise operators fused behind it
  kOpaque,  // computed alone
};
const char* OpKindName(OpKind kind);

enum class AttrType : uint8_t {
  kInt,
  kFloat,
  kBool,
  kString,
  kDType,  // "float32"
  kInts,   // a list of integers
  kShape,  // a list of extents: integers, or expressions over the sizes of the function
};

struct AttrDef {
  std::string name;
  AttrType type = AttrType::kInt;
  std::string doc;
  ir::NodeRef fallback = {};  // null: the attribute must be given
  // kInt and kInts: the least and the greatest value.
  int64_t least = INT64_MIN, greatest = INT64_MAX;
  std::vector<std::string> choices = {};  // kString; empty: any
};
const char* AttrTypeName(AttrType type);
// Values of attributes, for definitions and builders.
ir::NodeRef IntAttr(int64_t value);
ir::NodeRef FloatAttr(double value);
ir::NodeRef BoolAttr(bool value);
ir::NodeRef StringAttr(std::string value);
ir::NodeRef IntsAttr(std::vector<int64_t> values);
ir::NodeRef ShapeAttr(std::vector<ir::Expr> extents);

struct OpDef;
class Builder;

// The attributes of one call, with defaults filled in. The getters expect that the call was checked
// (CheckCall).
class Attrs {
 public:
  Attrs(const OpDef& op, const ir::Dict& given) : op_(&op), given_(&given) {}
  int64_t Int(std::string_view name) const;
  double Float(std::string_view name) const;
  bool Bool(std::string_view name) const;
  std::string String(std::string_view name) const;
  DataType Type(std::string_view name) const;
  std::vector<int64_t> Ints(std::string_view name) const;
  std::vector<ir::Expr> Shape(std::string_view name) const;

 private:
  const ir::Node& Find(std::string_view name) const;
  const OpDef* op_;
  const ir::Dict* given_;
};

// What must hold of sizes when a graph runs, because it cannot be proved now: `a` equals `b`, or is
// at most `b`. The plan checks it when sizes are bound.
struct SizeAssumption {
  enum class Kind : uint8_t { kEqual, kAtMost };
  Kind kind = Kind::kEqual;
  ir::Expr a, b;     // int64
  std::string what;  // "dimension 0 of argument 1 (`rhs`) of add"
};

// What the type of a call is computed from.
struct TypeContext {
  const OpDef& op;
  std::vector<ir::NodeRef> types;  // of the arguments; none is null
  Attrs attrs;
  // For integer tensors of at most 64 elements whose elements are known (numbers, or expressions
  // over sizes): the elements, row-major. So shapes that a graph computes can be used.
  std::vector<std::optional<std::vector<ir::Expr>>> values;
  std::vector<SizeAssumption>* assumptions;

  size_t size() const { return types.size(); }
  // Argument i as a tensor. Throws Error "graph-argument-type" if it is none.
  const ir::TensorType& tensor(size_t i) const;
  // Throws Error "graph-argument": "argument 1 (`weight`) of nn.dense ..."; what was expected and
  // found, and a way out.
  [[noreturn]] void FailArgument(size_t i, std::string what, std::string expected,
                                 std::string found, std::string help = "") const;
  [[noreturn]] void FailAttr(std::string_view name, std::string what, std::string expected,
                             std::string found, std::string help = "") const;
  const std::vector<ir::Expr>& shape(size_t i) const { return tensor(i).shape; }
  // `kind` must hold of a and b; if that is not certain, it becomes an assumption. False if it is
  // certain that it does not hold.
  bool Assume(SizeAssumption::Kind kind, const ir::Expr& a, const ir::Expr& b,
              std::string what) const;
  int rank(size_t i) const { return static_cast<int>(shape(i).size()); }
  DataType dtype(size_t i) const { return tensor(i).dtype; }
  // Argument i must have a rank within [least, most].
  void NeedRank(size_t i, int least, int most) const;
  // Dimension d of argument i must be `extent`. `of` says whose extent that is. What can neither be
  // proved nor refuted becomes an assumption.
  void NeedExtent(size_t i, size_t d, const ir::Expr& extent, const std::string& of) const;
};

struct TypeResult {
  ir::NodeRef type;
  std::optional<std::vector<ir::Expr>> value;  // as in TypeContext::values
  // New sizes that only a run knows (how many elements are not zero), each the first extent of a
  // result, or any extent of one without elements, and nothing else. `most` has an upper bound for
  // each, an expression over known sizes, if the operator has `compute`.
  std::vector<ir::Var> sizes = {};
  std::vector<ir::Expr> most = {};
  std::vector<SizeAssumption> assumptions;
  TypeResult(ir::NodeRef type) : type(std::move(type)) {}  // NOLINT(google-explicit-constructor)
};

// What the computation of a call is made of.
struct ComputeContext {
  const OpDef& op;
  std::vector<te::Tensor> inputs;
  Attrs attrs;  // expressions are over the variables of `inputs`
  std::vector<te::Shape>
      output_shapes;  // one per result; the same variables, 32 bits where possible
  std::vector<DataType> output_dtypes;

  size_t size() const { return inputs.size(); }
  const te::Tensor& in(size_t i) const { return inputs[i]; }
  const te::Shape& shape() const { return output_shapes[0]; }
  DataType dtype() const { return output_dtypes[0]; }
};

// What the gradient of a call is made of. What it emits goes to the open block of `builder`.
struct GradientContext {
  Builder& builder;
  const OpDef& op;
  const std::vector<ir::GraphVar>& args;
  const ir::Dict& given;  // the call's attributes, as they stand there
  Attrs attrs;            // the same, with defaults
  // The call's result; or the fields of the tuple.
  std::vector<ir::GraphVar> results;
  // The gradient of each result, of its type. Null: none, because nothing that is differentiated
  // depends on that result, or because it has no floating elements.
  std::vector<ir::GraphVar> gradients;
  std::vector<bool> wanted;  // of the arguments: does anybody want their gradients?

  const ir::GraphVar& x(size_t i = 0) const { return args[i]; }
  const ir::GraphVar& y(size_t i = 0) const { return results[i]; }
  // The gradient of result i; zeros if there is none.
  ir::GraphVar g(size_t i = 0) const;
  // Argument i is wanted, and has no gradient. Throws Error "graph-no-gradient".
  [[noreturn]] void Fail(size_t i, std::string why) const;
};

// Sets of element types.
using TypeSet = uint32_t;
inline constexpr TypeSet kFloats = 1;  // float16, bfloat16, float32, float64
inline constexpr TypeSet kInts = 2;    // int8, int16, int32, int64
inline constexpr TypeSet kUInts = 4;   // uint8, uint16, uint32, uint64
inline constexpr TypeSet kBool = 8;
inline constexpr TypeSet kIndices = 16;  // int32, int64
inline constexpr TypeSet kIntegers = kInts | kUInts;
inline constexpr TypeSet kNumbers = kFloats | kIntegers;
inline constexpr TypeSet kAnyType = kNumbers | kBool;
// The types of a set, each once.
std::vector<DataType> TypesOf(TypeSet set);
// "a floating type or bool".
std::string TypeSetText(TypeSet set);

struct OpInput {
  std::string name, doc;
  TypeSet types = kAnyType;
  // The number of an earlier input whose element type it must have; -1: any of `types`.
  int like = -1;
};

// A call that shows the operator at work: documentation, and what the tests of all operators run
// (graph/ops/operators_test.cc). An input is a type and, if values must lie in a range, the range:
// "T[n, 8]", "int64[4] in 0:7". `T` stands for each type of the input's set in turn, and names in
// a shape for symbolic sizes.
struct OpExample {
  std::vector<std::string> inputs;
  ir::Dict attrs = {};
};

struct OpDef {
  std::string name;  // "nn.conv2d"
  std::string doc;   // what it computes: a sentence, then a formula or a source
  std::vector<OpInput> inputs;
  std::vector<AttrDef> attrs = {};
  OpKind kind = OpKind::kOpaque;
  // The result has the elements of the first input in the same order (reshape): needs no kernel.
  bool is_view = false;
  // It calls code that need not be there while a graph is compiled: never computed then.
  bool is_external = false;
  // The last `optional_inputs` inputs may be left out. A `variadic` operator takes its last input
  // any number of times, at least once.
  int optional_inputs = 0;
  bool variadic = false;
  std::function<TypeResult(const TypeContext&)> type;
  // One tensor per result: meaning, oracle and code in one. te's operations are marked as anchors
  // of templates by topi's operators (topi/ops). If the type has new sizes, results have their
  // upper bounds as extents, of which the first elements count, and one more tensor int64[number of
  // new sizes] has the sizes.
  std::function<std::vector<te::Tensor>(const ComputeContext&)> compute;
  // For a composition of other operators: makes them, and returns the result. Null for others.
  std::function<ir::GraphVar(Builder& builder, const std::vector<ir::GraphVar>& args,
                             const Attrs& attrs)>
      expand = nullptr;
  // The gradients of the arguments, one for each, built of other operators; null for an argument
  // whose gradient is zero everywhere, or that has no floating elements. A gradient may have more
  // elements than its argument where that was broadcast (they are summed), and another floating
  // type (it is cast). So the gradients of add are {g, g}. A function without a gradient is a
  // composition, whose parts have theirs, or cannot be differentiated: graph/ops/gradients has the
  // reasons. Long ones stand in that folder, in a file for each family.
  std::function<std::vector<ir::GraphVar>(const GradientContext& c)> gradient = nullptr;
  std::vector<OpExample> examples = {};  // at least one
};

// The definition; null if there is none.
const OpDef* FindOp(std::string_view name);
// The same. Throws Error "graph-unknown-op", which names the nearest operators.
const OpDef& GetOp(std::string_view name);
// All, sorted by name.
std::span<const OpDef* const> AllOps();

// The number of arguments fits, and each attribute is known (any call may have `device`,
// devices.h), has its type and lies in its range; what must be given is given. Throws Error
// "graph-argument-count", "graph-unknown-attribute", "graph-attribute".
void CheckCall(const OpDef& op, size_t args, const ir::Dict& attrs);

// The type of a call. Calls CheckCall. Throws its errors and those of TypeContext.
TypeResult TypeOfCall(const OpDef& op, std::vector<ir::NodeRef> types, const ir::Dict& attrs,
                      std::vector<std::optional<std::vector<ir::Expr>>> values = {});
// Applies an operator to te tensors; `attrs` must fit (TypeOfCall). The shapes of the results are
// computed from those of `inputs`.
std::vector<te::Tensor> ComputeCall(const OpDef& op, std::vector<te::Tensor> inputs,
                                    const ir::Dict& attrs);
// For each of `inputs`: is it read when `outputs` are computed? (zeros_like reads nothing.)
std::vector<bool> AreRead(const std::vector<te::Tensor>& inputs,
                          const std::vector<te::Tensor>& outputs);

}  // namespace lathe::graph
