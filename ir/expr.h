// Expressions.
//
// Semantic contract, for every stage and every backend; a node adds only its difference.
//
// - Values: a scalar, or a fixed or scalable vector of one DataType. Operands of a binary node have
//   equal types. bool is a type of its own; arithmetic on it is ill-typed.
//
// - Integer overflow: unsigned types wrap. For signed types the result is unspecified, but the
//   program goes on (no trap). Index arithmetic that the compiler makes never overflows: lowering
//   widens first (S29).
//
// - Division: FloorDiv and FloorMod round toward negative infinity. Div and Mod on integers
//   truncate toward zero, as in C. An integer division by zero gives an unspecified value in the
//   arm of a Select that is not taken; everywhere else it is the program's error, which the
//   interpreter reports.
//
// - Floats: IEEE 754, round to nearest even. float16, bfloat16 and float8 are computed in float32
//   and rounded once. a*b+c may be contracted. Nothing is reassociated unless a reduction's update
//   says so. Min and Max return the other operand when one is NaN. Comparisons with NaN are false,
//   NE is true.
//
// - Casts: float to integer truncates toward zero. Out of range or NaN is unspecified (the
//   interpreter saturates, NaN gives 0). Integers narrow by dropping bits. To bool: `!= 0`.
//
// - Evaluation order: operands may be evaluated in any order. Expressions have no side effects but
//   calls that say so. And, Or and Select evaluate all operands; the call `if_then_else` evaluates
//   only the arm it takes (S27).
//
// - Memory: a load out of bounds is an error. The interpreter and the checked build report it;
//   elsewhere it is unspecified. A load with a mask reads only lanes whose mask is true; the others
//   are zero.
#pragma once

#include <string>
#include <vector>

#include "ir/node.h"

namespace lathe::ir {

// An integer or bool constant. uint64 values are held as their bit pattern. Scalar only.
struct IntImm final : NodeOf<IntImm, ExprNode> {
  int64_t value = 0;
  template <class F>
  static void Fields(F f) {
    f.Field("dtype", &IntImm::dtype);
    f.Field("value", &IntImm::value);
  }
};

// Scalar only; `value` is exactly representable in the dtype (the factory rounds).
struct FloatImm final : NodeOf<FloatImm, ExprNode> {
  double value = 0;
  template <class F>
  static void Fields(F f) {
    f.Field("dtype", &FloatImm::dtype);
    f.Field("value", &FloatImm::value);
  }
};

// UTF-8; type handle.
struct StringImm final : NodeOf<StringImm, ExprNode> {
  std::string value;
  StringImm() { dtype = DataType::Handle(); }
  template <class F>
  static void Fields(F f) {
    f.Field("value", &StringImm::value);
  }
};

// A variable is its identity; the name is for people. A size variable is known to be >= 0.
struct VarNode final : NodeOf<VarNode, ExprNode> {
  std::string name;
  bool is_size = false;
  template <class F>
  static void Fields(F f) {
    f.Field("dtype", &VarNode::dtype);
    f.Field("name", &VarNode::name);
    f.Field("is_size", &VarNode::is_size);
  }
};

struct Cast final : NodeOf<Cast, ExprNode> {
  Expr value;
  template <class F>
  static void Fields(F f) {
    f.Field("dtype", &Cast::dtype);
    f.Field("value", &Cast::value);
  }
};

#define LATHE_BINARY(Name)                     \
  struct Name final : NodeOf<Name, ExprNode> { \
    Expr a, b;                                 \
    template <class F>                         \
    static void Fields(F f) {                  \
      f.Field("dtype", &Name::dtype);          \
      f.Field("a", &Name::a);                  \
      f.Field("b", &Name::b);                  \
    }                                          \
  };
LATHE_BINARY(Add)
LATHE_BINARY(Sub)
LATHE_BINARY(Mul)
LATHE_BINARY(Div)       // floats: exact quotient, rounded; integers: truncating
LATHE_BINARY(Mod)       // integers: remainder of the truncating division, sign of a
LATHE_BINARY(FloorDiv)  // integers, and floats as floor(a / b)
LATHE_BINARY(FloorMod)  // a - FloorDiv(a, b) * b, sign of b
LATHE_BINARY(Min)
LATHE_BINARY(Max)
LATHE_BINARY(EQ)  // comparisons: bool with the operands' lanes
LATHE_BINARY(NE)
LATHE_BINARY(LT)
LATHE_BINARY(LE)
LATHE_BINARY(GT)
LATHE_BINARY(GE)
LATHE_BINARY(And)  // operands and result bool
LATHE_BINARY(Or)
#undef LATHE_BINARY

struct Not final : NodeOf<Not, ExprNode> {
  Expr a;
  template <class F>
  static void Fields(F f) {
    f.Field("dtype", &Not::dtype);
    f.Field("a", &Not::a);
  }
};

// Evaluates both arms. The condition's lanes are the arms' lanes, or 1.
struct Select final : NodeOf<Select, ExprNode> {
  Expr condition, true_value, false_value;
  template <class F>
  static void Fields(F f) {
    f.Field("dtype", &Select::dtype);
    f.Field("condition", &Select::condition);
    f.Field("true_value", &Select::true_value);
    f.Field("false_value", &Select::false_value);
  }
};

// One element of a Buffer, or (in te, before scheduling) of a Tensor, per lane. At most the last
// index is a vector before flattening; after flattening there is exactly one index. `mask` is null
// or bool with the result's lanes. In a rank-1 buffer a Ramp index of stride 1 reads consecutive
// elements.
struct Load final : NodeOf<Load, ExprNode> {
  NodeRef source;  // Buffer or Tensor
  std::vector<Expr> indices;
  Expr mask;
  template <class F>
  static void Fields(F f) {
    f.Field("dtype", &Load::dtype);
    f.Refer("source", &Load::source);
    f.Field("indices", &Load::indices);
    f.Optional("mask", &Load::mask);
  }
};

// [base, base + stride, ..., base + (lanes-1) * stride]; base and stride are scalars of one type.
struct Ramp final : NodeOf<Ramp, ExprNode> {
  Expr base, stride;
  template <class F>
  static void Fields(F f) {
    f.Field("dtype", &Ramp::dtype);
    f.Field("base", &Ramp::base);
    f.Field("stride", &Ramp::stride);
  }
};

// A scalar repeated to the dtype's lanes.
struct Broadcast final : NodeOf<Broadcast, ExprNode> {
  Expr value;
  template <class F>
  static void Fields(F f) {
    f.Field("dtype", &Broadcast::dtype);
    f.Field("value", &Broadcast::value);
  }
};

// Lanes picked by constant position from the concatenation of `vectors`.
struct Shuffle final : NodeOf<Shuffle, ExprNode> {
  std::vector<Expr> vectors;
  std::vector<Expr> indices;  // IntImm
  template <class F>
  static void Fields(F f) {
    f.Field("dtype", &Shuffle::dtype);
    f.Field("vectors", &Shuffle::vectors);
    f.Field("indices", &Shuffle::indices);
  }
};

struct Let final : NodeOf<Let, ExprNode> {
  Expr value;
  Var var;  // of the value's type; visible in body
  Expr body;
  template <class F>
  static void Fields(F f) {
    f.Field("dtype", &Let::dtype);
    f.Field("value", &Let::value);
    f.Define("var", &Let::var);
    f.Field("body", &Let::body);
  }
};

// A registered intrinsic or operator by name (ir/intrinsic.h says which exist). Arguments may be
// Buffers where the intrinsic's signature says so (address_of, access_ptr, tensor intrinsics).
struct Call final : NodeOf<Call, ExprNode> {
  std::string op;
  std::vector<NodeRef> args;
  Dict attrs;
  template <class F>
  static void Fields(F f) {
    f.Field("dtype", &Call::dtype);
    f.Field("op", &Call::op);
    f.Refer("args", &Call::args);  // expressions among them are walked all the same
    f.Field("attrs", &Call::attrs);
  }
  // The i-th argument as an expression; null where it is not one.
  Expr arg(size_t i) const { return i < args.size() ? RefExpr(args[i]) : Expr(); }
};

// A reduction of `sources` over `axis` where `condition` holds, from `init` (empty: the reducer's
// identity). Only at the top of a compute's body (S14). Members of a tuple reduction differ in
// `value_index` alone.
struct Reduce final : NodeOf<Reduce, ExprNode> {
  Reducer reducer;
  std::vector<Expr> sources;
  std::vector<IterVar> axis;
  Expr condition;
  std::vector<Expr> init;
  int64_t value_index = 0;
  template <class F>
  static void Fields(F f) {
    f.Field("dtype", &Reduce::dtype);
    f.Field("reducer", &Reduce::reducer);
    f.Refer("axis", &Reduce::axis);
    f.Field("sources", &Reduce::sources);
    f.Field("condition", &Reduce::condition);
    f.Field("init", &Reduce::init);
    f.Field("value_index", &Reduce::value_index);
  }
};

// -- Making expressions. These check operand types and throw Error ("type-mismatch", ...).

Var MakeVar(std::string name, DataType dtype = DataType::Int(32));
// A variable known to be >= 0: a symbolic extent.
Var MakeSizeVar(std::string name, DataType dtype = DataType::Int(32));
Expr Int(int64_t value, DataType dtype = DataType::Int(32));  // broadcast if dtype has lanes
Expr Float(double value, DataType dtype = DataType::Float(32));
Expr Bool(bool value, int lanes = 1);
Expr String(std::string value);
// `value` as a constant of any numeric dtype.
Expr Const(double value, DataType dtype);
Expr Const(int64_t value, DataType dtype);
inline Expr Const(int value, DataType dtype) { return Const(static_cast<int64_t>(value), dtype); }

// A binary node of `kind` over operands of equal type: nothing folded, nothing promoted.
Expr MakeBinary(NodeKind kind, Expr a, Expr b);

// The operators promote: to the wider integer, from integer to float, from scalar to vector; and
// they fold constants and the identities x+0, x*1, x*0 (integers), so that what people write reads
// well.
Expr operator+(const Expr& a, const Expr& b);
Expr operator-(const Expr& a, const Expr& b);
Expr operator*(const Expr& a, const Expr& b);
Expr operator-(const Expr& a);
Expr operator/(const Expr& a,
               const Expr& b);  // floats only; integers must say which: FloorDivide or TruncDivide
Expr FloorDivide(const Expr& a, const Expr& b);
Expr FloorModulo(const Expr& a, const Expr& b);
Expr TruncDivide(const Expr& a, const Expr& b);
Expr TruncModulo(const Expr& a, const Expr& b);
// ceil(a / b) for b > 0.
Expr CeilDivide(const Expr& a, const Expr& b);
Expr MakeMin(const Expr& a, const Expr& b);
Expr MakeMax(const Expr& a, const Expr& b);
Expr Equal(const Expr& a, const Expr& b);
Expr NotEqual(const Expr& a, const Expr& b);
Expr operator<(const Expr& a, const Expr& b);
Expr operator<=(const Expr& a, const Expr& b);
Expr operator>(const Expr& a, const Expr& b);
Expr operator>=(const Expr& a, const Expr& b);
// Not operators: on handles `a && b` and `!a` ask whether there is anything.
Expr LogicalAnd(const Expr& a, const Expr& b);
Expr LogicalOr(const Expr& a, const Expr& b);
Expr LogicalNot(const Expr& a);

Expr operator+(const Expr& a, int64_t b);
Expr operator-(const Expr& a, int64_t b);
Expr operator*(const Expr& a, int64_t b);
Expr FloorDivide(const Expr& a, int64_t b);
Expr FloorModulo(const Expr& a, int64_t b);
Expr operator<(const Expr& a, int64_t b);
Expr operator>=(const Expr& a, int64_t b);

Expr MakeCast(DataType dtype, Expr value);  // `value` itself when the type is already right
Expr MakeSelect(Expr condition, Expr true_value, Expr false_value);
Expr MakeRamp(Expr base, Expr stride, int lanes);
Expr MakeBroadcast(Expr value, int lanes);
Expr MakeShuffle(std::vector<Expr> vectors, std::vector<int> indices);
Expr MakeLet(Var var, Expr value, Expr body);
Expr MakeCall(DataType dtype, std::string op, std::vector<NodeRef> args, Dict attrs = {});
Expr MakeLoad(NodeRef source, std::vector<Expr> indices, Expr mask = {});
Expr MakeReduce(Reducer reducer, std::vector<Expr> sources, std::vector<IterVar> axis,
                Expr condition, int64_t value_index, std::vector<Expr> init = {});
// Evaluates only the arm it takes.
Expr IfThenElse(Expr condition, Expr true_value, Expr false_value);
// Marks a bound guard (S3): no meaning but "expect true".
Expr Likely(Expr condition);

// -- Looking at expressions.

// The value of an integer constant (broadcasts of one included); null otherwise.
const int64_t* AsConstInt(const Expr& expr);
bool IsConstInt(const Expr& expr, int64_t value);
inline bool IsZero(const Expr& expr) { return IsConstInt(expr, 0); }
inline bool IsOne(const Expr& expr) { return IsConstInt(expr, 1); }
// Both operands of a binary node (arithmetic, comparison, And, Or), or nulls.
struct Operands {
  const Expr* a = nullptr;
  const Expr* b = nullptr;
  explicit operator bool() const { return a != nullptr; }
};
Operands BinaryOperands(const ExprNode* expr);
// The conjuncts of nested Ands, left to right; a null or true condition has none.
std::vector<Expr> SplitConjunction(const Expr& condition);
// The reverse; a null Expr for an empty list.
Expr Conjunction(const std::vector<Expr>& conditions);

}  // namespace lathe::ir
