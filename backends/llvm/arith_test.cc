// Every operator on every type, compiled against the interpreter.

#include <cmath>
#include <cstring>
#include <limits>

#include "backends/llvm/test_kernel.h"
#include "base/float_formats.h"
#include "gtest/gtest.h"
#include "ir/intrinsic.h"

namespace lathe::llvm_backend {
namespace {

using ir::Expr;
using ir::NodeKind;

const std::vector<DataType> kInts = {DataType::Int(8),   DataType::UInt(8), DataType::Int(16),
                                     DataType::UInt(16), DataType::Int(32), DataType::UInt(32),
                                     DataType::Int(64),  DataType::UInt(64)};
const std::vector<DataType> kFloats = {DataType::Float(16), DataType::BFloat16(),
                                       DataType::Float(32), DataType::Float(64)};
const std::vector<int> kFloat8 = {kDLFloat8_e3m4,     kDLFloat8_e4m3,     kDLFloat8_e4m3b11fnuz,
                                  kDLFloat8_e4m3fn,   kDLFloat8_e4m3fnuz, kDLFloat8_e5m2,
                                  kDLFloat8_e5m2fnuz, kDLFloat8_e8m0fnu};
// A processor without conversion instructions and without fused operations.
constexpr const char* kPlainX86 = "llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64";

constexpr int64_t kElements = 128;
constexpr int kLanes = 8;

// Edge cases of a type, and random numbers.
Data Numbers(DataType dtype, uint64_t seed) {
  Data out(dtype, kElements);
  uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
  for (int64_t i = 0; i < kElements; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const auto random = static_cast<int64_t>(state >> 33);
    if (dtype.is_float()) {
      const double special[] = {0.0, -0.0,         1,        -1,        0.5,  1e-3, -3.75,
                                100, std::nan(""), INFINITY, -INFINITY, 6e-8, 65504};
      out.Set(i, i < 13 ? special[(static_cast<uint64_t>(i) * seed) % 13]
                        : static_cast<double>(random % 2001 - 1000) / 16);
    } else {
      const int shift = 64 - dtype.bits();
      out.Set(i, static_cast<double>(dtype.is_int() ? static_cast<int64_t>(state) >> shift >>
                                                          (i % 3 * dtype.bits() / 4)
                                                    : random % 200));
    }
  }
  return out;
}

// out[i] = f(a[i], b[i]) by vectors, and over again by scalars in the second half.
KernelSpec Elementwise(DataType in, DataType out, const std::function<Expr(Expr, Expr)>& f) {
  KernelSpec spec;
  const ir::Buffer a = ir::MakeBuffer("a", in, {ir::Int(kElements)}),
                   b = ir::MakeBuffer("b", in, {ir::Int(kElements)});
  const ir::Buffer c = ir::MakeBuffer("c", out, {ir::Int(2 * kElements)});
  const ir::Var i = ir::MakeVar("i"), j = ir::MakeVar("j");
  const Expr lanes = ir::MakeRamp(i * kLanes, ir::Int(1), kLanes);
  const ir::Stmt vectors =
      ir::MakeStore(c, f(ir::MakeLoad(a, {lanes}), ir::MakeLoad(b, {lanes})), {lanes});
  const ir::Stmt scalars =
      ir::MakeStore(c, f(ir::MakeLoad(a, {j}), ir::MakeLoad(b, {j})), {j + kElements});
  spec.buffers = {a, b, c};
  spec.body = ir::MakeSeq(
      {ir::MakeFor(i, ir::Int(0), ir::Int(kElements / kLanes), ir::ForKind::kSerial, vectors),
       ir::MakeFor(j, ir::Int(0), ir::Int(kElements), ir::ForKind::kSerial, scalars)});
  return spec;
}

void ExpectSameBinary(NodeKind kind, DataType dtype, const char* target) {
  SCOPED_TRACE(std::string(ir::NodeKindName(kind)) + " " + dtype.ToString() + " " + target);
  const bool boolean = kind >= NodeKind::kEQ;
  const DataType out = boolean ? DataType::Bool() : dtype;
  Data a = Numbers(dtype, 3), b = Numbers(dtype, 5);
  const bool divides = kind == NodeKind::kDiv || kind == NodeKind::kMod ||
                       kind == NodeKind::kFloorDiv || kind == NodeKind::kFloorMod;
  if (divides && !dtype.is_float()) {
    for (int64_t i = 0; i < kElements; ++i) {
      if (b.Get(i) == 0) b.Set(i, 7);
    }
  }
  ExpectSame(Elementwise(dtype, out, [&](Expr x, Expr y) { return ir::MakeBinary(kind, x, y); }),
             {a, b, Data(out, 2 * kElements)}, target);
}

TEST(LlvmArith, IntegersAgreeWithTheInterpreter) {
  for (const DataType dtype : kInts) {
    for (const NodeKind kind :
         {NodeKind::kAdd, NodeKind::kSub, NodeKind::kMul, NodeKind::kDiv, NodeKind::kMod,
          NodeKind::kFloorDiv, NodeKind::kFloorMod, NodeKind::kMin, NodeKind::kMax, NodeKind::kEQ,
          NodeKind::kNE, NodeKind::kLT, NodeKind::kLE, NodeKind::kGT, NodeKind::kGE}) {
      ExpectSameBinary(kind, dtype, "llvm -opt-level=1");
      if (HasFatalFailure()) return;
    }
  }
}

TEST(LlvmArith, FloatsAgreeWithTheInterpreter) {
  for (const DataType dtype : kFloats) {
    for (const NodeKind kind :
         {NodeKind::kAdd, NodeKind::kSub, NodeKind::kMul, NodeKind::kDiv, NodeKind::kMin,
          NodeKind::kMax, NodeKind::kEQ, NodeKind::kNE, NodeKind::kLT, NodeKind::kGE}) {
      for (const char* target : {"llvm -opt-level=1", kPlainX86}) {
        // Which of the two zeros is smaller is unspecified, so they are compared as numbers.
        const bool either_zero = kind == NodeKind::kMin || kind == NodeKind::kMax;
        SCOPED_TRACE(std::string(ir::NodeKindName(kind)) + " " + dtype.ToString() + " " + target);
        const DataType out = kind >= NodeKind::kEQ ? DataType::Bool() : dtype;
        ExpectSame(
            Elementwise(dtype, out, [&](Expr x, Expr y) { return ir::MakeBinary(kind, x, y); }),
            {Numbers(dtype, 3), Numbers(dtype, 5), Data(out, 2 * kElements)}, target,
            either_zero ? 0.25 : 0);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(LlvmArith, FloorDivisionByConstants) {
  for (const int64_t divisor : {1, 2, 3, 8, -1, -2, -7}) {
    for (const NodeKind kind :
         {NodeKind::kDiv, NodeKind::kMod, NodeKind::kFloorDiv, NodeKind::kFloorMod}) {
      SCOPED_TRACE(std::string(ir::NodeKindName(kind)) + " by " + std::to_string(divisor));
      const DataType dtype = DataType::Int(32);
      ExpectSame(Elementwise(dtype, dtype,
                             [&](Expr x, Expr) {
                               return ir::MakeBinary(kind, x, ir::Int(divisor, x->dtype));
                             }),
                 {Numbers(dtype, 3), Numbers(dtype, 5), Data(dtype, 2 * kElements)});
      if (HasFatalFailure()) return;
    }
  }
}

// A Select evaluates both arms: a division by zero in the arm it drops must not trap.
TEST(LlvmArith, S27DivisionByZeroInADroppedArmDoesNotTrap) {
  const DataType dtype = DataType::Int(32);
  const KernelSpec spec = Elementwise(dtype, dtype, [&](Expr x, Expr y) {
    const Expr zero = ir::Int(0, x->dtype);
    return ir::MakeSelect(ir::Equal(y, zero), zero, ir::MakeBinary(NodeKind::kDiv, x, y));
  });
  const CompiledKernel kernel(MakeKernelModule(spec), "llvm");
  Data a(dtype, kElements), b(dtype, kElements), c(dtype, 2 * kElements);
  for (int64_t i = 0; i < kElements; ++i) {
    a.Set(i, i % 4 == 1 ? -0x1p31 : static_cast<double>(i));
    b.Set(i, i % 4 == 1 ? -1 : i % 4 == 2 ? 0 : 3);
  }
  ASSERT_EQ(kernel.Call("kernel", {&a, &b, &c}), 0);
  for (int64_t i = 0; i < kElements; ++i) {
    if (i % 4 == 2) EXPECT_EQ(c.Get(i), 0);
    if (i % 4 == 0) EXPECT_EQ(c.Get(i), static_cast<double>(i / 3));
  }
}

TEST(LlvmConvert, EveryPairOfTypes) {
  std::vector<DataType> types = kInts;
  types.insert(types.end(), kFloats.begin(), kFloats.end());
  types.push_back(DataType::Bool());
  types.push_back(DataType(kDLFloat8_e4m3fn, 8));
  types.push_back(DataType(kDLFloat8_e5m2, 8));
  for (const DataType from : types) {
    Data a(from, kElements);
    for (int64_t i = 0; i < kElements; ++i)
      a.Set(i, from.is_bool() ? static_cast<double>(i % 2)
                              : static_cast<double>(i) / (from.is_float() ? 4 : 1));
    for (const DataType to : types) {
      SCOPED_TRACE(from.ToString() + " to " + to.ToString());
      ExpectSame(Elementwise(from, to,
                             [&](Expr x, Expr) {
                               return ir::MakeCast(DataType(DLDataType{to.dl().code, to.dl().bits,
                                                                       x->dtype.dl().lanes}),
                                                   x);
                             }),
                 {a, a, Data(to, 2 * kElements)}, "llvm -opt-level=1");
      if (HasFatalFailure()) return;
    }
  }
}

// Reads every pattern of a small type, and writes every number near one, against
// base/float_formats.
void CheckSmallFloat(DataType dtype, const char* target) {
  SCOPED_TRACE(dtype.ToString() + " " + target);
  const int64_t patterns = int64_t{1} << dtype.bits();
  KernelSpec spec;
  const ir::Buffer small = ir::MakeBuffer("small", dtype, {ir::Int(patterns)});
  const ir::Buffer wide = ir::MakeBuffer("wide", DataType::Float(32), {ir::Int(patterns)});
  const ir::Var i = ir::MakeVar("i");
  const Expr at = ir::MakeRamp(i * kLanes, ir::Int(1), kLanes);
  auto loop = [&](ir::Stmt body) {
    return ir::MakeFor(i, ir::Int(0), ir::Int(patterns / kLanes), ir::ForKind::kSerial, body);
  };
  spec.buffers = {small, wide};
  spec.body = loop(ir::MakeStore(
      wide, ir::MakeCast(DataType::Float(32, kLanes), ir::MakeLoad(small, {at})), {at}));
  const CompiledKernel widen(MakeKernelModule(spec), target);
  spec.body = loop(
      ir::MakeStore(small, ir::MakeCast(dtype.with_lanes(kLanes), ir::MakeLoad(wide, {at})), {at}));
  const CompiledKernel narrow(MakeKernelModule(spec), target);

  Data bits(dtype, patterns), values(DataType::Float(32), patterns);
  for (int64_t k = 0; k < patterns; ++k) {
    const auto pattern = static_cast<uint16_t>(k);
    std::memcpy(&bits.bytes[static_cast<size_t>(k * dtype.bytes())], &pattern,
                static_cast<size_t>(dtype.bytes()));
  }
  ASSERT_EQ(widen.Call("kernel", {&bits, &values}), 0);
  for (int64_t k = 0; k < patterns; ++k) {
    const double want = DecodeFloat(static_cast<uint64_t>(k), dtype), got = values.Get(k);
    if (std::isnan(want))
      ASSERT_TRUE(std::isnan(got)) << k;
    else
      ASSERT_TRUE(want == got && std::signbit(want) == std::signbit(got))
          << k << ": " << want << " " << got;
  }
  // The values themselves, midpoints between neighbours, and the numbers next to those.
  for (const double offset : {0.0, 0.5, 0.4999, 0.5001}) {
    Data inputs(DataType::Float(32), patterns), outputs(dtype, patterns);
    for (int64_t k = 0; k < patterns; ++k) {
      const double here = DecodeFloat(static_cast<uint64_t>(k), dtype);
      const double next = DecodeFloat(static_cast<uint64_t>((k + 1) % patterns), dtype);
      inputs.Set(k, std::isfinite(here) && std::isfinite(next) && here * next >= 0
                        ? here + (next - here) * offset
                        : here * (1 + offset));
    }
    ASSERT_EQ(narrow.Call("kernel", {&outputs, &inputs}), 0);
    for (int64_t k = 0; k < patterns; ++k) {
      const uint64_t want = EncodeFloat(inputs.Get(k), dtype);
      uint64_t got = 0;
      std::memcpy(&got, &outputs.bytes[static_cast<size_t>(k * dtype.bytes())],
                  static_cast<size_t>(dtype.bytes()));
      if (std::isnan(DecodeFloat(want, dtype)) && std::isnan(DecodeFloat(got, dtype))) continue;
      ASSERT_EQ(got, want) << inputs.Get(k) << " at offset " << offset;
    }
  }
}

TEST(LlvmConvert, Float8EveryPattern) {
  for (const int code : kFloat8) {
    CheckSmallFloat(DataType(code, 8), "llvm");
    if (HasFatalFailure()) return;
  }
}

TEST(LlvmConvert, Float16AndBfloat16EveryPatternWithAndWithoutHardware) {
  for (const DataType dtype : {DataType::Float(16), DataType::BFloat16()}) {
    for (const char* target : {"llvm", kPlainX86}) {
      CheckSmallFloat(dtype, target);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(LlvmConvert, Float64RoundsOnceToSmallFloats) {
  const DataType wide = DataType::Float(64);
  for (const DataType dtype : {DataType::Float(16), DataType::BFloat16()}) {
    Data a(wide, kElements);
    // Next to midpoints, where rounding to float32 first would give the midpoint.
    for (int64_t i = 0; i < kElements; ++i) {
      const double here = DecodeFloat(static_cast<uint64_t>(0x3c00 + i), dtype),
                   next = DecodeFloat(static_cast<uint64_t>(0x3c01 + i), dtype);
      a.Set(i, (here + next) / 2 * (1 + (i % 3 - 1) * 0x1p-40));
    }
    ExpectSame(Elementwise(wide, dtype,
                           [&](Expr x, Expr) {
                             return ir::MakeCast(
                                 DataType(DLDataType{dtype.dl().code, 16, x->dtype.dl().lanes}), x);
                           }),
               {a, a, Data(dtype, 2 * kElements)});
    if (HasFatalFailure()) return;
  }
}

TEST(LlvmMath, ExactFunctionsAgree) {
  for (const DataType dtype : kFloats) {
    for (const char* op : {"floor", "ceil", "round", "nearbyint", "trunc", "abs", "sqrt"}) {
      for (const char* target : {"llvm", kPlainX86}) {
        SCOPED_TRACE(std::string(op) + " " + dtype.ToString() + " " + target);
        ExpectSame(
            Elementwise(dtype, dtype, [&](Expr x, Expr) { return ir::CallIntrinsic(op, {x}); }),
            {Numbers(dtype, 3), Numbers(dtype, 5), Data(dtype, 2 * kElements)}, target);
        if (HasFatalFailure()) return;
      }
    }
    for (const char* op : {"isnan", "isinf", "isfinite"}) {
      ExpectSame(Elementwise(dtype, DataType::Bool(),
                             [&](Expr x, Expr) { return ir::CallIntrinsic(op, {x}); }),
                 {Numbers(dtype, 3), Numbers(dtype, 5), Data(DataType::Bool(), 2 * kElements)});
    }
    ExpectSame(Elementwise(dtype, dtype, [&](Expr x, Expr y) { return ir::Copysign(x, y); }),
               {Numbers(dtype, 3), Numbers(dtype, 5), Data(dtype, 2 * kElements)});
  }
}

TEST(LlvmMath, LibraryFunctionsAgreeWithinAFewUlps) {
  for (const DataType dtype : {DataType::Float(32), DataType::Float(64)}) {
    for (const char* op :
         {"exp", "exp2", "log", "log2", "log10", "log1p", "expm1", "sin", "cos", "tan", "atan",
          "sinh", "cosh", "tanh", "asinh", "erf", "sigmoid", "rsqrt"}) {
      SCOPED_TRACE(std::string(op) + " " + dtype.ToString());
      ExpectSame(
          Elementwise(dtype, dtype, [&](Expr x, Expr) { return ir::CallIntrinsic(op, {x}); }),
          {Numbers(dtype, 3), Numbers(dtype, 5), Data(dtype, 2 * kElements)}, "llvm", 3);
      if (HasFatalFailure()) return;
    }
    for (const char* op : {"pow", "atan2", "fmod", "hypot", "nextafter"}) {
      SCOPED_TRACE(std::string(op) + " " + dtype.ToString());
      ExpectSame(
          Elementwise(dtype, dtype, [&](Expr x, Expr y) { return ir::CallIntrinsic(op, {x, y}); }),
          {Numbers(dtype, 3), Numbers(dtype, 5), Data(dtype, 2 * kElements)}, "llvm", 3);
      if (HasFatalFailure()) return;
    }
    for (const char* target : {"llvm", kPlainX86}) {
      ExpectSame(Elementwise(dtype, dtype, [&](Expr x, Expr y) { return ir::Fma(x, y, x); }),
                 {Numbers(dtype, 3), Numbers(dtype, 5), Data(dtype, 2 * kElements)}, target);
    }
  }
}

TEST(LlvmBits, IntegerFunctionsAgree) {
  for (const DataType dtype : kInts) {
    SCOPED_TRACE(dtype.ToString());
    const std::vector<Data> data = {Numbers(dtype, 3), Numbers(dtype, 5),
                                    Data(dtype, 2 * kElements)};
    for (const char* op : {"popcount", "clz", "bitwise_not"}) {
      ExpectSame(
          Elementwise(dtype, dtype, [&](Expr x, Expr) { return ir::CallIntrinsic(op, {x}); }),
          data);
    }
    for (const char* op : {"bitwise_and", "bitwise_or", "bitwise_xor"}) {
      ExpectSame(
          Elementwise(dtype, dtype, [&](Expr x, Expr y) { return ir::CallIntrinsic(op, {x, y}); }),
          data);
    }
    for (const char* op : {"shift_left", "shift_right"}) {
      ExpectSame(Elementwise(dtype, dtype,
                             [&](Expr x, Expr y) {
                               const Expr by = ir::CallIntrinsic(
                                   "bitwise_and", {y, ir::Int(dtype.bits() - 1, y->dtype)});
                               return ir::CallIntrinsic(op, {x, by});
                             }),
                 data);
    }
    if (HasFatalFailure()) return;
  }
  const DataType i32 = DataType::Int(32);
  for (const int64_t shift : {0, 1, 31, 62}) {
    ExpectSame(Elementwise(i32, i32,
                           [&](Expr x, Expr y) {
                             return ir::QMultiplyShift(x, y, ir::Int(shift / 2, x->dtype),
                                                       ir::Int(shift - shift / 2, x->dtype));
                           }),
               {Numbers(i32, 3), Numbers(i32, 5), Data(i32, 2 * kElements)});
  }
}

}  // namespace
}  // namespace lathe::llvm_backend
