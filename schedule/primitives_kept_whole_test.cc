// Stages that are computed within a loop of a reader and kept whole (S9): outputs, and stages that
// something reads later.
#include "gtest/gtest.h"
#include "schedule/primitives/primitives.h"
#include "te/operation.h"
#include "tests/check/check_schedule.h"

namespace lathe::schedule {
namespace {

using namespace te;  // NOLINT: tests read better
using ir::Int;

// z = 2 * x; t = what `read` makes of z; q = z - 1, which comes after t.
struct Pair {
  using Read = std::function<Expr(const Tensor& z, const Indices& i)>;
  Pair(std::vector<Expr> shape, std::vector<Expr> reader_shape, const Read& read) {
    x = Placeholder(shape, DataType::Int(32), "X");
    z = Compute(shape, [&](const Indices& i) { return At(x, {i.begin(), i.end()}) * 2; }, "Z");
    t = Compute(reader_shape, [&](const Indices& i) { return read(z, i); }, "T");
    q = Compute(shape, [&](const Indices& i) { return At(z, {i.begin(), i.end()}) - 1; }, "Q");
  }
  explicit Pair(const Expr& n = Int(30), const Expr& m = Int(7))
      : Pair({n, m}, {n, m},
             [](const Tensor& z, const Indices& i) { return At(z, {i[0], i[1]}) + 1; }) {}
  // Three rows of z for each row of t.
  static Pair Window(int64_t step) {
    return Pair({Int(12 * step + 3), Int(8)}, {Int(13), Int(8)},
                [=](const Tensor& z, const Indices& i) {
                  return At(z, {i[0] * step, i[1]}) + At(z, {i[0] * step + 1, i[1]}) +
                         At(z, {i[0] * step + 2, i[1]});
                });
  }
  Tensor x, z, t, q;
};

// z at the outermost loop of t: what is wrong, or the error's name.
std::string Attached(const Schedule& s, const Pair& p, const std::vector<NodeRef>& args,
                     const std::vector<int64_t>& sizes = {}) {
  ComputeAt(s[p.z], s[p.t], s[p.t].leaf_axes[0]);
  const std::string error = ErrorName([&] { LoopsOf(s, args); });
  return error == "no error" ? WhatIsWrong(s, args, sizes) : error;
}

TEST(KeptWhole, AnOutputIsComputedWhereItIsRead) {
  Pair p;
  Schedule s = CreateSchedule({p.z->op, p.t->op});
  auto [outer, inner] = Split(s[p.t], AxisOf(p.t, 0), 4);
  ComputeAt(s[p.z], s[p.t], outer);
  EXPECT_EQ(LoopsOf(s, {p.x, p.z, p.t}),
            R"(func f(X: int32[30, 7], Z: int32[30, 7], T: int32[30, 7]) {
  for i.outer in range(8) {
    for i in range(4) {
      if likely(i + i.outer * 4 < 30) {
        for j in range(7) {
          Z[i + i.outer * 4, j] = X[i + i.outer * 4, j] * 2
        }
      }
    }
    for i.inner in range(4) {
      if likely(i.outer * 4 + i.inner < 30) {
        for j in range(7) {
          T[i.outer * 4 + i.inner, j] = Z[i.outer * 4 + i.inner, j] + 1
        }
      }
    }
  }
}
)");
  EXPECT_EQ(WhatIsWrong(s, {p.x, p.z, p.t}), "");
  // Tiles that do not meet may be computed at the same time.
  Parallel(s[p.t], outer);
  EXPECT_EQ(WhatIsWrong(s, {p.x, p.z, p.t}), "");
}

TEST(KeptWhole, WhatIsReadLaterHasWholeMemoryAroundBoth) {
  Pair p;
  Schedule s = CreateSchedule({p.t->op, p.q->op});
  ComputeAt(s[p.z], s[p.t], AxisOf(p.t, 0));
  EXPECT_EQ(LoopsOf(s, {p.x, p.t, p.q}),
            R"(func f(X: int32[30, 7], T: int32[30, 7], Q: int32[30, 7]) {
  realize Z: int32[30, 7] bounds [range(30), range(7)]
  for i in range(30) {
    for j in range(7) {
      Z[i, j] = X[i, j] * 2
    }
    for j in range(7) {
      T[i, j] = Z[i, j] + 1
    }
  }
  for i in range(30) {
    for j in range(7) {
      Q[i, j] = Z[i, j] - 1
    }
  }
}
)");
  EXPECT_EQ(WhatIsWrong(s, {p.x, p.t, p.q}), "");
}

TEST(KeptWhole, WhatIsReadBeforeIsRefused) {
  Pair p;
  Schedule s = CreateSchedule({p.q->op, p.t->op});
  ComputeAt(s[p.z], s[p.t], AxisOf(p.t, 0));
  EXPECT_EQ(ErrorName([&] { LoopsOf(s, {p.x, p.t, p.q}); }), "schedule-illegal-attach");
}

TEST(KeptWhole, AnOutputThatNothingReadsStays) {
  Pair p;
  Schedule s = CreateSchedule({p.t->op, p.q->op});
  EXPECT_EQ(ErrorName([&] { ComputeAt(s[p.q], s[p.t], AxisOf(p.t, 0)); }),
            "schedule-attach-output");
}

TEST(KeptWhole, WindowsThatLeaveNothingOut) {
  for (int64_t step : {1, 2, 3}) {
    Pair p = Pair::Window(step);
    Schedule s = CreateSchedule({p.z->op, p.t->op});
    EXPECT_EQ(Attached(s, p, {p.x, p.z, p.t}), "") << step;
  }
  Pair p = Pair::Window(4);
  Schedule s = CreateSchedule({p.z->op, p.t->op});
  EXPECT_EQ(Attached(s, p, {p.x, p.z, p.t}), "schedule-attach-uncovered");
}

TEST(KeptWhole, RowsThatIterationsShareAreNotComputedAtTheSameTime) {
  Pair p = Pair::Window(1);
  for (const bool vectors : {false, true}) {
    Schedule s = CreateSchedule({p.z->op, p.t->op});
    const IterVar loop = AxisOf(p.t, 0);
    vectors ? Vectorize(s[p.t], loop) : Parallel(s[p.t], loop);
    EXPECT_EQ(Attached(s, p, {p.x, p.z, p.t}), "schedule-attach-overlap");
  }
  // A single iteration meets no other.
  Pair row(Int(1), Int(7));
  Schedule one = CreateSchedule({row.z->op, row.t->op});
  Parallel(one[row.t], AxisOf(row.t, 0));
  EXPECT_EQ(Attached(one, row, {row.x, row.z, row.t}), "");
  // Rows of the window follow each other; columns do not meet.
  Schedule s = CreateSchedule({p.z->op, p.t->op});
  Reorder(s[p.t], {AxisOf(p.t, 1), AxisOf(p.t, 0)});
  Parallel(s[p.t], AxisOf(p.t, 1));
  ComputeAt(s[p.z], s[p.t], AxisOf(p.t, 0));
  EXPECT_EQ(WhatIsWrong(s, {p.x, p.z, p.t}), "");
}

TEST(KeptWhole, FusedTilesInParallel) {
  Pair p(Int(24), Int(32));
  Schedule s = CreateSchedule({p.z->op, p.t->op});
  auto tiles = Tile(s[p.t], AxisOf(p.t, 0), AxisOf(p.t, 1), 4, 8);
  const IterVar fused = Fuse(s[p.t], {tiles.x_outer, tiles.y_outer});
  Parallel(s[p.t], fused);
  ComputeAt(s[p.z], s[p.t], fused);
  EXPECT_EQ(WhatIsWrong(s, {p.x, p.z, p.t}), "");
}

TEST(KeptWhole, SumsAreNotDisturbedByWindows) {
  const Tensor a = Placeholder({Int(12), Int(5)}, DataType::Int(32), "A");
  const IterVar k = te::ReduceAxis(Int(0), Int(5), "k");
  const Tensor z =
      Compute({Int(12)}, [&](const Indices& i) { return Sum(At(a, {i[0], k->var}), {k}); }, "Z");
  const Tensor t =
      Compute({Int(10)}, [&](const Indices& i) { return At(z, {i[0]}) + At(z, {i[0] + 2}); }, "T");
  Schedule s = CreateSchedule({z->op, t->op});
  ComputeAt(s[z], s[t], AxisOf(t, 0));
  EXPECT_EQ(WhatIsWrong(s, {a, z, t}), "") << "each read leaves two rows to the other";

  const IterVar r = te::ReduceAxis(Int(0), Int(3), "r");
  const Tensor window =
      Compute({Int(10)}, [&](const Indices& i) { return Sum(At(z, {i[0] + r->var}), {r}); }, "T");
  s = CreateSchedule({z->op, window->op});
  ComputeAt(s[z], s[window], AxisOf(window, 0));
  EXPECT_EQ(WhatIsWrong(s, {a, z, window}), "");
  const Tensor later = Compute({Int(12)}, [&](const Indices& i) { return At(z, {i[0]}); }, "Q");
  s = CreateSchedule({z->op, window->op, later->op});
  ComputeAt(s[z], s[window], AxisOf(window, 0));
  EXPECT_EQ(WhatIsWrong(s, {a, z, window, later}), "");
}

TEST(KeptWhole, CornersThatNoReadReaches) {
  auto make = [](bool corner) {
    return Pair({Int(9), Int(9)}, {Int(8), Int(8)}, [=](const Tensor& z, const Indices& i) {
      const Expr cross = At(z, {i[0], i[1]}) + At(z, {i[0] + 1, i[1]}) + At(z, {i[0], i[1] + 1});
      return corner ? cross + At(z, {i[0] + 1, i[1] + 1}) : cross;
    });
  };
  for (const bool corner : {true, false}) {
    Pair p = make(corner);
    Schedule s = CreateSchedule({p.z->op, p.t->op});
    EXPECT_EQ(Attached(s, p, {p.x, p.z, p.t}), corner ? "" : "schedule-attach-uncovered");
  }
}

TEST(KeptWhole, AConditionOfAReductionMayLeaveElementsOut) {
  const Tensor a = Placeholder({Int(8)}, DataType::Int(32), "A");
  const Tensor z = Compute({Int(8)}, [&](const Indices& i) { return At(a, {i[0]}) * 2; }, "Z");
  const IterVar k = te::ReduceAxis(Int(0), Int(8), "k");
  const Tensor t = Compute(
      {Int(8)}, [&](const Indices& i) { return Sum(At(z, {k->var}), {k}, Expr(k->var) < i[0]); },
      "T");
  Schedule s = CreateSchedule({z->op, t->op});
  ComputeAt(s[z], s[t], AxisOf(t, 0));
  EXPECT_EQ(ErrorName([&] { LoopsOf(s, {a, z, t}); }), "schedule-attach-uncovered");
  // One that always holds leaves nothing out.
  const Tensor all = Compute(
      {Int(8)}, [&](const Indices&) { return Sum(At(z, {k->var}), {k}, Expr(k->var) < Int(8)); },
      "T");
  s = CreateSchedule({z->op, all->op});
  ComputeAt(s[z], s[all], AxisOf(all, 0));
  EXPECT_EQ(WhatIsWrong(s, {a, z, all}), "");
}

TEST(KeptWhole, WhatAReductionBeginsWithIsThereBefore) {
  const Tensor x = Placeholder({Int(8)}, DataType::Int(32), "X"),
               a = Placeholder({Int(8), Int(5)}, DataType::Int(32), "A");
  const Tensor z = Compute({Int(8)}, [&](const Indices& i) { return At(x, {i[0]}) * 2; }, "Z");
  const IterVar k = te::ReduceAxis(Int(0), Int(5), "k");
  const Tensor t = Compute(
      {Int(8)},
      [&](const Indices& i) { return Sum(At(a, {i[0], k->var}), {k}, {}, At(z, {i[0]})); }, "T");
  for (const bool output : {false, true}) {
    const std::vector<ir::Op> outputs =
        output ? std::vector<ir::Op>{z->op, t->op} : std::vector<ir::Op>{t->op};
    const std::vector<NodeRef> args =
        output ? std::vector<NodeRef>{x, a, z, t} : std::vector<NodeRef>{x, a, t};
    Schedule s = CreateSchedule(outputs);
    ComputeAt(s[z], s[t], k);
    EXPECT_EQ(ErrorName([&] { LoopsOf(s, args); }), "schedule-illegal-attach");
    s = CreateSchedule(outputs);
    ComputeAt(s[z], s[t], AxisOf(t, 0));
    EXPECT_EQ(WhatIsWrong(s, args), "");
  }
}

// A range that begins at another axis begins where that one does.
TEST(KeptWhole, RangesThatDependOnEachOther) {
  const Tensor x = Placeholder({Int(5)}, DataType::Int(32), "X");
  const Tensor z = Compute({Int(5)}, [&](const Indices& i) { return At(x, {i[0]}) * 2; }, "Z");
  const IterVar first = te::ReduceAxis(Int(2), Int(3), "r1");
  const IterVar second = te::ReduceAxis(Expr(first->var), Int(3), "r2");
  const Tensor t = Compute(
      {Int(4)},
      [&](const Indices&) {
        const Expr at = second->var;
        return Sum(ir::IfThenElse(at < Int(5), At(z, {at}), Int(0)), {first, second});
      },
      "T");
  Schedule s = CreateSchedule({z->op, t->op});
  ComputeAt(s[z], s[t], AxisOf(t, 0));
  EXPECT_EQ(ErrorName([&] { LoopsOf(s, {x, z, t}); }), "schedule-attach-uncovered");
}

TEST(KeptWhole, ChainsOfAnyLength) {
  Pair p;
  Tensor last = p.t;
  for (int i = 0; i < 3000; ++i)
    last = Compute(last->shape(), [&](const Indices& at) { return At(last, {at[0], at[1]}) + 1; });
  Schedule s = CreateSchedule({p.z->op, last->op});
  ComputeAt(s[p.z], s[p.t], AxisOf(p.t, 0));
  EXPECT_EQ(ErrorName([&] { LoopsOf(s, {p.x, p.z, last}); }), "no error");
}

TEST(KeptWhole, DigitsOfAnAxis) {
  // A flat reader of rows of 16.
  auto make = [](int64_t elements) {
    return Pair({Int(4), Int(16)}, {Int(elements)}, [](const Tensor& z, const Indices& i) {
      return At(z, {ir::FloorDivide(i[0], 16), ir::FloorModulo(i[0], ir::Int(16))});
    });
  };
  Pair whole = make(64);
  Schedule s = CreateSchedule({whole.z->op, whole.t->op});
  Split(s[whole.t], AxisOf(whole.t, 0), 16);
  EXPECT_EQ(Attached(s, whole, {whole.x, whole.z, whole.t}), "");
  Pair part = make(63);
  s = CreateSchedule({part.z->op, part.t->op});
  EXPECT_EQ(Attached(s, part, {part.x, part.z, part.t}), "schedule-attach-uncovered");
}

TEST(KeptWhole, AChainOfOutputsAtOneTile) {
  Pair p;
  const Tensor u =
      Compute({Int(30), Int(7)}, [&](const Indices& i) { return At(p.t, {i[0], i[1]}) * 3; }, "U");
  Schedule s = CreateSchedule({p.z->op, p.t->op, u->op});
  auto [outer, inner] = Split(s[u], AxisOf(u, 0), 4);
  ComputeAt(s[p.t], s[u], outer);
  ComputeAt(s[p.z], s[p.t], AxisOf(p.t, 0));
  Parallel(s[u], outer);
  EXPECT_EQ(WhatIsWrong(s, {p.x, p.z, p.t, u}), "");
  // t is no output: its readers still need all of it.
  s = CreateSchedule({p.z->op, u->op});
  ComputeAt(s[p.t], s[u], AxisOf(u, 0));
  ComputeAt(s[p.z], s[p.t], AxisOf(p.t, 1));
  EXPECT_EQ(WhatIsWrong(s, {p.x, p.z, u}), "");
}

TEST(KeptWhole, SymbolicExtents) {
  const Expr n = ir::MakeSizeVar("n"), m = ir::MakeSizeVar("m");
  Pair p(n, m);
  Schedule s = CreateSchedule({p.z->op, p.t->op});
  Split(s[p.t], AxisOf(p.t, 0), 4);
  EXPECT_EQ(Attached(s, p, {p.x, p.z, p.t}, {5, 3}), "");
  EXPECT_EQ(WhatIsWrong(s, {p.x, p.z, p.t}, {0, 3}), "");
  // Without columns of the reader, nothing of z would be computed.
  Pair wide({n}, {n, m}, [](const Tensor& z, const Indices& i) { return At(z, {i[0]}); });
  s = CreateSchedule({wide.z->op, wide.t->op});
  EXPECT_EQ(Attached(s, wide, {m, wide.x, wide.z, wide.t}), "schedule-attach-uncovered");
}

TEST(KeptWhole, WhatOnlyTheMemoryOfOneIterationHas) {
  Pair p;
  const std::vector<NodeRef> args = {p.x, p.t, p.q};
  auto refused = [&](const std::function<void(const Schedule&)>& with) {
    Schedule s = CreateSchedule({p.t->op, p.q->op});
    ComputeAt(s[p.z], s[p.t], AxisOf(p.t, 0));
    with(s);
    return ErrorName([&] { LoopsOf(s, args); });
  };
  EXPECT_EQ(refused([&](const Schedule& s) { RollingBuffer(s[p.z]); }), "schedule-attach-kept");
  EXPECT_EQ(refused([&](const Schedule& s) { DoubleBuffer(s[p.z]); }), "schedule-attach-kept");
  EXPECT_EQ(refused([&](const Schedule& s) { SetScope(s[p.z], "local"); }), "schedule-attach-kept");
  EXPECT_EQ(
      refused([&](const Schedule& s) { Bind(s[p.t], AxisOf(p.t, 0), ThreadAxis("blockIdx.x")); }),
      "schedule-attach-kept");
  EXPECT_EQ(refused([](const Schedule&) {}), "no error");
}

TEST(KeptWhole, AnotherLayoutAndAnAlignment) {
  Pair p;
  Schedule s = CreateSchedule({p.t->op, p.q->op});
  StorageAlign(s[p.z], AxisOf(p.z, 0), 8, 0);
  EXPECT_EQ(Attached(s, p, {p.x, p.t, p.q}), "");
  s = CreateSchedule({p.z->op, p.t->op});
  TransformLayout(s, p.z, std::vector<std::string>{"d1", "d0"});
  EXPECT_EQ(Attached(s, p, {p.x, p.z, p.t}), "");
}

}  // namespace
}  // namespace lathe::schedule
