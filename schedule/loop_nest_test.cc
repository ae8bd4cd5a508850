#include "schedule/loop_nest.h"

#include <iostream>

#include "arith/simplify_stmt.h"
#include "base/error.h"
#include "gtest/gtest.h"
#include "ir/printer.h"
#include "schedule/primitives/primitives.h"
#include "te/operation.h"

namespace lathe::schedule {
namespace {

using namespace te;  // NOLINT: tests read better
using ir::FloorDivide;
using ir::Int;
using ir::MakeSizeVar;
using ir::Var;

std::string Text(const Schedule& s, std::vector<NodeRef> args) {
  ir::PrintOptions options;
  options.short_form = true;
  return ir::ToText(arith::Simplify(LowerSchedule(s, args, "f")), options);
}

struct Gemm {
  explicit Gemm(Expr n, Expr m, Expr l) {
    a = Placeholder({n, l}, DataType::Float(32), "A");
    b = Placeholder({l, m}, DataType::Float(32), "B");
    k = te::ReduceAxis(Int(0), l, "k");
    c = Compute(
        {n, m},
        [&](const Indices& i) { return Sum(At(a, {i[0], k->var}) * At(b, {k->var, i[1]}), {k}); },
        "C");
  }
  Tensor a, b, c;
  IterVar k;
};

TEST(LoopNest, DefaultSchedule) {
  Gemm g(Int(32), Int(32), Int(32));
  Schedule s = CreateSchedule({g.c->op});
  std::cout << Text(s, {g.a, g.b, g.c}) << "\n";
}

TEST(LoopNest, TiledGemm) {
  Gemm g(Int(100), Int(100), Int(64));
  Schedule s = CreateSchedule({g.c->op});
  Tiles t = Tile(s[g.c], AxisOf(g.c, 0), AxisOf(g.c, 1), 8, 16);
  auto [ko, ki] = Split(s[g.c], g.k, 4);
  Reorder(s[g.c], {t.x_outer, t.y_outer, ko, t.x_inner, ki, t.y_inner});
  Vectorize(s[g.c], t.y_inner);
  std::cout << Text(s, {g.a, g.b, g.c}) << "\n";
}

TEST(LoopNest, CacheWriteAndAttach) {
  Gemm g(Int(64), Int(64), Int(64));
  Schedule s = CreateSchedule({g.c->op});
  Tensor cc = CacheWrite(s, g.c, "local")[0];
  Tensor pb = CacheRead(s, g.b, "global", {cc->op});
  Tiles t = Tile(s[g.c], AxisOf(g.c, 0), AxisOf(g.c, 1), 8, 16);
  ComputeAt(s[cc], s[g.c], t.y_outer);
  ComputeAt(s[pb], s[g.c], t.y_outer);
  std::cout << Text(s, {g.a, g.b, g.c}) << "\n";
}

TEST(LoopNest, StencilSymbolic) {
  Var n = MakeSizeVar("n");
  Tensor a = Placeholder({n + 2}, DataType::Float(32), "A");
  Tensor b = Compute({n + 2}, [&](const Indices& i) { return At(a, {i[0]}) * ir::Float(2); }, "B");
  Tensor c = Compute(
      {n}, [&](const Indices& i) { return At(b, {i[0]}) + At(b, {i[0] + 1}) + At(b, {i[0] + 2}); },
      "C");
  Schedule s = CreateSchedule({c->op});
  auto [io, ii] = Split(s[c], AxisOf(c, 0), 8);
  ComputeAt(s[b], s[c], io);
  Parallel(s[c], io);
  std::cout << Text(s, {a, c}) << "\n";
}

TEST(LoopNest, ScanRuns) {
  Expr m = Int(10), n = Int(4);
  Tensor x = Placeholder({m, n}, DataType::Float(32), "X");
  Tensor state = Placeholder({m, n}, DataType::Float(32), "state");
  Tensor init =
      Compute({Int(1), n}, [&](const Indices& i) { return At(x, {Int(0), i[1]}); }, "init");
  Tensor mid = Compute(
      {m, n}, [&](const Indices& i) { return At(state, {i[0] - 1, i[1]}) * ir::Float(2); }, "mid");
  Tensor update = Compute(
      {m, n}, [&](const Indices& i) { return At(mid, {i[0], i[1]}) + At(x, {i[0], i[1]}); },
      "update");
  Tensor y = Scan({init}, {update}, {state}, {x}, "Y")[0];
  Schedule s = CreateSchedule({y->op});
  std::cout << Text(s, {x, y}) << "\n";
}

}  // namespace
}  // namespace lathe::schedule
