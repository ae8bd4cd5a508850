// transform_layout and rolling_buffer: loops, results, errors.
#include "gtest/gtest.h"
#include "schedule/loop_nest.h"
#include "schedule/primitives/primitives.h"
#include "te/operation.h"
#include "tests/check/check_schedule.h"

namespace lathe::schedule {
namespace {

using namespace te;  // NOLINT: tests read better
using ir::FloorDivide;
using ir::FloorModulo;
using ir::Int;
using ir::Var;
using Vars = std::vector<Var>;
using Places = std::vector<Expr>;

Places Tiled16(const Vars& d) {
  return {FloorDivide(d[0], Int(16)), d[1], FloorModulo(d[0], Int(16))};
}

struct Chain {
  explicit Chain(Expr n = Int(40), Expr m = Int(6)) {
    x = Placeholder({n, m}, DataType::Int(32), "X");
    b = Compute({n, m}, [&](const Indices& i) { return At(x, {i[0], i[1]}) * 2; }, "B");
    c = Compute({m, n}, [&](const Indices& i) { return At(b, {i[1], i[0]}) + 1; }, "C");
  }
  Tensor x, b, c;
};

TEST(TransformLayout, ReadersFollow) {
  Chain p;
  Schedule s = CreateSchedule({p.c->op});
  TransformLayout(s, p.b, Tiled16);
  EXPECT_EQ(LoopsOf(s, {p.x, p.c}), R"(func f(X: int32[40, 6], C: int32[6, 40]) {
  realize B: int32[3, 6, 16] bounds [range(3), range(6), range(16)]
  for i in range(40) {
    for j in range(6) {
      B[i // 16, j, i % 16] = X[i, j] * 2
    }
  }
  for i in range(6) {
    for j in range(40) {
      C[i, j] = B[j // 16, i, j % 16] + 1
    }
  }
}
)");
  EXPECT_EQ(WhatIsWrong(s, {p.x, p.c}), "");
}

TEST(TransformLayout, OfArgumentsTheFunctionTakesTheNewLayout) {
  Chain p;
  Schedule s = CreateSchedule({p.c->op});
  TransformLayout(s, p.x, Tiled16);
  TransformLayout(s, p.c, [](const Vars& d) { return Places{d[1] * 6 + d[0]}; });
  EXPECT_EQ(LoopsOf(s, {p.x, p.c}).substr(0, 44), "func f(X: int32[3, 6, 16], C: int32[240]) {\n");
  EXPECT_EQ(WhatIsWrong(s, {p.x, p.c}), "");
}

TEST(TransformLayout, PartsOfATile) {
  Chain p(Int(40), Int(6));
  Schedule s = CreateSchedule({p.c->op});
  TransformLayout(s, p.b, Tiled16);
  auto [jo, ji] = Split(s[p.c], AxisOf(p.c, 1), 12);  // tiles of 12 over tiles of 16
  Reorder(s[p.c], {jo, AxisOf(p.c, 0), ji});
  ComputeAt(s[p.b], s[p.c], jo);
  EXPECT_EQ(WhatIsWrong(s, {p.x, p.c}), "");
}

TEST(TransformLayout, SymbolicSizes) {
  Var n = ir::MakeSizeVar("n"), m = ir::MakeSizeVar("m");
  for (int which : {0, 1}) {
    Chain p(n, m);
    Schedule s = CreateSchedule({p.c->op});
    if (which == 0) {
      TransformLayout(s, p.b, Tiled16);
    } else {
      TransformLayout(s, p.b, [&](const Vars& d) { return Places{d[0] * m + d[1]}; });
    }
    for (int64_t size : {0, 1, 16, 17})
      EXPECT_EQ(WhatIsWrong(s, {p.x, p.c}, {size, 3}), "") << which << " " << size;
  }
}

TEST(TransformLayout, AMapOfAMapAndAMapAsText) {
  Chain p;
  Schedule s = CreateSchedule({p.c->op});
  TransformLayout(s, p.b, Tiled16);
  TransformLayout(s, p.b, std::vector<std::string>{"d1", "d0 * 16 + d2"});
  EXPECT_NE(LoopsOf(s, {p.x, p.c}).find("realize B: int32[6, 48]"), std::string::npos);
  EXPECT_EQ(WhatIsWrong(s, {p.x, p.c}), "");
}

TEST(TransformLayout, SeparatorsOfTheMemory) {
  Chain p;
  Schedule s = CreateSchedule({p.c->op});
  TransformLayout(s, p.b, Tiled16, {2});
  SetScope(s[p.b], "texture");
  EXPECT_NE(LoopsOf(s, {p.x, p.c}).find("separators"), std::string::npos) << LoopsOf(s, {p.x, p.c});
  EXPECT_EQ(WhatIsWrong(s, {p.x, p.c}), "");
}

TEST(TransformLayout, Tuples) {
  Tensor a = Placeholder({Int(6), Int(9)}, DataType::Int(32), "A");
  IterVar k = te::ReduceAxis(Int(0), Int(9), "k");
  std::vector<Tensor> r = ComputeTuple(
      {Int(6)}, [&](const Indices& i) { return ArgMax(k->var, At(a, {i[0], k->var}), {k}); }, "R");
  Schedule s = CreateSchedule({r[0]->op});
  TransformLayout(s, r[1], [](const Vars& d) { return Places{Int(5) - d[0]}; });
  EXPECT_EQ(WhatIsWrong(s, {a, r[0], r[1]}), "");
}

TEST(TransformLayout, Errors) {
  Chain p;
  Schedule s = CreateSchedule({p.c->op});
  auto error = [&](const LayoutMap& map, std::vector<int64_t> separators = {}) {
    return ErrorName([&] { TransformLayout(s, p.b, map, separators); });
  };
  EXPECT_EQ(error([](const Vars& d) { return Places{d[0]}; }), "schedule-layout-not-injective");
  EXPECT_EQ(error([](const Vars& d) { return Places{d[0] * 5 + d[1]}; }),
            "schedule-layout-not-injective");
  EXPECT_EQ(error([](const Vars& d) { return Places{FloorDivide(d[0], Int(4)), d[1]}; }),
            "schedule-layout-not-injective");
  EXPECT_EQ(error([](const Vars&) { return Places{}; }), "schedule-layout-refused");
  EXPECT_EQ(error([](const Vars& d) { return Places{d[0] - 1, d[1]}; }), "schedule-layout-refused");
  EXPECT_EQ(
      error([](const Vars& d) { return Places{ir::MakeCast(DataType::Float(32), d[0]), d[1]}; }),
      "schedule-layout-refused");
  EXPECT_EQ(error(Tiled16, {0}), "schedule-layout-separators");
  EXPECT_EQ(error(Tiled16, {2, 1}), "schedule-layout-separators");
  EXPECT_EQ(error(Tiled16, {3}), "schedule-layout-separators");
  EXPECT_EQ(WhatIsWrong(s, {p.x, p.c}), "") << "refused steps change nothing";
  // This tensor is too large to try every element, so the map must be proved injective.
  Chain large(ir::MakeSizeVar("n"), Int(6));
  Schedule t = CreateSchedule({large.c->op});
  EXPECT_EQ(ErrorName([&] {
              TransformLayout(t, large.b, [](const Vars& d) { return Places{d[0] * 5 + d[1]}; });
            }),
            "schedule-layout-not-injective");
  TransformLayout(t, large.b, [](const Vars& d) { return Places{d[0] * 6 + d[1]}; });
}

TEST(TransformLayout, WhatIsNoComputeTakesMemoryAsItIs) {
  Chain p;
  Tensor e = Extern(
      {{Int(6)}}, {DataType::Int(32)}, {p.b},
      [](const std::vector<Buffer>& in, const std::vector<Buffer>& out) {
        Var i = ir::MakeVar("i");
        return ir::MakeFor(i, Int(0), Int(6), ir::ForKind::kSerial,
                           ir::MakeStore(out[0], ir::MakeLoad(in[0], {Int(1), i}), {i}));
      },
      "E")[0];
  Schedule s = CreateSchedule({e->op});
  TransformLayout(s, p.b, Tiled16);
  EXPECT_EQ(ErrorName([&] { LoopsOf(s, {p.x, e}); }), "schedule-layout-opaque");
  CacheRead(s, p.b, "local", {e->op});
  EXPECT_EQ(WhatIsWrong(s, {p.x, e}), "");
}

// C[i] = B[i] + B[i + 1] + B[i + 2], rows of 5.
struct Stencil {
  explicit Stencil(Expr n) {
    x = Placeholder({n + 2, Int(5)}, DataType::Int(32), "X");
    b = Compute({n + 2, Int(5)}, [&](const Indices& i) { return At(x, {i[0], i[1]}) * 2; }, "B");
    c = Compute(
        {n, Int(5)},
        [&](const Indices& i) {
          return At(b, {i[0], i[1]}) + At(b, {i[0] + 1, i[1]}) * 3 + At(b, {i[0] + 2, i[1]});
        },
        "C");
  }
  Tensor x, b, c;
};

TEST(RollingBuffer, ComputesOnlyWhatIsNew) {
  Stencil p(Int(16));
  Schedule s = CreateSchedule({p.c->op});
  auto [io, ii] = Split(s[p.c], AxisOf(p.c, 0), 4);
  ComputeAt(s[p.b], s[p.c], io);
  RollingBuffer(s[p.b]);
  EXPECT_EQ(LoopsOf(s, {p.x, p.c}), R"(func f(X: int32[18, 5], C: int32[16, 5]) {
  realize B: int32[6, 5] bounds [range(6), range(5)]
  for i.outer in range(4) {
    for i in range(6) {
      if i.outer == 0 or i >= 2 {
        for j in range(5) {
          B[(i + i.outer * 4) % 6, j] = X[i + i.outer * 4, j] * 2
        }
      }
    }
    for i.inner in range(4) {
      for j in range(5) {
        C[i.outer * 4 + i.inner, j] = B[(i.outer * 4 + i.inner) % 6, j] + B[(i.outer * 4 + i.inner + 1) % 6, j] * 3 + B[(i.outer * 4 + i.inner + 2) % 6, j]
      }
    }
  }
}
)");
  EXPECT_EQ(WhatIsWrong(s, {p.x, p.c}), "");
}

// Sums that only the new elements need are computed for these only.
TEST(RollingBuffer, HoldsForStagesAttachedToIt) {
  const Tensor x = Placeholder({Int(18), Int(5), Int(4)}, DataType::Int(32), "X");
  const IterVar k = ReduceAxis(Int(0), Int(4), "k");
  const Tensor sums = Compute(
      {Int(18), Int(5)}, [&](const Indices& i) { return Sum(At(x, {i[0], i[1], k->var}), {k}); },
      "S");
  const Tensor b =
      Compute({Int(18), Int(5)}, [&](const Indices& i) { return At(sums, {i[0], i[1]}) * 2; }, "B");
  const Tensor c = Compute(
      {Int(16), Int(5)},
      [&](const Indices& i) { return At(b, {i[0], i[1]}) + At(b, {i[0] + 2, i[1]}); }, "C");
  Schedule s = CreateSchedule({c->op});
  ComputeAt(s[b], s[c], AxisOf(c, 0));
  RollingBuffer(s[b]);
  ComputeAt(s[sums], s[b], AxisOf(b, 1));
  const std::string loops = LoopsOf(s, {x, c});
  EXPECT_LT(loops.find("if i == 0 or i_1 >= 2"), loops.find("S[")) << loops;
  EXPECT_EQ(WhatIsWrong(s, {x, c}), "");
}

TEST(RollingBuffer, SizesThatDoNotDivide) {
  Var n = ir::MakeSizeVar("n");
  for (int64_t factor : {1, 3, 4}) {
    Stencil p(n);
    Schedule s = CreateSchedule({p.c->op});
    auto [io, ii] = Split(s[p.c], AxisOf(p.c, 0), factor);
    ComputeAt(s[p.b], s[p.c], io);
    RollingBuffer(s[p.b]);
    for (int64_t size : {0, 1, 3, 4, 13})
      EXPECT_EQ(WhatIsWrong(s, {p.x, p.c}, {size}), "") << factor << " " << size;
  }
}

TEST(RollingBuffer, WithRowsThatBeginAligned) {
  Var n = ir::MakeSizeVar("n");
  for (const int64_t axis : {0, 1}) {
    for (const int64_t offset : {0, 3}) {
      Stencil p(n);
      Schedule s = CreateSchedule({p.c->op});
      auto [io, ii] = Split(s[p.c], AxisOf(p.c, 0), 4);
      ComputeAt(s[p.b], s[p.c], io);
      RollingBuffer(s[p.b]);
      StorageAlign(s[p.b], AxisOf(p.b, axis), 8, offset);
      if (axis == 0 && offset == 0)
        EXPECT_NE(LoopsOf(s, {p.x, p.c}).find("B: int32[6, 5](strides=[8, 1])"), std::string::npos)
            << LoopsOf(s, {p.x, p.c});
      for (int64_t size : {0, 1, 3, 4, 13})
        EXPECT_EQ(WhatIsWrong(s, {p.x, p.c}, {size}), "") << axis << " " << offset << " " << size;
    }
  }
}

TEST(RollingBuffer, InATileOfAnotherLoopAndOfAReduction) {
  Tensor x = Placeholder({Int(14), Int(17)}, DataType::Int(32), "X");
  IterVar k = te::ReduceAxis(Int(0), Int(4), "k");
  Tensor b = Compute(
      {Int(14), Int(14)}, [&](const Indices& i) { return Sum(At(x, {i[0], i[1] + k->var}), {k}); },
      "B");
  IterVar r = te::ReduceAxis(Int(0), Int(3), "r"), q = te::ReduceAxis(Int(0), Int(3), "q");
  Tensor c = Compute(
      {Int(12), Int(12)},
      [&](const Indices& i) { return Sum(At(b, {i[0] + r->var, i[1] + q->var}), {r, q}); }, "C");
  Schedule s = CreateSchedule({c->op});
  Tiles t = Tile(s[c], AxisOf(c, 0), AxisOf(c, 1), 4, 5);
  Parallel(s[c], t.x_outer);
  ComputeAt(s[b], s[c], t.y_outer);
  RollingBuffer(s[b]);
  EXPECT_EQ(WhatIsWrong(s, {x, c}), "");
}

TEST(RollingBuffer, Errors) {
  Stencil p(Int(16));
  auto lowered = [&](auto schedule_it) {
    Schedule s = CreateSchedule({p.c->op});
    schedule_it(s);
    return ErrorName([&] { LoopsOf(s, {p.x, p.c}); });
  };
  const std::string refused = "schedule-rolling-refused";
  EXPECT_EQ(lowered([&](Schedule& s) { RollingBuffer(s[p.b]); }), refused) << "not attached";
  EXPECT_EQ(lowered([&](Schedule& s) {
              auto [io, ii] = Split(s[p.c], AxisOf(p.c, 0), 4);
              ComputeAt(s[p.b], s[p.c], io);
              Parallel(s[p.c], io);
              RollingBuffer(s[p.b]);
            }),
            refused)
      << "a parallel loop has no iteration before";
  EXPECT_EQ(lowered([&](Schedule& s) {
              IterVar fused = Fuse(s[p.c], {AxisOf(p.c, 0), AxisOf(p.c, 1)});
              ComputeAt(s[p.b], s[p.c], fused);
              RollingBuffer(s[p.b]);
            }),
            refused)
      << "two dimensions move";
  EXPECT_EQ(lowered([&](Schedule& s) {
              ComputeAt(s[p.b], s[p.c], AxisOf(p.c, 0));
              TransformLayout(s, p.b, [](const Vars& d) { return Places{d[1], d[0]}; });
              RollingBuffer(s[p.b]);
            }),
            refused)
      << "it has a layout";
  Schedule s = CreateSchedule({p.c->op});
  EXPECT_EQ(ErrorName([&] { RollingBuffer(s[p.c]); }), refused);
  EXPECT_EQ(ErrorName([&] { RollingBuffer(s[p.x]); }), refused);
}

}  // namespace
}  // namespace lathe::schedule
