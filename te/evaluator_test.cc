#include "te/evaluator.h"

#include <cmath>
#include <functional>
#include <numeric>

#include "base/error.h"
#include "gtest/gtest.h"
#include "ir/intrinsic.h"
#include "ir/reducers.h"
#include "te/operation.h"

namespace lathe::te {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

const DataType kI32 = DataType::Int(32), kF32 = DataType::Float(32), kF16 = DataType::Float(16);

Diagnostic ErrorOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.diagnostic();
  }
  return Diagnostic{.name = "no error"};
}

InterpValue Of(std::vector<float>& data, std::vector<int64_t> shape) {
  return InterpTensor::Of(data.data(), kF32, std::move(shape));
}
InterpValue Of(std::vector<int32_t>& data, std::vector<int64_t> shape) {
  return InterpTensor::Of(data.data(), kI32, std::move(shape));
}
void Eval(std::vector<NodeRef> args, std::vector<InterpValue> values) { Evaluate(args, values); }

TEST(EvaluateCompute, Elementwise) {
  const Tensor a = Placeholder({Int(4)}, kF32, "A");
  const Tensor b =
      Compute({Int(4)}, [&](const Indices& i) { return Tanh(At(a, {i[0]})) + 1; }, "B");
  const Tensor c = Compute(
      {Int(4)}, [&](const Indices& i) { return At(b, {i[0]}) * At(a, {Int(3) - i[0]}); }, "C");
  std::vector<float> x = {0, 1, 2, 3}, y(4);
  Eval({c, a}, {Of(y, {4}), Of(x, {4})});
  for (size_t i = 0; i < 4; ++i) {
    const float t = static_cast<float>(std::tanh(static_cast<double>(x[i]))) + 1;
    EXPECT_EQ(y[i], t * x[3 - i]);
  }
}

TEST(EvaluateCompute, MatrixProductWithSymbolicShapes) {
  const Var n = MakeSizeVar("n"), m = MakeSizeVar("m");
  const Tensor a = Placeholder({n, m}, kF32, "A"), b = Placeholder({m, n}, kF32, "B");
  const IterVar k = ReduceAxis(Int(0), m, "k");
  const Tensor c = Compute(
      {n, n},
      [&](const Indices& i) { return Sum(At(a, {i[0], k->var}) * At(b, {k->var, i[1]}), {k}); },
      "C");
  std::vector<float> x = {1, 2, 3, 4, 5, 6}, y = {1, 0, 0, 1, 1, 1}, z(4);
  Eval({a, b, c}, {Of(x, {2, 3}), Of(y, {3, 2}), Of(z, {2, 2})});
  EXPECT_EQ(z, (std::vector<float>{4, 5, 10, 11}));
  const Diagnostic error =
      ErrorOf([&] { Eval({a, b, c}, {Of(x, {2, 3}), Of(y, {2, 3}), Of(z, {2, 2})}); });
  EXPECT_EQ(error.name, "evaluate-argument");
  EXPECT_NE(error.message.find("`B`"), std::string::npos) << error.message;
}

TEST(EvaluateCompute, ReductionsWithWhereAndInit) {
  const Tensor a = Placeholder({Int(6)}, kI32, "A");
  std::vector<int32_t> x = {5, -3, 9, 2, 9, -7}, y(1);
  auto reduce = [&](const std::function<Expr(const IterVar&)>& body) {
    const IterVar k = ReduceAxis(Int(0), Int(6), "k");
    const Tensor b = Compute({}, [&](const Indices&) { return body(k); }, "B");
    Eval({a, b}, {Of(x, {6}), Of(y, {})});
    return y[0];
  };
  EXPECT_EQ(reduce([&](const IterVar& k) { return Sum(At(a, {k->var}), {k}); }), 15);
  EXPECT_EQ(reduce([&](const IterVar& k) { return Min(At(a, {k->var}), {k}); }), -7);
  EXPECT_EQ(reduce([&](const IterVar& k) { return Max(At(a, {k->var}), {k}); }), 9);
  EXPECT_EQ(reduce([&](const IterVar& k) { return Prod(At(a, {k->var}), {k}); }),
            5 * -3 * 9 * 2 * 9 * -7);
  EXPECT_EQ(
      reduce([&](const IterVar& k) { return Sum(At(a, {k->var}), {k}, At(a, {k->var}) > Int(0)); }),
      25);
  EXPECT_EQ(reduce([&](const IterVar& k) { return Sum(At(a, {k->var}), {k}, {}, Int(100)); }), 115)
      << "S13";
  // `where` guards the whole update: the source is not evaluated if it is false.
  EXPECT_EQ(
      reduce([&](const IterVar& k) { return Sum(At(a, {k->var + 3}), {k}, k->var < Int(3)); }), 4);
}

TEST(EvaluateCompute, TupleReductions) {
  const Tensor a = Placeholder({Int(2), Int(5)}, kF32, "A");
  const IterVar k = ReduceAxis(Int(0), Int(5), "k");
  const std::vector<Tensor> best = ComputeTuple(
      {Int(2)}, [&](const Indices& i) { return ArgMax(k->var, At(a, {i[0], k->var}), {k}); },
      "best");
  std::vector<float> x = {1, 7, 3, 7, 2, -5, -1, -9, -1, -3}, value(2);
  std::vector<int32_t> index(2);
  Eval({a, best[0], best[1]}, {Of(x, {2, 5}), Of(index, {2}), Of(value, {2})});
  EXPECT_EQ(index, (std::vector<int32_t>{1, 1})) << "the smaller index of equal values";
  EXPECT_EQ(value, (std::vector<float>{7, -1}));
}

TEST(EvaluateCompute, SeveralPlainOutputsAndOneOfThem) {
  const Tensor a = Placeholder({Int(3)}, kI32, "A");
  const std::vector<Tensor> both = ComputeTuple(
      {Int(3)},
      [&](const Indices& i) { return std::vector<Expr>{At(a, {i[0]}) + 1, At(a, {i[0]}) * 2}; },
      "both");
  std::vector<int32_t> x = {1, 2, 3}, y(3);
  Eval({a, both[1]}, {Of(x, {3}), Of(y, {3})});
  EXPECT_EQ(y, (std::vector<int32_t>{2, 4, 6}));
}

TEST(EvaluateCompute, NarrowReductionsRoundEveryStep) {
  const IterVar k = ReduceAxis(Int(0), Int(3000), "k");
  const Tensor s =
      Compute({}, [&](const Indices&) { return Sum(MakeCast(kF16, Float(1)), {k}); }, "S");
  uint16_t bits = 0;
  Eval({s}, {InterpTensor::Of(&bits, kF16, {})});
  EXPECT_EQ(bits, 0x6800) << "2048: adding 1 to it changes nothing";
}

TEST(EvaluateCompute, LayoutsOfArguments) {
  const Tensor a = Placeholder({Int(2), Int(3)}, kI32, "A");
  const Tensor b =
      Compute({Int(2), Int(3)}, [&](const Indices& i) { return At(a, {i[0], i[1]}) * 10; }, "B");
  std::vector<int32_t> x = {-1, 0, 1, 2, 3, 4, 5}, y(12, -1);
  InterpTensor in = InterpTensor::Of(x.data(), kI32, {2, 3});
  in.byte_offset = 4;
  in.strides = {1, 2};
  InterpTensor out = InterpTensor::Of(y.data(), kI32, {2, 3});
  out.strides = {6, 2};
  Eval({a, b}, {in, out});
  EXPECT_EQ(y, (std::vector<int32_t>{0, -1, 20, -1, 40, -1, 10, -1, 30, -1, 50, -1}));
}

TEST(EvaluateCompute, DroppedArmsMayLeaveBounds) {
  const Tensor a = Placeholder({Int(4)}, kI32, "A");
  std::vector<int32_t> x = {1, 2, 3, 4}, y(4);
  const Tensor shift = Compute(
      {Int(4)},
      [&](const Indices& i) { return MakeSelect(i[0] > Int(0), At(a, {i[0] - 1}), Int(0)); },
      "shift");
  Eval({a, shift}, {Of(x, {4}), Of(y, {4})});
  EXPECT_EQ(y, (std::vector<int32_t>{0, 1, 2, 3}));
  const Tensor wild =
      Compute({Int(4)}, [&](const Indices& i) { return At(a, {i[0] + 1}); }, "wild");
  const Diagnostic error = ErrorOf([&] { Eval({a, wild}, {Of(x, {4}), Of(y, {4})}); });
  EXPECT_EQ(error.name, "interpret-out-of-bounds");
  EXPECT_NE(error.found.find("A[4]"), std::string::npos) << error.found;
}

TEST(EvaluateCompute, EmptyExtents) {
  const Var n = MakeSizeVar("n");
  const Tensor a = Placeholder({n}, kI32, "A");
  const IterVar k = ReduceAxis(Int(0), n, "k");
  const Tensor s = Compute({}, [&](const Indices&) { return Sum(At(a, {k->var}), {k}); }, "S");
  const Tensor b = Compute({n}, [&](const Indices& i) { return At(a, {i[0]}); }, "B");
  std::vector<int32_t> none, y = {7};
  Eval({a, s, b},
       {InterpTensor::Of(nullptr, kI32, {0}), Of(y, {}), InterpTensor::Of(nullptr, kI32, {0})});
  EXPECT_EQ(y[0], 0);
}

TEST(EvaluateCompute, IndicesThatAreLoadsAndScalarArguments) {
  const Tensor a = Placeholder({Int(4)}, kI32, "A"), index = Placeholder({Int(3)}, kI32, "index");
  const Var scale = MakeVar("scale");
  const Tensor b =
      Compute({Int(3)}, [&](const Indices& i) { return At(a, {At(index, {i[0]})}) * scale; }, "B");
  std::vector<int32_t> x = {10, 11, 12, 13}, y = {3, 0, 2}, z(3);
  Eval({a, index, scale, b}, {Of(x, {4}), Of(y, {3}), InterpValue::Int(2), Of(z, {3})});
  EXPECT_EQ(z, (std::vector<int32_t>{26, 20, 24}));
  EXPECT_EQ(ErrorOf([&] { Eval({a, index, b}, {Of(x, {4}), Of(y, {3}), Of(z, {3})}); }).name,
            "evaluate-unbound");
  EXPECT_EQ(
      ErrorOf([&] { Eval({index, scale, b}, {Of(y, {3}), InterpValue::Int(2), Of(z, {3})}); }).name,
      "evaluate-unbound");
}

TEST(EvaluateScan, CumulativeSum) {
  const Var n = MakeSizeVar("n"), m = MakeSizeVar("m");
  const Tensor x = Placeholder({n, m}, kI32, "X"), state = Placeholder({n, m}, kI32, "state");
  const Tensor init =
      Compute({Int(1), m}, [&](const Indices& i) { return At(x, {Int(0), i[1]}); }, "init");
  const Tensor update = Compute(
      {n, m}, [&](const Indices& i) { return At(state, {i[0] - 1, i[1]}) + At(x, {i[0], i[1]}); },
      "update");
  const std::vector<Tensor> scan = Scan({init}, {update}, {state}, {x}, "scan");
  const Tensor twice =
      Compute({n, m}, [&](const Indices& i) { return At(scan[0], {i[0], i[1]}) * 2; }, "twice");
  std::vector<int32_t> in = {1, 2, 3, 4, 5, 6, 7, 8}, out(8), doubled(8);
  Eval({x, scan[0], twice}, {Of(in, {4, 2}), Of(out, {4, 2}), Of(doubled, {4, 2})});
  EXPECT_EQ(out, (std::vector<int32_t>{1, 2, 4, 6, 9, 12, 16, 20}));
  EXPECT_EQ(doubled[7], 40);
}

TEST(EvaluateScan, ReductionsAndStagesInItsBody) {
  // h[t] = tanh-free recurrence: h[t, i] = sum_j W[i, j] * (h[t-1, j] + 1), two states at once with
  // the last two rows.
  const Tensor w = Placeholder({Int(2), Int(2)}, kI32, "W");
  const Tensor s = Placeholder({Int(5), Int(2)}, kI32, "s");
  const Tensor init =
      Compute({Int(2), Int(2)}, [&](const Indices& i) { return i[0] + i[1]; }, "init");
  const Tensor plus = Compute(
      {Int(5), Int(2)},
      [&](const Indices& i) { return At(s, {i[0] - 1, i[1]}) + At(s, {i[0] - 2, i[1]}); }, "plus");
  const IterVar j = ReduceAxis(Int(0), Int(2), "j");
  const Tensor update = Compute(
      {Int(5), Int(2)},
      [&](const Indices& i) { return Sum(At(w, {i[1], j->var}) * At(plus, {i[0], j->var}), {j}); },
      "update");
  const std::vector<Tensor> scan = Scan({init}, {update}, {s}, {w}, "scan");
  std::vector<int32_t> weights = {1, 2, 0, 1}, out(10), expected = {0, 1, 1, 2};
  for (size_t t = 2; t < 5; ++t) {
    const int32_t p0 = expected[2 * t - 2] + expected[2 * t - 4],
                  p1 = expected[2 * t - 1] + expected[2 * t - 3];
    expected.push_back(p0 + 2 * p1);
    expected.push_back(p1);
  }
  Eval({w, scan[0]}, {Of(weights, {2, 2}), Of(out, {5, 2})});
  EXPECT_EQ(out, expected);
}

TEST(EvaluateScan, RowsMustComeFromEarlierOnes) {
  const Tensor s = Placeholder({Int(4)}, kI32, "s");
  const Tensor init = Compute({Int(1)}, [&](const Indices&) { return Int(1); }, "init");
  std::vector<int32_t> out(4);
  for (const int ahead : {0, 1}) {
    const Tensor update =
        Compute({Int(4)}, [&](const Indices& i) { return At(s, {i[0] + ahead}); }, "update");
    const std::vector<Tensor> scan = Scan({init}, {update}, {s}, {}, "scan");
    EXPECT_EQ(ErrorOf([&] { Eval({scan[0]}, {Of(out, {4})}); }).name, "evaluate-scan-order");
  }
}

TEST(EvaluateScan, AnUpdateOfAnotherShapeIsRefused) {
  // Found by pipeline_fuzz: rows after the update's end were copied. Constant extents are compared
  // when the scan is made. The values of two variables are known only here.
  const Var n = MakeSizeVar("n"), m = MakeSizeVar("m");
  const Tensor a = Placeholder({n, m}, kI32, "A"), s = Placeholder({Int(4), Int(2)}, kI32, "s");
  const Tensor init = Compute({Int(1), Int(2)}, [&](const Indices&) { return Int(1); }, "init");
  const Tensor update =
      Compute({n, m}, [&](const Indices& i) { return At(s, {i[0] - 1, i[1]}); }, "update");
  const std::vector<Tensor> scan = Scan({init}, {update}, {s}, {}, "scan");
  std::vector<int32_t> in(8), out(8);
  for (const auto& [rows, columns] : {std::pair(2, 2), std::pair(4, 1)}) {
    EXPECT_EQ(ErrorOf([&] { Eval({a, scan[0]}, {Of(in, {rows, columns}), Of(out, {4, 2})}); }).name,
              "evaluate-argument");
  }
}

TEST(EvaluateExtern, RunsItsStatement) {
  const Var n = MakeSizeVar("n");
  const Tensor a = Placeholder({n}, kI32, "A");
  const Tensor b = Compute({n}, [&](const Indices& i) { return At(a, {i[0]}) + 1; }, "B");
  const std::vector<Tensor> out = Extern(
      {{n}, {}}, {kI32, kI32}, {b},
      [&](const auto& in, const auto& outs) {
        const Var i = MakeVar("i");
        return MakeSeq(
            {MakeStore(outs[1], Int(0), {}),
             MakeFor(
                 i, Int(0), n, ForKind::kSerial,
                 MakeSeq({MakeStore(outs[0], MakeLoad(in[0], {n - 1 - i}), {i}),
                          MakeStore(outs[1], MakeLoad(outs[1], {}) + MakeLoad(in[0], {i}), {})}))});
      },
      "reverse");
  std::vector<int32_t> x = {1, 2, 3}, reversed(3), sum(1);
  Eval({a, out[0], out[1]}, {Of(x, {3}), Of(reversed, {3}), Of(sum, {})});
  EXPECT_EQ(reversed, (std::vector<int32_t>{4, 3, 2}));
  EXPECT_EQ(sum[0], 9);
  // Elements that the extern leaves unwritten must not be read.
  const std::vector<Tensor> half = Extern(
      {{Int(2)}}, {kI32}, {},
      [&](const auto&, const auto& outs) { return MakeStore(outs[0], Int(5), {Int(0)}); }, "half");
  const Tensor use =
      Compute({Int(2)}, [&](const Indices& i) { return At(half[0], {i[0]}); }, "use");
  std::vector<int32_t> y(2);
  EXPECT_EQ(ErrorOf([&] { Eval({use}, {Of(y, {2})}); }).name, "interpret-uninitialized");
}

TEST(EvaluateExtern, Constants) {
  const std::vector<float> table = {1, 2, 4, 8, 16, 32};
  const std::string bytes(reinterpret_cast<const char*>(table.data()), 24);
  const Tensor t = Constant(Blob::Copy(bytes), {2, 3}, kF32, "T");
  const Tensor use =
      Compute({Int(3)}, [&](const Indices& i) { return At(t, {Int(1), i[0]}) + 1; }, "use");
  std::vector<float> y(3), whole(6);
  Eval({use, t}, {Of(y, {3}), Of(whole, {2, 3})});
  EXPECT_EQ(y, (std::vector<float>{9, 17, 33}));
  EXPECT_EQ(whole, table);
  EXPECT_EQ(ErrorOf([&] { Constant(Blob::Copy(bytes), {2, 4}, kF32); }).name, "constant-size");
  const Tensor empty = Constant(Blob::Copy(""), {0}, kF32);
  EXPECT_EQ(empty->shape().size(), 1u);
}

TEST(EvaluateExtern, PackedCalls) {
  const Tensor a = Placeholder({Int(3)}, kF32, "A");
  const std::vector<Tensor> out = Extern(
      {{Int(3)}}, {kF32}, {a},
      [&](const auto& in, const auto& outs) {
        return MakeEvaluate(
            CallIntrinsic(kI32, "call_packed", {String("test.halve"), in[0], outs[0]}));
      },
      "halve");
  std::vector<float> x = {2, 4, 8}, y(3);
  InterpretOptions options;
  options.call_packed = [](std::string_view, std::span<const InterpValue> args) {
    for (int64_t i = 0; i < 3; ++i) {
      static_cast<float*>(args[1].tensor->data)[i] =
          static_cast<float*>(args[0].tensor->data)[i] / 2;
    }
    return InterpValue::Int(0);
  };
  Evaluate({a, out[0]}, std::vector<InterpValue>{Of(x, {3}), Of(y, {3})}, options);
  EXPECT_EQ(y, (std::vector<float>{1, 2, 4}));
}

TEST(EvaluateArguments, MismatchesAreNamed) {
  const Tensor a = Placeholder({Int(2)}, kI32, "A");
  const Tensor b = Compute({Int(2)}, [&](const Indices& i) { return At(a, {i[0]}); }, "B");
  std::vector<int32_t> x(4);
  std::vector<float> f(2);
  auto name = [&](InterpValue first, InterpValue second) {
    return ErrorOf([&] { Eval({a, b}, {std::move(first), std::move(second)}); }).name;
  };
  EXPECT_EQ(name(Of(x, {2}), Of(x, {2})), "no error");
  EXPECT_EQ(name(Of(x, {3}), Of(x, {2})), "evaluate-argument");
  EXPECT_EQ(name(Of(x, {2}), Of(x, {3})), "evaluate-argument");
  EXPECT_EQ(name(Of(f, {2}), Of(x, {2})), "evaluate-argument");
  EXPECT_EQ(name(Of(x, {1, 2}), Of(x, {2})), "evaluate-argument");
  EXPECT_EQ(name(InterpValue::Int(1), Of(x, {2})), "evaluate-argument");
  EXPECT_EQ(name(InterpTensor::Of(nullptr, kI32, {2}), Of(x, {2})), "evaluate-argument");
  EXPECT_EQ(ErrorOf([&] { Eval({a, b}, {Of(x, {2})}); }).name, "evaluate-argument");
  const Tensor huge =
      Compute({Int(1 << 30), Int(1 << 30)}, [&](const Indices&) { return Int(0); }, "huge");
  const Tensor use = Compute({}, [&](const Indices&) { return At(huge, {Int(0), Int(0)}); }, "use");
  EXPECT_EQ(ErrorOf([&] { Eval({use}, {Of(x, {})}); }).name, "interpret-memory-limit");
}

TEST(EvaluateArguments, OperationsWithoutDefinition) {
  Ref<TensorIntrinNode> intrinsic = Make<TensorIntrinNode>();
  intrinsic->buffers = {MakeBuffer("out", kI32, {})};
  Ref<TensorComputeOp> op = Make<TensorComputeOp>();
  op->name = "T";
  op->intrin = intrinsic;
  std::vector<int32_t> x(1), y(1);
  EXPECT_EQ(ErrorOf([&] { Eval({OutputOf(op, 0)}, {Of(x, {})}); }).name, "tensor-intrin-invalid");
  const IterVar k = ReduceAxis(Int(0), Int(2));
  Ref<ComputeOp> mixed = Make<ComputeOp>();
  mixed->name = "M";
  mixed->reduce_axis = {k};
  mixed->body = {Sum(k->var, {k}), Int(1)};
  EXPECT_EQ(
      ErrorOf([&] { Eval({OutputOf(mixed, 0), OutputOf(mixed, 1)}, {Of(x, {}), Of(y, {})}); }).name,
      "evaluate-unsupported");
}

TEST(Reducers, AreThoseOfTheText) {
  EXPECT_TRUE(IsNamedReducer(*SumReducer(kF32)));
  EXPECT_TRUE(IsNamedReducer(*ArgMaxReducer(kI32, kF16)));
  EXPECT_TRUE(IsNamedReducer(*AllReducer()));
  EXPECT_EQ(*AsConstInt(MinValue(DataType::Int(8))), -128);
  EXPECT_EQ(*AsConstInt(MaxValue(DataType::UInt(8))), 255);
  EXPECT_EQ(ErrorOf([] { SumReducer(DataType::Float(32, 4)); }).name, "reducer-type");
  EXPECT_EQ(ErrorOf([] { ArgMinReducer(kF32, kF32); }).name, "reducer-type");
}

}  // namespace
}  // namespace lathe::te
