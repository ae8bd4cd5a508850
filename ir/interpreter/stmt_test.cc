// Statements, memory, and every diagnostic of the interpreter except those of the calling
// convention.

#include <cstring>
#include <functional>
#include <numeric>

#include "base/error.h"
#include "gtest/gtest.h"
#include "ir/interpreter/interpreter.h"

namespace lathe::ir {
namespace {

const DataType kI32 = DataType::Int(32), kI64 = DataType::Int(64), kF32 = DataType::Float(32);

Diagnostic ErrorOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.diagnostic();
  }
  return Diagnostic{.name = "no error"};
}
std::string NameOfError(const std::function<void()>& action) { return ErrorOf(action).name; }
std::string Notes(const Diagnostic& diagnostic) {
  std::string out;
  for (const std::string& note : diagnostic.notes) out += note + "\n";
  return out;
}

void Exec(std::vector<NodeRef> params, const Stmt& body, std::vector<InterpValue> args = {},
          InterpretOptions options = {}) {
  Interpret(MakeFunc("f", std::move(params), body), args, std::move(options));
}
InterpValue Tensor(std::vector<int32_t>& data) {
  return InterpTensor::Of(data.data(), kI32, {static_cast<int64_t>(data.size())});
}
Stmt Loop(const Var& var, Expr extent, Stmt body, ForKind kind = ForKind::kSerial) {
  return MakeFor(var, Int(0, var->dtype), std::move(extent), kind, std::move(body),
                 kind == ForKind::kThread ? "threadIdx.x" : "");
}

TEST(InterpretFor, EveryKindRunsInOrder) {
  for (ForKind kind : {ForKind::kSerial, ForKind::kParallel, ForKind::kVectorized,
                       ForKind::kUnrolled, ForKind::kThread}) {
    const Buffer out = MakeBuffer("out", kI32, {Int(5)});
    const Var i = MakeVar("i");
    std::vector<int32_t> data(5, -1);
    Exec({out}, Loop(i, Int(5), MakeStore(out, i * i, {i}), kind), {Tensor(data)});
    EXPECT_EQ(data, (std::vector<int32_t>{0, 1, 4, 9, 16}));
  }
}

TEST(InterpretFor, StartsAtMinAndMayBeEmpty) {
  const Buffer out = MakeBuffer("out", kI32, {Int(4)});
  const Var i = MakeVar("i");
  std::vector<int32_t> data(4, 0);
  Exec({out}, MakeFor(i, Int(2), Int(2), ForKind::kSerial, MakeStore(out, i, {i})), {Tensor(data)});
  EXPECT_EQ(data, (std::vector<int32_t>{0, 0, 2, 3}));
  for (int extent : {0, -1, INT32_MIN}) {
    Exec({out}, MakeFor(i, Int(2), Int(extent), ForKind::kSerial, MakeStore(out, Int(9), {i})),
         {Tensor(data)});
  }
  EXPECT_EQ(data, (std::vector<int32_t>{0, 0, 2, 3}));
}

TEST(InterpretControl, WhileIfSeqLet) {
  const Buffer n = MakeBuffer("n", kI32, {Int(2)});
  const Var v = MakeVar("v");
  const Expr current = MakeLoad(n, {Int(0)});
  // Collatz: steps until 1.
  const Stmt step = MakeLetStmt(
      v, current,
      MakeSeq({MakeIf(Equal(FloorModulo(v, 2), Int(0)), MakeStore(n, FloorDivide(v, 2), {Int(0)}),
                      MakeStore(n, v * 3 + 1, {Int(0)})),
               MakeStore(n, MakeLoad(n, {Int(1)}) + 1, {Int(1)})}));
  std::vector<int32_t> data = {27, 0};
  Exec({n}, MakeWhile(NotEqual(current, Int(1)), step), {Tensor(data)});
  EXPECT_EQ(data, (std::vector<int32_t>{1, 111}));
  Exec({n},
       MakeSeq({MakeIf(Bool(false), MakeStore(n, Int(5), {Int(0)})),
                MakePrefetch(n, {MakeRange(Int(0), Int(99))}),
                MakeAttr(nullptr, "note", Int(1), MakeStore(n, Int(6), {Int(1)}))}),
       {Tensor(data)});
  EXPECT_EQ(data, (std::vector<int32_t>{1, 6}));
}

TEST(InterpretMemory, RealizeUsesTheBuffersOwnCoordinates) {
  const Buffer out = MakeBuffer("out", kI32, {Int(3)}),
               tmp = MakeBuffer("tmp", kI32, {Int(100), Int(100)});
  const Var i = MakeVar("i"), j = MakeVar("j");
  const Stmt body =
      MakeSeq({Loop(i, Int(3), MakeStore(tmp, i + 7, {i + 10, Int(20)})),
               Loop(j, Int(3), MakeStore(out, MakeLoad(tmp, {j + 10, Int(20)}), {j}))});
  std::vector<int32_t> data(3);
  Exec({out}, MakeRealize(tmp, {MakeRange(Int(10), Int(3)), MakeRange(Int(20), Int(1))}, body),
       {Tensor(data)});
  EXPECT_EQ(data, (std::vector<int32_t>{7, 8, 9}));
  const Diagnostic error = ErrorOf([&] {
    Exec({out}, MakeRealize(tmp, {MakeRange(Int(10), Int(2)), MakeRange(Int(20), Int(1))}, body),
         {Tensor(data)});
  });
  EXPECT_EQ(error.name, "interpret-out-of-bounds");
  EXPECT_NE(error.expected.find("[10, 12) x [20, 21)"), std::string::npos) << error.expected;
  EXPECT_NE(error.found.find("tmp[12, 20]"), std::string::npos) << error.found;
  EXPECT_NE(Notes(error).find("i = 2"), std::string::npos) << Notes(error);
}

TEST(InterpretMemory, OutOfBoundsNamesBufferIndexAndLoops) {
  const Buffer out = MakeBuffer("out", kI32, {Int(4), Int(4)});
  const Var i = MakeVar("i"), j = MakeVar("j");
  std::vector<int32_t> data(16);
  const InterpValue tensor = InterpTensor::Of(data.data(), kI32, {4, 4});
  const Diagnostic store = ErrorOf([&] {
    Exec({out}, Loop(i, Int(4), Loop(j, Int(4), MakeStore(out, i, {i, i + j}))), {tensor});
  });
  EXPECT_EQ(store.name, "interpret-out-of-bounds");
  EXPECT_NE(store.found.find("out[1, 4]"), std::string::npos) << store.found;
  EXPECT_NE(Notes(store).find("i = 1, j = 3"), std::string::npos) << Notes(store);
  EXPECT_NE(Notes(store).find("`f`"), std::string::npos) << Notes(store);
  for (const Expr& index : {Int(-1), Int(4), Int(INT32_MAX), Int(INT32_MIN)}) {
    EXPECT_EQ(
        NameOfError([&] { Exec({out}, MakeEvaluate(MakeLoad(out, {Int(0), index})), {tensor}); }),
        "interpret-out-of-bounds");
    EXPECT_EQ(NameOfError([&] { Exec({out}, MakeStore(out, Int(1), {index, Int(0)}), {tensor}); }),
              "interpret-out-of-bounds");
  }
}

TEST(InterpretMemory, UninitializedReadsAreFound) {
  const Buffer out = MakeBuffer("out", kI32, {Int(2)}), tmp = MakeBuffer("tmp", kI32, {Int(2)});
  const Stmt body = MakeAllocate(tmp, MakeSeq({MakeStore(tmp, Int(5), {Int(0)}),
                                               MakeStore(out, MakeLoad(tmp, {Int(0)}), {Int(0)}),
                                               MakeStore(out, MakeLoad(tmp, {Int(1)}), {Int(1)})}));
  std::vector<int32_t> data(2, 0);
  const Diagnostic error = ErrorOf([&] { Exec({out}, body, {Tensor(data)}); });
  EXPECT_EQ(error.name, "interpret-uninitialized");
  EXPECT_NE(error.message.find("tmp[1]"), std::string::npos) << error.message;
  EXPECT_EQ(data[0], 5);
  InterpretOptions options;
  options.check_initialized = false;
  Exec({out}, body, {Tensor(data)}, options);
  EXPECT_NE(data[1], 0) << "a pattern that shows";
  // Outputs may be declared uninitialized.
  InterpTensor empty = InterpTensor::Of(data.data(), kI32, {2});
  empty.initialized = false;
  EXPECT_EQ(NameOfError([&] { Exec({out}, MakeEvaluate(MakeLoad(out, {Int(0)})), {empty}); }),
            "interpret-uninitialized");
  // Memory is new each time its scope is entered.
  const Var i = MakeVar("i");
  EXPECT_EQ(
      NameOfError([&] {
        Exec({out},
             Loop(i, Int(2),
                  MakeAllocate(
                      tmp, MakeSeq({MakeIf(Equal(i, Int(1)), MakeEvaluate(MakeLoad(tmp, {Int(0)}))),
                                    MakeStore(tmp, i, {Int(0)})}))),
             {Tensor(data)});
      }),
      "interpret-uninitialized");
}

TEST(InterpretMemory, TensorsThatOverlapInPartShareTheirBytes) {
  const Buffer a = MakeBuffer("a", kI32, {Int(4)}), b = MakeBuffer("b", kI32, {Int(4)});
  std::vector<int32_t> data(6, 0);
  InterpTensor first = InterpTensor::Of(data.data(), kI32, {4});
  InterpTensor second = InterpTensor::Of(data.data() + 2, kI32, {4});
  second.initialized = false;
  const auto run = [&](const Stmt& body) {
    return NameOfError([&] {
      Exec({a, b}, body, {first, second});
      Exec({b, a}, body, {second, first});
    });
  };
  // What is stored through one is there for the other.
  first.initialized = false;
  EXPECT_EQ(run(MakeSeq({MakeStore(a, Int(7), {Int(2)}),
                         MakeStore(b, MakeLoad(b, {Int(0)}) + 1, {Int(1)}),
                         MakeStore(a, MakeLoad(a, {Int(3)}) + 1, {Int(0)})})),
            "no error");
  EXPECT_EQ(data, (std::vector<int32_t>{9, 0, 7, 8, 0, 0}));
  EXPECT_EQ(run(MakeEvaluate(MakeLoad(b, {Int(0)}))), "interpret-uninitialized");
  // Bytes that one of them gives values are initialized.
  first.initialized = true;
  EXPECT_EQ(run(MakeEvaluate(MakeLoad(b, {Int(1)}))), "no error");
  EXPECT_EQ(run(MakeEvaluate(MakeLoad(b, {Int(2)}))), "interpret-uninitialized");
  // Each keeps its own bounds.
  EXPECT_EQ(run(MakeStore(a, Int(1), {Int(4)})), "interpret-out-of-bounds");
}

// Two threads that reach one place through different arguments.
TEST(InterpretMemory, RacesThroughTensorsThatOverlapInPart) {
  const Buffer a = MakeBuffer("a", kI32, {Int(4)}), b = MakeBuffer("b", kI32, {Int(4)});
  const Var i = MakeVar("i");
  std::vector<int32_t> data(6, 0);
  const Stmt body =
      Loop(i, Int(2), MakeStore(a, MakeLoad(b, {Int(1) - i}), {i + 2}), ForKind::kThread);
  EXPECT_EQ(NameOfError([&] {
              Exec({a, b}, body,
                   {InterpTensor::Of(data.data(), kI32, {4}),
                    InterpTensor::Of(data.data() + 2, kI32, {4})});
            }),
            "interpret-race");
}

TEST(InterpretMemory, MasksSkipLanes) {
  const Buffer out = MakeBuffer("out", kI32, {Int(4)}), in = MakeBuffer("in", kI32, {Int(2)});
  const Expr lanes = MakeRamp(Int(0), Int(1), 4), two = MakeBroadcast(Int(2), 4);
  std::vector<int32_t> data(4, -1), two_values = {7, 8};
  const Expr load = MakeLoad(in, {lanes}, lanes < two);
  Exec({out, in}, MakeStore(out, load, {lanes}), {Tensor(data), Tensor(two_values)});
  EXPECT_EQ(data, (std::vector<int32_t>{7, 8, 0, 0}))
      << "masked lanes are zero, and not out of bounds";
  Exec({out, in}, MakeStore(out, MakeBroadcast(Int(3), 4), {lanes}, lanes >= two),
       {Tensor(data), Tensor(two_values)});
  EXPECT_EQ(data, (std::vector<int32_t>{7, 8, 3, 3}));
  EXPECT_EQ(NameOfError([&] {
              Exec({out, in}, MakeEvaluate(MakeLoad(in, {lanes})),
                   {Tensor(data), Tensor(two_values)});
            }),
            "interpret-out-of-bounds");
}

TEST(InterpretMemory, GatherAndScatter) {
  const Buffer out = MakeBuffer("out", kI32, {Int(4)}), in = MakeBuffer("in", kI32, {Int(4)});
  const Expr index = MakeShuffle({Int(3), Int(0), Int(2), Int(1)}, {0, 1, 2, 3});
  std::vector<int32_t> data(4), values = {10, 11, 12, 13};
  Exec({out, in}, MakeStore(out, MakeLoad(in, {index}), {MakeRamp(Int(3), Int(-1), 4)}),
       {Tensor(data), Tensor(values)});
  EXPECT_EQ(data, (std::vector<int32_t>{11, 12, 10, 13}));
}

TEST(InterpretMemory, StridesOffsetsAndVectorElements) {
  Ref<BufferNode> node = Make<BufferNode>();
  node->name = "view";
  node->dtype = kI32;
  node->data = MakeVar("view", DataType::Handle());
  const Var n = MakeVar("n"), m = MakeVar("m"), s0 = MakeVar("s0"), s1 = MakeVar("s1"),
            off = MakeVar("off");
  node->shape = {n, m};
  node->strides = {s0, s1};
  node->elem_offset = off;
  node->offset_factor = 1;
  const Buffer view = node, out = MakeBuffer("out", kI32, {n, m});
  const Var i = MakeVar("i"), j = MakeVar("j");
  std::vector<int32_t> data(20), result(6);
  std::iota(data.begin(), data.end(), 0);
  InterpTensor transposed = InterpTensor::Of(data.data(), kI32, {2, 3});
  transposed.strides = {1, 5};
  transposed.byte_offset = 8;
  Exec({view, out}, Loop(i, n, Loop(j, m, MakeStore(out, MakeLoad(view, {i, j}), {i, j}))),
       {transposed, InterpTensor::Of(result.data(), kI32, {2, 3})});
  EXPECT_EQ(result, (std::vector<int32_t>{2, 7, 12, 3, 8, 13}));
  // Negative strides.
  transposed.strides = {-1, 5};
  transposed.byte_offset = 16;
  Exec({view, out}, Loop(i, n, Loop(j, m, MakeStore(out, MakeLoad(view, {i, j}), {i, j}))),
       {transposed, InterpTensor::Of(result.data(), kI32, {2, 3})});
  EXPECT_EQ(result, (std::vector<int32_t>{4, 9, 14, 3, 8, 13}));
  // Elements that are vectors, narrower than a byte too.
  const Buffer nibbles = MakeBuffer("nibbles", DataType::Int(4, 4), {Int(2)});
  std::vector<uint8_t> bytes = {0x21, 0x43, 0x65, 0x87};
  const Buffer wide = MakeBuffer("wide", kI32, {Int(4)});
  std::vector<int32_t> values(4);
  const std::vector<InterpValue> args = {InterpTensor::Of(bytes.data(), DataType::Int(4, 4), {2}),
                                         Tensor(values)};
  Exec({nibbles, wide},
       MakeStore(wide, MakeCast(kI32.with_lanes(4), MakeLoad(nibbles, {Int(1)})),
                 {MakeRamp(Int(0), Int(1), 4)}),
       args);
  EXPECT_EQ(values, (std::vector<int32_t>{5, 6, 7, -8}));
  Exec({nibbles, wide}, MakeStore(nibbles, MakeBroadcast(Int(-1, DataType::Int(4)), 4), {Int(0)}),
       args);
  EXPECT_EQ(bytes, (std::vector<uint8_t>{0xff, 0xff, 0x65, 0x87}));
}

TEST(InterpretMemory, ViewsShareMemory) {
  const Buffer flat = MakeBuffer("flat", kI32, {Int(6)}),
               square = MakeBuffer("square", kI32, {Int(2), Int(3)});
  std::vector<int32_t> data(6, 0);
  Exec({flat}, MakeDeclBuffer(square, flat->data, MakeStore(square, Int(5), {Int(1), Int(2)})),
       {Tensor(data)});
  EXPECT_EQ(data[5], 5);
  const Buffer same = CopyBuffer(flat, [](BufferNode& node) { node.shape = {Int(3)}; });
  Exec({flat}, MakeDeclBuffer(same, flat->data, MakeStore(same, Int(6), {Int(2)})), {Tensor(data)});
  EXPECT_EQ(data[2], 6);
  const Expr address = CallIntrinsic("address_of", {MakeLoad(flat, {Int(4)})});
  const Buffer tail = MakeBuffer("tail", kI32, {Int(2)}),
               longer = MakeBuffer("longer", kI32, {Int(3)});
  Exec({flat}, MakeDeclBuffer(tail, address, MakeStore(tail, Int(7), {Int(0)})), {Tensor(data)});
  EXPECT_EQ(data[4], 7);
  const Diagnostic error = ErrorOf([&] {
    Exec({flat}, MakeDeclBuffer(longer, address, MakeStore(longer, Int(7), {Int(2)})),
         {Tensor(data)});
  });
  EXPECT_EQ(error.name, "interpret-out-of-bounds") << "a view beyond its memory";
  const Expr pointer = CallIntrinsic("access_ptr", {flat, Int(1), Int(2), Int(3)});
  Exec({flat}, MakeDeclBuffer(tail, pointer, MakeStore(tail, Int(8), {Int(1)})), {Tensor(data)});
  EXPECT_EQ(data[2], 8);
  EXPECT_EQ(NameOfError([&] {
              Exec({flat},
                   MakeEvaluate(CallIntrinsic("access_ptr", {flat, Int(5), Int(2), Int(3)})),
                   {Tensor(data)});
            }),
            "interpret-out-of-bounds");
}

TEST(InterpretMemory, FreedMemoryIsNotReached) {
  // A pointer into an allocation outlives it.
  const Buffer keep = MakeBuffer("keep", DataType::Handle(), {Int(1)}),
               tmp = MakeBuffer("tmp", kI32, {Int(1)}), view = MakeBuffer("view", kI32, {Int(1)});
  const Expr address = CallIntrinsic("address_of", {MakeLoad(tmp, {Int(0)})});
  const Stmt body = MakeAllocate(
      keep,
      MakeSeq({MakeAllocate(tmp, MakeStore(keep, address, {Int(0)})),
               MakeDeclBuffer(view, MakeLoad(keep, {Int(0)}), MakeStore(view, Int(1), {Int(0)}))}));
  const Diagnostic error = ErrorOf([&] { Exec({}, body); });
  EXPECT_EQ(error.name, "interpret-bad-handle");
  EXPECT_NE(error.found.find("tmp"), std::string::npos) << error.found;
  const Var p = MakeVar("p", DataType::Handle());
  InterpValue null;
  null.kind = LATHE_VALUE_POINTER;
  EXPECT_EQ(NameOfError([&] {
              Exec({p}, MakeDeclBuffer(view, p, MakeStore(view, Int(1), {Int(0)})), {null});
            }),
            "interpret-bad-handle");
}

TEST(InterpretMemory, ConstantsAreReadOnly) {
  const Buffer table = MakeBuffer("table", kI32, {Int(3)}), out = MakeBuffer("out", kI32, {Int(1)});
  std::vector<int32_t> values = {5, 6, 7}, data(1);
  InterpretOptions options;
  options.constants = {InterpTensor::Of(values.data(), kI32, {3})};
  Exec({out}, MakeAllocConst(table, 0, MakeStore(out, MakeLoad(table, {Int(2)}), {Int(0)})),
       {Tensor(data)}, options);
  EXPECT_EQ(data[0], 7);
  EXPECT_EQ(NameOfError([&] {
              Exec({out}, MakeAllocConst(table, 0, MakeStore(table, Int(1), {Int(0)})),
                   {Tensor(data)}, options);
            }),
            "interpret-read-only");
  EXPECT_EQ(NameOfError([&] {
              Exec({out},
                   MakeAllocConst(table, 1, MakeStore(out, MakeLoad(table, {Int(2)}), {Int(0)})),
                   {Tensor(data)}, options);
            }),
            "interpret-no-constant");
}

TEST(InterpretMemory, RankZeroAndEmptyExtents) {
  const Buffer scalar = MakeBuffer("s", kF32, {}),
               none = MakeBuffer("none", kI32, {Int(0), Int(4)});
  float value = 0;
  const Var i = MakeVar("i");
  Exec({scalar, none},
       MakeSeq({MakeStore(scalar, Float(2.5), {}),
                Loop(i, Int(0), MakeStore(none, Int(1), {i, Int(0)}))}),
       {InterpTensor::Of(&value, kF32, {}), InterpTensor::Of(nullptr, kI32, {0, 4})});
  EXPECT_EQ(value, 2.5f);
  EXPECT_EQ(NameOfError([&] {
              Exec({none}, MakeStore(none, Int(1), {Int(0), Int(0)}),
                   {InterpTensor::Of(nullptr, kI32, {0, 4})});
            }),
            "interpret-out-of-bounds");
  const Buffer tmp = MakeBuffer("tmp", kI32, {Int(0)});
  EXPECT_EQ(NameOfError([&] { Exec({}, MakeAllocate(tmp, MakeStore(tmp, Int(1), {Int(0)}))); }),
            "interpret-out-of-bounds");
}

TEST(InterpretAssert, ThrowsItsOwnName) {
  const Var n = MakeVar("n");
  const Stmt check = MakeAssert(n < Int(5), "too-many", "{0} is not below {1}{9}", {n, Int(5)});
  Exec({n}, check, {InterpValue::Int(4)});
  const Diagnostic error = ErrorOf([&] { Exec({n}, check, {InterpValue::Int(7)}); });
  EXPECT_EQ(error.name, "too-many");
  EXPECT_EQ(error.message, "7 is not below 5{9}");
}

TEST(InterpretArguments, EachMismatchNamesTheArgument) {
  const Var n = MakeVar("n", DataType::Int(8)), x = MakeVar("x", kF32);
  const Buffer a = MakeBuffer("A", kI32, {n, Int(2)});
  std::vector<int32_t> data(8);
  const InterpValue good = InterpTensor::Of(data.data(), kI32, {3, 2});
  auto run = [&](InterpValue tensor, InterpValue number) {
    return ErrorOf([&] { Exec({a, x}, Nop(), {std::move(tensor), std::move(number)}); });
  };
  EXPECT_EQ(run(good, InterpValue::Float(1)).name, "no error");
  EXPECT_EQ(run(good, InterpValue::Int(1)).name, "no error");
  std::vector<Diagnostic> errors = {
      run(InterpValue::Int(1), InterpValue::Float(1)),
      run(InterpTensor::Of(data.data(), kF32, {3, 2}), InterpValue::Float(1)),
      run(InterpTensor::Of(data.data(), kI32, {3}), InterpValue::Float(1)),
      run(InterpTensor::Of(data.data(), kI32, {3, 1}), InterpValue::Float(1)),
      run(InterpTensor::Of(data.data(), kI32, {-3, 2}), InterpValue::Float(1)),
      run(InterpTensor::Of(nullptr, kI32, {3, 2}), InterpValue::Float(1)),
      run(InterpTensor::Of(data.data(), kI32, {300, 2}), InterpValue::Float(1)),
  };
  InterpTensor strided = InterpTensor::Of(data.data(), kI32, {2, 2});
  strided.strides = {3, 1};
  errors.push_back(run(strided, InterpValue::Float(1)));
  strided.strides = {1};
  errors.push_back(run(strided, InterpValue::Float(1)));
  InterpValue null;
  null.kind = LATHE_VALUE_DLTENSOR;
  errors.push_back(run(null, InterpValue::Float(1)));
  for (const Diagnostic& error : errors) {
    EXPECT_EQ(error.name, "interpret-argument") << error.message;
    EXPECT_NE(error.message.find("`A`"), std::string::npos) << error.message;
  }
  EXPECT_EQ(run(good, InterpValue::String("no")).name, "interpret-argument");
  EXPECT_EQ(NameOfError([&] { Exec({a, x}, Nop(), {good}); }), "interpret-argument");
  // Extent 1 may have any stride (S31).
  strided = InterpTensor::Of(data.data(), kI32, {1, 2});
  strided.strides = {77, 1};
  EXPECT_EQ(run(strided, InterpValue::Float(1)).name, "no error");
}

TEST(InterpretArguments, SymbolicExtentsBindOnceAndThenCheck) {
  const Var n = MakeVar("n");
  const Buffer a = MakeBuffer("A", kI32, {n + 1}), b = MakeBuffer("B", kI32, {n}),
               c = MakeBuffer("C", kI32, {n});
  std::vector<int32_t> data(8);
  auto tensor = [&](int64_t extent) {
    return InterpValue(InterpTensor::Of(data.data(), kI32, {extent}));
  };
  const Stmt body = MakeStore(b, n, {Int(0)});
  Exec({a, b, c}, body, {tensor(5), tensor(4), tensor(4)});
  EXPECT_EQ(data[0], 4);
  EXPECT_EQ(NameOfError([&] { Exec({a, b, c}, body, {tensor(5), tensor(4), tensor(5)}); }),
            "interpret-argument");
  EXPECT_EQ(NameOfError([&] { Exec({a, b, c}, body, {tensor(4), tensor(4), tensor(4)}); }),
            "interpret-argument");
}

TEST(InterpretLimits, HostileProgramsEnd) {
  const Var i = MakeVar("i", kI64);
  InterpretOptions options;
  options.step_limit = 10000;
  EXPECT_EQ(NameOfError([&] { Exec({}, Loop(i, Int(INT64_MAX, kI64), Nop()), {}, options); }),
            "interpret-step-limit");
  EXPECT_EQ(NameOfError([&] { Exec({}, MakeWhile(Bool(true), Nop()), {}, options); }),
            "interpret-step-limit");
  const Buffer huge = MakeBuffer("huge", kI32, {Int(INT64_MAX, kI64), Int(INT64_MAX, kI64)});
  EXPECT_EQ(NameOfError([&] { Exec({}, MakeAllocate(huge, Nop())); }), "interpret-memory-limit");
  options.memory_limit = 1 << 20;
  const Buffer big = MakeBuffer("big", kI32, {Int(1 << 18)});
  EXPECT_EQ(NameOfError([&] { Exec({}, MakeAllocate(big, Nop()), {}, options); }),
            "interpret-memory-limit");
  // Freed memory does not count towards the limit.
  const Buffer small = MakeBuffer("small", kI32, {Int(1 << 16)});
  Exec({}, Loop(i, Int(100, kI64), MakeAllocate(small, Nop())), {}, options);
}

TEST(InterpretScope, UsesOutsideOfScopesAreRefused) {
  const Buffer tmp = MakeBuffer("tmp", kI32, {Int(1)});
  const Var i = MakeVar("i");
  const Stmt store = MakeStore(tmp, Int(1), {Int(0)});
  const Diagnostic error = ErrorOf([&] { Exec({}, MakeSeq({MakeAllocate(tmp, store), store})); });
  EXPECT_EQ(error.name, "interpret-unbound");
  EXPECT_NE(error.message.find("`tmp`"), std::string::npos);
  EXPECT_NE(error.found.find("outside the scope"), std::string::npos);
  EXPECT_EQ(NameOfError([&] { Exec({}, MakeEvaluate(i)); }), "interpret-unbound");
  EXPECT_EQ(NameOfError([&] { Exec({}, MakeSeq({Loop(i, Int(1), Nop()), MakeEvaluate(i)})); }),
            "interpret-unbound");
}

TEST(InterpretScope, MalformedNodesAreRefused) {
  Ref<Add> add = Make<Add>();
  add->dtype = kI32;
  add->a = Int(1);
  add->b = Float(1);
  EXPECT_EQ(NameOfError([&] { Exec({}, MakeEvaluate(add)); }), "interpret-malformed");
  EXPECT_EQ(NameOfError([&] { Exec({}, MakeEvaluate(MakeCall(kF32, "exp", {Int(1)}))); }),
            "interpret-malformed");
  EXPECT_EQ(NameOfError([&] { Exec({}, MakeEvaluate(MakeCall(kF32, "no_such", {}))); }),
            "interpret-malformed");
  EXPECT_EQ(NameOfError([&] { Exec({}, MakeEvaluate(String("text"))); }), "interpret-malformed");
}

TEST(InterpretScope, UnknownFunctions) {
  const Module module = MakeModule({MakeFunc("main", {}, Nop())});
  const Diagnostic error = ErrorOf([&] { Interpret(module, "mian", {}); });
  EXPECT_EQ(error.name, "interpret-unknown-function");
  EXPECT_NE(error.expected.find("`main`"), std::string::npos);
}

TEST(InterpretShape, DeepStatements) {
  const Buffer out = MakeBuffer("out", kI32, {Int(1)});
  const Var n = MakeVar("n");
  Stmt deep = MakeStore(out, n, {Int(0)});
  for (int i = 0; i < 100000; ++i) deep = MakeIf(n > Int(i % 3), deep);
  std::vector<int32_t> data(1);
  Exec({out, n}, deep, {Tensor(data), InterpValue::Int(9)});
  EXPECT_EQ(data[0], 9);
}

}  // namespace
}  // namespace lathe::ir
