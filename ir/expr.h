// Expressions.
//
// The semantic contract, for every stage and every backend. The comment of a node only adds its
// differences.
//
// - Values: a scalar, or a fixed or scalable vector of one DataType. Operands of a binary node have
//   equal types. bool is a type of its own; arithmetic on it is ill-typed.
//
// - Integer overflow: unsigned types wrap. For signed types the result is unspecified, but the
//   program goes on (no trap). Index arithmetic that the compiler makes never overflows: lowering
//   widens first (S29).
//
// - Division: FloorDiv and FloorMod round toward negative infinity. Div and Mod on integers
//   truncate toward zero, as in C. An integer division by zero in the arm of a Select that is not
//   taken gives an unspecified value. Everywhere else it is an error of the program, which the
//   interpreter reports.
//
// - Floats: IEEE 754, round to nearest even. float16, bfloat16 and float8 are computed in float32
//   and rounded once. a*b+c may be contracted. Operations are reassociated only where the update of
//   a reduction allows it. Min and Max return the other operand if one is NaN. Comparisons with NaN
//   are false, except NE, which is true.
//
// - Casts: float to integer truncates toward zero. If the value is out of range or NaN, the result
//   is unspecified (the interpreter saturates, and gives 0 for NaN). Integers are narrowed by
//   dropping bits. A cast to bool is `!= 0`.
//
// - Evaluation order: operands may be evaluated in any order. Only calls can have side effects;
//   their intrinsic says so. And, Or and Select evaluate all operands. The call `if_then_else`
//   evaluates only the arm that it takes (S27).
//
// - Memory: a load out of bounds is an error. The interpreter and the checked build report it;
//   elsewhere the result is unspecified. A load with a mask reads only the lanes whose mask is
//   true; the other lanes are zero.
#pragma once

#include <string>
#include <vector>

#include "ir/node.h"

namespace lathe::ir {

// An integer or bool constant. A uint64 value is stored as its bit pattern. Scalar only.
struct IntImm final : NodeOf<IntImm, ExprNode> {
  int64_t value = 0;
  template <class F>
  static void Fields(F f) {
    f.Field("dtype", &IntImm::dtype);
    f.Field("value", &IntImm::value);
  }
};

// Scalar only. The dtype represents `value` exactly (the factory rounds).
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

// A variable is identified by its node; the name is only for people. A size variable is known to be
// >= 0.
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
LATHE_BINARY(Div)       // floats: the exact quotient, rounded; integers: truncating
LATHE_BINARY(Mod)       // integers: the remainder of the truncating division, with the sign of a
LATHE_BINARY(FloorDiv)  // integers, and floats as floor(a / b)
LATHE_BINARY(FloorMod)  // a - FloorDiv(a, b) * b, with the sign of b
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

// Evaluates both arms. The condition has as many lanes as the arms, or 1.
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

// For each lane, one element of a Buffer, or (in te, before scheduling) of a Tensor. Before
// flattening, only the last index may be a vector; after flattening there is exactly one index.
// `mask` is null, or bool with the lanes of the result. In a buffer of rank 1, a Ramp index of
// stride 1 reads consecutive elements.
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

// A scalar, repeated in all lanes of the dtype.
struct Broadcast final : NodeOf<Broadcast, ExprNode> {
  Expr value;
  template <class F>
  static void Fields(F f) {
    f.Field("dtype", &Broadcast::dtype);
    f.Field("value", &Broadcast::value);
  }
};

// Lanes from the concatenation of `vectors`, chosen by constant position.
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

// A call of a registered intrinsic or operator by name (ir/intrinsic.h has the table). Arguments
// may be Buffers if the signature of the intrinsic says so (address_of, access_ptr, tensor
// intrinsics).
struct Call final : NodeOf<Call, ExprNode> {
  std::string op;
  std::vector<NodeRef> args;
  Dict attrs;
  template <class F>
  static void Fields(F f) {
    f.Field("dtype", &Call::dtype);
    f.Field("op", &Call::op);
    f.Refer("args", &Call::args);  // expressions among them are walked nevertheless
    f.Field("attrs", &Call::attrs);
  }
  // The i-th argument as an expression; null if it is not an expression.
  Expr arg(size_t i) const { return i < args.size() ? RefExpr(args[i]) : Expr(); }
};

// A reduction of `sources` over `axis`, for the points at which `condition` holds. It starts from
// `init`, or from the reducer's identity if `init` is empty. Only at the top of the body of a
// compute (S14). The members of a tuple reduction differ only in `value_index`.
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

// -- Making expressions. These functions check operand types and throw Error ("type-mismatch",
// ...).

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

// A binary node of `kind`. The operands must have equal types. Nothing is folded or promoted.
Expr MakeBinary(NodeKind kind, Expr a, Expr b);

// The operators promote operands: to the wider integer, from integer to float, from scalar to
// vector. They also fold constants and the identities x+0, x*1, x*0 (integers), so that
// hand-written programs are easy to read.
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
// These are not operators, because on handles `a && b` and `!a` ask whether the handle is null.
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

Expr MakeCast(DataType dtype, Expr value);  // `value` itself if it already has the type
Expr MakeSelect(Expr condition, Expr true_value, Expr false_value);
Expr MakeRamp(Expr base, Expr stride, int lanes);
Expr MakeBroadcast(Expr value, int lanes);
Expr MakeShuffle(std::vector<Expr> vectors, std::vector<int> indices);
Expr MakeLet(Var var, Expr value, Expr body);
Expr MakeCall(DataType dtype, std::string op, std::vector<NodeRef> args, Dict attrs = {});
Expr MakeLoad(NodeRef source, std::vector<Expr> indices, Expr mask = {});
Expr MakeReduce(Reducer reducer, std::vector<Expr> sources, std::vector<IterVar> axis,
                Expr condition, int64_t value_index, std::vector<Expr> init = {});
// Evaluates only the arm that it takes.
Expr IfThenElse(Expr condition, Expr true_value, Expr false_value);
// Marks a bound guard (S3). It only means "expect true".
Expr Likely(Expr condition);

// -- Looking at expressions.

// The value of an integer constant, or of a broadcast of one; null otherwise.
const int64_t* AsConstInt(const Expr& expr);
bool IsConstInt(const Expr& expr, int64_t value);
inline bool IsZero(const Expr& expr) { return IsConstInt(expr, 0); }
inline bool IsOne(const Expr& expr) { return IsConstInt(expr, 1); }
// Both operands of a binary node (arithmetic, comparison, And, Or); nulls for other nodes.
struct Operands {
  const Expr* a = nullptr;
  const Expr* b = nullptr;
  explicit operator bool() const { return a != nullptr; }
};
Operands BinaryOperands(const ExprNode* expr);
// The operands of nested Ands, from left to right; a null or true condition has none.
std::vector<Expr> SplitConjunction(const Expr& condition);
// The reverse of SplitConjunction; a null Expr for an empty list.
Expr Conjunction(const std::vector<Expr>& conditions);

}  // namespace lathe::ir
