// The checked build, compiled and run: each error with what its message names.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/walk.h"
#include "lower/checked_build.h"
#include "lower/pipeline.h"
#include "runtime/tensor.h"
#include "schedule/primitives/primitives.h"
#include "target/target.h"
#include "te/operation.h"
#include "te/tensor_intrin.h"
#include "tests/check/check_passes.h"

namespace lathe::driver {
namespace {

using ir::Expr;
using runtime::Tensor;

class CheckedBuild : public testing::Test {
 protected:
  void SetUp() override { UseDefaultPlugins(); }

  static lower::PassContext Checked() {
    lower::PassContext context;
    context.Set("check", 1);
    context.verify = true;
    return context;
  }
  static runtime::Module BuildHere(const ir::Module& module, const lower::PassContext& context) {
    auto built = Build(module, target::ParseTarget("llvm"), context);
    EXPECT_TRUE(built.ok()) << built.status();
    return *built;
  }
  static runtime::Module BuildText(const char* text) {
    return BuildHere(ir::ParseModule(text), Checked());
  }
  template <class... A>
  static std::string Failure(const runtime::Module& module, const A&... args) {
    auto result = (*module.GetFunction("f")).TryCall(args...);
    return result.ok() ? "no error" : std::string(result.status().message());
  }
  static void ExpectNames(const std::string& failure, std::initializer_list<const char*> parts) {
    for (const char* part : parts)
      EXPECT_NE(failure.find(part), std::string::npos) << part << "\nin " << failure;
  }
};

template <class T>
Tensor Of(std::vector<T> values, DataType dtype) {
  Tensor out = *Tensor::Empty({static_cast<int64_t>(values.size())}, dtype);
  std::copy(values.begin(), values.end(), out.HostData<T>());
  return out;
}
Tensor Ints(std::vector<int32_t> values) { return Of(std::move(values), DataType::Int(32)); }

// The most common error with a gather: a wrong index in the data.
TEST_F(CheckedBuild, LoadsOutOfBoundsNameTensorIndexAndLoops) {
  const runtime::Module module = BuildText(R"(
func f(A: int32[n: size], B: int32[m: size], C: int32[2, m]) {
  for i in range(2) { parallel for j in range(m) { C[i, j] = A[B[j] + i] } }
})");
  const Tensor a = Ints({1, 2, 3, 4}), c = *Tensor::Empty({2, 3}, DataType::Int(32));
  EXPECT_EQ(Failure(module, a, Ints({0, 2, 1}), c), "no error");
  EXPECT_EQ(c.HostData<int32_t>()[4], 4);
  ExpectNames(Failure(module, a, Ints({0, 3, 1}), c),
              {"check-out-of-bounds", "load of `A`", "[0, 4)", "[4]", "`i` = 1", "`j` = 1"});
  ExpectNames(Failure(module, a, Ints({0, 1, -1}), c),
              {"check-out-of-bounds", "load of `A`", "[-1]", "`i` = 0", "`j` = 2"});
}

TEST_F(CheckedBuild, StoresOutOfBoundsAndGuardedArms) {
  const runtime::Module module = BuildText(R"(
func f(A: int32[n: size], B: int32[n], C: int32[n]) {
  for i in range(n) {
    C[B[i]] = if_then_else(B[i] < n - 1, A[B[i] + 1], 0 - 1)
  }
})");
  const Tensor a = Ints({5, 6, 7}), c = Ints({0, 0, 0});
  // The arm that is not taken would have read A[3].
  EXPECT_EQ(Failure(module, a, Ints({2, 0, 1}), c), "no error");
  EXPECT_EQ(c.HostData<int32_t>()[2], -1);
  EXPECT_EQ(c.HostData<int32_t>()[0], 6);
  ExpectNames(Failure(module, a, Ints({2, 3, 1}), c),
              {"check-out-of-bounds", "store into `C`", "[0, 3)", "[3]", "`i` = 1"});
  ExpectNames(Failure(module, a, Ints({2, -2, 1}), c),
              {"check-out-of-bounds", "load of `A`", "[-1]", "`i` = 1"});
}

TEST_F(CheckedBuild, CopiesAreCheckedWhereTheyCopySomething) {
  const runtime::Module module = BuildText(R"(
    func f(count: int64, A: float32[8], B: float32[8]) {
      async_copy(B[8], A[0], count)
      async_commit()
      async_wait(0)
    })");
  const Tensor a = Of<float>(std::vector<float>(8, 1), DataType::Float(32));
  const Tensor b = Of<float>(std::vector<float>(8, 0), DataType::Float(32));
  EXPECT_EQ(Failure(module, int64_t{0}, a, b), "no error");
  ExpectNames(Failure(module, int64_t{1}, a, b),
              {"check-out-of-bounds", "copy into `B`", "[0, 8)", "found: [8]"});
}

TEST_F(CheckedBuild, EachDimensionOfItsOwn) {
  // Within the memory, but in the wrong row.
  const runtime::Module module = BuildText(R"(
func f(A: int32[4, 4], C: int32[1], i: int32, j: int32) { C[0] = A[i, j] })");
  const Tensor a = *Tensor::Empty({4, 4}, DataType::Int(32)), c = Ints({0});
  EXPECT_EQ(Failure(module, a, c, 3, 3), "no error");
  ExpectNames(Failure(module, a, c, 1, 5),
              {"check-out-of-bounds", "load of `A`, dimension 1", "[1, 5]", "[0, 4)"});
}

TEST_F(CheckedBuild, IndexArithmeticThatOverflows) {
  const runtime::Module module = BuildText(R"(
func f(A: int8[16], C: int8[1], i: int32, j: int32) { C[0] = A[i * j] + A[(i * j) // j] })");
  const Tensor a = *Tensor::Empty({16}, DataType::Int(8)),
               c = *Tensor::Empty({1}, DataType::Int(8));
  EXPECT_EQ(Failure(module, a, c, 3, 4), "no error");
  // 65536 * 65536 is 0 in int32.
  ExpectNames(Failure(module, a, c, 65536, 65536),
              {"check-index-overflow", "load of `A`", "4294967296"});
}

TEST_F(CheckedBuild, S42_OverlappingArguments) {
  const runtime::Module module = BuildText(R"(
func f(A: int32[n: size], B: int32[n], C: int32[n]) {
  for i in range(n) { C[i] = A[i] + B[i] }
})");
  const Tensor memory = *Tensor::Empty({16}, DataType::Int(32));
  auto view = [&](int64_t begin, int64_t size) {
    const int64_t shape[] = {size};
    return Tensor::Wrap(
        memory.HostData<int32_t>(), static_cast<uint64_t>(begin * 4), shape, {}, DataType::Int(32),
        runtime::Device::Cpu(), [](void*) {}, nullptr);
  };
  EXPECT_EQ(Failure(module, view(0, 4), view(4, 4), view(8, 4)), "no error");
  EXPECT_EQ(Failure(module, view(0, 4), view(2, 4), view(8, 4)), "no error");  // both only read
  EXPECT_EQ(Failure(module, view(4, 0), view(4, 0), view(4, 0)), "no error");
  ExpectNames(Failure(module, view(0, 4), view(4, 4), view(3, 4)),
              {"check-arguments-overlap", "`A`", "`C`"});
  ExpectNames(Failure(module, view(0, 4), view(8, 4), view(8, 4)),
              {"check-arguments-overlap", "`B`", "`C`"});
}

// Verifies a trusted claim: an attribute that only the checked build reads.
TEST_F(CheckedBuild, S51_ClaimsAreVerifiedOrTakenAway) {
  const char kText[] = R"(
func f(C: int32[n: size], limit: int32) {
  for i in range(n) {
    if i < limit { C[i] = i } else { attr "claim" of "set_store_predicate of C" = C[i] == i { { } } }
  }
})";
  const ir::Module parsed = ir::ParseModule(kText);
  const runtime::Module module = BuildHere(parsed, Checked());
  const Tensor c = Ints({0, 1, 2, 4});
  EXPECT_EQ(Failure(module, c, 4), "no error");
  EXPECT_EQ(Failure(module, c, 2), "no error");
  c.HostData<int32_t>()[2] = 7;
  ExpectNames(Failure(module, c, 2), {"check-claim", "set_store_predicate of C", "`i` = 2"});
  const ir::Module without = lower::CheckedBuild(parsed, {});
  ir::ForEach<ir::Attr>(without, [](const ir::Attr& attr) { EXPECT_NE(attr.key, "claim"); });
}

// B[i] = sum over k of A[i, k], stored if `predicate` of B's rows holds; C = B + 1.
struct RowSums {
  explicit RowSums(DataType dtype) {
    n = ir::MakeSizeVar("n");
    a = te::Placeholder({n, ir::Int(4)}, dtype, "A");
    k = te::ReduceAxis(ir::Int(0), ir::Int(4), "k");
    b = te::Compute(
        {n}, [&](const te::Indices& i) { return te::Sum(te::At(a, {i[0], k->var}), {k}); }, "B");
    c = te::Compute({n}, [&](const te::Indices& i) { return te::At(b, {i[0]}) + 1; }, "C");
    s = schedule::CreateSchedule({c->op});
  }
  std::string Run(int64_t rows, int32_t first = 1) const {
    lower::PassContext context;
    context.Set("check", 1);
    context.verify = true;
    auto module = Build(Lower(s, {a, c}, "f", context), target::ParseTarget("llvm"), context);
    EXPECT_TRUE(module.ok()) << module.status();
    const Tensor in = *Tensor::Empty({rows, 4}, a->dtype()),
                 out = *Tensor::Empty({rows}, c->dtype());
    for (int64_t i = 0; i < rows * 4; ++i) {
      if (a->dtype().is_float())
        in.HostData<float>()[i] = 0.1f * static_cast<float>(i + first);
      else
        in.HostData<int32_t>()[i] = static_cast<int32_t>(i) + first;
    }
    auto result = (*module->GetFunction("f")).TryCall(in, out);
    return result.ok() ? "no error" : std::string(result.status().message());
  }
  ir::Var n;
  te::Tensor a, b, c;
  ir::IterVar k;
  schedule::Schedule s;
};

// In other systems, a predicate that leaves elements out changed results without a report.
TEST_F(CheckedBuild, S51_StorePredicatesAreVerified) {
  for (const DataType dtype : {DataType::Int(32), DataType::Float(32)}) {
    for (const bool attached : {false, true}) {
      RowSums holds(dtype), fails(dtype);
      for (RowSums* one : {&holds, &fails}) {
        if (attached) {
          const auto [outer, inner] =
              schedule::Split(one->s[one->c], schedule::AxisOf(one->c, 0), 3);
          (void)inner;
          schedule::ComputeAt(one->s[one->b], one->s[one->c], outer);
        }
        const auto [outer, inner] = schedule::Split(one->s[one->b], one->k, 2);
        schedule::Reorder(one->s[one->b], {inner, outer});
      }
      const ir::Expr row = schedule::AxisOf(holds.b, 0)->var;
      schedule::SetStorePredicate(holds.s[holds.b],
                                  ir::Equal(ir::FloorModulo(row * (row + 1), 2), ir::Int(0)));
      EXPECT_EQ(holds.Run(7), "no error");
      schedule::SetStorePredicate(
          fails.s[fails.b], ir::NotEqual(Expr(schedule::AxisOf(fails.b, 0)->var), ir::Int(5)));
      EXPECT_EQ(fails.Run(5), "no error");  // nothing reads the elements left out
      // Values different from those that the memory may still hold.
      ExpectNames(fails.Run(7, 1000), {"check-claim", "set_store_predicate of B"});
    }
  }
}

// A predicate on a reduction loop leaves terms out.
TEST_F(CheckedBuild, S51_APredicateOnAReductionLoopIsVerified) {
  RowSums rows(DataType::Int(32));
  schedule::SetStorePredicate(rows.s[rows.b], Expr(rows.k->var) < 3);
  ExpectNames(rows.Run(2), {"check-claim", "set_store_predicate of B"});
}

// An intrinsic that sums four elements: correctly, in another order, or with one of them twice.
te::TensorIntrin SumOf4(DataType dtype, std::vector<int64_t> order) {
  const ir::IterVar k = te::ReduceAxis(ir::Int(0), ir::Int(4), "k");
  const te::Tensor x = te::Placeholder({ir::Int(4)}, dtype, "x");
  const te::Tensor y =
      te::Compute({}, [&](const te::Indices&) { return te::Sum(te::At(x, {k->var}), {k}); }, "y");
  return te::DeclTensorIntrin(
      "sum_of_4", y->op,
      [&](const std::vector<ir::Buffer>& in, const std::vector<ir::Buffer>& out) {
        ir::Expr sum = ir::Const(int64_t{0}, dtype);
        for (int64_t i : order) sum = sum + ir::MakeLoad(in[0], {ir::Int(i)});
        return te::IntrinStmts{
            .body = ir::MakeStore(out[0], sum, {}), .reset = nullptr, .update = nullptr};
      });
}

TEST_F(CheckedBuild, S51_TensorIntrinsicsAreVerified) {
  for (const DataType dtype : {DataType::Int(32), DataType::Float(32)}) {
    for (const auto& [order, good] : std::vector<std::pair<std::vector<int64_t>, bool>>{
             {{0, 1, 2, 3}, true}, {{3, 1, 0, 2}, true}, {{0, 1, 2, 2}, false}}) {
      RowSums rows(dtype);
      schedule::Tensorize(rows.s[rows.b], rows.k, SumOf4(dtype, order));
      if (good)
        EXPECT_EQ(rows.Run(3), "no error");
      else
        ExpectNames(rows.Run(3), {"check-claim", "sum_of_4 of B", "`i` = 0"});
    }
  }
}

// C[i] = A[i, 0] + ... + A[i, 4 * blocks - 1] by calls of an intrinsic that sums four elements.
// D = C + 1. With more than one block, the calls use reset and update.
struct Calls {
  Calls(const DataType dtype, const std::vector<int64_t>& order, int64_t blocks) {
    n = ir::MakeSizeVar("n");
    a = te::Placeholder({n, ir::Int(4 * blocks)}, dtype, "A");
    const ir::IterVar k = te::ReduceAxis(ir::Int(0), ir::Int(4), "k");
    const te::Tensor x = te::Placeholder({ir::Int(4)}, dtype, "x");
    const te::Tensor y =
        te::Compute({}, [&](const te::Indices&) { return te::Sum(te::At(x, {k->var}), {k}); }, "y");
    const te::TensorIntrin intrin = te::DeclTensorIntrin(
        "sum_of_4", y->op,
        [&](const std::vector<ir::Buffer>& in, const std::vector<ir::Buffer>& out) {
          ir::Expr sum = ir::Const(int64_t{0}, dtype);
          for (int64_t i : order) sum = sum + ir::MakeLoad(in[0], {ir::Int(i)});
          return te::IntrinStmts{
              .body = ir::MakeStore(out[0], sum, {}),
              .reset = ir::MakeStore(out[0], ir::Const(int64_t{0}, dtype), {}),
              .update = ir::MakeStore(out[0], ir::MakeLoad(out[0], {}) + sum, {})};
        });
    const ir::IterVar ko = te::ReduceAxis(ir::Int(0), ir::Int(blocks), "ko");
    c = te::TensorCompute(
        {n},
        [&](const te::Indices& i) {
          const Expr at = blocks > 1 ? Expr(ko->var) * 4 : ir::Int(0);
          return te::IntrinCall{
              intrin,
              {{a, {ir::MakeRange(i[0], ir::Int(1)), ir::MakeRange(at, ir::Int(4))}}},
              {},
              blocks > 1 ? std::vector<ir::IterVar>{ko} : std::vector<ir::IterVar>()};
        },
        "C")[0];
    d = te::Compute({n}, [&](const te::Indices& i) { return te::At(c, {i[0]}) + 1; }, "D");
    s = schedule::CreateSchedule({d->op});
  }
  std::string Run(int64_t rows) const {
    lower::PassContext context;
    context.Set("check", 1);
    context.verify = true;
    auto module = Build(Lower(s, {a, d}, "f", context), target::ParseTarget("llvm"), context);
    EXPECT_TRUE(module.ok()) << module.status();
    const int64_t width = *ir::AsConstInt(a->shape()[1]);
    const Tensor in = *Tensor::Empty({rows, width}, a->dtype()),
                 out = *Tensor::Empty({rows}, a->dtype());
    for (int64_t i = 0; i < rows * width; ++i) {
      if (a->dtype().is_float())
        in.HostData<float>()[i] = 0.1f * static_cast<float>(i + 1);
      else
        in.HostData<int32_t>()[i] = static_cast<int32_t>(i) + 1;
    }
    auto result = (*module->GetFunction("f")).TryCall(in, out);
    return result.ok() ? "no error" : std::string(result.status().message());
  }
  ir::Var n;
  te::Tensor a, c, d;
  schedule::Schedule s;
};

// These were not matched with a compute, so the intrinsic's own description is all there is to
// verify.
TEST_F(CheckedBuild, S51_TensorIntrinsicsCalledDirectlyAreVerified) {
  for (const DataType dtype : {DataType::Int(32), DataType::Float(32)}) {
    for (const int64_t blocks : {1, 3}) {
      for (const bool attached : {false, true}) {
        for (const auto& [order, good] : std::vector<std::pair<std::vector<int64_t>, bool>>{
                 {{0, 1, 2, 3}, true}, {{3, 1, 0, 2}, true}, {{0, 1, 2, 2}, false}}) {
          Calls calls(dtype, order, blocks);
          if (attached) {
            // 7 rows in tiles of 3: the computed region reaches beyond the existing rows.
            const auto [outer, inner] =
                schedule::Split(calls.s[calls.d], schedule::AxisOf(calls.d, 0), 3);
            (void)inner;
            schedule::ComputeAt(calls.s[calls.c], calls.s[calls.d], outer);
          }
          if (good)
            EXPECT_EQ(calls.Run(7), "no error");
          else
            ExpectNames(calls.Run(7), {"check-claim", "sum_of_4 of C", "`i` = 0"});
        }
      }
    }
  }
}

// Kernels report to the host (tests/device and tests/opencl run them). If all is proved, they stay
// as they are.
TEST_F(CheckedBuild, OnThreadAxesItReports) {
  const ir::Module proved = ir::ParseModule(R"(
func f(C: int32[8]) { thread("threadIdx.x") for i in range(8) { C[i] = i } })");
  EXPECT_EQ(ir::ToText(lower::CheckedBuild(proved, Checked())), ir::ToText(proved));
  EXPECT_TRUE(lower::CheckedBuild(proved, {}).same_as(proved));
  const ir::Module gathers = ir::ParseModule(R"(
func f(A: int32[n: size], B: int32[8], C: int32[8]) {
  thread("threadIdx.x") for i in range(8) { C[i] = A[B[i]] }
})");
  const std::string text = ir::ToText(lower::CheckedBuild(gathers, Checked()));
  ExpectNames(text, {"lathe.device_store", "atomic_compare_exchange", "lathe.device_load",
                     "check-out-of-bounds"});
}

// Accesses of scheduled programs are within bounds. If all sizes are constant, this is proved: no
// assertion is left, and loops are vectorized as before.
TEST_F(CheckedBuild, ProvedAccessesCostNothing) {
  const te::Tensor a = te::Placeholder({ir::Int(37), ir::Int(64)}, DataType::Float(32), "A");
  const te::Tensor c = te::Compute(
      {ir::Int(37), ir::Int(64)},
      [&](const te::Indices& i) { return te::At(a, {ir::Int(36) - i[0], i[1]}) + 1; }, "C");
  schedule::Schedule s = schedule::CreateSchedule({c->op});
  schedule::Split(s[c], schedule::AxisOf(c, 0), 8);
  schedule::Vectorize(s[c], schedule::Split(s[c], schedule::AxisOf(c, 1), 8).second);
  const ir::Module lowered = Lower(s, {a, c}, "f", Checked());
  const ir::Module checked = lower::CheckedBuild(lowered, Checked());
  int asserts = 0;
  ir::ForEach<ir::Assert>(checked, [&](const ir::Assert& check) {
    asserts += check.name == "check-arguments-overlap" ? 0 : 1;
  });
  EXPECT_EQ(asserts, 0) << ir::ToText(checked);
}

// The checked pipeline computes the same, after every pass.
TEST_F(CheckedBuild, ComputesTheSame) {
  const ir::Var n = ir::MakeSizeVar("n");
  const te::Tensor a = te::Placeholder({n + 2}, DataType::Float(32), "A");
  const te::Tensor b =
      te::Compute({n + 2}, [&](const te::Indices& i) { return te::At(a, {i[0]}) * 2; }, "B");
  const te::Tensor c = te::Compute(
      {n}, [&](const te::Indices& i) { return te::At(b, {i[0]}) + te::At(b, {i[0] + 2}); }, "C");
  schedule::Schedule s = schedule::CreateSchedule({c->op});
  auto [outer, inner] = schedule::Split(s[c], schedule::AxisOf(c, 0), 8);
  schedule::ComputeAt(s[b], s[c], outer);
  schedule::Parallel(s[c], outer);
  schedule::Vectorize(s[c], inner);
  for (int64_t size : {0, 1, 8, 19}) {
    const ir::Module lowered = Lower(s, {a, c}, "f", Checked());
    try {
      const ir::Module checked =
          lower::CheckPasses(lowered, lower::TargetPasses(), {size}, 5, Checked());
      lower::CheckPasses(checked, lower::FlatPasses(), {size}, 5, Checked());
    } catch (const Error& error) {
      FAIL() << error.what();
    }
  }
}

}  // namespace
}  // namespace lathe::driver
