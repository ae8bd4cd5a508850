// Runs every primitive that applies to GPUs on a real device, and compares with te's evaluator.
#include <string>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "ir/intrinsic.h"
#include "schedule/primitives/primitives.h"
#include "te/operation.h"
#include "tests/device/on_device.h"

namespace lathe::device_tests {
namespace {

using namespace schedule;  // NOLINT: tests read better
using namespace te;        // NOLINT
using ir::Float;
using ir::Int;
using ir::MakeSizeVar;
using Sizes = std::vector<std::vector<int64_t>>;

class Primitives : public OnDevice {};

void Check(const Schedule& s, std::vector<ir::NodeRef> args, std::vector<ir::Var> vars = {},
           const Sizes& sizes = {{}}) {
  EXPECT_EQ(CheckOnDevice(s, args, vars, sizes), "");
}

TEST_F(Primitives, BindAtEverySize) {
  ir::Var n = MakeSizeVar("n");
  Tensor a = Placeholder({n}, DataType::Float(32), "A");
  Tensor b = Compute({n}, [&](const Indices& i) { return At(a, {i[0]}) * 2 + 1; }, "B");
  Schedule s = CreateSchedule({b->op});
  auto [io, ii] = Split(s[b], AxisOf(b, 0), 64);
  Bind(s[b], io, ThreadAxis("blockIdx.x"));
  Bind(s[b], ii, ThreadAxis("threadIdx.x"));
  Check(s, {a, b}, {n}, {{0}, {1}, {63}, {64}, {65}, {1000}});
}

TEST_F(Primitives, BindThreeAxesOfBoth) {
  Tensor a = Placeholder({Int(5), Int(6), Int(7)}, DataType::Int(32), "A");
  Tensor b = Compute(
      {Int(5), Int(6), Int(7)},
      [&](const Indices& i) { return At(a, {i[0], i[1], i[2]}) + i[0] * i[1]; }, "B");
  Schedule s = CreateSchedule({b->op});
  for (int d = 0; d < 3; ++d) {
    auto [outer, inner] = Split(s[b], AxisOf(b, d), 2);
    const std::string dim(1, "zyx"[d]);
    Bind(s[b], outer, ThreadAxis("blockIdx." + dim));
    Bind(s[b], inner, ThreadAxis("threadIdx." + dim));
  }
  Check(s, {a, b});
}

struct Gemm {
  Gemm(Expr n, Expr m, Expr l, DataType dtype = DataType::Float(32)) {
    a = Placeholder({n, l}, dtype, "A");
    b = Placeholder({l, m}, dtype, "B");
    k = te::ReduceAxis(Int(0), l, "k");
    c = Compute(
        {n, m},
        [&](const Indices& i) { return Sum(At(a, {i[0], k->var}) * At(b, {k->var, i[1]}), {k}); },
        "C");
  }
  Tensor a, b, c;
  IterVar k;
};

struct Tiling {
  int64_t threads = 4, per_thread = 2, step = 4;
  std::string shared = "shared";
  bool virtual_threads = false, double_buffer = false, unroll = false, vectorize = false;
  int64_t align = 0;
  int64_t stages = 1;
  bool async = false;
  bool transposed = false;  // the tiles of the second operand
};

// Tiles of both operands in shared memory, filled by all threads together. Accumulators lie in
// local memory.
Schedule TiledGemm(Gemm& g, const Tiling& t) {
  Schedule s = CreateSchedule({g.c->op});
  Tensor cl = CacheWrite(s, g.c, "local")[0];
  Tensor as = CacheRead(s, g.a, t.shared, {cl->op}), bs = CacheRead(s, g.b, t.shared, {cl->op});
  const Tensor c = g.c;
  auto [by, yi] = Split(s[c], AxisOf(c, 0), t.threads * t.per_thread);
  auto [bx, xi] = Split(s[c], AxisOf(c, 1), t.threads * t.per_thread);
  auto [ty, yr] =
      t.virtual_threads ? SplitParts(s[c], yi, t.per_thread) : Split(s[c], yi, t.per_thread);
  auto [tx, xr] =
      t.virtual_threads ? SplitParts(s[c], xi, t.per_thread) : Split(s[c], xi, t.per_thread);
  Reorder(s[c], {by, bx, ty, tx, yr, xr});
  Bind(s[c], by, ThreadAxis("blockIdx.y"));
  Bind(s[c], bx, ThreadAxis("blockIdx.x"));
  IterVar inner = tx;
  if (t.virtual_threads) {
    Bind(s[c], ty, ThreadAxis("vthread"));
    Bind(s[c], tx, ThreadAxis("vthread"));
    Bind(s[c], yr, ThreadAxis("threadIdx.y"));
    Bind(s[c], xr, ThreadAxis("threadIdx.x"));
    inner = xr;
  } else {
    Bind(s[c], ty, ThreadAxis("threadIdx.y"));
    Bind(s[c], tx, ThreadAxis("threadIdx.x"));
    if (t.vectorize) Vectorize(s[c], xr);
  }
  ComputeAt(s[cl], s[c], inner);
  auto [ko, ki] = Split(s[cl], s[cl].leaf_axes.back(), t.step);
  const std::vector<IterVar> data = {s[cl].leaf_axes[0], s[cl].leaf_axes[1]};
  Reorder(s[cl], {ko, ki, data[0], data[1]});
  if (t.unroll) {
    Unroll(s[cl], ki);
    Unroll(s[cl], data[0]);
  }
  if (t.vectorize) Vectorize(s[cl], data[1]);
  if (t.stages > 1) schedule::Pipeline(s[cl], ko, t.stages, t.async);
  if (t.transposed) TransformLayout(s, bs, std::vector<std::string>{"d1", "d0"});
  for (const Tensor& load : {as, bs}) {
    ComputeAt(s[load], s[cl], ko);
    if (t.align > 0) StorageAlign(s[load], s[load].leaf_axes[0], t.align, 1);
    IterVar fused = Fuse(s[load], {s[load].leaf_axes[0], s[load].leaf_axes[1]});
    auto [rest, x] = Split(s[load], fused, t.threads);
    auto [more, y] = Split(s[load], rest, t.threads);
    (void)more;
    Bind(s[load], y, ThreadAxis("threadIdx.y"));
    Bind(s[load], x, ThreadAxis("threadIdx.x"));
    if (t.double_buffer) DoubleBuffer(s[load]);
  }
  return s;
}

// Extents that tiles do not divide.
void CheckOddGemm(const Tiling& tiling) {
  Gemm odd(Int(19), Int(23), Int(29));
  Check(TiledGemm(odd, tiling), {odd.a, odd.b, odd.c});
}

TEST_F(Primitives, SharedTilesLoadedTogether) {
  CheckOddGemm({});
  Gemm even(Int(32), Int(32), Int(32));
  Check(TiledGemm(even, {}), {even.a, even.b, even.c});
  ir::Var n = MakeSizeVar("n"), m = MakeSizeVar("m"), l = MakeSizeVar("l");
  Gemm any(n, m, l);
  Check(TiledGemm(any, {}), {any.a, any.b, any.c}, {n, m, l},
        {{0, 3, 4}, {1, 1, 1}, {5, 0, 7}, {4, 5, 0}, {17, 9, 33}});
}
TEST_F(Primitives, DynamicSharedMemory) { CheckOddGemm({.shared = "shared.dyn"}); }
TEST_F(Primitives, VirtualThreads) { CheckOddGemm({.virtual_threads = true}); }
TEST_F(Primitives, DoubleBufferedTiles) { CheckOddGemm({.double_buffer = true}); }
TEST_F(Primitives, UnrolledAndVectorized) {
  CheckOddGemm({.threads = 2, .per_thread = 4, .step = 2, .unroll = true, .vectorize = true});
}
TEST_F(Primitives, AlignedRows) { CheckOddGemm({.align = 8}); }

// OpenCL 1.2 has no asynchronous copy for this, so it is copied synchronously where the copy
// begins.
TEST_F(Primitives, PipelinedTilesOfOtherLayout) {
  for (const bool async : {false, true}) {
    Gemm odd(Int(19), Int(23), Int(29));
    Check(TiledGemm(odd, {.stages = 3, .async = async, .transposed = !async}),
          {odd.a, odd.b, odd.c});
  }
}

TEST_F(Primitives, InlinedFusedAndWrittenWhereAPredicateHolds) {
  ir::Var n = MakeSizeVar("n");
  Tensor a = Placeholder({n, Int(3)}, DataType::Float(32), "A");
  Tensor b = Compute({n, Int(3)}, [&](const Indices& i) { return At(a, {i[0], i[1]}) * 2; }, "B");
  Tensor c = Compute(
      {n, Int(3)}, [&](const Indices& i) { return At(b, {i[0], Int(2) - i[1]}) + i[1]; }, "C");
  Schedule s = CreateSchedule({c->op});
  ComputeInline(s[b]);
  auto [io, ii] = Split(s[c], Fuse(s[c], {AxisOf(c, 0), AxisOf(c, 1)}), 16);
  Bind(s[c], io, ThreadAxis("blockIdx.x"));
  Bind(s[c], ii, ThreadAxis("threadIdx.x"));
  SetStorePredicate(s[c], ir::NotEqual(ii->var, Int(99)));
  Check(s, {a, c}, {n}, {{0}, {1}, {5}, {16}});
}

TEST_F(Primitives, TablesStandInTheKernel) {
  const std::vector<float> values = {1, -0.5f, 3, 0.25f, -7};
  Tensor t = Constant(Blob::Copy({reinterpret_cast<const char*>(values.data()), values.size() * 4}),
                      {5}, DataType::Float(32), "T");
  ir::Var n = MakeSizeVar("n");
  Tensor a = Placeholder({n}, DataType::Float(32), "A");
  Tensor b = Compute(
      {n}, [&](const Indices& i) { return At(a, {i[0]}) * At(t, {ir::FloorModulo(i[0], Int(5))}); },
      "B");
  Schedule s = CreateSchedule({b->op});
  auto [io, ii] = Split(s[b], AxisOf(b, 0), 8);
  Bind(s[b], io, ThreadAxis("blockIdx.x"));
  Bind(s[b], ii, ThreadAxis("threadIdx.x"));
  Check(s, {a, b}, {n}, {{0}, {1}, {23}});
}

TEST_F(Primitives, GemmInEveryType) {
  for (const DataType dtype :
       {DataType::Int(8), DataType::UInt(16), DataType::Int(64), DataType::Float(64),
        DataType::BFloat16(), DataType::Float(16), DataType(kDLFloat8_e4m3fn, 8)}) {
    Gemm g(Int(9), Int(8), Int(3), dtype);
    Tiling tiling;
    tiling.vectorize = dtype.bits() >= 8 && dtype.code() != kDLFloat8_e4m3fn;
    SCOPED_TRACE(dtype.ToString());
    Check(TiledGemm(g, tiling), {g.a, g.b, g.c});
  }
}

TEST_F(Primitives, ReductionsOverThreadsOfAnyExtent) {
  for (int64_t extent : {1, 2, 3, 5, 8, 24, 33, 100}) {
    Tensor a = Placeholder({Int(3), Int(extent)}, DataType::Float(32), "A");
    IterVar k = te::ReduceAxis(Int(0), Int(extent), "k");
    Tensor b =
        Compute({Int(3)}, [&](const Indices& i) { return Sum(At(a, {i[0], k->var}), {k}); }, "B");
    Schedule s = CreateSchedule({b->op});
    Bind(s[b], AxisOf(b, 0), ThreadAxis("blockIdx.x"));
    Bind(s[b], k, ThreadAxis("threadIdx.x"));
    Check(s, {a, b});
  }
}

TEST_F(Primitives, ReductionsOverThreadsOfSymbolicExtent) {
  ir::Var n = MakeSizeVar("n"), m = MakeSizeVar("m");
  Tensor a = Placeholder({n, m}, DataType::Int(32), "A");
  IterVar k = te::ReduceAxis(Int(0), m, "k");
  Tensor b = Compute({n}, [&](const Indices& i) { return Max(At(a, {i[0], k->var}), {k}); }, "B");
  Schedule s = CreateSchedule({b->op});
  auto [io, ii] = Split(s[b], AxisOf(b, 0), 4);
  Bind(s[b], io, ThreadAxis("blockIdx.x"));
  Bind(s[b], ii, ThreadAxis("threadIdx.y"));
  auto [ko, ki] = Split(s[b], k, 6);
  (void)ko;
  Bind(s[b], ki, ThreadAxis("threadIdx.x"));
  Check(s, {a, b}, {n, m}, {{0, 3}, {1, 1}, {5, 6}, {4, 0}, {9, 31}});
}

TEST_F(Primitives, ReductionOfATupleOverThreads) {
  Tensor a = Placeholder({Int(3), Int(20)}, DataType::Float(32), "A");
  IterVar k = te::ReduceAxis(Int(0), Int(20), "k");
  std::vector<Tensor> b = ComputeTuple(
      {Int(3)}, [&](const Indices& i) { return ArgMax(k->var, At(a, {i[0], k->var}), {k}); }, "B");
  Schedule s = CreateSchedule({b[0]->op});
  auto [ko, ki] = Split(s[b[0]], k, 7);
  (void)ko;
  Bind(s[b[0]], ki, ThreadAxis("threadIdx.x"));
  Bind(s[b[0]], AxisOf(b[0], 0), ThreadAxis("blockIdx.x"));
  Check(s, {a, b[0], b[1]});
}

TEST_F(Primitives, RfactorThenThreads) {
  ir::Var n = MakeSizeVar("n");
  Tensor a = Placeholder({n}, DataType::Int(32), "A");
  IterVar k = te::ReduceAxis(Int(0), n, "k");
  Tensor b = Compute({Int(1)}, [&](const Indices&) { return Sum(At(a, {k->var}), {k}); }, "B");
  Schedule s = CreateSchedule({b->op});
  auto [ko, ki] = Split(s[b], k, 5);
  (void)ko;
  Tensor part = RFactor(s, b, ki)[0];
  IterVar tx = s[b].leaf_axes.back();
  Bind(s[b], tx, ThreadAxis("threadIdx.x"));
  ComputeAt(s[part], s[b], tx);
  Check(s, {a, b}, {n}, {{0}, {1}, {5}, {17}});
}

TEST_F(Primitives, ScanInOneKernel) {
  ir::Var n = MakeSizeVar("n");
  const Expr width = Int(5);
  Tensor x = Placeholder({n, width}, DataType::Float(32), "X");
  Tensor state = Placeholder({n, width}, DataType::Float(32), "state");
  Tensor init =
      Compute({Int(1), width}, [&](const Indices& i) { return At(x, {Int(0), i[1]}); }, "init");
  Tensor update = Compute(
      {n, width},
      [&](const Indices& i) { return At(state, {i[0] - 1, Int(4) - i[1]}) + At(x, {i[0], i[1]}); },
      "update");
  Tensor scan = Scan({init}, {update}, {state}, {x}, "S")[0];
  Schedule s = CreateSchedule({scan->op});
  EnvThreads(s[scan], {ThreadAxis("threadIdx.x", Int(5))});
  Bind(s[init], AxisOf(init, 1), ThreadAxis("threadIdx.x"));
  Bind(s[update], AxisOf(update, 1), ThreadAxis("threadIdx.x"));
  Check(s, {x, scan}, {n}, {{1}, {2}, {6}});
}

// Device memory lies between the two kernels. The host code takes it from the workspace.
struct TwoKernels {
  TwoKernels() {
    Bind(s[b], AxisOf(b, 0), ThreadAxis("blockIdx.x"));
    Bind(s[c], AxisOf(c, 0), ThreadAxis("threadIdx.x"));
  }
  Tensor a = Placeholder({Int(6), Int(8)}, DataType::Float(32), "A");
  Tensor b =
      Compute({Int(6), Int(8)}, [this](const Indices& i) { return At(a, {i[0], i[1]}) + 1; }, "B");
  Tensor c = Compute(
      {Int(6), Int(8)}, [this](const Indices& i) { return At(b, {Int(5) - i[0], i[1]}) * 2; }, "C");
  Schedule s = CreateSchedule({c->op});
};

TEST_F(Primitives, KernelsFollowEachOther) {
  TwoKernels two;
  Check(two.s, {two.a, two.c});
}

TEST_F(Primitives, KernelsFollowEachOtherThroughAnImage) {
  TwoKernels two;
  SetScope(two.s[two.b], "texture");
  TransformLayout(two.s, two.b, std::vector<std::string>{"d0", "d1"}, {1});
  Vectorize(two.s[two.b], Split(two.s[two.b], AxisOf(two.b, 1), 4).second);
  const std::string problem = CheckOnDevice(two.s, {two.a, two.c});
  if (kTested.has_images) {
    EXPECT_EQ(problem, "");
  } else {
    EXPECT_NE(problem.find("the target's language has no images"), problem.npos) << problem;
  }
}

TEST_F(Primitives, LoopsLeftOnTheHostLaunchAgain) {
  Gemm g(Int(12), Int(10), Int(5));
  Schedule s = CreateSchedule({g.c->op});
  auto [bo, bi] = Split(s[g.c], AxisOf(g.c, 0), 4);
  auto [to, ti] = Split(s[g.c], AxisOf(g.c, 1), 4);
  (void)bo, (void)to;
  Bind(s[g.c], bi, ThreadAxis("blockIdx.x"));
  Bind(s[g.c], ti, ThreadAxis("threadIdx.x"));
  Check(s, {g.a, g.b, g.c});
}

TEST_F(Primitives, PaddedStencilInSharedMemory) {
  ir::Var n = MakeSizeVar("n");
  Tensor a = Placeholder({n}, DataType::Float(32), "A");
  Tensor p = Compute(
      {n + 2},
      [&](const Indices& i) {
        return ir::IfThenElse(ir::LogicalAnd(i[0] >= 1, i[0] < n + 1), At(a, {i[0] - 1}), Float(0));
      },
      "P");
  Tensor b = Compute(
      {n},
      [&](const Indices& i) { return At(p, {i[0]}) + At(p, {i[0] + 1}) * 2 + At(p, {i[0] + 2}); },
      "B");
  Schedule s = CreateSchedule({b->op});
  auto [io, ii] = Split(s[b], AxisOf(b, 0), 8);
  Bind(s[b], io, ThreadAxis("blockIdx.x"));
  Bind(s[b], ii, ThreadAxis("threadIdx.x"));
  ComputeAt(s[p], s[b], io);
  auto [po, pi] = Split(s[p], AxisOf(p, 0), 4);
  (void)po;
  Bind(s[p], pi, ThreadAxis("threadIdx.x"));
  Check(s, {a, b}, {n}, {{0}, {1}, {8}, {13}});
}

// Vectors of every element type, with lane counts that devices have and lane counts that they lack,
// with guards and strides.
TEST_F(Primitives, VectorsOfAnyLength) {
  for (const DataType dtype :
       {DataType::Float(32), DataType::Int(8), DataType::Int(64), DataType::Bool()}) {
    for (int64_t lanes : {3, 4, 5, 8, 24}) {
      if (dtype != DataType::Float(32) && lanes > 4) continue;
      ir::Var n = MakeSizeVar("n");
      Tensor a = Placeholder({n}, DataType::Int(32), "A"), x = Placeholder({n * 2}, dtype, "X");
      Tensor b = Compute(
          {n},
          [&](const Indices& i) {
            return ir::MakeSelect(At(a, {i[0]}) < 1, At(x, {i[0] * 2}), At(x, {i[0] * 2 + 1}));
          },
          "B");
      Schedule s = CreateSchedule({b->op});
      auto [io, ii] = Split(s[b], AxisOf(b, 0), lanes);
      auto [block, thread] = Split(s[b], io, 4);
      Bind(s[b], block, ThreadAxis("blockIdx.x"));
      Bind(s[b], thread, ThreadAxis("threadIdx.x"));
      Vectorize(s[b], ii);
      SCOPED_TRACE(dtype.ToString() + " by " + std::to_string(lanes));
      Check(s, {a, x, b}, {n}, {{0}, {1}, {lanes * 8}, {lanes * 5 + 1}});
    }
  }
}

}  // namespace
}  // namespace lathe::device_tests
