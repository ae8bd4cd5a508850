// The table of intrinsics: every `Call` names one of its entries.
//
// An entry says what a call may do, which arguments it takes, what type it returns, whether it
// works lane by lane, and how the interpreter computes it. Passes, the verifier and code generators
// ask this table instead of knowing names. Plugins and users add entries at run time; entries never
// change nor leave, so pointers to them stay valid. All functions here may be called from any
// thread. The built-in entries: intrinsic_math.cc, intrinsic_core.cc, and intrinsic_threads.cc for
// barriers, warps, atomics and asynchronous copies.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/expr.h"

namespace lathe::ir {

// What a call may do beside computing its result; each includes the ones before it.
enum class CallEffect : uint8_t {
  kPure,    // the result depends on the arguments alone: may be repeated, moved, dropped
  kReads,   // reads memory: may be repeated and dropped, not moved over writes
  kWrites,  // writes memory that its arguments reach
  kOpaque,  // anything, transfer of control included
};
const char* CallEffectName(CallEffect effect);

// What an argument may be.
enum class ArgKind : uint8_t {
  kNumber,   // integer, float or bool, any lanes
  kFloat,    // any floating type, any lanes
  kInteger,  // signed or unsigned, any lanes
  kBool,     // any lanes
  kIndex,    // a scalar integer
  kHandle,   // a scalar handle that is not a string constant
  kString,   // a StringImm
  kValue,    // any expression
  kBuffer,   // a Buffer
  kLoad,     // a Load expression
  kAny,      // an expression or a Buffer
};
const char* ArgKindName(ArgKind kind);

// The type of a call's result.
enum class ResultRule : uint8_t {
  kFirst,      // the first argument's
  kSecond,     // the second argument's
  kBoolLanes,  // bool with the first argument's lanes
  kFixed,      // `result` of the entry
  kCaller,     // whatever the Call says
  kVoid,
};

// One lane of a value in the interpreter. Integers and bool lie in `i`, sign- or zero-extended
// (uint64 as its bits); floats of every width in `d`, exactly; handles in `i`.
union Lane {
  int64_t i = 0;
  double d;
};

// A call to compute. Spans have as many lanes as their types.
struct IntrinsicCall {
  DataType type;
  std::span<Lane> result;
  std::span<const DataType> arg_types;
  std::span<const std::span<const Lane>> args;
};
// Computes the result for the interpreter, as exactly as it can; the interpreter then rounds every
// lane once to the result's type. May throw Error.
using IntrinsicFunction = std::function<void(const IntrinsicCall&)>;

struct Intrinsic {
  std::string name;
  CallEffect effect = CallEffect::kPure;
  std::vector<ArgKind> args;  // the leading arguments
  bool variadic = false;      // more may follow, of kind `rest`
  ArgKind rest = ArgKind::kAny;
  bool same_types = false;  // all number arguments have the first one's type
  ResultRule result_rule = ResultRule::kFirst;
  DataType result;  // for ResultRule::kFixed
  // Every lane of the result depends on the same lane of the arguments alone, all of equal lanes:
  // vectorising the call means vectorising its arguments.
  bool elementwise = false;
  // What else must hold, as a sentence; empty when it does. Null: nothing. Kinds and counts are
  // checked before.
  std::function<std::string(const std::vector<NodeRef>& args, DataType type)> check;
  // Null for those that touch memory, functions or control, which only the interpreter itself can
  // do, and for those that the interpreter cannot run unless its caller supplies them.
  IntrinsicFunction evaluate;
  std::string doc;  // one line: what it computes
};

// Throws Error "intrinsic-exists" where the name is taken, "intrinsic-invalid" where the entry
// contradicts itself.
void RegisterIntrinsic(Intrinsic intrinsic);
// Null where there is none of that name.
const Intrinsic* FindIntrinsic(std::string_view name);
// Throws Error "unknown-intrinsic" that names the nearest known ones.
const Intrinsic& GetIntrinsic(std::string_view name);
// Sorted.
std::vector<std::string> IntrinsicNames();

// "exp(float) -> first argument's type": for listings and diagnostics.
std::string SignatureOf(const Intrinsic& intrinsic);
// What is wrong with a call's arguments or type, as a sentence; empty when it fits. An unknown name
// is wrong too.
std::string CheckCall(const Call& call);
// The effect of one call by itself, its arguments aside. kOpaque for unknown names.
CallEffect EffectOf(const Call& call);
// The greatest effect in an expression. Loads count as kReads.
CallEffect EffectOf(const Expr& expr);
// Whether the expression may be dropped when its value is not needed.
inline bool CanDrop(const Expr& expr) { return EffectOf(expr) <= CallEffect::kReads; }

// -- Making calls. They throw Error "unknown-intrinsic" or "intrinsic-arguments".

// A call whose type follows from its arguments.
Expr CallIntrinsic(std::string_view name, std::vector<NodeRef> args, Dict attrs = {});
// A call whose type the caller gives (ResultRule::kCaller).
Expr CallIntrinsic(DataType type, std::string_view name, std::vector<NodeRef> args,
                   Dict attrs = {});

// clang-format off
#define LATHE_UNARY_INTRINSICS(X) \
  X(Exp, "exp") X(Exp2, "exp2") X(Exp10, "exp10") X(Log, "log") X(Log2, "log2") \
  X(Log10, "log10") X(Log1p, "log1p") X(Expm1, "expm1") X(Sqrt, "sqrt") \
  X(Rsqrt, "rsqrt") X(Sin, "sin") X(Cos, "cos") X(Tan, "tan") X(Asin, "asin") \
  X(Acos, "acos") X(Atan, "atan") X(Sinh, "sinh") X(Cosh, "cosh") X(Tanh, "tanh") \
  X(Asinh, "asinh") X(Acosh, "acosh") X(Atanh, "atanh") X(Sigmoid, "sigmoid") \
  X(Erf, "erf") X(Floor, "floor") X(Ceil, "ceil") X(Round, "round") \
  X(Nearbyint, "nearbyint") X(Trunc, "trunc") X(Abs, "abs") X(IsNan, "isnan") \
  X(IsInf, "isinf") X(IsFinite, "isfinite") X(PopCount, "popcount") \
  X(CountLeadingZeros, "clz") X(BitwiseNot, "bitwise_not")
#define LATHE_BINARY_INTRINSICS(X) \
  X(Atan2, "atan2") X(Pow, "pow") X(Fmod, "fmod") X(Copysign, "copysign") \
  X(Hypot, "hypot") X(NextAfter, "nextafter") X(Ldexp, "ldexp") \
  X(ShiftLeft, "shift_left") X(ShiftRight, "shift_right") X(BitwiseAnd, "bitwise_and") \
  X(BitwiseOr, "bitwise_or") X(BitwiseXor, "bitwise_xor")
// clang-format on

#define LATHE_DECLARE(Function, name) Expr Function(const Expr& x);
LATHE_UNARY_INTRINSICS(LATHE_DECLARE)
#undef LATHE_DECLARE
#define LATHE_DECLARE(Function, name) Expr Function(const Expr& a, const Expr& b);
LATHE_BINARY_INTRINSICS(LATHE_DECLARE)
#undef LATHE_DECLARE

// a * b + c, rounded once.
Expr Fma(const Expr& a, const Expr& b, const Expr& c);
// floor(x * y / 2^(q + s) + 1/2) on int32 fixed-point numbers; 0 <= q + s <= 62.
Expr QMultiplyShift(const Expr& x, const Expr& y, const Expr& q, const Expr& s);
// The bits of x as another type of the same size.
Expr Reinterpret(DataType type, const Expr& x);

}  // namespace lathe::ir
