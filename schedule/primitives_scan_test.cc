// Scans whose parts have schedules of their own (S49).
#include "gtest/gtest.h"
#include "schedule/check_schedule.h"
#include "schedule/primitives/primitives.h"
#include "te/operation.h"

namespace lathe::schedule {
namespace {

using namespace te;  // NOLINT: tests read better
using ir::Int;

// Y[t, j] = 2 Y[t-1, j] + X[t, j], over a stage `mid` between state and update.
struct Recurrence {
  explicit Recurrence(Expr m = Int(10), Expr n = Int(6)) {
    x = Placeholder({m, n}, DataType::Int(32), "X");
    state = Placeholder({m, n}, DataType::Int(32), "state");
    init = Compute({Int(1), n}, [&](const Indices& i) { return At(x, {i[0], i[1]}); }, "init");
    mid = Compute(
        {m, n}, [&](const Indices& i) { return At(state, {i[0] - 1, i[1]}) * 2; }, "mid");
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
  Tensor z = Compute(
      {Int(10), Int(6)}, [&](const Indices& i) { return At(p.y, {i[0], i[1]}) + 1; }, "Z");
  Schedule s = CreateSchedule({z->op});
  for (const Tensor& part : {p.init, p.update}) {
    EXPECT_EQ(ErrorName([&] { ComputeAt(s[part], s[z], AxisOf(z, 0)); }),
              "schedule-attach-scan-part");
    EXPECT_EQ(ErrorName([&] { ComputeInline(s[part]); }), "schedule-inline-refused");
  }
  ComputeRoot(s[p.update]);
  EXPECT_EQ(WhatIsWrong(s, {p.x, z}), "");
}

}  // namespace
}  // namespace lathe::schedule
