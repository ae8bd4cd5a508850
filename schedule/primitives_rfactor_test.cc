// rfactor (S15): loops, results, handles, errors.
#include "gtest/gtest.h"
#include "schedule/primitives/primitives.h"
#include "te/operation.h"
#include "tests/check/check_schedule.h"

namespace lathe::schedule {
namespace {

using namespace te;  // NOLINT: tests read better
using ir::Int;

struct RowSum {
  explicit RowSum(Expr n, Expr m, Expr where_end = {}, Expr init = {}) {
    a = Placeholder({n, m}, DataType::Float(32), "A");
    k = te::ReduceAxis(Int(0), m, "k");
    c = Compute(
        {n},
        [&](const Indices& i) {
          return Sum(At(a, {i[0], k->var}), {k}, where_end ? Expr(k->var) < where_end : Expr(),
                     init ? ir::MakeCast(DataType::Float(32), init + i[0]) : Expr());
        },
        "C");
  }
  Tensor a, c;
  IterVar k;
};

TEST(RFactor, LoopsOfASplitThatDivides) {
  RowSum p(Int(3), Int(32));
  Schedule s = CreateSchedule({p.c->op});
  auto [ko, ki] = Split(s[p.c], p.k, 4);
  Tensor rf = RFactor(s, p.c, ko)[0];
  EXPECT_EQ(rf->ndim(), 2);
  EXPECT_EQ(LoopsOf(s, {p.a, p.c}), R"(func f(A: float32[3, 32], C: float32[3]) {
  realize C.rf: float32[8, 3] bounds [range(8), range(3)]
  for k.outer in range(8) {
    for i in range(3) {
      C.rf[k.outer, i] = 0.0
      for k.inner in range(4) {
        C.rf[k.outer, i] = C.rf[k.outer, i] + A[i, k.outer * 4 + k.inner]
      }
    }
  }
  for i in range(3) {
    C[i] = 0.0
    for k.outer in range(8) {
      C[i] = C[i] + C.rf[k.outer, i]
    }
  }
}
)");
  EXPECT_EQ(WhatIsWrong(s, {p.a, p.c}), "");
}

TEST(RFactor, HandlesStayValid) {
  RowSum p(Int(7), Int(30));
  Schedule s = CreateSchedule({p.c->op});
  auto [io, ii] = Split(s[p.c], AxisOf(p.c, 0), 2);
  auto [ko, ki] = Split(s[p.c], p.k, 8);
  auto [kio, kii] = Split(s[p.c], ki, 3);
  Tensor rf = RFactor(s, p.c, ko, -1)[0];
  // The reduction loops that were not factored out belong to the partial results ...
  Reorder(s[rf], {kii, kio});
  Unroll(s[rf], kii);
  // ... the data axes and the factored loop belong to the combination.
  auto [koo, koi] = Split(s[p.c], ko, 3);
  Reorder(s[p.c], {koo, io, ii});
  Vectorize(s[p.c], ii);
  EXPECT_EQ(AxisOf(rf, 1)->var->name, "k.outer");
  Vectorize(s[rf], AxisOf(rf, 1));
  ComputeAt(s[rf], s[p.c], io);
  EXPECT_EQ(ErrorName([&] { LoopsOf(s, {p.a, p.c}); }), "no error");
  EXPECT_EQ(WhatIsWrong(s, {p.a, p.c}), "");
}

TEST(RFactor, SplitsThatDoNotDivideAndSymbolicSizes) {
  for (bool inner : {false, true}) {
    for (bool fused : {false, true}) {
      ir::Var n = ir::MakeSizeVar("n"), m = ir::MakeSizeVar("m");
      RowSum p(n, m);
      Schedule s = CreateSchedule({p.c->op});
      auto [ko, ki] = Split(s[p.c], p.k, 4);
      IterVar factored = inner ? ki : ko;
      if (fused) {
        auto [kio, kii] = Split(s[p.c], ki, 2);
        factored = Fuse(s[p.c], {ko, kio});
      }
      RFactor(s, p.c, factored, inner ? 1 : 0);
      for (int64_t size : {0, 1, 3, 4, 13})
        EXPECT_EQ(WhatIsWrong(s, {p.a, p.c}, {3, size}), "") << inner << fused << size;
    }
  }
}

TEST(RFactor, WholeAxisThatDoesNotStartAtZero) {
  Tensor a = Placeholder({Int(4), Int(9)}, DataType::Int(32), "A");
  IterVar k = te::ReduceAxis(Int(2), Int(7), "k"), l = te::ReduceAxis(Int(1), Int(3), "l");
  Tensor c = Compute({}, [&](const Indices&) { return Sum(At(a, {l->var, k->var}), {k, l}); }, "C");
  for (const IterVar& axis : {k, l}) {
    Schedule s = CreateSchedule({c->op});
    Tensor rf = RFactor(s, c, axis)[0];
    Split(s[c], axis, 2);
    Split(s[rf], axis.same_as(k) ? l : k, 2);
    EXPECT_EQ(WhatIsWrong(s, {a, c}), "");
  }
}

TEST(RFactor, NothingElseIsReduced) {
  RowSum p(Int(3), Int(10), Int(7));
  Schedule s = CreateSchedule({p.c->op});
  Tensor rf = RFactor(s, p.c, p.k)[0];
  EXPECT_FALSE(s[rf].has_reduction());
  EXPECT_EQ(WhatIsWrong(s, {p.a, p.c}), "");
}

TEST(RFactor, WhereStaysWithThePartsInitWithTheWhole) {
  RowSum p(Int(3), Int(10), Int(8), Int(5));
  Schedule s = CreateSchedule({p.c->op});
  auto [ko, ki] = Split(s[p.c], p.k, 4);
  RFactor(s, p.c, ki);
  EXPECT_EQ(WhatIsWrong(s, {p.a, p.c}), "");
}

TEST(RFactor, ArgmaxTuple) {
  Tensor a = Placeholder({Int(5), Int(23)}, DataType::Float(32), "A");
  IterVar k = te::ReduceAxis(Int(0), Int(23), "k");
  std::vector<Tensor> r = ComputeTuple(
      {Int(5)},
      [&](const Indices& i) {
        return ArgMax(k->var, At(a, {i[0], k->var}), {k}, Expr(k->var) < Int(21));
      },
      "R");
  Schedule s = CreateSchedule({r[0]->op});
  auto [ko, ki] = Split(s[r[0]], k, 4);
  std::vector<Tensor> rf = RFactor(s, r[1], ki, 1);
  ASSERT_EQ(rf.size(), 2u);
  ComputeAt(s[rf[0]], s[r[0]], AxisOf(r[0], 0));
  EXPECT_EQ(WhatIsWrong(s, {a, r[0], r[1]}), "");
}

TEST(RFactor, TwiceAndAfterCacheWrite) {
  RowSum p(Int(3), Int(64));
  Schedule s = CreateSchedule({p.c->op});
  Tensor cache = CacheWrite(s, p.c, "local")[0];
  auto [ko, ki] = Split(s[cache], p.k, 16);
  Tensor rf = RFactor(s, cache, ko)[0];
  auto [kio, kii] = Split(s[rf], ki, 5);
  Tensor again = RFactor(s, rf, kii, 1)[0];
  EXPECT_EQ(again->ndim(), 3);
  EXPECT_EQ(WhatIsWrong(s, {p.a, p.c}), "");
}

TEST(RFactor, WhatWasAttachedMovesAlong) {
  RowSum p(Int(6), Int(20));
  Schedule s = CreateSchedule({p.c->op});
  Tensor copy = CacheRead(s, p.a, "global", {p.c->op});
  auto [ko, ki] = Split(s[p.c], p.k, 5);
  ComputeAt(s[copy], s[p.c], p.k);  // becomes the inner part
  Tensor rf = RFactor(s, p.c, ko)[0];
  EXPECT_EQ(s[copy].attach_stage, &s[rf]);
  EXPECT_EQ(WhatIsWrong(s, {p.a, p.c}), "");
}

TEST(RFactor, Errors) {
  RowSum p(Int(6), Int(20));
  Tensor d = Compute({Int(6)}, [&](const Indices& i) { return At(p.c, {i[0]}) + 1; }, "D");
  Schedule s = CreateSchedule({d->op});
  auto [ko, ki] = Split(s[p.c], p.k, 5);
  EXPECT_EQ(ErrorName([&] { RFactor(s, d, AxisOf(d, 0)); }), "schedule-rfactor-not-a-reduction");
  EXPECT_EQ(ErrorName([&] { RFactor(s, p.c, AxisOf(p.c, 0)); }),
            "schedule-rfactor-not-a-reduction");
  EXPECT_EQ(ErrorName([&] { RFactor(s, p.c, p.k); }), "schedule-not-a-leaf");
  EXPECT_EQ(ErrorName([&] { RFactor(s, p.c, ko, 2); }), "schedule-rfactor-position");
  EXPECT_EQ(ErrorName([&] { RFactor(s, p.c, ko, -3); }), "schedule-rfactor-position");
  Unroll(s[p.c], ki);
  EXPECT_EQ(ErrorName([&] { RFactor(s, p.c, ki); }), "schedule-axis-annotated");
  EXPECT_EQ(WhatIsWrong(s, {p.a, d}), "") << "refused steps change nothing";
}

}  // namespace
}  // namespace lathe::schedule
