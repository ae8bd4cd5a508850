// Expressions: Python's operators, constants, intrinsics.
#include <string>
#include <vector>

#include "base/error.h"
#include "ir/expr.h"
#include "ir/intrinsic.h"
#include "python/ffi/ffi.h"
#include "python/ffi/traits.h"

namespace lathe::python {
namespace {

using ir::Expr;
using runtime::Args;
using runtime::Value;

// The kind of a node; any other value as it prints.
std::string FoundIn(const Value& value) {
  const ir::Node* node = NodeOf(value.c());
  return node == nullptr ? value.ToString() : ir::NodeKindName(node->node_kind());
}

[[noreturn]] void ThrowOperand(const char* what, const Value& operand) {
  throw Error(Diagnostic{.name = "operand-type",
                         .message = "`" + std::string(what) + "` does not take this operand",
                         .expected = "an expression or a number",
                         .found = FoundIn(operand),
                         .help = operand.Is<ir::Tensor>() && !operand.is_none()
                                     ? "give an index for each dimension: B[i, j]"
                                     : ""});
}

// Both operands of an operator. A plain number takes the type of the other operand.
struct Pair {
  Expr a, b;
};
Pair Operands(const char* what, const Args& args) {
  args.CheckCount(2);
  const lathe_value &x = args[0].c(), &y = args[1].c();
  Pair pair;
  if (NodeOf(x) != nullptr) {
    pair.a = ExprOf(x);
    if (pair.a) pair.b = ExprLike(y, pair.a->dtype);
  } else {
    pair.b = ExprOf(y);
    if (pair.b) pair.a = ExprLike(x, pair.b->dtype);
  }
  if (!pair.a) ThrowOperand(what, args[0].ToValue());
  if (!pair.b) ThrowOperand(what, args[1].ToValue());
  if (ir::As<ir::StringImm>(pair.a) != nullptr) ThrowOperand(what, args[0].ToValue());
  if (ir::As<ir::StringImm>(pair.b) != nullptr) ThrowOperand(what, args[1].ToValue());
  return pair;
}

template <class F>
void DefBinary(const char* name, F make) {
  Def(name, [name, make](const Args& args, Value* result) {
    const Pair pair = Operands(name, args);
    *result = make(pair.a, pair.b);
  });
}

bool IsInteger(const Expr& expr) { return expr->dtype.is_integral() || expr->dtype.is_bool(); }

}  // namespace

void RegisterExprs() {
  DefBinary("tir.add", [](const Expr& a, const Expr& b) { return a + b; });
  DefBinary("tir.subtract", [](const Expr& a, const Expr& b) { return a - b; });
  DefBinary("tir.multiply", [](const Expr& a, const Expr& b) { return a * b; });
  // `/` is for floats. Two integers are an error: the program must say how to round.
  DefBinary("tir.div", [](const Expr& a, const Expr& b) {
    if (IsInteger(a) && IsInteger(b)) {
      throw Error(Diagnostic{.name = "integer-division",
                             .message = "`/` of two integers says not how to round",
                             .help = "`//` and floordiv round down, truncdiv toward zero"});
    }
    return a / b;
  });
  DefBinary("tir.floordiv", [](const Expr& a, const Expr& b) { return ir::FloorDivide(a, b); });
  DefBinary("tir.floormod", [](const Expr& a, const Expr& b) { return ir::FloorModulo(a, b); });
  DefBinary("tir.truncdiv", [](const Expr& a, const Expr& b) { return ir::TruncDivide(a, b); });
  DefBinary("tir.truncmod", [](const Expr& a, const Expr& b) { return ir::TruncModulo(a, b); });
  DefBinary("tir.ceildiv", [](const Expr& a, const Expr& b) { return ir::CeilDivide(a, b); });
  DefBinary("tir.min", [](const Expr& a, const Expr& b) { return ir::MakeMin(a, b); });
  DefBinary("tir.max", [](const Expr& a, const Expr& b) { return ir::MakeMax(a, b); });
  DefBinary("tir.equal", [](const Expr& a, const Expr& b) { return ir::Equal(a, b); });
  DefBinary("tir.not_equal", [](const Expr& a, const Expr& b) { return ir::NotEqual(a, b); });
  DefBinary("tir.less", [](const Expr& a, const Expr& b) { return a < b; });
  DefBinary("tir.less_equal", [](const Expr& a, const Expr& b) { return a <= b; });
  DefBinary("tir.greater", [](const Expr& a, const Expr& b) { return a > b; });
  DefBinary("tir.greater_equal", [](const Expr& a, const Expr& b) { return a >= b; });
  DefBinary("tir.logical_and", [](const Expr& a, const Expr& b) { return ir::LogicalAnd(a, b); });
  DefBinary("tir.logical_or", [](const Expr& a, const Expr& b) { return ir::LogicalOr(a, b); });
  Def("tir.logical_not", [](const Expr& a) { return ir::LogicalNot(a); });
  Def("tir.negative", [](const Expr& a) { return -a; });
#define LATHE_PY_BINARY(Function, name) \
  DefBinary("tir." name, [](const Expr& a, const Expr& b) { return ir::Function(a, b); });
  LATHE_BINARY_INTRINSICS(LATHE_PY_BINARY)
#undef LATHE_PY_BINARY
#define LATHE_PY_UNARY(Function, name) \
  Def("tir." name, [](const Expr& x) { return ir::Function(x); });
  LATHE_UNARY_INTRINSICS(LATHE_PY_UNARY)
#undef LATHE_PY_UNARY
  Def("tir.fma", [](const Expr& a, const Expr& b, const Expr& c) { return ir::Fma(a, b, c); });
  Def("tir.q_multiply_shift", [](const Expr& x, const Expr& y, const Expr& q, const Expr& s) {
    return ir::QMultiplyShift(x, y, q, s);
  });
  Def("tir.reinterpret", [](DataType type, const Expr& x) { return ir::Reinterpret(type, x); });

  Def("tir.var", [](const std::string& name, DataType type) { return ir::MakeVar(name, type); });
  Def("tir.size_var",
      [](const std::string& name, DataType type) { return ir::MakeSizeVar(name, type); });
  Def("tir.const", [](const Any& value, DataType type) {
    if (value.kind() == LATHE_VALUE_FLOAT) return ir::Const(value.As<double>(), type);
    return ir::Const(value.As<int64_t>(), type);
  });
  Def("tir.convert", [](const Expr& value) { return value; });
  Def("tir.cast", [](DataType type, const Expr& value) { return ir::MakeCast(type, value); });
  Def("tir.select", [](const Expr& condition, const Any& x, const Any& y) {
    lathe_value pair[2] = {x.c(), y.c()};
    const Pair arms = Operands("select", Args(pair, 2));
    return ir::MakeSelect(condition, arms.a, arms.b);
  });
  Def("tir.if_then_else", [](const Expr& condition, const Any& x, const Any& y) {
    lathe_value pair[2] = {x.c(), y.c()};
    const Pair arms = Operands("if_then_else", Args(pair, 2));
    return ir::IfThenElse(condition, arms.a, arms.b);
  });
  Def("tir.likely", [](const Expr& condition) { return ir::Likely(condition); });
  Def("tir.ramp", [](const Expr& base, const Expr& stride, int lanes) {
    return ir::MakeRamp(base, stride, lanes);
  });
  Def("tir.broadcast",
      [](const Expr& value, int lanes) { return ir::MakeBroadcast(value, lanes); });
  Def("tir.let", [](const ir::Var& var, const Expr& value, const Expr& body) {
    return ir::MakeLet(var, value, body);
  });
  Def("tir.load", [](const ir::NodeRef& source, const std::vector<Expr>& indices) {
    if (ir::As<ir::BufferNode>(source) == nullptr && ir::As<ir::TensorNode>(source) == nullptr) {
      throw Error(Diagnostic{.name = "load-source-type",
                             .message = "elements are read from a buffer or a tensor",
                             .found = ir::NodeKindName(source->node_kind())});
    }
    return ir::MakeLoad(source, indices);
  });
  Def("tir.call_intrinsic", [](const std::string& name, const std::vector<ir::NodeRef>& args) {
    return ir::CallIntrinsic(name, args);
  });
  Def("tir.call", [](DataType type, const std::string& name, const std::vector<ir::NodeRef>& args,
                     const ir::Dict& attrs) { return ir::CallIntrinsic(type, name, args, attrs); });
  // For intrinsics of the user's own: any arguments, and the type that the call states.
  Def("tir.register_intrinsic", [](const std::string& name, int effect, const std::string& doc) {
    const bool pure = effect == static_cast<int>(ir::CallEffect::kPure);
    ir::RegisterIntrinsic({.name = name,
                           .effect = static_cast<ir::CallEffect>(effect),
                           .variadic = true,
                           .rest = ir::ArgKind::kAny,
                           .result_rule = ir::ResultRule::kCaller,
                           .elementwise = pure,
                           .doc = doc});
  });
  Def("tir.intrinsics", [] { return ir::IntrinsicNames(); });
  Def("tir.intrinsic_doc", [](const std::string& name) {
    const ir::Intrinsic& intrinsic = ir::GetIntrinsic(name);
    return ir::SignatureOf(intrinsic) + "\n" + intrinsic.doc;
  });
  Def("tir.const_int", [](const Expr& value) -> Value {
    const int64_t* number = ir::AsConstInt(value);
    return number == nullptr ? Value() : Value(*number);
  });
}

}  // namespace lathe::python
