// cache_read and cache_write of several tensors and of tuples, set_scope.
#include "gtest/gtest.h"
#include "schedule/primitives/primitives.h"
#include "te/operation.h"
#include "tests/check/check_schedule.h"

namespace lathe::schedule {
namespace {

using namespace te;  // NOLINT: tests read better
using ir::Int;

struct Gemm {
  Gemm() {
    a = Placeholder({Int(9), Int(7)}, DataType::Float(32), "A");
    b = Placeholder({Int(7), Int(11)}, DataType::Float(32), "B");
    k = te::ReduceAxis(Int(0), Int(7), "k");
    c = Compute(
        {Int(9), Int(11)},
        [&](const Indices& i) { return Sum(At(a, {i[0], k->var}) * At(b, {k->var, i[1]}), {k}); },
        "C");
  }
  Tensor a, b, c;
  IterVar k;
};

TEST(CacheRead, SeveralTensorsAtOnce) {
  Gemm g;
  Schedule s = CreateSchedule({g.c->op});
  std::vector<Tensor> copies = CacheRead(s, std::vector<Tensor>{g.a, g.b}, "shared", {g.c->op});
  ASSERT_EQ(copies.size(), 2u);
  EXPECT_EQ(s[copies[0]].name, "A.shared");
  EXPECT_EQ(s[copies[1]].scope, "shared");
  auto [ko, ki] = Split(s[g.c], g.k, 3);
  Reorder(s[g.c], {ko, AxisOf(g.c, 0), AxisOf(g.c, 1), ki});
  for (const Tensor& copy : copies) ComputeAt(s[copy], s[g.c], ko);
  EXPECT_EQ(WhatIsWrong(s, {g.a, g.b, g.c}), "");
}

TEST(CacheRead, EachForThoseThatReadIt) {
  Gemm g;
  Tensor d = Compute(
      {Int(9)}, [&](const Indices& i) { return At(g.a, {i[0], Int(2)}) + At(g.c, {i[0], i[0]}); },
      "D");
  Schedule s = CreateSchedule({d->op});
  // Only C reads B, only D reads C, and both read A. Readers that do not read a tensor are ignored.
  CacheRead(s, std::vector<Tensor>{g.a, g.b, g.c}, "local", {g.c->op, d->op});
  EXPECT_EQ(s->stages.size(), 4u + 3u);
  EXPECT_EQ(WhatIsWrong(s, {g.a, g.b, d}), "");
  EXPECT_EQ(ErrorName([&] { CacheRead(s, std::vector<Tensor>{g.a, d}, "local", {}); }),
            "schedule-cache-no-reader");
  EXPECT_EQ(s->stages.size(), 4u + 3u) << "refused steps change nothing";
}

TEST(CacheWrite, TupleReduction) {
  Tensor a = Placeholder({Int(6), Int(9)}, DataType::Float(32), "A");
  IterVar k = te::ReduceAxis(Int(0), Int(9), "k");
  std::vector<Tensor> r = ComputeTuple(
      {Int(6)}, [&](const Indices& i) { return ArgMin(k->var, At(a, {i[0], k->var}), {k}); }, "R");
  Schedule s = CreateSchedule({r[0]->op});
  std::vector<Tensor> cache = CacheWrite(s, r, "local");
  ASSERT_EQ(cache.size(), 2u);
  EXPECT_EQ(&s[cache[0]], &s[cache[1]]) << "one stage for one operation";
  auto [io, ii] = Split(s[r[0]], AxisOf(r[0], 0), 4);
  ComputeAt(s[cache[0]], s[r[0]], io);
  Split(s[cache[0]], k, 2);
  EXPECT_EQ(LoopsOf(s, {a, r[0], r[1]}),
            R"(func f(A: float32[6, 9], R.v0: int32[6], R.v1: float32[6]) {
  for i.outer in range(2) {
    realize R.local.v0: int32[6](scope="local") bounds [range(i.outer * 4, extent=4)]
    realize R.local.v1: float32[6](scope="local") bounds [range(i.outer * 4, extent=4)]
    for i.c in range(4) {
      if likely(i.c + i.outer * 4 < 6) {
        R.local.v0[i.c + i.outer * 4] = 2147483647
        R.local.v1[i.c + i.outer * 4] = inf
        for k.outer in range(5) {
          for k.inner in range(2) {
            if likely(k.outer * 2 + k.inner < 9) {
              let R.local.old0 = R.local.v0[i.c + i.outer * 4]
              let R.local.new0 = k.outer * 2 + k.inner
              let R.local.old1 = R.local.v1[i.c + i.outer * 4]
              let R.local.new1 = A[i.c + i.outer * 4, k.outer * 2 + k.inner]
              R.local.v0[i.c + i.outer * 4] = select(R.local.old1 < R.local.new1 or R.local.old1 == R.local.new1 and R.local.old0 <= R.local.new0, R.local.old0, R.local.new0)
              R.local.v1[i.c + i.outer * 4] = select(R.local.old1 < R.local.new1 or R.local.old1 == R.local.new1 and R.local.old0 <= R.local.new0, R.local.old1, R.local.new1)
            }
          }
        }
      }
    }
    for i.inner in range(4) {
      if likely(i.outer * 4 + i.inner < 6) {
        R.v0[i.outer * 4 + i.inner] = R.local.v0[i.outer * 4 + i.inner]
        R.v1[i.outer * 4 + i.inner] = R.local.v1[i.outer * 4 + i.inner]
      }
    }
  }
}
)");
  EXPECT_EQ(WhatIsWrong(s, {a, r[0], r[1]}), "");
}

// The loop at which the producer is computed would move to the cache, but the producer would not.
TEST(CacheWrite, RefusedWhereAStageIsComputedAtTheReduction) {
  auto a = te::Placeholder({Int(4), Int(8)}, DataType::Float(32), "A");
  auto twice = te::Compute(
      {Int(4), Int(8)}, [&](const te::Indices& i) { return te::At(a, {i[0], i[1]}) * 2.0f; },
      "twice");
  auto k = te::ReduceAxis(Int(0), Int(8), "k");
  auto sum = te::Compute(
      {Int(4)}, [&](const te::Indices& i) { return te::Sum(te::At(twice, {i[0], k->var}), {k}); },
      "sum");
  Schedule s = CreateSchedule({sum->op});
  ComputeAt(s[twice], s[sum], k);
  EXPECT_EQ(ErrorName([&] { CacheWrite(s, sum, "local"); }), "schedule-cache-write-refused");
  ComputeRoot(s[twice]);
  EXPECT_EQ(CacheWrite(s, sum, "local").size(), 1u);
  // The same for a group.
  s = CreateSchedule({sum->op});
  Group& group = CreateGroup(s, {twice}, {a});
  ComputeAt(group, s[sum], k);
  EXPECT_EQ(ErrorName([&] { CacheWrite(s, sum, "local"); }), "schedule-cache-write-refused");
  ComputeRoot(group);
  EXPECT_EQ(CacheWrite(s, sum, "local").size(), 1u);
}

TEST(CacheWrite, SeveralOperationsAtOnce) {
  Tensor a = Placeholder({Int(6)}, DataType::Int(32), "A");
  Tensor b = Compute({Int(6)}, [&](const Indices& i) { return At(a, {i[0]}) * 2; }, "B");
  std::vector<Tensor> c = ComputeTuple(
      {Int(6)},
      [&](const Indices& i) {
        return std::vector<Expr>{At(b, {i[0]}) + 1, At(a, {i[0]}) - At(b, {i[0]})};
      },
      "C");
  Schedule s = CreateSchedule({c[0]->op});
  std::vector<Tensor> cache = CacheWrite(s, {b, c[1], c[0]}, "local");
  ASSERT_EQ(cache.size(), 3u);
  EXPECT_EQ(cache[1]->value_index, 1);
  EXPECT_EQ(&s[cache[1]], &s[cache[2]]);
  EXPECT_EQ(s[cache[0]].name, "B.local");
  EXPECT_EQ(WhatIsWrong(s, {a, c[0], c[1]}), "");
  Split(s[b], AxisOf(b, 0), 2);
  EXPECT_EQ(ErrorName([&] { CacheWrite(s, {c[0], b}, "shared"); }), "schedule-cache-write-refused");
  EXPECT_EQ(ErrorName([&] { CacheWrite(s, {a}, "shared"); }), "schedule-cache-write-refused");
}

TEST(SetScope, OfAStage) {
  Gemm g;
  Tensor d =
      Compute({Int(9), Int(11)}, [&](const Indices& i) { return At(g.c, {i[0], i[1]}) + 1; }, "D");
  Schedule s = CreateSchedule({d->op});
  SetScope(s[g.c], "shared");
  ComputeAt(s[g.c], s[d], AxisOf(d, 0));
  EXPECT_NE(LoopsOf(s, {g.a, g.b, d}).find("realize C: float32[9, 11](scope=\"shared\")"),
            std::string::npos);
  EXPECT_EQ(WhatIsWrong(s, {g.a, g.b, d}), "");
  EXPECT_EQ(ErrorName([&] { SetScope(s[d], "local"); }), "schedule-scope-refused");
  EXPECT_EQ(ErrorName([&] { SetScope(s[g.a], "local"); }), "schedule-scope-refused");
}

TEST(ComputeAt, OfAnInputIsRefused) {
  Gemm g;
  Schedule s = CreateSchedule({g.c->op});
  EXPECT_EQ(ErrorName([&] { ComputeAt(s[g.a], s[g.c], AxisOf(g.c, 0)); }), "schedule-attach-input");
}

}  // namespace
}  // namespace lathe::schedule
