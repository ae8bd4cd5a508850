#include "lower/pipeline.h"

#include "gtest/gtest.h"
#include "ir/text/printer.h"
#include "ir/walk.h"
#include "schedule/loop_nest.h"
#include "schedule/primitives/primitives.h"
#include "te/operation.h"
#include "te/test_programs.h"
#include "tests/check/check_pipeline.h"

namespace lathe::lower {
namespace {

using namespace schedule;  // NOLINT: tests read better
using namespace te;        // NOLINT
using ir::Float;
using ir::Int;
using ir::MakeSizeVar;

TEST(Pipeline, VectorAddSymbolic) {
  ir::Var n = MakeSizeVar("n");
  Tensor a = Placeholder({n}, DataType::Float(32), "A"),
         b = Placeholder({n}, DataType::Float(32), "B");
  Tensor c = Compute({n}, [&](const Indices& i) { return At(a, {i[0]}) + At(b, {i[0]}); }, "C");
  Schedule s = CreateSchedule({c->op});
  auto [io, ii] = Split(s[c], AxisOf(c, 0), 8);
  Vectorize(s[c], ii);
  Parallel(s[c], io);
  for (int64_t size : {0, 1, 7, 8, 65}) CheckPipeline(s, {a, b, c}, {size});
}

TEST(Pipeline, GemmTiledVectorizedUnrolled) {
  Gemm g(Int(10), Int(20), Int(12));
  Schedule s = CreateSchedule({g.c->op});
  Tiles t = Tile(s[g.c], AxisOf(g.c, 0), AxisOf(g.c, 1), 4, 8);
  auto [ko, ki] = Split(s[g.c], g.k, 4);
  Reorder(s[g.c], {t.x_outer, t.y_outer, ko, t.x_inner, ki, t.y_inner});
  Vectorize(s[g.c], t.y_inner);
  Unroll(s[g.c], ki);
  Parallel(s[g.c], t.x_outer);
  CheckPipeline(s, {g.a, g.b, g.c});
}

TEST(Pipeline, GemmWithCaches) {
  Gemm g(Int(9), Int(17), Int(5));
  Schedule s = CreateSchedule({g.c->op});
  Tensor cc = CacheWrite(s, g.c, "local")[0];
  Tensor pb = CacheRead(s, g.b, "global", {cc->op});
  Tiles t = Tile(s[g.c], AxisOf(g.c, 0), AxisOf(g.c, 1), 4, 8);
  ComputeAt(s[cc], s[g.c], t.y_outer);
  ComputeAt(s[pb], s[g.c], t.y_outer);
  Vectorize(s[g.c], t.y_inner);
  Vectorize(s[cc], AxisOf(cc, 1));
  CheckPipeline(s, {g.a, g.b, g.c});
}

TEST(Pipeline, StencilAttachedParallel) {
  ir::Var n = MakeSizeVar("n");
  Tensor a = Placeholder({n + 2}, DataType::Float(32), "A");
  Tensor b = Compute({n + 2}, [&](const Indices& i) { return At(a, {i[0]}) * Float(2); }, "B");
  Tensor c = Compute(
      {n}, [&](const Indices& i) { return At(b, {i[0]}) + At(b, {i[0] + 1}) + At(b, {i[0] + 2}); },
      "C");
  Schedule s = CreateSchedule({c->op});
  auto [io, ii] = Split(s[c], AxisOf(c, 0), 8);
  ComputeAt(s[b], s[c], io);
  Parallel(s[c], io);
  Vectorize(s[c], ii);
  for (int64_t size : {0, 1, 8, 19}) CheckPipeline(s, {a, c}, {size});
}

TEST(Pipeline, PaddingByIfThenElseVectorized) {
  Tensor a = Placeholder({Int(13)}, DataType::Float(32), "A");
  Tensor p = Compute(
      {Int(15)},
      [&](const Indices& i) {
        return ir::IfThenElse(ir::LogicalAnd(Expr(i[0]) >= Int(1), Expr(i[0]) < Int(14)),
                              At(a, {i[0] - 1}), Float(0));
      },
      "P");
  Schedule s = CreateSchedule({p->op});
  auto [io, ii] = Split(s[p], AxisOf(p, 0), 4);
  Vectorize(s[p], ii);
  CheckPipeline(s, {a, p});
}

TEST(Pipeline, TransposedVectorizeGathers) {
  Tensor a = Placeholder({Int(8), Int(16)}, DataType::Int(32), "A");
  Tensor t = Compute({Int(16), Int(8)}, [&](const Indices& i) { return At(a, {i[1], i[0]}); }, "T");
  Schedule s = CreateSchedule({t->op});
  Vectorize(s[t], AxisOf(t, 1));
  CheckPipeline(s, {a, t});
}

TEST(Pipeline, ArgmaxTuple) {
  Tensor a = Placeholder({Int(6), Int(9)}, DataType::Float(32), "A");
  IterVar k = te::ReduceAxis(Int(0), Int(9), "k");
  std::vector<Tensor> r = ComputeTuple(
      {Int(6)}, [&](const Indices& i) { return ArgMax(k->var, At(a, {i[0], k->var}), {k}); }, "R");
  Schedule s = CreateSchedule({r[0]->op});
  auto [ko, ki] = Split(s[r[0]], k, 4);
  Reorder(s[r[0]], {ko, AxisOf(r[0], 0), ki});
  CheckPipeline(s, {a, r[0], r[1]});
}

TEST(Pipeline, InlineAndFuse) {
  Tensor a = Placeholder({Int(7), Int(5)}, DataType::Float(32), "A");
  Tensor b = Compute(
      {Int(7), Int(5)}, [&](const Indices& i) { return At(a, {i[0], i[1]}) + Float(1); }, "B");
  Tensor c = Compute(
      {Int(5), Int(7)}, [&](const Indices& i) { return At(b, {i[1], i[0]}) * Float(2); }, "C");
  Schedule s = CreateSchedule({c->op});
  ComputeInline(s[b]);
  IterVar f = Fuse(s[c], {AxisOf(c, 0), AxisOf(c, 1)});
  auto [fo, fi] = Split(s[c], f, 4);
  Vectorize(s[c], fi);
  CheckPipeline(s, {a, c});
}

// Rows and columns of odd sizes, fused and split by a power of two, are read and written in
// vectors.
TEST(Pipeline, FusedOddRowsAreOneRow) {
  const te::Shape shape{Int(2), Int(3), Int(6), Int(54)};
  Tensor a = Placeholder(shape, DataType::Float(32), "A");
  Tensor b = Compute(
      shape, [&](const Indices& i) { return At(a, {i[0], i[1], i[2], i[3]}) * Float(2); }, "B");
  for (const size_t fused : {2, 4}) {
    Schedule s = CreateSchedule({b->op});
    std::vector<IterVar> axes;
    for (size_t axis = 4 - fused; axis < 4; ++axis) axes.push_back(AxisOf(b, axis));
    auto [outer, vector] = Split(s[b], Fuse(s[b], axes), 16);
    Vectorize(s[b], vector);
    const ir::Module module = CheckPipeline(s, {a, b});
    int quotients = 0;
    ir::ForEach<ir::FloorMod>(module->functions[0]->body,
                              [&](const ir::FloorMod&) { ++quotients; });
    EXPECT_EQ(quotients, 0) << ir::ToText(module);
  }
}

// S7: the region of a producer that is attached under a fused and split loop covers the step to the
// next row.
TEST(Pipeline, AttachedUnderFusedLoopCoversTheWrap) {
  Tensor a = Placeholder({Int(6), Int(7)}, DataType::Float(32), "A");
  Tensor b = Compute(
      {Int(6), Int(7)}, [&](const Indices& i) { return At(a, {i[0], i[1]}) + Float(1); }, "B");
  Tensor c = Compute(
      {Int(6), Int(7)}, [&](const Indices& i) { return At(b, {i[0], i[1]}) * Float(2); }, "C");
  Schedule s = CreateSchedule({c->op});
  IterVar f = Fuse(s[c], {AxisOf(c, 0), AxisOf(c, 1)});
  auto [fo, fi] = Split(s[c], f, 4);
  ComputeAt(s[b], s[c], fo);
  CheckPipeline(s, {a, c});
}

TEST(Pipeline, RankZeroAndWholeReduction) {
  Tensor a = Placeholder({Int(11)}, DataType::Float(32), "A");
  IterVar k = te::ReduceAxis(Int(0), Int(11), "k");
  Tensor r = Compute(
      {},
      [&](const Indices&) {
        return Sum(At(a, {k->var}), {k}, Equal(FloorModulo(Expr(k->var), 2), Int(0)));
      },
      "R");
  Schedule s = CreateSchedule({r->op});
  Split(s[r], k, 4);
  CheckPipeline(s, {a, r});
}

// Counts the masks in the statement.
int CountMasks(const ir::Stmt& stmt) {
  int masks = 0;
  ir::ForEach<ir::Store>(stmt, [&](const ir::Store& store) { masks += store.mask ? 1 : 0; });
  ir::ForEach<ir::Load>(stmt, [&](const ir::Load& load) { masks += load.mask ? 1 : 0; });
  return masks;
}

// S21: guards are decided outside the loop over vectors.
TEST(Pipeline, PartitionedSplitHasAnUnmaskedMainLoop) {
  for (bool symbolic : {true, false}) {
    ir::Var n = MakeSizeVar("n");
    const Expr extent = symbolic ? Expr(n) : Int(103);
    Tensor a = Placeholder({extent}, DataType::Float(32), "A");
    Tensor c = Compute({extent}, [&](const Indices& i) { return At(a, {i[0]}) * Float(2); }, "C");
    Schedule s = CreateSchedule({c->op});
    auto [io, ii] = Split(s[c], AxisOf(c, 0), 16);
    Vectorize(s[c], ii);
    for (int64_t size : {0, 1, 15, 16, 17, 100}) {
      const ir::Module module = CheckPipeline(s, {a, c}, {size});
      int unmasked_loops = 0;
      ir::ForEach<ir::For>(module->functions[0]->body, [&](const ir::For& loop) {
        unmasked_loops += CountMasks(loop.body) == 0;
      });
      EXPECT_EQ(unmasked_loops, 1) << ir::ToText(module);
    }
  }
}

TEST(Pipeline, PartitionedNestWithSymbolicExtents) {
  ir::Var n = MakeSizeVar("n"), m = MakeSizeVar("m");
  Tensor a = Placeholder({n, m}, DataType::Float(32), "A");
  Tensor c = Compute({n, m}, [&](const Indices& i) { return At(a, {i[0], i[1]}) + Float(1); }, "C");
  Schedule s = CreateSchedule({c->op});
  Tiles t = Tile(s[c], AxisOf(c, 0), AxisOf(c, 1), 4, 8);
  Vectorize(s[c], t.y_inner);
  for (auto [rows, columns] : {std::pair(0, 3), std::pair(1, 1), std::pair(4, 8), std::pair(9, 21)})
    CheckPipeline(s, {a, c}, {rows, columns});
}

// Each stage is computed in full, one after the other, so the third reuses the memory of the first.
TEST(Pipeline, TemporariesOfAChainShareMemory) {
  Tensor a = Placeholder({Int(6), Int(7)}, DataType::Float(32), "A");
  const auto next = [](const Tensor& from, const char* name) {
    return Compute(
        {Int(6), Int(7)},
        [&](const Indices& i) { return At(from, {i[0], i[1]}) + At(from, {Int(5) - i[0], i[1]}); },
        name);
  };
  Tensor b = next(a, "B"), c = next(b, "C"), d = next(c, "D"), e = next(d, "E");
  Schedule s = CreateSchedule({e->op});
  ir::Module module = ir::MakeModule({LowerSchedule(s, {a, e}, "f")});
  module = CheckPasses(module, TilePasses(), {}, 7);
  const std::span<const Pass> until_reuse = FlatPasses().first(5);
  ASSERT_STREQ(until_reuse.back().name, "storage_reuse");
  module = CheckPasses(module, until_reuse, {}, 7);
  int allocations = 0;
  ir::ForEach<ir::Allocate>(module, [&](const ir::Allocate&) { ++allocations; });
  EXPECT_EQ(allocations, 2) << ir::ToText(module);
  CheckPipeline(s, {a, e});
}

}  // namespace
}  // namespace lathe::lower
