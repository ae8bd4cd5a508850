#include "ir/intrinsic.h"

#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

#include "base/error.h"
#include "base/float_formats.h"
#include "gtest/gtest.h"
#include "ir/buffer.h"

namespace lathe::ir {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// Evaluates the entry's function on one lane of each argument, before the final rounding.
Lane Evaluate(const std::string& name, DataType type, const std::vector<Lane>& values,
              std::vector<DataType> types = {}) {
  const Intrinsic& entry = GetIntrinsic(name);
  if (types.empty()) types.assign(values.size(), type);
  std::vector<std::span<const Lane>> args;
  for (const Lane& value : values) args.emplace_back(&value, 1);
  Lane result;
  entry.evaluate({type, std::span<Lane>(&result, 1), types, args});
  return result;
}
Lane D(double d) {
  Lane lane;
  lane.d = d;
  return lane;
}
Lane I(int64_t i) {
  Lane lane;
  lane.i = i;
  return lane;
}
double Of(const std::string& name, double x, DataType type = DataType::Float(64)) {
  return RoundToType(Evaluate(name, type, {D(x)}).d, type);
}
double Of(const std::string& name, double x, double y, DataType type = DataType::Float(64)) {
  return RoundToType(Evaluate(name, type, {D(x), D(y)}).d, type);
}
int64_t OfInts(const std::string& name, DataType type, int64_t x, int64_t y) {
  return Evaluate(name, type, {I(x), I(y)}).i;
}

std::string NameOfError(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.name();
  }
  return "no error";
}

TEST(IntrinsicTable, HoldsEveryNameOfTheContract) {
  for (const char* name : {"exp",
                           "exp2",
                           "exp10",
                           "log",
                           "log2",
                           "log10",
                           "log1p",
                           "expm1",
                           "sqrt",
                           "rsqrt",
                           "sin",
                           "cos",
                           "tan",
                           "asin",
                           "acos",
                           "atan",
                           "sinh",
                           "cosh",
                           "tanh",
                           "asinh",
                           "acosh",
                           "atanh",
                           "atan2",
                           "sigmoid",
                           "erf",
                           "pow",
                           "fmod",
                           "floor",
                           "ceil",
                           "round",
                           "nearbyint",
                           "trunc",
                           "abs",
                           "isnan",
                           "isinf",
                           "isfinite",
                           "fma",
                           "copysign",
                           "hypot",
                           "ldexp",
                           "scalb",
                           "nextafter",
                           "popcount",
                           "clz",
                           "shift_left",
                           "shift_right",
                           "bitwise_and",
                           "bitwise_or",
                           "bitwise_xor",
                           "bitwise_not",
                           "q_multiply_shift",
                           "if_then_else",
                           "likely",
                           "reinterpret",
                           "call_extern",
                           "call_pure_extern",
                           "call_packed",
                           "call_plain",
                           "llvm_intrinsic",
                           "llvm_intrinsic_with_effects",
                           "address_of",
                           "access_ptr",
                           "vector_low",
                           "vector_high",
                           "vector_concat",
                           "undef",
                           "arg_kind",
                           "arg_value",
                           "tensor_field",
                           "pointer_is_null",
                           "shape_at",
                           "slot_load",
                           "slot_store",
                           "pointer_at",
                           "workspace_at",
                           "stack_slots",
                           "stack_values",
                           "stack_tensor",
                           "value_set",
                           "value_get",
                           "value_kind",
                           "runtime_call",
                           "raise",
                           "function_address",
                           "call_site_cache",
                           "return",
                           "barrier",
                           "warp_shuffle",
                           "warp_shuffle_up",
                           "warp_shuffle_down",
                           "warp_shuffle_xor",
                           "warp_active_mask",
                           "atomic_add",
                           "atomic_min",
                           "atomic_max",
                           "atomic_exchange",
                           "atomic_compare_exchange",
                           "async_copy",
                           "async_commit",
                           "async_wait"}) {
    EXPECT_NE(FindIntrinsic(name), nullptr) << name;
  }
}

TEST(IntrinsicTable, EveryEntryIsDescribed) {
  for (const std::string& name : IntrinsicNames()) {
    const Intrinsic& entry = GetIntrinsic(name);
    EXPECT_FALSE(entry.doc.empty()) << name;
    EXPECT_TRUE(SignatureOf(entry).starts_with(name + "(")) << name;
    if (entry.elementwise) EXPECT_TRUE(entry.evaluate) << name;
  }
}

TEST(IntrinsicMath, KnownValues) {
  const double x = 0.7;
  EXPECT_EQ(Of("exp", x), std::exp(x));
  EXPECT_EQ(Of("exp2", 10), 1024);
  EXPECT_EQ(Of("exp10", 3), 1000);
  EXPECT_EQ(Of("log", 1), 0);
  EXPECT_EQ(Of("log2", 8), 3);
  EXPECT_EQ(Of("log10", 1000), 3);
  EXPECT_NEAR(Of("log1p", 1e-20), 1e-20, 1e-35);
  EXPECT_NEAR(Of("expm1", 1e-20), 1e-20, 1e-35);
  EXPECT_EQ(Of("sqrt", 2), std::sqrt(2.0));
  EXPECT_EQ(Of("rsqrt", 4), 0.5);
  EXPECT_NEAR(Of("sin", x), std::sin(x), 1e-16);
  EXPECT_NEAR(Of("cos", x), std::cos(x), 1e-16);
  EXPECT_NEAR(Of("tan", x), std::tan(x), 2e-16);
  EXPECT_NEAR(Of("asin", x), std::asin(x), 2e-16);
  EXPECT_NEAR(Of("acos", x), std::acos(x), 2e-16);
  EXPECT_NEAR(Of("atan", x), std::atan(x), 2e-16);
  EXPECT_NEAR(Of("sinh", x), std::sinh(x), 2e-16);
  EXPECT_NEAR(Of("cosh", x), std::cosh(x), 3e-16);
  EXPECT_NEAR(Of("tanh", x), std::tanh(x), 2e-16);
  EXPECT_NEAR(Of("asinh", x), std::asinh(x), 2e-16);
  EXPECT_NEAR(Of("acosh", 1.7), std::acosh(1.7), 3e-16);
  EXPECT_NEAR(Of("atanh", x), std::atanh(x), 3e-16);
  EXPECT_EQ(Of("sigmoid", 0), 0.5);
  EXPECT_EQ(Of("sigmoid", -kInf), 0);
  EXPECT_NEAR(Of("erf", x), std::erf(x), 2e-16);
  EXPECT_NEAR(Of("atan2", 1, -1), 2.356194490192345, 1e-15);
  EXPECT_EQ(Of("pow", 2, -2), 0.25);
  EXPECT_EQ(Of("fmod", -7.5, 2), -1.5);
  EXPECT_EQ(Of("copysign", 3, -0.0), -3);
  EXPECT_EQ(Of("hypot", 3, 4), 5);
  EXPECT_NEAR(Of("hypot", 3e200, 4e200), 5e200, 1e185) << "no overflow between";
  EXPECT_TRUE(std::isnan(Of("sqrt", -1)));
  EXPECT_TRUE(std::isnan(Of("exp", kNan)));
}

TEST(IntrinsicMath, Rounding) {
  EXPECT_EQ(Of("floor", -1.5), -2);
  EXPECT_EQ(Of("ceil", -1.5), -1);
  EXPECT_EQ(Of("trunc", -1.5), -1);
  EXPECT_EQ(Of("round", 2.5), 3);
  EXPECT_EQ(Of("round", -2.5), -3);
  EXPECT_EQ(Of("nearbyint", 2.5), 2);
  EXPECT_EQ(Of("nearbyint", 3.5), 4);
}

TEST(IntrinsicMath, Float32IsComputedInDouble) {
  for (float x : {0.1f, 1.3f, -7.75f, 30.0f, 1e-30f}) {
    EXPECT_EQ(Of("exp", x, DataType::Float(32)),
              static_cast<float>(std::exp(static_cast<double>(x))));
    EXPECT_EQ(Of("tanh", x, DataType::Float(32)),
              static_cast<float>(std::tanh(static_cast<double>(x))));
  }
  EXPECT_EQ(Of("exp", 12, DataType::Float(16)), kInf);
}

TEST(IntrinsicMath, FmaRoundsOnce) {
  const float a = 1 + std::ldexp(1.0f, -12), c = -1 - std::ldexp(1.0f, -11);
  EXPECT_EQ(Evaluate("fma", DataType::Float(32), {D(a), D(a), D(c)}).d, std::ldexp(1.0, -24));
}

TEST(IntrinsicMath, NextAfterStepsInItsOwnFormat) {
  EXPECT_EQ(Of("nextafter", 1, 2), std::nextafter(1.0, 2.0));
  EXPECT_EQ(Of("nextafter", 1, 2, DataType::Float(32)), std::nextafter(1.0f, 2.0f));
  EXPECT_EQ(Of("nextafter", 1, 2, DataType::Float(16)), 1 + std::ldexp(1.0, -10));
  EXPECT_EQ(Of("nextafter", 0, -1, DataType::Float(16)), -std::ldexp(1.0, -24));
  EXPECT_EQ(Of("nextafter", 1, 0, DataType::BFloat16()), 1 - std::ldexp(1.0, -8));
  EXPECT_EQ(Of("nextafter", 3, 3), 3);
  EXPECT_TRUE(std::isnan(Of("nextafter", kNan, 1, DataType::Float(16))));
}

TEST(IntrinsicMath, Ldexp) {
  auto ldexp = [](double x, int64_t n, DataType type) {
    return RoundToType(Evaluate("ldexp", type, {D(x), I(n)}, {type, DataType::Int(32)}).d, type);
  };
  EXPECT_EQ(ldexp(1.5, 4, DataType::Float(32)), 24);
  EXPECT_EQ(ldexp(1, 100000, DataType::Float(64)), kInf);
  EXPECT_EQ(ldexp(1, -100000, DataType::Float(64)), 0);
  EXPECT_EQ(ldexp(1, -149, DataType::Float(32)), std::ldexp(1.0, -149));
}

TEST(IntrinsicMath, Scalb) {
  auto scalb = [](double x, double n) {
    const DataType type = DataType::Float(32);
    return RoundToType(Evaluate("scalb", type, {D(x), D(n)}).d, type);
  };
  EXPECT_EQ(scalb(1.5, 4), 24);
  EXPECT_EQ(scalb(1, 1e9), kInf);
  EXPECT_EQ(scalb(-1, kInf), -kInf);
  EXPECT_EQ(scalb(1, -kInf), 0);
  EXPECT_EQ(scalb(1.25, -149), std::ldexp(1.0, -149));  // rounded once
  EXPECT_TRUE(std::isnan(scalb(1, kNan)));
  EXPECT_TRUE(std::isnan(scalb(kNan, 1)));
}

TEST(IntrinsicMath, FloatTests) {
  const DataType type = DataType::Bool();
  const std::vector<DataType> f64 = {DataType::Float(64)};
  EXPECT_EQ(Evaluate("isnan", type, {D(kNan)}, f64).i, 1);
  EXPECT_EQ(Evaluate("isnan", type, {D(kInf)}, f64).i, 0);
  EXPECT_EQ(Evaluate("isinf", type, {D(-kInf)}, f64).i, 1);
  EXPECT_EQ(Evaluate("isfinite", type, {D(1)}, f64).i, 1);
  EXPECT_EQ(Evaluate("isfinite", type, {D(kNan)}, f64).i, 0);
}

TEST(IntrinsicMath, Integers) {
  EXPECT_EQ(Evaluate("popcount", DataType::Int(8), {I(-1)}).i, 8);
  EXPECT_EQ(Evaluate("popcount", DataType::UInt(64), {I(-1)}).i, 64);
  EXPECT_EQ(Evaluate("clz", DataType::Int(32), {I(1)}).i, 31);
  EXPECT_EQ(Evaluate("clz", DataType::Int(16), {I(0)}).i, 16);
  EXPECT_EQ(Evaluate("clz", DataType::Int(16), {I(-1)}).i, 0);
  EXPECT_EQ(OfInts("bitwise_and", DataType::Int(32), 12, 10), 8);
  EXPECT_EQ(OfInts("bitwise_or", DataType::Int(32), 12, 10), 14);
  EXPECT_EQ(OfInts("bitwise_xor", DataType::Int(32), 12, 10), 6);
  EXPECT_EQ(Evaluate("bitwise_not", DataType::Int(64), {I(0)}).i, -1);
  EXPECT_EQ(OfInts("shift_left", DataType::Int(32), 3, 4), 48);
  EXPECT_EQ(OfInts("shift_right", DataType::Int(32), -7, 1), -4);
  EXPECT_EQ(OfInts("shift_right", DataType::UInt(64), -1, 63), 1);
  EXPECT_EQ(Evaluate("abs", DataType::Int(32), {I(-5)}).i, 5);
  EXPECT_EQ(Evaluate("abs", DataType::UInt(64), {I(-5)}).i, -5) << "a large unsigned value stays";
  EXPECT_EQ(Evaluate("abs", DataType::Float(32), {D(-5)}).d, 5);
}

TEST(IntrinsicMath, FixedPointMultiply) {
  auto multiply = [](int64_t x, int64_t y, int64_t q, int64_t s) {
    return Evaluate("q_multiply_shift", DataType::Int(32), {I(x), I(y), I(q), I(s)}).i;
  };
  EXPECT_EQ(multiply(100, int64_t{1} << 30, 31, 0), 50);
  EXPECT_EQ(multiply(3, int64_t{1} << 30, 31, 0), 2) << "ties go up";
  EXPECT_EQ(multiply(-3, int64_t{1} << 30, 31, 0), -1) << "ties go up";
  EXPECT_EQ(multiply(7, 3, 0, 0), 21);
  EXPECT_EQ(multiply(1000, int64_t{1} << 30, 31, 3), 63);
}

TEST(IntrinsicTable, UnknownNamesSuggestTheNearest) {
  EXPECT_EQ(FindIntrinsic("exq"), nullptr);
  try {
    GetIntrinsic("tahn");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.name(), "unknown-intrinsic");
    EXPECT_NE(error.diagnostic().help.find("`tanh`"), std::string::npos) << error.what();
  }
  const Expr call = MakeCall(DataType::Float(32), "tahn", {Float(1)});
  EXPECT_NE(CheckCall(*As<Call>(call)).find("`tanh`"), std::string::npos);
  EXPECT_EQ(EffectOf(*As<Call>(call)), CallEffect::kOpaque);
}

TEST(IntrinsicCalls, BuildersCheckArguments) {
  const Var x = MakeVar("x", DataType::Float(32)), n = MakeVar("n");
  const Expr e = Exp(x);
  EXPECT_EQ(e->dtype, DataType::Float(32));
  EXPECT_EQ(As<Call>(e)->op, "exp");
  EXPECT_EQ(CheckCall(*As<Call>(e)), "");
  EXPECT_EQ(IsNan(MakeBroadcast(x, 4))->dtype, DataType::Bool(4));
  EXPECT_EQ(Reinterpret(DataType::Int(32), x)->dtype, DataType::Int(32));
  EXPECT_EQ(Ldexp(x, n)->dtype, DataType::Float(32));
  EXPECT_EQ(NameOfError([&] { Exp(n); }), "intrinsic-arguments");
  EXPECT_EQ(NameOfError([&] { Pow(x, Float(2, DataType::Float(64))); }), "intrinsic-arguments");
  EXPECT_EQ(NameOfError([&] { Atan2(x, MakeBroadcast(x, 2)); }), "intrinsic-arguments");
  EXPECT_EQ(NameOfError([&] { Reinterpret(DataType::Int(64), x); }), "intrinsic-arguments");
  EXPECT_EQ(NameOfError([&] { CallIntrinsic("fma", {x, x}); }), "intrinsic-arguments");
  EXPECT_EQ(NameOfError([&] { CallIntrinsic("reinterpret", {x}); }), "intrinsic-arguments");
  EXPECT_EQ(NameOfError([&] { CallIntrinsic(DataType::Int(32), "exp", {x}); }),
            "intrinsic-arguments");
  EXPECT_EQ(NameOfError([&] { CallIntrinsic("no_such_thing", {x}); }), "unknown-intrinsic");
  EXPECT_EQ(NameOfError([&] {
              QMultiplyShift(Int(1, DataType::Int(64)), Int(1, DataType::Int(64)),
                             Int(1, DataType::Int(64)), Int(1, DataType::Int(64)));
            }),
            "intrinsic-arguments");
}

TEST(IntrinsicCalls, OfTwoIntegersAreBroughtToOneType) {
  const DataType u8 = DataType::UInt(8), i64 = DataType::Int(64);
  const Var x = MakeVar("x", u8), n = MakeVar("n");
  EXPECT_EQ(ShiftRight(x, Int(4))->dtype, u8);
  EXPECT_EQ(ShiftLeft(x, Int(7, i64))->dtype, u8);
  EXPECT_EQ(ShiftLeft(Int(1), x)->dtype, u8);
  EXPECT_EQ(BitwiseAnd(x, Int(15))->dtype, u8);
  EXPECT_EQ(BitwiseOr(x, Int(300))->dtype, DataType::Int(32));
  EXPECT_EQ(ShiftRight(x, n)->dtype, DataType::Int(32));
  EXPECT_EQ(BitwiseXor(MakeBroadcast(x, 4), Int(1))->dtype, DataType::UInt(8, 4));
  EXPECT_EQ(CheckCall(*As<Call>(ShiftRight(x, Int(4)))), "");
  EXPECT_EQ(ShiftRight(n, Int(31))->dtype, DataType::Int(32));
  for (const int64_t by : {8, 300, -1}) {
    EXPECT_EQ(NameOfError([&] { ShiftRight(x, Int(by)); }), "shift-distance");
    EXPECT_EQ(NameOfError([&] { ShiftLeft(x, Int(by, i64)); }), "shift-distance");
  }
  EXPECT_EQ(NameOfError([&] { ShiftLeft(n, Int(32)); }), "shift-distance");
  EXPECT_EQ(NameOfError([&] { ShiftLeft(MakeVar("f", DataType::Float(32)), Int(1)); }),
            "intrinsic-arguments");
}

TEST(IntrinsicCalls, CheckCall) {
  const Var x = MakeVar("x", DataType::Float(32)), c = MakeVar("c", DataType::Bool());
  auto check = [](DataType type, const char* op, std::vector<NodeRef> args) {
    const Expr call = MakeCall(type, op, std::move(args));
    return CheckCall(*As<Call>(call));
  };
  const DataType f32 = DataType::Float(32);
  EXPECT_EQ(check(f32, "if_then_else", {c, x, x}), "");
  EXPECT_NE(check(f32, "if_then_else", {c, x, Int(1)}), "");
  EXPECT_NE(check(DataType::Float(32, 4), "if_then_else",
                  {MakeBroadcast(c, 4), MakeBroadcast(x, 4), MakeBroadcast(x, 4)}),
            "");
  EXPECT_NE(check(DataType::Float(64), "exp", {x}), "") << "the type follows from the argument";
  EXPECT_NE(check(f32, "call_extern", {x}), "") << "the first argument is the symbol";
  EXPECT_EQ(check(f32, "call_extern", {String("sinf"), x}), "");
  const Buffer buffer = MakeBuffer("A", f32, {Int(8)});
  EXPECT_EQ(check(DataType::Int(32), "call_extern", {String("f"), buffer}), "");
  EXPECT_NE(check(DataType::Int(32), "call_plain", {String("f"), buffer}), "");
  EXPECT_EQ(check(DataType::Handle(), "access_ptr", {buffer, Int(0), Int(8), Int(1)}), "");
  EXPECT_NE(check(DataType::Handle(), "access_ptr", {x, Int(0), Int(8), Int(1)}), "");
  EXPECT_EQ(check(DataType::Handle(), "address_of", {MakeLoad(buffer, {Int(2)})}), "");
  EXPECT_NE(check(DataType::Handle(), "address_of", {x}), "");
  const Expr v = MakeBroadcast(x, 8);
  EXPECT_EQ(check(DataType::Float(32, 4), "vector_low", {v}), "");
  EXPECT_NE(check(DataType::Float(32, 2), "vector_high", {v}), "");
  EXPECT_EQ(check(DataType::Float(32, 16), "vector_concat", {v, v}), "");
  EXPECT_NE(check(DataType::Float(32, 8), "vector_concat", {v, v}), "");
  EXPECT_EQ(check(DataType::Void(), "return", {Int(0)}), "");
  EXPECT_NE(check(DataType::Int(32), "return", {Int(0)}), "");
}

TEST(IntrinsicCalls, ARaiseHasANameAMessageAndUpToEightScalars) {
  const auto check = [](std::vector<NodeRef> args, DataType type = DataType::Void()) {
    return CheckCall(*As<Call>(MakeCall(type, "raise", std::move(args))));
  };
  const Var x = MakeVar("x", DataType::Float(16)), p = MakeVar("p", DataType::Handle());
  EXPECT_EQ(check({String("n"), String("")}), "");
  EXPECT_EQ(check({String("n"), String("{0}{1}{2}"), x, p, String("s")}), "");
  std::vector<NodeRef> args = {String("n"), String("m")};
  for (int i = 0; i < 8; ++i) args.push_back(Int(i));
  EXPECT_EQ(check(args), "");
  args.push_back(Int(8));
  EXPECT_EQ(check(args), "at most 8 values can be shown");
  EXPECT_NE(check({String("n")}), "");
  EXPECT_NE(check({String("n"), p}), "");
  EXPECT_NE(check({String(""), String("m")}), "");
  EXPECT_NE(check({String("n"), String("m"), MakeBroadcast(x, 4)}), "");
  EXPECT_NE(check({String("n"), String("m")}, DataType::Int(32)), "");
}

TEST(IntrinsicCalls, Effects) {
  const Var x = MakeVar("x", DataType::Float(32));
  const Buffer buffer = MakeBuffer("A", DataType::Float(32), {Int(8)});
  EXPECT_EQ(EffectOf(Exp(x) + Sin(x)), CallEffect::kPure);
  EXPECT_EQ(EffectOf(Exp(MakeLoad(buffer, {Int(0)}))), CallEffect::kReads);
  const Expr call = CallIntrinsic(DataType::Float(32), "call_extern", {String("f"), x});
  EXPECT_EQ(EffectOf(x + call), CallEffect::kOpaque);
  EXPECT_FALSE(CanDrop(x + call));
  EXPECT_TRUE(CanDrop(MakeLoad(buffer, {Int(0)})));
}

TEST(IntrinsicThreads, ArgumentsAreChecked) {
  const Buffer a = MakeBuffer("A", DataType::Float(32), {Int(8)});
  const Buffer h = MakeBuffer("H", DataType::Float(16), {Int(8)});
  const Expr x = MakeVar("x", DataType::Float(32));
  const Expr all = Const(int64_t{0xffffffff}, DataType::UInt(32));
  const Expr place = MakeLoad(a, {Int(1)});
  auto refused = [](std::string_view name, std::vector<NodeRef> args) {
    return NameOfError([&] { CallIntrinsic(name, args); }) == "intrinsic-arguments";
  };
  EXPECT_TRUE(CallIntrinsic("barrier", {String("shared")})->dtype.is_void());
  EXPECT_TRUE(refused("barrier", {String("house")}));
  EXPECT_TRUE(refused("barrier", {Int(1)}));
  EXPECT_EQ(CallIntrinsic("warp_shuffle_xor", {all, x, Int(1), Int(32)})->dtype,
            DataType::Float(32));
  EXPECT_TRUE(refused("warp_shuffle", {Int(1), x, Int(1), Int(32)}));
  EXPECT_TRUE(refused("warp_shuffle", {all, x, Int(1), Int(12)}));
  EXPECT_TRUE(refused("warp_shuffle", {all, x, Int(1), MakeVar("w")}));
  EXPECT_TRUE(refused("warp_active_mask", {}));  // its type must be given
  EXPECT_EQ(CallIntrinsic(DataType::UInt(64), "warp_active_mask", {})->dtype, DataType::UInt(64));
  EXPECT_EQ(CallIntrinsic("atomic_add", {place, x})->dtype, DataType::Float(32));
  EXPECT_TRUE(refused("atomic_add", {x, x}));
  EXPECT_TRUE(refused("atomic_add", {place, Int(1)}));
  EXPECT_TRUE(
      refused("atomic_max", {MakeLoad(a, {MakeRamp(Int(0), Int(1), 4)}), MakeBroadcast(x, 4)}));
  EXPECT_TRUE(refused("atomic_compare_exchange", {place, x, Int(1)}));
  EXPECT_TRUE(CallIntrinsic("async_copy", {place, MakeLoad(a, {Int(4)}), Int(2)})->dtype.is_void());
  EXPECT_TRUE(refused("async_copy", {place, MakeLoad(h, {Int(4)}), Int(2)}));
  EXPECT_TRUE(refused("async_wait", {Int(-1)}));
  EXPECT_EQ(GetIntrinsic("atomic_add").effect, CallEffect::kWrites);
  EXPECT_EQ(GetIntrinsic("barrier").effect, CallEffect::kOpaque);
}

TEST(IntrinsicVectors, LanesMove) {
  std::vector<Lane> v = {I(1), I(2), I(3), I(4)};
  std::vector<Lane> out(2);
  const std::vector<DataType> types = {DataType::Int(32, 4)};
  const std::vector<std::span<const Lane>> args = {v};
  GetIntrinsic("vector_high").evaluate({DataType::Int(32, 2), out, types, args});
  EXPECT_EQ(out[0].i, 3);
  GetIntrinsic("vector_low").evaluate({DataType::Int(32, 2), out, types, args});
  EXPECT_EQ(out[1].i, 2);
  std::vector<Lane> all(8);
  const std::vector<std::span<const Lane>> twice = {v, v};
  GetIntrinsic("vector_concat").evaluate({DataType::Int(32, 8), all, types, twice});
  EXPECT_EQ(all[5].i, 2);
}

TEST(IntrinsicTable, UsersAddEntries) {
  Intrinsic entry;
  entry.name = "test_double";
  entry.args = {ArgKind::kFloat};
  entry.elementwise = true;
  entry.doc = "2 * x";
  entry.evaluate = [](const IntrinsicCall& call) {
    for (size_t k = 0; k < call.result.size(); ++k) call.result[k].d = 2 * call.args[0][k].d;
  };
  RegisterIntrinsic(entry);
  EXPECT_EQ(Evaluate("test_double", DataType::Float(32), {D(3)}).d, 6);
  EXPECT_EQ(NameOfError([&] { RegisterIntrinsic(entry); }), "intrinsic-exists");
  entry.name = "exp";
  EXPECT_EQ(NameOfError([&] { RegisterIntrinsic(entry); }), "intrinsic-exists");
  entry.name = "";
  EXPECT_EQ(NameOfError([&] { RegisterIntrinsic(entry); }), "intrinsic-invalid");
  entry.name = "test_contradiction";
  entry.effect = CallEffect::kWrites;
  EXPECT_EQ(NameOfError([&] { RegisterIntrinsic(entry); }), "intrinsic-invalid");
  entry = {};
  entry.name = "test_no_argument";
  EXPECT_EQ(NameOfError([&] { RegisterIntrinsic(entry); }), "intrinsic-invalid");
}

TEST(IntrinsicTable, ThreadsAddAndFind) {
  std::atomic<int> found = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([t, &found] {
      for (int i = 0; i < 100; ++i) {
        Intrinsic entry;
        entry.name = "test_thread_" + std::to_string(t) + "_" + std::to_string(i);
        entry.result_rule = ResultRule::kVoid;
        RegisterIntrinsic(entry);
        if (FindIntrinsic(entry.name) != nullptr && FindIntrinsic("exp") != nullptr) ++found;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(found, 400);
}

}  // namespace
}  // namespace lathe::ir
