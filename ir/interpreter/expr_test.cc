// Every line of the contract in ir/expr.h, checked in the interpreter.

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "base/error.h"
#include "base/float_formats.h"
#include "gtest/gtest.h"
#include "ir/interpreter/interpreter.h"

namespace lathe::ir {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

const DataType kI8 = DataType::Int(8), kI32 = DataType::Int(32), kI64 = DataType::Int(64);
const DataType kU8 = DataType::UInt(8), kU64 = DataType::UInt(64);
const DataType kF16 = DataType::Float(16), kF32 = DataType::Float(32), kF64 = DataType::Float(64);

// Returns the value of an expression through a function that returns it; vectors lane by lane
// through a buffer.
InterpValue Value(const Expr& expr, std::vector<NodeRef> params = {},
                  std::vector<InterpValue> args = {}, InterpretOptions options = {}) {
  const Func func = MakeFunc("f", std::move(params), MakeEvaluate(CallIntrinsic("return", {expr})),
                             {}, expr->dtype);
  return Interpret(func, args, std::move(options));
}
int64_t Int(const Expr& expr) { return Value(expr).i; }
double Real(const Expr& expr) { return Value(expr).d; }

// Returns each lane of a vector of any type as a double.
std::vector<double> Lanes(const Expr& expr, InterpretOptions options = {}) {
  const int lanes = expr->dtype.lanes();
  const DataType element = expr->dtype.element_of();
  const Buffer out = MakeBuffer("out", element, {ir::Int(lanes)});
  std::vector<uint8_t> bytes(static_cast<size_t>(lanes) * 8);
  const Stmt store = MakeStore(out, expr, {MakeRamp(ir::Int(0), ir::Int(1), lanes)});
  const std::vector<InterpValue> args = {InterpTensor::Of(bytes.data(), element, {lanes})};
  Interpret(MakeFunc("f", {out}, store), args, std::move(options));
  std::vector<double> values;
  for (int k = 0; k < lanes; ++k) {
    uint64_t raw = 0;
    const int width = element.bytes();
    std::memcpy(&raw, bytes.data() + k * width, static_cast<size_t>(width));
    if (element.is_float()) {
      values.push_back(DecodeFloat(raw, element));
    } else {
      const int drop = 64 - element.bits();
      values.push_back(element.is_int()
                           ? static_cast<double>(static_cast<int64_t>(raw << drop) >> drop)
                           : static_cast<double>(raw));
    }
  }
  return values;
}

std::string NameOfError(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.name();
  }
  return "no error";
}

Expr Bin(NodeKind kind, int64_t a, int64_t b, DataType type) {
  return MakeBinary(kind, ir::Int(a, type), ir::Int(b, type));
}
Expr Bin(NodeKind kind, double a, double b, DataType type) {
  return MakeBinary(kind, Float(a, type), Float(b, type));
}

TEST(InterpretIntegers, OverflowWraps) {
  EXPECT_EQ(Int(Bin(NodeKind::kAdd, int64_t{200}, int64_t{100}, kU8)), 44);
  EXPECT_EQ(Int(Bin(NodeKind::kSub, int64_t{0}, int64_t{1}, kU8)), 255);
  EXPECT_EQ(Int(Bin(NodeKind::kAdd, int64_t{127}, int64_t{1}, kI8)), -128);
  EXPECT_EQ(Int(Bin(NodeKind::kMul, int64_t{INT32_MAX}, int64_t{2}, kI32)), -2);
  EXPECT_EQ(Int(Bin(NodeKind::kMul, INT64_MAX, INT64_MAX, kI64)), 1);
  EXPECT_EQ(Int(Bin(NodeKind::kAdd, int64_t{7}, int64_t{1}, DataType::Int(4))), -8);
  EXPECT_EQ(Int(Bin(NodeKind::kAdd, int64_t{1}, int64_t{1}, DataType::UInt(1))), 0);
}

TEST(InterpretIntegers, DivisionFloorsOrTruncates) {
  for (const auto& [a, b] : std::vector<std::pair<int64_t, int64_t>>{
           {7, 2}, {-7, 2}, {7, -2}, {-7, -2}, {6, 3}, {-6, 3}}) {
    EXPECT_EQ(Int(Bin(NodeKind::kDiv, a, b, kI32)), a / b);
    EXPECT_EQ(Int(Bin(NodeKind::kMod, a, b, kI32)), a % b);
    const auto floor =
        static_cast<int64_t>(std::floor(static_cast<double>(a) / static_cast<double>(b)));
    EXPECT_EQ(Int(Bin(NodeKind::kFloorDiv, a, b, kI32)), floor);
    EXPECT_EQ(Int(Bin(NodeKind::kFloorMod, a, b, kI32)), a - floor * b);
  }
  EXPECT_EQ(Int(Bin(NodeKind::kDiv, INT64_MIN, int64_t{-1}, kI64)), INT64_MIN) << "no trap";
  EXPECT_EQ(Int(Bin(NodeKind::kMod, INT64_MIN, int64_t{-1}, kI64)), 0);
  EXPECT_EQ(Int(Bin(NodeKind::kFloorDiv, int64_t{INT32_MIN}, int64_t{-1}, kI32)), INT32_MIN);
  EXPECT_EQ(Int(Bin(NodeKind::kDiv, int64_t{-1}, int64_t{2}, kU64)), INT64_MAX)
      << "uint64 is unsigned";
  EXPECT_EQ(Int(Bin(NodeKind::kFloorMod, int64_t{-1}, int64_t{10}, kU64)), 5);
}

TEST(InterpretIntegers, MinMaxAndComparisons) {
  EXPECT_EQ(Int(Bin(NodeKind::kMin, int64_t{-3}, int64_t{2}, kI32)), -3);
  EXPECT_EQ(Int(Bin(NodeKind::kMax, int64_t{-3}, int64_t{2}, kI32)), 2);
  EXPECT_EQ(Int(Bin(NodeKind::kMin, int64_t{-3}, int64_t{2}, kU64)), 2) << "-3 is huge as uint64";
  EXPECT_EQ(Int(Bin(NodeKind::kLT, int64_t{-3}, int64_t{2}, kU64)), 0);
  EXPECT_EQ(Int(Bin(NodeKind::kGT, int64_t{-3}, int64_t{2}, kU64)), 1);
  EXPECT_EQ(Int(Bin(NodeKind::kLT, int64_t{-3}, int64_t{2}, kI32)), 1);
  EXPECT_EQ(Int(Bin(NodeKind::kGE, int64_t{2}, int64_t{2}, kI32)), 1);
  EXPECT_EQ(Int(Bin(NodeKind::kGT, int64_t{2}, int64_t{2}, kI32)), 0);
  EXPECT_EQ(Int(Bin(NodeKind::kEQ, int64_t{2}, int64_t{2}, kI8)), 1);
  EXPECT_EQ(Int(Bin(NodeKind::kNE, int64_t{2}, int64_t{2}, kI8)), 0);
}

TEST(InterpretIntegers, DivisionByZeroIsReported) {
  for (NodeKind kind : {NodeKind::kDiv, NodeKind::kMod, NodeKind::kFloorDiv, NodeKind::kFloorMod}) {
    EXPECT_EQ(NameOfError([&] { Value(Bin(kind, int64_t{1}, int64_t{0}, kI32)); }),
              "interpret-division-by-zero");
  }
  // In the arm that a Select drops, it is an unspecified value; in the arm that it takes, an error.
  const Var n = MakeVar("n");
  const Expr guarded = MakeSelect(n > ir::Int(0), FloorDivide(ir::Int(6), n), ir::Int(-1));
  EXPECT_EQ(Value(guarded, {n}, {InterpValue::Int(0)}).i, -1);
  EXPECT_EQ(Value(guarded, {n}, {InterpValue::Int(3)}).i, 2);
  const Expr wrong = MakeSelect(n >= ir::Int(0), FloorDivide(ir::Int(6), n), ir::Int(-1));
  EXPECT_EQ(NameOfError([&] { Value(wrong, {n}, {InterpValue::Int(0)}); }),
            "interpret-division-by-zero");
  // Lane by lane.
  const Expr lanes = MakeRamp(ir::Int(0), ir::Int(1), 3), zero = MakeBroadcast(ir::Int(0), 3);
  const Expr quotient = FloorDivide(MakeBroadcast(ir::Int(6), 3), lanes);
  EXPECT_EQ(Lanes(MakeSelect(NotEqual(lanes, zero), quotient, zero)),
            (std::vector<double>{0, 6, 3}));
  EXPECT_EQ(NameOfError([&] { Lanes(MakeSelect(Equal(lanes, zero), quotient, zero)); }),
            "interpret-division-by-zero");
}

TEST(InterpretFloats, OperationsRoundOnceToTheirType) {
  EXPECT_EQ(Real(Bin(NodeKind::kAdd, 0.1, 0.2, kF64)), 0.1 + 0.2);
  EXPECT_EQ(Real(Bin(NodeKind::kAdd, 0.1, 0.2, kF32)), 0.1f + 0.2f);
  EXPECT_EQ(Real(Bin(NodeKind::kAdd, 2048.0, 1.0, kF16)), 2048) << "ties to even";
  EXPECT_EQ(Real(Bin(NodeKind::kAdd, 2050.0, 1.0, kF16)), 2052) << "ties to even";
  EXPECT_EQ(Real(Bin(NodeKind::kAdd, 256.0, 1.0, DataType::BFloat16())), 256);
  EXPECT_EQ(Real(Bin(NodeKind::kMul, 300.0, 300.0, kF16)), kInf);
  EXPECT_EQ(Real(Bin(NodeKind::kDiv, 1.0, 3.0, kF16)), RoundToType(1.0f / 3.0f, kF16));
  EXPECT_EQ(Real(Bin(NodeKind::kDiv, 1.0, 0.0, kF32)), kInf) << "floats divide by zero";
  EXPECT_EQ(Real(Bin(NodeKind::kFloorDiv, -7.0, 2.0, kF32)), -4);
  EXPECT_EQ(Real(Bin(NodeKind::kFloorMod, -7.0, 2.0, kF32)), 1);
  for (int code = kDLFloat8_e3m4; code <= kDLFloat8_e8m0fnu; ++code) {
    const DataType type(code, 8);
    EXPECT_EQ(Real(Bin(NodeKind::kAdd, 1.0, 1.0, type)), 2) << type.ToString();
    EXPECT_EQ(Real(Bin(NodeKind::kMul, 4.0, 2.0, type)), RoundToType(8, type)) << type.ToString();
  }
}

TEST(InterpretFloats, NanRules) {
  for (const DataType type : {kF16, kF32, kF64}) {
    EXPECT_EQ(Real(Bin(NodeKind::kMin, kNan, 1.0, type)), 1);
    EXPECT_EQ(Real(Bin(NodeKind::kMin, 1.0, kNan, type)), 1);
    EXPECT_EQ(Real(Bin(NodeKind::kMax, kNan, 1.0, type)), 1);
    EXPECT_EQ(Real(Bin(NodeKind::kMax, 1.0, kNan, type)), 1);
    for (NodeKind kind :
         {NodeKind::kEQ, NodeKind::kLT, NodeKind::kLE, NodeKind::kGT, NodeKind::kGE}) {
      EXPECT_EQ(Int(Bin(kind, kNan, 1.0, type)), 0);
      EXPECT_EQ(Int(Bin(kind, kNan, kNan, type)), 0);
    }
    EXPECT_EQ(Int(Bin(NodeKind::kNE, kNan, kNan, type)), 1);
  }
}

TEST(InterpretCasts, FloatToIntegerTruncatesAndSaturates) {
  EXPECT_EQ(Int(MakeCast(kI32, Float(-2.9))), -2);
  EXPECT_EQ(Int(MakeCast(kI32, Float(2.9))), 2);
  EXPECT_EQ(Int(MakeCast(kI32, Float(1e20))), INT32_MAX);
  EXPECT_EQ(Int(MakeCast(kI32, Float(-1e20))), INT32_MIN);
  EXPECT_EQ(Int(MakeCast(kU8, Float(-5))), 0);
  EXPECT_EQ(Int(MakeCast(kU8, Float(300))), 255);
  EXPECT_EQ(Int(MakeCast(kI32, Float(kNan))), 0);
  EXPECT_EQ(Int(MakeCast(kI64, Float(1e30, kF64))), INT64_MAX);
  EXPECT_EQ(Int(MakeCast(kU64, Float(1.8e19, kF64))), static_cast<int64_t>(18000000000000000000u));
  EXPECT_EQ(Int(MakeCast(kU64, Float(kInf, kF64))), -1);
}

TEST(InterpretCasts, IntegersDropBitsAndBoolIsNotZero) {
  EXPECT_EQ(Int(MakeCast(kU8, ir::Int(0x1ff))), 255);
  EXPECT_EQ(Int(MakeCast(kI8, ir::Int(0x1ff))), -1);
  EXPECT_EQ(Int(MakeCast(kI64, ir::Int(-1, kI8))), -1);
  EXPECT_EQ(Int(MakeCast(kU64, ir::Int(-1, kI8))), -1) << "sign-extended";
  EXPECT_EQ(Int(MakeCast(kI64, ir::Int(255, kU8))), 255) << "zero-extended";
  EXPECT_EQ(Int(MakeCast(DataType::Bool(), ir::Int(256))), 1);
  EXPECT_EQ(Int(MakeCast(DataType::Bool(), Float(0.25))), 1);
  EXPECT_EQ(Int(MakeCast(DataType::Bool(), Float(kNan))), 1);
  EXPECT_EQ(Int(MakeCast(DataType::Bool(), Float(-0.0))), 0);
  EXPECT_EQ(Real(MakeCast(kF32, Bool(true))), 1);
}

TEST(InterpretCasts, ToFloatRoundsOnce) {
  EXPECT_EQ(Real(MakeCast(kF32, ir::Int((1 << 24) + 1))), 1 << 24);
  const int64_t big =
      (int64_t{1} << 60) + (int64_t{1} << 36) + 1;  // rounds up only if rounded once
  const Var n = MakeVar("n", kI64);
  EXPECT_EQ(Value(MakeCast(kF32, n), {n}, {InterpValue::Int(big)}).d, static_cast<float>(big));
  EXPECT_EQ(Real(MakeCast(kF64, ir::Int(-1, kU64))), 18446744073709551616.0);
  EXPECT_EQ(Real(MakeCast(kF16, Float(65520, kF64))), kInf);
  EXPECT_EQ(Real(MakeCast(kF32, Float(1.5, kF16))), 1.5);
  EXPECT_EQ(Real(MakeCast(kF16, Float(1 + std::ldexp(1, -11) + std::ldexp(1, -40), kF64))),
            1 + std::ldexp(1, -10))
      << "float64 reaches float16 without a stop in float32";
}

TEST(InterpretLogic, AndOrNot) {
  for (bool a : {false, true}) {
    EXPECT_EQ(Int(LogicalNot(MakeCast(DataType::Bool(), ir::Int(a)))), !a);
    for (bool b : {false, true}) {
      EXPECT_EQ(Int(MakeBinary(NodeKind::kAnd, Bool(a), Bool(b))), a && b);
      EXPECT_EQ(Int(MakeBinary(NodeKind::kOr, Bool(a), Bool(b))), a || b);
      EXPECT_EQ(Int(MakeBinary(NodeKind::kEQ, Bool(a), Bool(b))), a == b);
    }
  }
}

TEST(InterpretSelect, EvaluatesBothArmsIfThenElseOne) {
  const Buffer a = MakeBuffer("A", kI32, {ir::Int(2)});
  std::vector<int32_t> data = {10, 11};
  const InterpValue tensor = InterpTensor::Of(data.data(), kI32, {2});
  const Var i = MakeVar("i");
  const Expr load = MakeLoad(a, {i});
  const Expr inside = i < ir::Int(2);
  EXPECT_EQ(Value(MakeSelect(inside, load, ir::Int(-1)), {a, i}, {tensor, InterpValue::Int(1)}).i,
            11);
  EXPECT_EQ(NameOfError([&] {
              Value(MakeSelect(inside, load, ir::Int(-1)), {a, i}, {tensor, InterpValue::Int(2)});
            }),
            "interpret-out-of-bounds");
  EXPECT_EQ(Value(IfThenElse(inside, load, ir::Int(-1)), {a, i}, {tensor, InterpValue::Int(2)}).i,
            -1);
  EXPECT_EQ(NameOfError([&] {
              Value(IfThenElse(LogicalNot(inside), load, ir::Int(-1)), {a, i},
                    {tensor, InterpValue::Int(2)});
            }),
            "interpret-out-of-bounds");
  // With the option of te's evaluator: the dropped arm of a Select may be out of bounds, the taken
  // one may not.
  InterpretOptions tolerant;
  tolerant.tolerate_dropped_loads = true;
  EXPECT_EQ(
      Value(MakeSelect(inside, load, ir::Int(-1)), {a, i}, {tensor, InterpValue::Int(2)}, tolerant)
          .i,
      -1);
  EXPECT_EQ(NameOfError([&] {
              Value(MakeSelect(LogicalNot(inside), load, ir::Int(-1)), {a, i},
                    {tensor, InterpValue::Int(2)}, tolerant);
            }),
            "interpret-out-of-bounds");
  EXPECT_EQ(NameOfError([&] {
              Value(MakeSelect(LogicalAnd(inside, load > ir::Int(0)), ir::Int(1), ir::Int(0)),
                    {a, i}, {tensor, InterpValue::Int(2)}, tolerant);
            }),
            "interpret-out-of-bounds")
      << "And evaluates both operands";
}

TEST(InterpretVectors, LaneByLane) {
  const Expr ramp = MakeRamp(ir::Int(10), ir::Int(-3), 4);
  EXPECT_EQ(Lanes(ramp), (std::vector<double>{10, 7, 4, 1}));
  EXPECT_EQ(Lanes(MakeBroadcast(ir::Int(5), 3)), (std::vector<double>{5, 5, 5}));
  EXPECT_EQ(Lanes(ramp + MakeBroadcast(ir::Int(1), 4)), (std::vector<double>{11, 8, 5, 2}));
  EXPECT_EQ(Lanes(MakeShuffle({ramp, MakeRamp(ir::Int(0), ir::Int(1), 2)}, {5, 0, 3})),
            (std::vector<double>{1, 10, 1}));
  EXPECT_EQ(Lanes(MakeCast(kF32.with_lanes(4), ramp)), (std::vector<double>{10, 7, 4, 1}));
  const Expr small = ramp < MakeBroadcast(ir::Int(5), 4);
  EXPECT_EQ(Lanes(MakeSelect(small, ramp, MakeBroadcast(ir::Int(0), 4))),
            (std::vector<double>{0, 0, 4, 1}));
  EXPECT_EQ(Lanes(MakeSelect(Bool(true), ramp, MakeBroadcast(ir::Int(0), 4))),
            (std::vector<double>{10, 7, 4, 1}));
  EXPECT_EQ(Lanes(MakeCast(kU8.with_lanes(4), ramp * MakeBroadcast(ir::Int(100), 4))),
            (std::vector<double>{232, 188, 144, 100}));
}

TEST(InterpretVectors, ScalableLanesFollowVscale) {
  const DataType type = kI32.with_scalable_lanes(2);
  Ref<Broadcast> node = Make<Broadcast>();
  node->dtype = type;
  node->value = ir::Int(7);
  const Buffer out = MakeBuffer("out", kI32, {ir::Int(8)});
  Ref<Ramp> index = Make<Ramp>();
  index->dtype = type;
  index->base = ir::Int(0);
  index->stride = ir::Int(1);
  std::vector<int32_t> data(8, 0);
  InterpretOptions options;
  options.vscale = 4;
  const std::vector<InterpValue> args = {InterpTensor::Of(data.data(), kI32, {8})};
  Interpret(MakeFunc("f", {out}, MakeStore(out, node, {index})), args, options);
  EXPECT_EQ(data, std::vector<int32_t>(8, 7));
}

TEST(InterpretLet, BindsInItsBody) {
  const Var x = MakeVar("x");
  EXPECT_EQ(Int(MakeLet(x, ir::Int(4), x * x)), 16);
  EXPECT_EQ(NameOfError([&] { Value(MakeLet(x, ir::Int(4), x) + x); }), "interpret-unbound");
}

TEST(InterpretCalls, IntrinsicsRoundToTheirType) {
  EXPECT_EQ(Real(Exp(Float(1))), static_cast<float>(std::exp(1.0)));
  EXPECT_EQ(Real(Exp(Float(1, kF16))), RoundToType(std::exp(1.0), kF16));
  EXPECT_EQ(Real(Exp(Float(1, kF64))), std::exp(1.0));
  EXPECT_EQ(Int(PopCount(ir::Int(-1, kI8))), 8);
  EXPECT_EQ(Int(ShiftLeft(ir::Int(100, kI8), ir::Int(1, kI8))), -56);
  EXPECT_EQ(Int(BitwiseNot(ir::Int(5, kU8))), 250);
  EXPECT_EQ(Int(IsNan(Float(kNan))), 1);
  EXPECT_EQ(Int(Likely(Bool(true))), 1);
  EXPECT_EQ(Lanes(Sqrt(MakeBroadcast(Float(9), 2))), (std::vector<double>{3, 3}));
}

TEST(InterpretCalls, ReinterpretKeepsBits) {
  EXPECT_EQ(Int(Reinterpret(kI32, Float(1))), 0x3f800000);
  EXPECT_EQ(Real(Reinterpret(kF32, ir::Int(0x40490fdb))), 3.14159274f);
  EXPECT_EQ(Real(Reinterpret(kF16, ir::Int(0x3c00, DataType::Int(16)))), 1);
  EXPECT_EQ(Lanes(Reinterpret(kU8.with_lanes(4), ir::Int(0x04030201))),
            (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(Int(Reinterpret(kI32, MakeShuffle({ir::Int(1, kU8), ir::Int(2, kU8), ir::Int(0, kU8),
                                               ir::Int(0, kU8)},
                                              {0, 1, 2, 3}))),
            0x0201);
  EXPECT_EQ(Lanes(Reinterpret(DataType::Int(4, 2), ir::Int(0x1f, kU8))),
            (std::vector<double>{-1, 1}));
}

TEST(InterpretCalls, HalvesAndConcat) {
  const Expr v = MakeRamp(ir::Int(0), ir::Int(1), 4);
  EXPECT_EQ(Lanes(CallIntrinsic(kI32.with_lanes(2), "vector_high", {v})),
            (std::vector<double>{2, 3}));
  EXPECT_EQ(Lanes(CallIntrinsic(kI32.with_lanes(2), "vector_low", {v})),
            (std::vector<double>{0, 1}));
  EXPECT_EQ(Lanes(CallIntrinsic(kI32.with_lanes(8), "vector_concat", {v, v})),
            (std::vector<double>{0, 1, 2, 3, 0, 1, 2, 3}));
  EXPECT_TRUE(std::isnan(Real(CallIntrinsic(kF32, "undef", {}))));
  EXPECT_EQ(Int(CallIntrinsic(kU8, "undef", {})), 0x55);
}

TEST(InterpretCalls, CFunctions) {
  EXPECT_EQ(Real(CallIntrinsic(kF32, "call_pure_extern", {String("sqrtf"), Float(16)})), 4);
  EXPECT_EQ(
      Real(CallIntrinsic(kF64, "call_extern", {String("pow"), Float(2, kF64), Float(10, kF64)})),
      1024);
  EXPECT_EQ(Real(CallIntrinsic(kF64, "call_extern", {String("ldexp"), Float(3, kF64), ir::Int(2)})),
            12);
  EXPECT_EQ(
      NameOfError([] { Value(CallIntrinsic(kF32, "call_extern", {String("sqrtff"), Float(16)})); }),
      "interpret-unknown-function");
  EXPECT_EQ(NameOfError([] {
              Value(CallIntrinsic(kF32, "call_extern", {String("sqrtf"), Float(16, kF64)}));
            }),
            "interpret-unknown-function")
      << "its argument is a float32";
  EXPECT_EQ(NameOfError([] {
              Value(CallIntrinsic(kF32, "llvm_intrinsic", {String("llvm.none"), Float(1)}));
            }),
            "interpret-not-executable");
  InterpretOptions options;
  options.call_extern = [](const ExternCall& call) {
    if (call.name != "twice") return false;
    call.result[0].d = 2 * call.args[0].lanes[0].d;
    return true;
  };
  EXPECT_EQ(
      Value(CallIntrinsic(kF32, "call_extern", {String("twice"), Float(16)}), {}, {}, options).d,
      32);
}

TEST(InterpretCalls, IntrinsicsWithoutAFunctionAskTheUser) {
  Intrinsic entry;
  entry.name = "test_opaque_dot";
  entry.args = {ArgKind::kInteger};
  entry.result_rule = ResultRule::kCaller;
  entry.doc = "sums lanes";
  RegisterIntrinsic(entry);
  const Expr call = CallIntrinsic(kI32, "test_opaque_dot", {MakeRamp(ir::Int(1), ir::Int(1), 4)});
  EXPECT_EQ(NameOfError([&] { Value(call); }), "interpret-not-executable");
  InterpretOptions options;
  options.call_extern = [](const ExternCall& c) {
    for (const Lane lane : c.args[0].lanes) c.result[0].i += lane.i;
    return c.name == "test_opaque_dot";
  };
  EXPECT_EQ(Value(call, {}, {}, options).i, 10);
}

TEST(InterpretShape, DeepSums) {
  Expr deep = ir::Int(0);
  const Var x = MakeVar("x");
  for (int i = 0; i < 100000; ++i) deep = MakeBinary(NodeKind::kAdd, deep, x);
  EXPECT_EQ(Value(deep, {x}, {InterpValue::Int(2)}).i, 200000);
}

TEST(InterpretShape, DeepSelects) {
  Expr deep = ir::Int(0);
  const Var x = MakeVar("x");
  for (int i = 0; i < 100000; ++i) deep = MakeSelect(x > ir::Int(i), deep, x);
  EXPECT_EQ(Value(deep, {x}, {InterpValue::Int(3)}).i, 3);
}

TEST(InterpretShape, SharedNodesAreComputedOnce) {
  // A tree of 2^200 nodes with 200 different ones.
  const Var x = MakeVar("x");
  Expr shared = x;
  for (int i = 0; i < 200; ++i) shared = MakeBinary(NodeKind::kAdd, shared, shared);
  EXPECT_EQ(Value(shared, {x}, {InterpValue::Int(1)}).i, 0);
}

TEST(InterpretShape, HugeTreesEnd) {
  // Calls with side effects are not shared: 2^100 of them.
  const Var x = MakeVar("x");
  Expr tree = CallIntrinsic(kI32, "call_extern", {String("f")});
  for (int i = 0; i < 100; ++i) tree = MakeBinary(NodeKind::kAdd, tree, tree);
  InterpretOptions options;
  options.memory_limit = 1 << 20;
  EXPECT_EQ(NameOfError([&] { Value(tree, {}, {}, options); }), "interpret-memory-limit");
  const Expr wide = MakeShuffle({MakeBroadcast(x, 32767)}, {5});
  EXPECT_EQ(Value(wide, {x}, {InterpValue::Int(3)}).i, 3);
  options.memory_limit = 1000;
  EXPECT_EQ(NameOfError([&] { Value(wide, {x}, {InterpValue::Int(3)}, options); }),
            "interpret-memory-limit");
}

TEST(InterpretShape, SharedNodesInLazyArmsAreComputedOnce) {
  const Var x = MakeVar("x");
  Expr lazy = x;
  for (int i = 0; i < 60; ++i) {
    lazy = IfThenElse(x > ir::Int(0), MakeBinary(NodeKind::kAdd, lazy, lazy), ir::Int(0));
  }
  EXPECT_EQ(Value(lazy, {x}, {InterpValue::Int(1)}).i, 0);
}

TEST(InterpretShape, WhatOneArmComputesIsNotTakenForAnother) {
  // The same division occurs first in a lazy arm, and is needed afterwards.
  const Var n = MakeVar("n");
  const Expr quotient = FloorDivide(ir::Int(6), n);
  const Expr e = IfThenElse(n > ir::Int(10), quotient, ir::Int(0)) + quotient;
  EXPECT_EQ(Value(e, {n}, {InterpValue::Int(2)}).i, 3);
  const Expr dropped = MakeSelect(n > ir::Int(10), quotient, ir::Int(0)) + quotient;
  EXPECT_EQ(NameOfError([&] { Value(dropped, {n}, {InterpValue::Int(0)}); }),
            "interpret-division-by-zero");
}

TEST(InterpretShape, ReductionsAndTensorsAreForTe) {
  const Var a = MakeVar("a"), b = MakeVar("b"), k = MakeVar("k");
  const Reducer sum = MakeReducer("sum", {a}, {b}, {a + b}, {ir::Int(0)});
  const IterVar axis = MakeIterVar(MakeRange(ir::Int(0), ir::Int(4)), k, IterKind::kReduce);
  const Expr reduce = MakeReduce(sum, {k}, {axis}, Bool(true), 0);
  EXPECT_EQ(NameOfError([&] { Value(reduce); }), "interpret-unlowered");
}

}  // namespace
}  // namespace lathe::ir
