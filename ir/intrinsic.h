// The table of intrinsics: every `Call` names one of its entries.
//
// An entry says what effects a call may have, which arguments it takes, what type it returns,
// whether it works lane by lane, and how the interpreter computes it. Passes, the verifier and code
// generators look names up in this table instead of knowing them. Plugins and users add entries at
// run time. Entries are never changed or removed, so pointers to them stay valid. All functions
// here are thread-safe. The built-in entries are in intrinsic_math.cc, intrinsic_core.cc, and
// intrinsic_threads.cc (barriers, warps, atomics and asynchronous copies).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/expr.h"

namespace lathe::ir {

// What a call may do, apart from computing its result. Each level includes the ones before it.
enum class CallEffect : uint8_t {
  kPure,    // the result depends only on the arguments: may be repeated, moved, dropped
  kReads,   // reads memory: may be repeated and dropped, but not moved across writes
  kWrites,  // writes memory that its arguments point to
  kOpaque,  // anything, including transfer of control
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
  kCaller,     // the type that the Call states
  kVoid,
};

// One lane of a value in the interpreter. Integers and bool are in `i`, sign- or zero-extended
// (uint64 as its bits). Floats of every width are in `d`, exactly. Handles are in `i`.
union Lane {
  int64_t i = 0;
  double d;
};

// A call to compute. Each span has as many elements as its type has lanes.
struct IntrinsicCall {
  DataType type;
  std::span<Lane> result;
  std::span<const DataType> arg_types;
  std::span<const std::span<const Lane>> args;
};
// Computes the result for the interpreter, as exactly as it can. The interpreter then rounds every
// lane once to the type of the result. May throw Error.
using IntrinsicFunction = std::function<void(const IntrinsicCall&)>;

struct Intrinsic {
  std::string name;
  CallEffect effect = CallEffect::kPure;
  std::vector<ArgKind> args;  // the leading arguments
  bool variadic = false;      // more may follow, of kind `rest`
  ArgKind rest = ArgKind::kAny;
  bool same_types = false;  // all number arguments must have the type of the first one
  ResultRule result_rule = ResultRule::kFirst;
  DataType result;  // for ResultRule::kFixed
  // Every lane of the result depends only on the same lane of the arguments, and all have equally
  // many lanes. So to vectorise the call is to vectorise its arguments.
  bool elementwise = false;
  // Checks further conditions. Returns a sentence that says what is wrong; empty if nothing is.
  // Null: no further conditions. Kinds and counts were checked before.
  std::function<std::string(const std::vector<NodeRef>& args, DataType type)> check;
  // Null in two cases: the intrinsic touches memory, functions or control, so that only the
  // interpreter itself can compute it; or the interpreter cannot run it unless its caller supplies
  // a function.
  IntrinsicFunction evaluate;
  std::string doc;  // one line: what it computes
};

// Adds an entry. Throws Error "intrinsic-exists" if the name is taken, "intrinsic-invalid" if the
// entry contradicts itself.
void RegisterIntrinsic(Intrinsic intrinsic);
// The entry of that name; null if there is none.
const Intrinsic* FindIntrinsic(std::string_view name);
// The entry of that name. If there is none, throws Error "unknown-intrinsic", which names the
// nearest known ones.
const Intrinsic& GetIntrinsic(std::string_view name);
// All names, sorted.
std::vector<std::string> IntrinsicNames();

// "exp(float) -> first argument's type": for listings and diagnostics.
std::string SignatureOf(const Intrinsic& intrinsic);
// A sentence that says what is wrong with the arguments or the type of a call; empty if all is
// right. An unknown name is wrong, too.
std::string CheckCall(const Call& call);
// The effect of the call itself, without its arguments. kOpaque for unknown names.
CallEffect EffectOf(const Call& call);
// The greatest effect of all parts of an expression. Loads count as kReads.
CallEffect EffectOf(const Expr& expr);
// Whether the expression may be dropped if its value is not needed.
inline bool CanDrop(const Expr& expr) { return EffectOf(expr) <= CallEffect::kReads; }
// May it be evaluated outside of a loop or branch that does not run? Not what reads memory or
// divides by what may be 0.
bool CanEvaluateEarly(const Expr& expr);

// -- Making calls. These functions throw Error "unknown-intrinsic" or "intrinsic-arguments".

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
// The bits of x, read as another type of the same size.
Expr Reinterpret(DataType type, const Expr& x);

}  // namespace lathe::ir
