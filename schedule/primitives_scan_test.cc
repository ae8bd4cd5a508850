// Scans whose parts have their own schedules (S49).
#include "gtest/gtest.h"
#include "schedule/primitives/primitives.h"
#include "schedule/queries.h"
#include "te/operation.h"
#include "tests/check/check_schedule.h"

namespace lathe::schedule {
namespace {

using namespace te;  // NOLINT: tests read better
using ir::Int;

// Y[t, j] = 2 Y[t-1, j] + X[t, j], with a stage `mid` between state and update.
struct Recurrence {
  explicit Recurrence(Expr m = Int(10), Expr n = Int(6)) {
    x = Placeholder({m, n}, DataType::Int(32), "X");
    state = Placeholder({m, n}, DataType::Int(32), "state");
    init = Compute({Int(1), n}, [&](const Indices& i) { return At(x, {i[0], i[1]}); }, "init");
    mid = Compute({m, n}, [&](const Indices& i) { return At(state, {i[0] - 1, i[1]}) * 2; }, "mid");
    update = Compute(
        {m, n}, [&](const Indices& i) { return At(mid, {i[0], i[1]}) + At(x, {i[0], i[1]}); },
        "update");
    y = Scan({init}, {update}, {state}, {x}, "Y")[0];
  }
  IterVar time() const { return ir::As<ir::ScanOp>(y->op)->scan_axis; }
  Tensor x, state, init, mid, update, y;
};

TEST(Scan, InitAndUpdateStayAtTheTimeLoop) {
  Recurrence p;
  Tensor z =
      Compute({Int(10), Int(6)}, [&](const Indices& i) { return At(p.y, {i[0], i[1]}) + 1; }, "Z");
  Schedule s = CreateSchedule({z->op});
  for (const Tensor& part : {p.init, p.update}) {
    EXPECT_EQ(ErrorName([&] { ComputeAt(s[part], s[z], AxisOf(z, 0)); }),
              "schedule-attach-scan-part");
    EXPECT_EQ(ErrorName([&] { ComputeInline(s[part]); }), "schedule-inline-refused");
    EXPECT_EQ(ErrorName([&] { SetScope(s[part], "local"); }), "schedule-scope-refused");
  }
  ComputeRoot(s[p.update]);
  EXPECT_EQ(WhatIsWrong(s, {p.x, z}), "");
}

// Parts with other shapes than their states, so that rows outside of them would be read or written.
// Constant extents are compared when the scan is made. Expressions are compared when it is
// scheduled, because only then can equality be proved.
TEST(Scan, PartsHaveTheShapesOfTheirStates) {
  const Expr n = ir::MakeSizeVar("n"), m = ir::MakeSizeVar("m");
  struct Case {
    Shape init, update, state;
    std::string made, scheduled;
  };
  const Case cases[] = {
      {{Int(1), n}, {m, n}, {m, n}, "no error", "no error"},
      {{Int(1), n * 2}, {m, n + n}, {m, n * 2}, "no error", "no error"},
      {{Int(1), n}, {n, n}, {m, n}, "no error", "scan-mismatch"},
      {{Int(1), n}, {m, n + 1}, {m, n}, "no error", "scan-mismatch"},
      {{Int(1), n + 1}, {m, n}, {m, n}, "no error", "scan-mismatch"},
      {{Int(1), Int(6)}, {Int(9), Int(6)}, {Int(10), Int(6)}, "scan-mismatch", ""},
      {{Int(1), Int(6)}, {Int(10), Int(5)}, {Int(10), Int(6)}, "scan-mismatch", ""},
      {{Int(1), Int(5)}, {Int(10), Int(6)}, {Int(10), Int(6)}, "scan-mismatch", ""},
  };
  for (const Case& c : cases) {
    const auto filled = [](const Shape& shape, const std::string& name) {
      return Compute(shape, [](const Indices&) { return Int(1); }, name);
    };
    Tensor y;
    const std::string made = ErrorName([&] {
      y = Scan({filled(c.init, "init")}, {filled(c.update, "update")},
               {Placeholder(c.state, DataType::Int(32), "state")}, {}, "Y")[0];
    });
    EXPECT_EQ(made, c.made);
    if (y) EXPECT_EQ(ErrorName([&] { CreateSchedule({y->op}); }), c.scheduled);
  }
}

TEST(Scan, AStateMayHaveFewerRowsThanItsInit) {
  const ir::Var m = ir::MakeSizeVar("m");
  const Tensor state = Placeholder({m, Int(4)}, DataType::Int(32), "state");
  const Tensor init = Compute({Int(3), Int(4)}, [](const Indices& i) { return i[0] + 7; }, "init");
  const Tensor update = Compute(
      {m, Int(4)}, [&](const Indices& i) { return At(state, {i[0] - 3, i[1]}) * 2; }, "update");
  const Tensor y = Scan({init}, {update}, {state}, {}, "Y")[0];
  for (const int64_t rows : {0, 1, 2, 3, 5}) {
    Schedule s = CreateSchedule({y->op});
    EXPECT_EQ(WhatIsWrong(s, {y}, {rows}), "") << rows << " rows";
    Split(s[init], AxisOf(init, 0), 2);
    EXPECT_EQ(WhatIsWrong(s, {y}, {rows}), "") << rows << " rows";
  }
}

TEST(Scan, PartsHaveSchedulesOfTheirOwn) {
  Recurrence p(Int(9), Int(14));
  Schedule s = CreateSchedule({p.y->op});
  auto [uo, ui] = Split(s[p.update], AxisOf(p.update, 1), 4);
  ComputeAt(s[p.mid], s[p.update], uo);
  Vectorize(s[p.mid], AxisOf(p.mid, 1));
  Reorder(s[p.update], {ui, uo});
  auto [io, ii] = Split(s[p.init], AxisOf(p.init, 1), 5);
  Parallel(s[p.init], io);
  EXPECT_EQ(WhatIsWrong(s, {p.x, p.y}), "");
  ComputeRoot(s[p.mid]);
  EXPECT_EQ(WhatIsWrong(s, {p.x, p.y}), "") << "the root of a part of a scan is its step";
  ComputeInline(s[p.mid]);
  EXPECT_EQ(WhatIsWrong(s, {p.x, p.y}), "");
}

TEST(Scan, TimeIsSplitInOrder) {
  for (int64_t rows : {1, 2, 7, 12}) {
    Recurrence p(Int(rows), Int(3));
    Tensor w = Compute(
        {Int(rows), Int(3)}, [&](const Indices& i) { return At(p.x, {i[0], i[1]}) * 3; }, "W");
    Tensor update = Compute(
        {Int(rows), Int(3)},
        [&](const Indices& i) { return At(p.mid, {i[0], i[1]}) + At(w, {i[0], i[1]}); }, "update");
    Tensor y = Scan({p.init}, {update}, {p.state}, {p.x}, "Y")[0];
    Schedule s = CreateSchedule({y->op});
    auto [to, ti] = Split(s[y], ir::As<ir::ScanOp>(y->op)->scan_axis, 4);
    ComputeAt(s[w], s[y], to);  // a block of rows at once
    EXPECT_EQ(ErrorName([&] { Reorder(s[y], {ti, to}); }), "schedule-reorder-time");
    EXPECT_EQ(WhatIsWrong(s, {p.x, y}), "") << rows;
    Fuse(s[y], {to, ti});
    EXPECT_EQ(WhatIsWrong(s, {p.x, y}), "") << rows;
  }
}

TEST(Scan, TheTimeLoopCarriesARecurrence) {
  Recurrence p;
  Schedule s = CreateSchedule({p.y->op});
  EXPECT_EQ(ErrorName([&] { Parallel(s[p.y], p.time()); }), "schedule-annotate-reduction");
  EXPECT_EQ(ErrorName([&] { Vectorize(s[p.y], p.time()); }), "schedule-annotate-reduction");
  Unroll(s[p.y], p.time());
  EXPECT_EQ(WhatIsWrong(s, {p.x, p.y}), "");
}

TEST(Scan, CachesOfStatesAndParts) {
  Recurrence p;
  Schedule s = CreateSchedule({p.y->op});
  Tensor old = CacheRead(s, p.state, "local", {p.mid->op});  // copied at every step
  Tensor copy = CacheRead(s, p.mid, "local", {p.update->op});
  Tensor cache = CacheWrite(s, p.update, "local")[0];
  ComputeAt(s[old], s[p.mid], AxisOf(p.mid, 1));
  ComputeAt(s[cache], s[p.update], AxisOf(p.update, 1));
  EXPECT_EQ(s[copy].scan, &s[p.y]);
  EXPECT_EQ(WhatIsWrong(s, {p.x, p.y}), "");
}

TEST(Scan, WhatTheFirstRowsNeedComesBeforeTheLoop) {
  Recurrence p;
  Tensor w =
      Compute({Int(1), Int(6)}, [&](const Indices& i) { return At(p.x, {i[0], i[1]}); }, "W");
  Tensor init =
      Compute({Int(1), Int(6)}, [&](const Indices& i) { return At(w, {i[0], i[1]}); }, "I");
  Tensor y = Scan({init}, {p.update}, {p.state}, {p.x}, "Y")[0];
  Schedule s = CreateSchedule({y->op});
  ComputeAt(s[w], s[init], AxisOf(init, 1));
  EXPECT_EQ(WhatIsWrong(s, {p.x, y}), "");
  ComputeAt(s[w], s[y], ir::As<ir::ScanOp>(y->op)->scan_axis);
  EXPECT_EQ(ErrorName([&] { LoopsOf(s, {p.x, y}); }), "schedule-illegal-attach");
}

TEST(Scan, PartsThatOthersReadToo) {
  // If the init is an input, an output, another scan, or shared by two scans, it is copied.
  Tensor first = Placeholder({Int(2), Int(6)}, DataType::Int(32), "first");
  Recurrence p;
  Tensor given = Scan({first}, {p.update}, {p.state}, {}, "Y")[0];
  Schedule s = CreateSchedule({given->op});
  EXPECT_EQ(WhatIsWrong(s, {p.x, first, given}), "");

  Schedule t = CreateSchedule({p.init->op, p.y->op});
  EXPECT_EQ(WhatIsWrong(t, {p.x, p.init, p.y}), "");

  Tensor z = Compute(
      {Int(10), Int(6)},
      [&](const Indices& i) { return At(p.y, {i[0], i[1]}) - At(p.init, {Int(0), i[1]}); }, "Z");
  Schedule u = CreateSchedule({z->op});
  EXPECT_EQ(WhatIsWrong(u, {p.x, z}), "");

  // Two states with the same init and the same update.
  Tensor other = Placeholder({Int(10), Int(6)}, DataType::Int(32), "other");
  std::vector<Tensor> twice =
      Scan({p.init, p.init}, {p.update, p.update}, {p.state, other}, {p.x}, "T");
  Schedule v = CreateSchedule({twice[0]->op});
  EXPECT_EQ(WhatIsWrong(v, {p.x, twice[0], twice[1]}), "");
}

TEST(Scan, StepsAreNotReadFromOutside) {
  Recurrence p;
  Tensor z = Compute(
      {Int(10), Int(6)},
      [&](const Indices& i) { return At(p.y, {i[0], i[1]}) + At(p.update, {i[0], i[1]}); }, "Z");
  Schedule s = CreateSchedule({z->op});
  EXPECT_EQ(ErrorName([&] { LoopsOf(s, {p.x, z}); }), "schedule-scan-part-read");
}

// The row of the step, fused with another axis: still one row, also if the loop may be empty.
TEST(Scan, TheRowOfAStepMayBePartOfAFusedLoop) {
  for (const bool at_outer : {false, true}) {
    const ir::Var n = ir::MakeSizeVar("n");
    Recurrence p(Int(9), n);
    Schedule s = CreateSchedule({p.y->op});
    const Tensor local = CacheRead(s, p.mid, "local", {p.update->op});
    const IterVar fused = Fuse(s[p.update], {AxisOf(p.update, 0), AxisOf(p.update, 1)});
    const auto [outer, inner] = Split(s[p.update], fused, 4);
    ComputeAt(s[local], s[p.update], at_outer ? outer : inner);
    const std::string loops = LoopsOf(s, {p.x, p.y});
    for (const int64_t size : {0, 1, 5})
      EXPECT_EQ(WhatIsWrong(s, {p.x, p.y}, {size}), "") << size << "\n" << loops;
    EXPECT_EQ(loops.find("max(n"), std::string::npos) << loops;
  }
}

// The needed rows of `before` depend on a division by n. The region that is computed as a whole
// instead would start before the first row.
TEST(Scan, RowsThatDependOnAnEmptyLoopAreRefused) {
  const ir::Var n = ir::MakeSizeVar("n");
  const Expr m = Int(9);
  Tensor x = Placeholder({m, n}, DataType::Int(32), "X");
  Tensor state = Placeholder({m, n}, DataType::Int(32), "state");
  auto stage = [&](const char* name, const std::function<Expr(Expr, Expr)>& value) {
    return Compute({m, n}, [&](const Indices& i) { return value(i[0], i[1]); }, name);
  };
  Tensor init = Compute({Int(2), n}, [&](const Indices& i) { return At(x, {i[0], i[1]}); }, "init");
  Tensor before = stage("before", [&](Expr t, Expr j) { return At(state, {t - 1, j}) + 1; });
  Tensor mid = stage("mid", [&](Expr t, Expr j) { return At(before, {t, j}) * 2; });
  Tensor update =
      stage("update", [&](Expr t, Expr j) { return At(mid, {t, j}) + At(mid, {t - 1, j}); });
  Tensor y = Scan({init}, {update}, {state}, {x}, "Y")[0];
  Schedule s = CreateSchedule({y->op});
  const Tensor local = CacheRead(s, before, "local", {mid->op});
  const IterVar fused = Fuse(s[mid], {AxisOf(mid, 0), AxisOf(mid, 1)});
  ComputeAt(s[local], s[mid], Split(s[mid], fused, 4).first);
  EXPECT_EQ(ErrorName([&] { LoopsOf(s, {x, y}); }), "schedule-scan-rows");
}

// Two states over two axes: the first axis of each is fixed, the second is not.
struct TwoStates {
  TwoStates() {
    const Shape shape = {Int(6), Int(5), Int(7)};
    const DataType t = DataType::Int(32);
    a = Placeholder(shape, t, "a");
    b = Placeholder(shape, t, "b");
    a0 = Compute({Int(1), Int(5), Int(7)}, [](const Indices& i) { return i[1] * 3 - i[2]; }, "a0");
    b0 = Compute({Int(1), Int(5), Int(7)}, [](const Indices& i) { return i[1] + i[2]; }, "b0");
    a1 = Compute(
        shape,
        [&](const Indices& i) {
          return At(b, {i[0] - 1, i[1], ir::FloorModulo(i[2] + 1, Int(7))}) + 1;
        },
        "a1");
    b1 = Compute(
        shape,
        [&](const Indices& i) {
          return At(a, {i[0] - 1, i[1], i[2]}) - At(b, {i[0] - 1, i[1], i[2]});
        },
        "b1");
    y = Scan({a0, b0}, {a1, b1}, {a, b}, {}, "Y");
  }
  Tensor a, b, a0, b0, a1, b1;
  std::vector<Tensor> y;
};

Tensor a10() {
  static const Tensor state = Placeholder({Int(10), Int(10)}, DataType::Int(32), "s10");
  return state;
}

TEST(Scan, FixPointOfTheAxes) {
  TwoStates p;
  const std::vector<int> classes =
      ScanFixPoint(static_cast<const ir::ScanOp&>(*p.y[0]->op)).classes;
  ASSERT_EQ(classes.size(), 4u);
  EXPECT_EQ(classes[0], classes[2]) << "rows of one need the rows of the other";
  EXPECT_GE(classes[0], 0);
  EXPECT_EQ(classes[1], -1);
  EXPECT_EQ(classes[3], -1) << "it is read along an axis that moves";
  Recurrence q;
  EXPECT_EQ(ScanFixPoint(static_cast<const ir::ScanOp&>(*q.y->op)).classes, std::vector<int>{0});
  // A diagonal: the time step is the column.
  Tensor diagonal = Compute(
      {Int(10), Int(6)},
      [&](const Indices& i) {
        return At(q.state, {i[0] - 1, ir::FloorModulo(i[0], Int(6))}) + i[1];
      },
      "D");
  Tensor d = Scan({q.init}, {diagonal}, {q.state}, {}, "E")[0];
  EXPECT_EQ(ScanFixPoint(static_cast<const ir::ScanOp&>(*d->op)).classes, std::vector<int>{-1});
  Tensor time = Compute(
      {Int(10), Int(10)}, [&](const Indices& i) { return At(a10(), {i[0] - 1, i[0]}) + i[1]; },
      "F");
  Tensor f = Scan({Compute(
                      {Int(1), Int(10)}, [](const Indices& i) { return Expr(i[1]); }, "f0")},
                  {time}, {a10()}, {}, "G")[0];
  EXPECT_EQ(ScanFixPoint(static_cast<const ir::ScanOp&>(*f->op)).classes, std::vector<int>{-1});
}

TEST(Scan, PartsOfAFixedAxisStayWithinIt) {
  // Columns 2 to 7 of 13, in tiles of 4. The stage between reaches beyond these columns, the states
  // do not.
  Recurrence p(Int(9), Int(13));
  Tensor z = Compute({Int(6)}, [&](const Indices& i) { return At(p.y, {Int(8), i[0] + 2}); }, "Z");
  Schedule s = CreateSchedule({z->op});
  auto [uo, ui] = Split(s[p.update], AxisOf(p.update, 1), 4);
  ComputeAt(s[p.mid], s[p.update], uo);
  EXPECT_EQ(WhatIsWrong(s, {p.x, z}), "");
  Tensor copy = CacheRead(s, p.state, "local", {p.mid->op});
  ComputeAt(s[copy], s[p.mid], AxisOf(p.mid, 0));
  EXPECT_EQ(WhatIsWrong(s, {p.x, z}), "");
}

TEST(Scan, ComputesOfFixedAxesWhatIsNeeded) {
  TwoStates p;
  Tensor z = Compute(
      {Int(3), Int(7)}, [&](const Indices& i) { return At(p.y[0], {Int(5), i[0] + 1, i[1]}); },
      "Z");
  Schedule s = CreateSchedule({z->op});
  const std::string text = LoopsOf(s, {z});
  EXPECT_NE(
      text.find("realize Y.v0: int32[6, 5, 7] bounds [range(6), range(1, extent=3), range(7)]"),
      std::string::npos)
      << text;
  EXPECT_EQ(WhatIsWrong(s, {z}), "");
  // One row of both states at a time, within the reader's loop.
  ComputeAt(s[p.y[0]], s[z], AxisOf(z, 0));
  EXPECT_NE(LoopsOf(s, {z}).find("bounds [range(6), range(i + 1, extent=1), range(7)]"),
            std::string::npos)
      << LoopsOf(s, {z});
  EXPECT_EQ(WhatIsWrong(s, {z}), "");
}

}  // namespace
}  // namespace lathe::schedule
