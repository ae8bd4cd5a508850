// S20 and S24: tensor intrinsics and double buffers.
#include <functional>
#include <string>

#include "base/error.h"
#include "gtest/gtest.h"
#include "ir/text/printer.h"
#include "ir/walk.h"
#include "lower/pipeline.h"
#include "schedule/loop_nest.h"
#include "schedule/primitives/primitives.h"
#include "te/tensor_intrin.h"
#include "tests/check/check_passes.h"
#include "tests/check/check_schedule.h"

namespace lathe::semantics {
namespace {

using namespace schedule;  // NOLINT: tests read better
using namespace te;        // NOLINT
using ir::Int;

std::string NameOf(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& e) {
    return e.name();
  }
  return "no error";
}

// y[0] += x[0] + ... + x[3], with a reset.
TensorIntrin Sum4() {
  const IterVar k = ReduceAxis(Int(0), Int(4), "k");
  const Tensor x = Placeholder({Int(4)}, DataType::Int(32), "x");
  const Tensor y = Compute({}, [&](const Indices&) { return Sum(At(x, {k->var}), {k}); }, "y");
  return DeclTensorIntrin(
      "sum4", y->op, [](const std::vector<ir::Buffer>& in, const std::vector<ir::Buffer>& out) {
        const ir::Stmt reset = ir::MakeStore(out[0], Int(0), {});
        Expr sum = ir::MakeLoad(out[0], {});
        for (int64_t i = 0; i < 4; ++i) sum = sum + ir::MakeLoad(in[0], {Int(i)});
        const ir::Stmt update = ir::MakeStore(out[0], sum, {});
        return IntrinStmts{.body = ir::MakeSeq({reset, update}), .reset = reset, .update = update};
      });
}

struct Rows {
  explicit Rows(Expr columns) {
    a = Placeholder({Int(3), columns}, DataType::Int(32), "A");
    k = ReduceAxis(Int(0), columns, "k");
    b = Compute({Int(3)}, [&](const Indices& i) { return Sum(At(a, {i[0], k->var}), {k}); }, "B");
    s = CreateSchedule({b->op});
  }
  void Tensorized() {
    auto [outer, inner] = Split(s[b], k, 4);
    (void)outer;
    Tensorize(s[b], inner, Sum4());
  }
  Tensor a, b;
  IterVar k;
  Schedule s;
};

// A tail shorter than the intrinsic. A known fault of other compilers: the guard was dropped, and
// memory after the row was added.
TEST(Semantics, S20_NoPredicateOnInnerVariables) {
  Rows rows(Int(10));
  rows.Tensorized();
  EXPECT_EQ(NameOf([&] { LowerSchedule(rows.s, {rows.a, rows.b}, "f"); }),
            "schedule-tensorize-illegal");
}

TEST(Semantics, S20_NoThreadsInside) {
  Rows rows(Int(8));
  auto [outer, inner] = Split(rows.s[rows.b], rows.k, 4);
  Bind(rows.s[rows.b], inner, ThreadAxis("threadIdx.x"));
  Tensorize(rows.s[rows.b], outer, Sum4());
  EXPECT_EQ(NameOf([&] { LowerSchedule(rows.s, {rows.a, rows.b}, "f"); }),
            "schedule-tensorize-illegal");
}

TEST(Semantics, S20_TypesMatch) {
  Rows rows(Int(8));
  const IterVar k = ReduceAxis(Int(0), Int(4), "k");
  const Tensor a = Placeholder({Int(3), Int(4)}, DataType::Int(64), "A");
  const Tensor b =
      Compute({Int(3)}, [&](const Indices& i) { return Sum(At(a, {i[0], k->var}), {k}); }, "B");
  const Schedule s = CreateSchedule({b->op});
  Tensorize(s[b], k, Sum4());
  EXPECT_EQ(NameOf([&] { LowerSchedule(s, {a, b}, "f"); }), "schedule-tensorize-mismatch");
}

// A known fault of other compilers: a reduction loop of extent 1 outside the intrinsic left the
// result without its initial value.
TEST(Semantics, S20_OuterReductionsOfExtentOneWork) {
  for (int64_t columns : {4, 8, 12}) {
    Rows rows((Int(columns)));
    rows.Tensorized();
    EXPECT_EQ(WhatIsWrong(rows.s, {rows.a, rows.b}), "") << columns;
  }
}

// A tensor with a transformed layout has no rows that an intrinsic could take.
TEST(Semantics, S20_ALayoutOfItsOwnIsRefused) {
  Rows rows(Int(8));
  const Tensor copy = CacheRead(rows.s, rows.a, "global", {rows.b->op});
  TransformLayout(rows.s, copy,
                  [](const std::vector<ir::Var>& d) { return std::vector<Expr>{d[1], d[0]}; });
  rows.Tensorized();
  EXPECT_EQ(NameOf([&] { LowerSchedule(rows.s, {rows.a, rows.b}, "f"); }),
            "schedule-tensorize-memory");
}

TEST(Semantics, S24_DoubleBufferNeverOnAnOutput) {
  Rows rows(Int(8));
  EXPECT_EQ(NameOf([&] { DoubleBuffer(rows.s[rows.b]); }), "schedule-double-buffer-refused");
}

TEST(Semantics, S24_DoubleBufferSitsInsideALoop) {
  Rows rows(Int(8));
  const Tensor copy = CacheRead(rows.s, rows.a, "global", {rows.b->op});
  DoubleBuffer(rows.s[copy]);
  EXPECT_EQ(NameOf([&] { LowerSchedule(rows.s, {rows.a, rows.b}, "f"); }), "pipeline-refused");
  ComputeAt(rows.s[copy], rows.s[rows.b], AxisOf(rows.b, 0));
  EXPECT_EQ(WhatIsWrong(rows.s, {rows.a, rows.b}), "");
  const ir::Func func = LowerSchedule(rows.s, {rows.a, rows.b}, "f");
  const ir::Module lowered = lower::CheckPasses(ir::MakeModule({func}), lower::TilePasses(), {}, 3);
  bool halves = false;
  ir::ForEach<ir::Allocate>(lowered, [&](const ir::Allocate& allocate) {
    halves = halves ||
             (allocate.buffer->shape.size() == 3 && ir::IsConstInt(allocate.buffer->shape[0], 2));
  });
  EXPECT_TRUE(halves) << ir::ToText(lowered);
}

}  // namespace
}  // namespace lathe::semantics
