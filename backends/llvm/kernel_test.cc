// Memory, control flow and the calling convention, compiled against the interpreter.

#include <chrono>
#include <cmath>

#include "backends/llvm/test_kernel.h"
#include "base/error.h"
#include "gtest/gtest.h"
#include "ir/intrinsic.h"
#include "runtime/cancel.h"
#include "runtime/raise.h"

namespace lathe::llvm_backend {
namespace {

using ir::Expr;
using ir::ForKind;
using ir::Int;
using ir::Stmt;

const DataType kF32 = DataType::Float(32), kI32 = DataType::Int(32), kHandle = DataType::Handle(),
               kVoid = DataType::Void();

Data Counting(DataType dtype, int64_t n) {
  Data out(dtype, n);
  for (int64_t i = 0; i < n; ++i)
    out.Set(i, static_cast<double>(dtype.is_bool() ? (i * 7 % 3 == 0)
                                                   : i * 7 % 101 - (dtype.is_uint() ? 0 : 50)));
  return out;
}

ir::Buffer Buf(const char* name, DataType dtype, int64_t n) {
  return ir::MakeBuffer(name, dtype, {Int(n)});
}
Stmt Loop(const ir::Var& var, int64_t n, const Stmt& body) {
  return ir::MakeFor(var, Int(0), Int(n), ForKind::kSerial, body);
}
Stmt Do(const Expr& call) { return ir::MakeEvaluate(call); }

// Every way to index a vector access, reading and writing, with and without a mask.
TEST(LlvmMemory, VectorAccessesOfEveryStride) {
  for (const DataType dtype :
       {kF32, DataType::Int(8), DataType::Float(64), DataType::Bool(), DataType::Float(16)}) {
    for (const int64_t stride : {1, -1, 0, 2, 3, 4, 5, -2}) {
      for (const bool masked : {false, true}) {
        SCOPED_TRACE(dtype.ToString() + " stride " + std::to_string(stride) +
                     (masked ? " masked" : ""));
        constexpr int kN = 128, kLanes = 8;
        KernelSpec spec;
        const ir::Buffer a = Buf("a", dtype, kN), b = Buf("b", dtype, kN), c = Buf("c", dtype, kN);
        const int64_t first = stride < 0 ? 40 : 3;
        const Expr strided = ir::MakeRamp(Int(first), Int(stride), kLanes),
                   dense = ir::MakeRamp(Int(16), Int(1), kLanes);
        const Expr mask =
            masked ? ir::MakeRamp(Int(0), Int(1), kLanes) < ir::MakeBroadcast(Int(5), kLanes)
                   : Expr();
        spec.buffers = {a, b, c};
        spec.body = ir::MakeSeq({ir::MakeStore(b, ir::MakeLoad(a, {strided}, mask), {dense}),
                                 ir::MakeStore(c, ir::MakeLoad(a, {dense}), {strided}, mask)});
        ExpectSame(spec, {Counting(dtype, kN), Data(dtype, kN), Data(dtype, kN)});
        if (HasFatalFailure()) return;
      }
    }
  }
}

// Memory on the stack is read and written whole, and what the mask excludes is kept.
TEST(LlvmMemory, MasksOnTheStack) {
  for (const DataType dtype : {kF32, DataType::Int(8), DataType::Float(64), DataType::Bool()}) {
    SCOPED_TRACE(dtype.ToString());
    constexpr int kLanes = 8;
    KernelSpec spec;
    const ir::Buffer a = Buf("a", dtype, 32), c = Buf("c", dtype, 32), own = Buf("own", dtype, 16);
    const ir::Var i = ir::MakeVar("i"), j = ir::MakeVar("j");
    const auto row = [&](const Expr& first) { return ir::MakeRamp(first, Int(1), kLanes); };
    // The second vector ends where the memory does, the third one after it.
    const auto mask = [&](int lanes) {
      return row(Int(0)) < ir::MakeBroadcast(Int(lanes), kLanes);
    };
    spec.buffers = {a, c};
    spec.body = ir::MakeAllocate(
        own, ir::MakeSeq(
                 {Loop(i, 16, ir::MakeStore(own, ir::MakeLoad(a, {i}), {i})),
                  ir::MakeStore(own, ir::MakeLoad(a, {row(Int(16))}), {row(Int(0))}, mask(3)),
                  ir::MakeStore(own, ir::MakeLoad(a, {row(Int(20))}), {row(Int(8))}, mask(0)),
                  ir::MakeStore(own, ir::MakeLoad(a, {row(Int(24))}), {row(Int(11))}, mask(5)),
                  Loop(j, 16, ir::MakeStore(c, ir::MakeLoad(own, {j}), {j})),
                  ir::MakeStore(c, ir::MakeLoad(own, {row(Int(4))}, mask(6)), {row(Int(16))}),
                  ir::MakeStore(c, ir::MakeLoad(own, {row(Int(12))}, mask(4)), {row(Int(24))})}));
    ExpectSame(spec, {Counting(dtype, 32), Data(dtype, 32)});
  }
}

// An element for all lanes is not read if no lane wants it: it may not exist.
TEST(LlvmMemory, MaskedBroadcastReadsNothingForAnEmptyMask) {
  KernelSpec spec;
  constexpr int kLanes = 8;
  const ir::Buffer a = Buf("a", kF32, 4), c = Buf("c", kF32, 64);
  const ir::Var i = ir::MakeVar("i");
  // Row i wants lanes that are less than 4 - i; at i = 7 the address is far behind `a`.
  const Expr mask = ir::MakeRamp(Expr(i), Int(1), kLanes) < ir::MakeBroadcast(Int(4), kLanes);
  const Expr far =
      ir::MakeBroadcast(Expr(i) * ir::MakeSelect(Expr(i) < Int(4), Int(1), Int(1 << 28)), kLanes);
  spec.buffers = {a, c};
  spec.body = Loop(
      i, 8,
      ir::MakeStore(c, ir::MakeLoad(a, {far}, mask), {ir::MakeRamp(i * kLanes, Int(1), kLanes)}));
  ExpectSame(spec, {Counting(kF32, 4), Data(kF32, 64)});
}

TEST(LlvmMemory, GatherScatterAndScalarMasks) {
  KernelSpec spec;
  const ir::Buffer a = Buf("a", kF32, 64), index = Buf("index", kI32, 64), c = Buf("c", kF32, 64);
  const ir::Var i = ir::MakeVar("i");
  const Expr lanes = ir::MakeRamp(i * 8, Int(1), 8);
  const Expr at = ir::FloorModulo(ir::MakeLoad(index, {lanes}), ir::MakeBroadcast(Int(64), 8));
  const ir::Var j = ir::MakeVar("j");
  const Expr some = ir::Equal(ir::FloorModulo(Expr(j), Int(3)), Int(0));
  spec.buffers = {a, index, c};
  spec.body = ir::MakeSeq(
      {Loop(i, 4, ir::MakeStore(c, ir::MakeLoad(a, {at}), {at})),
       Loop(j, 32, ir::MakeStore(c, ir::MakeLoad(a, {j}, some), {j + 32}, ir::LogicalNot(some))),
       Loop(ir::MakeVar("k"), 1,
            ir::MakeStore(c, ir::MakeLoad(a, {Int(5)}, ir::Bool(false)), {Int(7)}))});
  ExpectSame(spec, {Counting(kF32, 64), Counting(kI32, 64), Data(kF32, 64)});
}

TEST(LlvmMemory, SubByteElementsStandOneToAByte) {
  for (const DataType dtype : {DataType::Int(4), DataType::UInt(4), DataType::UInt(1),
                               DataType::Int(1), DataType::UInt(2)}) {
    SCOPED_TRACE(dtype.ToString());
    const ir::Buffer a = Buf("a", dtype, 32), b = Buf("b", kI32, 32), c = Buf("c", dtype, 32);
    const Expr lanes = ir::MakeRamp(Int(0), Int(1), 16);
    const ir::Var i = ir::MakeVar("i");
    KernelSpec spec;
    spec.buffers = {a, b, c};
    spec.body = ir::MakeSeq(
        {ir::MakeStore(b, ir::MakeCast(DataType::Int(32, 16), ir::MakeLoad(a, {lanes})), {lanes}),
         ir::MakeStore(c, ir::MakeLoad(a, {lanes}) * ir::MakeLoad(a, {lanes}), {lanes}),
         Loop(i, 16, ir::MakeStore(c, ir::MakeLoad(a, {i}), {i + 16}))});
    Data input(dtype, 32);
    for (int64_t k = 0; k < 32; ++k) {
      const int64_t range = int64_t{1} << dtype.bits();
      input.Set(k, static_cast<double>(dtype.is_int() ? k % range - range / 2 : k % range));
    }
    ExpectSame(spec, {input, Data(kI32, 32), Data(dtype, 32)});
    if (HasFatalFailure()) return;
  }
}

TEST(LlvmMemory, VectorElementsAndPackedOnes) {
  KernelSpec spec;
  const DataType f4 = DataType::Float(32, 4), f3 = DataType::Float(32, 3),
                 i4x2 = DataType::Int(4, 2);
  const ir::Buffer a = Buf("a", f4, 8), b = Buf("b", f4, 8), c = Buf("c", f3, 8),
                   d = Buf("d", f3, 8), e = Buf("e", i4x2, 8), g = Buf("g", i4x2, 8);
  const ir::Var i = ir::MakeVar("i");
  spec.buffers = {a, b, c, d, e, g};
  spec.body = ir::MakeSeq(
      {Loop(i, 8,
            ir::MakeSeq({ir::MakeStore(b, ir::MakeLoad(a, {i}) + ir::MakeLoad(a, {i}), {i}),
                         ir::MakeStore(d, ir::MakeLoad(c, {i}), {i}),
                         ir::MakeStore(g, ir::MakeLoad(e, {i}), {i})})),
       ir::MakeStore(b, ir::MakeLoad(a, {ir::MakeRamp(Int(2), Int(1), 2)}),
                     {ir::MakeRamp(Int(0), Int(1), 2)})});
  Data input(f4, 8), triples(f3, 8), packed(i4x2, 8);
  for (size_t k = 0; k < 32; ++k) input.As<float>()[k] = static_cast<float>(k);
  for (size_t k = 0; k < 24; ++k) triples.As<float>()[k] = static_cast<float>(k);
  for (size_t k = 0; k < 8; ++k) packed.bytes[k] = static_cast<uint8_t>(k * 37);
  const CompiledKernel kernel(MakeKernelModule(spec), "llvm");
  Data out(f4, 8), out3(f3, 8), out_packed(i4x2, 8);
  ASSERT_EQ(kernel.Call("kernel", {&input, &out, &triples, &out3, &packed, &out_packed}), 0);
  for (size_t k = 0; k < 32; ++k)
    EXPECT_EQ(out.As<float>()[k], static_cast<float>(k < 8 ? k + 8 : 2 * k)) << k;
  EXPECT_EQ(out3.bytes, triples.bytes);
  EXPECT_EQ(out_packed.bytes, packed.bytes);
}

TEST(LlvmMemory, ElementOffsetsAndViews) {
  KernelSpec spec;
  const ir::Buffer a = Buf("a", kF32, 64), c = Buf("c", kF32, 64);
  const ir::Buffer shifted = ir::CopyBuffer(Buf("shifted", kF32, 16), [](ir::BufferNode& b) {
    b.elem_offset = Int(8), b.offset_factor = 8;
  });
  const ir::Buffer view = Buf("view", kF32, 8);
  const ir::Var i = ir::MakeVar("i");
  spec.buffers = {a, c};
  const Expr into = Intrin(kHandle, "access_ptr", {c, Int(32), Int(8), Int(2)});
  const Expr from = Intrin(kHandle, "address_of", {ir::MakeLoad(a, {Int(4)})});
  spec.body = ir::MakeDeclBuffer(
      shifted, from,
      ir::MakeDeclBuffer(
          view, into,
          Loop(i, 8,
               ir::MakeSeq({ir::MakeStore(view, ir::MakeLoad(shifted, {i}), {i}),
                            ir::MakeStore(c, ir::MakeLoad(view, {i}) + ir::Float(1), {i})}))));
  ExpectSame(spec, {Counting(kF32, 64), Data(kF32, 64)});
}

TEST(LlvmControl, LoopsConditionsAndLets) {
  KernelSpec spec;
  const ir::Buffer a = Buf("a", kI32, 64), c = Buf("c", kI32, 64), n = Buf("n", kI32, 4),
                   count = Buf("count", kI32, 1);
  const ir::Var i = ir::MakeVar("i"), j = ir::MakeVar("j"), twice = ir::MakeVar("twice"),
                inner = ir::MakeVar("inner");
  const Expr value = ir::MakeLoad(a, {i});
  // Out of bounds unless the arm is taken.
  const Expr guarded = ir::IfThenElse(Expr(i) < Int(4), ir::MakeLoad(n, {i}),
                                      ir::MakeLet(inner, Expr(i) * 3, Expr(inner) + inner));
  const Stmt body =
      ir::MakeLetStmt(twice, value + value,
                      ir::MakeIf(ir::Likely(Expr(twice) > Int(0)), ir::MakeStore(c, twice, {i}),
                                 ir::MakeStore(c, guarded, {i})));
  const Stmt counter = ir::MakeSeq(
      {ir::MakeStore(count, Int(0), {Int(0)}),
       ir::MakeWhile(ir::MakeLoad(count, {Int(0)}) < Int(10),
                     ir::MakeStore(count, ir::MakeLoad(count, {Int(0)}) + 3, {Int(0)}))});
  // Empty and negative extents run nothing; extents come from memory.
  const Stmt dynamic = ir::MakeFor(j, Int(2), ir::MakeLoad(n, {Int(1)}), ForKind::kSerial,
                                   ir::MakeStore(c, Int(-7), {j + 32}));
  const Stmt empty = ir::MakeFor(ir::MakeVar("k"), Int(0), Int(-3), ForKind::kSerial,
                                 ir::MakeStore(c, Int(-9), {Int(60)}));
  spec.buffers = {a, c, n, count};
  spec.body = ir::MakeSeq(
      {Loop(i, 32, body), counter, dynamic, empty,
       ir::MakeIf(ir::MakeLoad(n, {Int(0)}) > Int(0), ir::MakeStore(c, Int(1), {Int(50)}))});
  for (const int64_t extent : {0, -2, 9}) {
    Data sizes(kI32, 4);
    sizes.Set(0, 5), sizes.Set(1, static_cast<double>(extent)), sizes.Set(2, 8), sizes.Set(3, -1);
    ExpectSame(spec, {Counting(kI32, 64), Data(kI32, 64), sizes, Data(kI32, 1)});
    for (const char* level :
         {"llvm -opt-level=0", "llvm -mtriple=x86_64-linux-gnu -mcpu=x86-64-v2"}) {
      ExpectSame(spec, {Counting(kI32, 64), Data(kI32, 64), sizes, Data(kI32, 1)}, level);
    }
  }
}

TEST(LlvmControl, SharedExpressionsInArmsStayInTheirArms) {
  KernelSpec spec;
  const ir::Buffer a = Buf("a", kI32, 64), c = Buf("c", kI32, 64);
  const ir::Var i = ir::MakeVar("i");
  const Expr shared = ir::MakeLoad(a, {i}) * 5 + 1;
  const Expr both = ir::IfThenElse(Expr(i) < Int(10), shared + shared, shared - 3);
  spec.buffers = {a, c};
  spec.body =
      Loop(i, 64,
           ir::MakeStore(c, both + shared + ir::IfThenElse(shared > Int(0), shared, Expr(i)), {i}));
  ExpectSame(spec, {Counting(kI32, 64), Data(kI32, 64)});
}

TEST(LlvmControl, VectorsShufflesAndReinterpretation) {
  KernelSpec spec;
  const ir::Buffer a = Buf("a", kF32, 64), c = Buf("c", kF32, 64),
                   d = Buf("d", DataType::UInt(8), 64);
  const Expr v = ir::MakeLoad(a, {ir::MakeRamp(Int(0), Int(1), 8)}),
             w = ir::MakeLoad(a, {ir::MakeRamp(Int(8), Int(1), 8)});
  auto at = [](int64_t base, int lanes) { return ir::MakeRamp(Int(base), Int(1), lanes); };
  const DataType half = DataType::Float(32, 4);
  spec.buffers = {a, c, d};
  spec.body = ir::MakeSeq(
      {ir::MakeStore(c, ir::MakeShuffle({v, w}, {15, 0, 3, 8, 8, 1, 2, 14}), {at(0, 8)}),
       ir::MakeStore(c, Intrin(half, "vector_high", {v}) + Intrin(half, "vector_low", {w}),
                     {at(8, 4)}),
       ir::MakeStore(c, Intrin(DataType::Float(32, 16), "vector_concat", {v, w}), {at(16, 16)}),
       ir::MakeStore(c, ir::MakeShuffle({v, Expr(ir::MakeLoad(a, {Int(40)}))}, {8, 3}),
                     {at(40, 2)}),
       ir::MakeStore(c, ir::MakeShuffle({v}, {5}), {Int(44)}),
       ir::MakeStore(c, ir::MakeShuffle({v, w, v + w}, {16, 0, 8, 23, 7, 15}), {at(52, 6)}),
       ir::MakeStore(d, ir::Reinterpret(DataType::UInt(8, 32), v), {at(0, 32)}),
       ir::MakeStore(
           c,
           ir::Reinterpret(kF32, ir::Reinterpret(DataType::UInt(32), ir::MakeLoad(a, {Int(9)})) +
                                     Int(1, DataType::UInt(32))),
           {Int(50)})});
  ExpectSame(spec, {Counting(kF32, 64), Data(kF32, 64), Data(DataType::UInt(8), 64)});
}

TEST(LlvmAbi, ScalarsOfEveryKind) {
  KernelSpec spec;
  const ir::Buffer c = Buf("c", DataType::Float(64), 4);
  const ir::Var n = ir::MakeVar("n", DataType::Int(64)), x = ir::MakeVar("x", DataType::Float(64));
  spec.buffers = {c};
  spec.scalars = {n, x};
  spec.body =
      ir::MakeSeq({ir::MakeStore(c, ir::MakeCast(DataType::Float(64), Expr(n)) * x, {Int(0)}),
                   ir::MakeStore(c, x, {Int(1)})});
  const CompiledKernel kernel(MakeKernelModule(spec), "llvm");
  Data out(DataType::Float(64), 4);
  ASSERT_EQ(kernel.Call("kernel", {&out}, {ir::InterpValue::Int(-6), ir::InterpValue::Float(2.5)}),
            0);
  EXPECT_EQ(out.Get(0), -15);
  EXPECT_EQ(out.Get(1), 2.5);
  EXPECT_FALSE(kernel.Defines("nonesuch"));
}

// A function that calls `kernel` and turns the pending error into its own.
ir::Func Outer() {
  const ir::Var self = ir::MakeVar("self", kHandle), args = ir::MakeVar("args", kHandle),
                n = ir::MakeVar("n"), ret = ir::MakeVar("ret", kHandle);
  const ir::Var status = ir::MakeVar("status");
  const Expr inner = Intrin(kI32, "call_plain", {ir::String("kernel"), self, args, n, ret});
  const Stmt fail =
      Do(Intrin(kVoid, "return", {Intrin(kI32, "runtime_call", {ir::String("take_error"), ret})}));
  return ir::MakeFunc(
      "outer", {self, args, n, ret},
      ir::MakeSeq({ir::MakeLetStmt(status, inner, ir::MakeIf(ir::NotEqual(status, Int(0)), fail)),
                   Do(Intrin(kVoid, "return", {Int(0)}))}),
      {{"calling_convention", ir::String("packed")}}, kI32);
}

// The values of a raise are of any type, and as many as a message can show.
TEST(LlvmAbi, ARaiseShowsItsValues) {
  struct Case {
    std::vector<ir::NodeRef> values;
    std::string message, expected;
  };
  const ir::Buffer a = Buf("a", kI32, 2);
  const Expr x = ir::MakeLoad(a, {Int(1)});
  const auto as = [&](DataType dtype) { return ir::MakeCast(dtype, x); };
  const Expr null = Intrin(kHandle, "reinterpret", {Int(0, DataType::Int(64))});
  const std::vector<Case> cases = {
      {{}, "nothing {0}", "nothing {0}"},
      {{x}, "{0} {0} {1}", "-3 -3 {1}"},
      {{as(DataType::Int(64)), x > Int(0)}, "{1} {0}", "false -3"},
      {{as(DataType::Float(16)), as(DataType(kDLBfloat, 16)), as(kF32), as(DataType::Float(64))},
       "{0} {1} {2} {3}",
       "-3 -3 -3 -3"},
      {{ir::String("text"), as(DataType::UInt(8)), as(DataType::Int(8)), null},
       "{0} {1} {2} {3}",
       "text 253 -3 pointer"},
      {{Int(8), Int(65), Int(0x00014002), Int(1), Int(5), Int(6), Int(7), x},
       "{0:kind} {1:kind} {2:dtype} {3:device} {4}{5}{6}{7}",
       "a string an unknown kind (65) float64 cpu:0 567-3"}};
  for (const Case& one : cases) {
    for (const char* target : {"llvm", "llvm -opt-level=0"}) {
      std::vector<ir::NodeRef> args = {ir::String("test-raised"), ir::String(one.message)};
      args.insert(args.end(), one.values.begin(), one.values.end());
      KernelSpec spec;
      spec.buffers = {a};
      const Stmt fail =
          ir::MakeSeq({Do(Intrin(kVoid, "raise", args)), Do(Intrin(kVoid, "return", {Int(-1)}))});
      spec.body = ir::MakeIf(ir::MakeLoad(a, {Int(0)}) > Int(10), fail);
      const CompiledKernel kernel(ir::MakeModule({MakeKernel(spec), Outer()}), target);
      Data in(kI32, 2);
      in.Set(1, -3);
      EXPECT_EQ(kernel.Call("outer", {&in}), 0);
      in.Set(0, 11);
      std::string error, message;
      EXPECT_EQ(kernel.Call("outer", {&in}, {}, &error, &message), -1);
      EXPECT_EQ(error, "test-raised");
      EXPECT_EQ(message, one.expected);
    }
  }
}

// The older form of flat IR, in which lowering filled the array of values. Stored files contain it.
TEST(LlvmAbi, RaisedErrorsReachTheCaller) {
  KernelSpec spec;
  const ir::Buffer a = Buf("a", kI32, 1);
  const ir::Func wrapped = [&] {
    spec.buffers = {a};
    const ir::Var values = ir::MakeVar("values", kHandle);
    const Stmt raise = ir::MakeLetStmt(
        values, Intrin(kHandle, "stack_values", {Int(1)}),
        ir::MakeSeq({Do(Intrin(kVoid, "value_set",
                               {values, Int(0), Int(LATHE_VALUE_INT), ir::MakeLoad(a, {Int(0)})})),
                     Do(Intrin(kI32, "runtime_call",
                               {ir::String("raise"), ir::String("too-large"),
                                ir::String("{0} is too large"), values, Int(1)})),
                     Do(Intrin(kVoid, "return", {Int(-1)}))}));
    spec.body = ir::MakeIf(ir::MakeLoad(a, {Int(0)}) > Int(10), raise);
    return MakeKernel(spec);
  }();
  const CompiledKernel kernel(ir::MakeModule({wrapped, Outer()}), "llvm");
  Data in(kI32, 1);
  in.Set(0, 3);
  EXPECT_EQ(kernel.Call("outer", {&in}), 0);
  in.Set(0, 11);
  std::string error;
  EXPECT_EQ(kernel.Call("outer", {&in}, {}, &error), -1);
  EXPECT_EQ(error, "too-large");
}

// A parallel region: two buffers and a scalar through a closure.
ir::Module ParallelModule(bool same_buffer) {
  KernelSpec spec;
  const ir::Buffer a = Buf("a", kF32, 1000), c = Buf("c", kF32, 1000);
  const DataType i64 = DataType::Int(64);
  const ir::Var closure = ir::MakeVar("closure", kHandle), begin = ir::MakeVar("begin", i64),
                end = ir::MakeVar("end", i64), i = ir::MakeVar("i", i64);
  const ir::Buffer in = Buf("in", kF32, 1000), out = Buf("out", kF32, 1000);
  const ir::Var scale = ir::MakeVar("scale", kF32);
  auto slot = [&](DataType dtype, int64_t k) {
    return Intrin(dtype, "slot_load", {closure, Int(k)});
  };
  Stmt body = ir::MakeFor(i, begin, Expr(end) - begin, ForKind::kSerial,
                          ir::MakeStore(out, ir::MakeLoad(in, {i}) * scale, {i}));
  body = ir::MakeLetStmt(
      scale, slot(kF32, 2),
      ir::MakeDeclBuffer(in, slot(kHandle, 0), ir::MakeDeclBuffer(out, slot(kHandle, 1), body)));
  const ir::Func part = ir::MakeFunc("kernel_parallel0", {closure, begin, end},
                                     ir::MakeSeq({body, Do(Intrin(kVoid, "return", {Int(0)}))}),
                                     {{"calling_convention", ir::String("parallel_body")}}, kI32);
  const ir::Var slots = ir::MakeVar("slots", kHandle);
  auto fill = [&](int64_t k, const Expr& value) {
    return Do(Intrin(kVoid, "slot_store", {slots, Int(k), value}));
  };
  spec.buffers = {a, c};
  spec.body = ir::MakeLetStmt(
      slots, Intrin(kHandle, "stack_slots", {Int(3)}),
      ir::MakeSeq({fill(0, same_buffer ? c->data : a->data), fill(1, c->data),
                   fill(2, ir::Float(3)),
                   Do(Intrin(kI32, "runtime_call",
                             {ir::String("parallel"),
                              Intrin(kHandle, "function_address", {ir::String("kernel_parallel0")}),
                              slots, Int(1000, i64)}))}));
  return MakeKernelModule(spec, {part});
}

TEST(LlvmAbi, ParallelRegionsRunOnTheThreadPool) {
  const CompiledKernel kernel(ParallelModule(false), "llvm");
  Data in = Counting(kF32, 1000), out(kF32, 1000);
  ASSERT_EQ(kernel.Call("kernel", {&in, &out}), 0);
  for (int64_t i = 0; i < 1000; ++i) EXPECT_EQ(out.Get(i), 3 * in.Get(i));
}

// A loop that only cancellation ends; its artefact states that it needs a runtime with `poll`.
TEST(LlvmAbi, ASerialLoopMayLookWhetherItIsCancelled) {
  KernelSpec spec;
  const ir::Buffer c = Buf("c", DataType::Int(64), 1);
  spec.buffers = {c};
  const Expr first = ir::MakeLoad(c, {Int(0)});
  const Stmt leave = Do(Intrin(DataType::Void(), "return", {Int(-1)}));
  const Stmt look =
      ir::MakeIf(ir::NotEqual(Intrin(kI32, "runtime_call", {ir::String("poll")}), Int(0)), leave);
  spec.body = ir::MakeWhile(
      ir::NotEqual(first, Int(-1, DataType::Int(64))),
      ir::MakeSeq({look, ir::MakeStore(c, first + Int(1, DataType::Int(64)), {Int(0)})}));
  const ir::Module module = MakeKernelModule(spec);
  const CompiledKernel kernel(module, "llvm");
  Data count(DataType::Int(64), 1);
  runtime::Cancellation cancellation;
  cancellation.SetDeadline(std::chrono::steady_clock::now() + std::chrono::milliseconds(20));
  {
    const runtime::CancelScope scope(cancellation);
    EXPECT_NE(kernel.Call("kernel", {&count}), 0);
  }
  EXPECT_EQ(std::string(runtime::TakePendingError().get()->name), "deadline-exceeded");
  EXPECT_GT(count.As<int64_t>()[0], 0);
  const std::string ir = Compile(module, sdk::ParseTarget("llvm"), {}, Output::kPlainIr).output;
  EXPECT_NE(ir.find(", i32 3, ptr @lathe_runtime_table"), std::string::npos) << ir;
}

// Two slots with the same pointer are one memory.
TEST(LlvmAbi, ClosuresThatShareMemoryAreNotTakenForDistinct) {
  const sdk::Target target = sdk::ParseTarget("llvm");
  const std::string apart = Compile(ParallelModule(false), target, {}, Output::kPlainIr).output;
  const std::string shared = Compile(ParallelModule(true), target, {}, Output::kPlainIr).output;
  EXPECT_NE(apart.find("!alias.scope"), std::string::npos);
  EXPECT_EQ(shared.find("!alias.scope"), std::string::npos) << shared;
}

TEST(LlvmAbi, ConstantsWorkspaceAndStack) {
  KernelSpec spec;
  const ir::Buffer c = Buf("c", kF32, 64), constant = Buf("weights", kF32, 64),
                   stack = Buf("stack", kF32, 64), scratch = Buf("scratch", kF32, 64);
  const ir::Var i = ir::MakeVar("i"), j = ir::MakeVar("j"), k = ir::MakeVar("k"),
                memory = ir::MakeVar("memory", kHandle);
  const Expr alloc = Intrin(kHandle, "runtime_call",
                            {ir::String("workspace_alloc"), Int(kDLCPU), Int(0),
                             Int(256, DataType::Int(64)), ir::String("global")});
  const Expr release =
      Intrin(kI32, "runtime_call", {ir::String("workspace_free"), Int(kDLCPU), Int(0), memory});
  const Stmt body = ir::MakeSeq(
      {Loop(i, 64, ir::MakeStore(stack, ir::MakeLoad(constant, {i}) * ir::Float(2), {i})),
       Loop(j, 64, ir::MakeStore(scratch, ir::MakeLoad(stack, {Int(63) - j}), {j})),
       Loop(k, 64,
            ir::MakeStore(c, ir::MakeLoad(scratch, {k}) + ir::MakeLoad(constant, {k}), {k}))});
  spec.buffers = {c};
  spec.body = ir::MakeLetStmt(
      memory, alloc,
      ir::MakeSeq(
          {ir::MakeDeclBuffer(scratch, memory,
                              ir::MakeAllocConst(constant, 0, ir::MakeAllocate(stack, body))),
           Do(release)}));
  ExpectSame(spec, {Data(kF32, 64)}, "llvm", 0, {Counting(kF32, 64)});
  const Compilation made = [&] {
    Data data = Counting(kF32, 64);
    int64_t shape = 64;
    DLTensor tensor{data.bytes.data(), {kDLCPU, 0}, 1, kF32.dl(), &shape, nullptr, 0};
    const DLTensor* table[] = {&tensor, &tensor};
    return Compile(MakeKernelModule(spec), sdk::ParseTarget("llvm"), {table}, Output::kObject);
  }();
  EXPECT_EQ(made.consumed, std::string("\1\0", 2));
}

TEST(LlvmAbi, CFunctionsByTheirTypes) {
  KernelSpec spec;
  const ir::Buffer c = Buf("c", DataType::Float(64), 8), text = Buf("text", DataType::Int(64), 2);
  spec.buffers = {c, text};
  spec.body = ir::MakeSeq(
      {ir::MakeStore(c,
                     Intrin(DataType::Float(64), "call_pure_extern",
                            {ir::String("pow"), ir::Float(3, DataType::Float(64)),
                             ir::Float(4, DataType::Float(64))}),
                     {Int(0)}),
       ir::MakeStore(c,
                     ir::MakeCast(DataType::Float(64),
                                  Intrin(kI32, "call_extern", {ir::String("abs"), Int(-12)})),
                     {Int(1)}),
       Do(Intrin(kHandle, "call_extern",
                 {ir::String("memset"), text, Int(1), Int(16, DataType::UInt(64))}))});
  const CompiledKernel kernel(MakeKernelModule(spec), "llvm");
  Data out(DataType::Float(64), 8), filled(DataType::Int(64), 2);
  ASSERT_EQ(kernel.Call("kernel", {&out, &filled}), 0);
  EXPECT_EQ(out.Get(0), 81);
  EXPECT_EQ(out.Get(1), 12);
  EXPECT_EQ(filled.As<int64_t>()[1], 0x0101010101010101);
}

TEST(LlvmAbi, AFunctionMayBeCalledLikeALibraryFunction) {
  // A module's own `memset` must not become the C library's, nor the reverse.
  KernelSpec spec;
  spec.name = "memset";
  const ir::Buffer c = Buf("c", kF32, 4096);
  const ir::Var i = ir::MakeVar("i");
  spec.buffers = {c};
  spec.body = Loop(i, 4096, ir::MakeStore(c, ir::Float(0), {i}));
  const CompiledKernel kernel(MakeKernelModule(spec), "llvm");
  Data out = Counting(kF32, 4096);
  ASSERT_EQ(kernel.Call("memset", {&out}), 0);
  EXPECT_EQ(out.Get(77), 0);
}

}  // namespace
}  // namespace lathe::llvm_backend
