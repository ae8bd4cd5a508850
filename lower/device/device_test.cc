// Kernels made from schedules must compute the same as te's evaluator, after every pass.

#include <memory>
#include <tuple>

#include "base/blob.h"
#include "base/error.h"
#include "gtest/gtest.h"
#include "ir/constants.h"
#include "ir/text/printer.h"
#include "lower/constants.h"
#include "lower/device/split_device.h"
#include "schedule/primitives/primitives.h"
#include "te/operation.h"
#include "te/test_programs.h"
#include "tests/check/check_device.h"

namespace lathe::lower {
namespace {

using namespace schedule;  // NOLINT: tests read better
using namespace te;        // NOLINT
using ir::Float;
using ir::Int;
using ir::MakeSizeVar;

void Check(const Schedule& s, std::vector<ir::NodeRef> args, std::vector<int64_t> sizes = {}) {
  EXPECT_EQ(CheckDevice(s, args, sizes), "");
}

TEST(Device, ElementwiseAtEverySize) {
  ir::Var n = MakeSizeVar("n");
  Tensor a = Placeholder({n}, DataType::Float(32), "A");
  Tensor b = Compute({n}, [&](const Indices& i) { return At(a, {i[0]}) * 2 + 1; }, "B");
  Schedule s = CreateSchedule({b->op});
  auto [io, ii] = Split(s[b], AxisOf(b, 0), 8);
  Bind(s[b], io, ThreadAxis("blockIdx.x"));
  Bind(s[b], ii, ThreadAxis("threadIdx.x"));
  for (int64_t size : {0, 1, 7, 8, 9, 33}) Check(s, {a, b}, {size});
}

// Tiles of both operands in shared memory, filled by all threads. Accumulators in local memory.
Schedule TiledGemm(Gemm& g, int64_t threads, int64_t per_thread, int64_t step,
                   const std::string& shared = "shared", bool virtual_threads = false,
                   bool rows_apart = false) {
  Schedule s = CreateSchedule({g.c->op});
  Tensor cl = CacheWrite(s, g.c, "local")[0];
  Tensor as = CacheRead(s, g.a, shared, {cl->op}), bs = CacheRead(s, g.b, shared, {cl->op});
  const Tensor c = g.c;
  auto [by, yi] = Split(s[c], AxisOf(c, 0), threads * per_thread);
  auto [bx, xi] = Split(s[c], AxisOf(c, 1), threads * per_thread);
  auto [ty, yr] = virtual_threads ? SplitParts(s[c], yi, per_thread) : Split(s[c], yi, per_thread);
  auto [tx, xr] = virtual_threads ? SplitParts(s[c], xi, per_thread) : Split(s[c], xi, per_thread);
  Reorder(s[c], {by, bx, ty, tx, yr, xr});
  Bind(s[c], by, ThreadAxis("blockIdx.y"));
  Bind(s[c], bx, ThreadAxis("blockIdx.x"));
  IterVar inner = tx;
  if (virtual_threads) {
    Bind(s[c], ty, ThreadAxis("vthread"));
    Bind(s[c], tx, ThreadAxis("vthread"));
    Bind(s[c], yr, ThreadAxis("threadIdx.y"));
    Bind(s[c], xr, ThreadAxis("threadIdx.x"));
    inner = xr;
  } else {
    Bind(s[c], ty, ThreadAxis("threadIdx.y"));
    Bind(s[c], tx, ThreadAxis("threadIdx.x"));
  }
  ComputeAt(s[cl], s[c], inner);
  auto [ko, ki] = Split(s[cl], s[cl].leaf_axes.back(), step);
  const std::vector<IterVar> data = {s[cl].leaf_axes[0], s[cl].leaf_axes[1]};
  Reorder(s[cl], {ko, ki, data[0], data[1]});
  for (const Tensor& load : {as, bs}) {
    ComputeAt(s[load], s[cl], ko);
    if (rows_apart) StorageAlign(s[load], s[load].leaf_axes[0], 16, 7);
    IterVar fused = Fuse(s[load], {s[load].leaf_axes[0], s[load].leaf_axes[1]});
    auto [rest, x] = Split(s[load], fused, threads);
    auto [more, y] = Split(s[load], rest, threads);
    (void)more;
    Bind(s[load], y, ThreadAxis("threadIdx.y"));
    Bind(s[load], x, ThreadAxis("threadIdx.x"));
  }
  return s;
}

TEST(Device, TiledGemmWithSharedTiles) {
  Gemm even(Int(8), Int(8), Int(8));
  Check(TiledGemm(even, 2, 2, 4), {even.a, even.b, even.c});
  Gemm odd(Int(7), Int(5), Int(9));
  Check(TiledGemm(odd, 2, 2, 4), {odd.a, odd.b, odd.c});
}

TEST(Device, TiledGemmInOneSharedAllocation) {
  Gemm g(Int(7), Int(5), Int(9));
  Check(TiledGemm(g, 2, 2, 4, "shared.dyn"), {g.a, g.b, g.c});
}

// Neither tile overlaps the other or extends beyond the block's memory.
TEST(Device, RowsApartInOneSharedAllocation) {
  Gemm g(Int(7), Int(5), Int(9));
  Check(TiledGemm(g, 2, 2, 4, "shared.dyn", false, true), {g.a, g.b, g.c});
}

TEST(Device, TiledGemmWithVirtualThreads) {
  Gemm g(Int(8), Int(8), Int(8));
  Check(TiledGemm(g, 2, 2, 4, "shared", true), {g.a, g.b, g.c});
  Gemm odd(Int(7), Int(5), Int(9));
  Check(TiledGemm(odd, 2, 2, 4, "shared", true), {odd.a, odd.b, odd.c});
}

TEST(Device, TiledGemmOfSymbolicSize) {
  ir::Var n = MakeSizeVar("n"), m = MakeSizeVar("m"), l = MakeSizeVar("l");
  Gemm g(n, m, l);
  Schedule s = TiledGemm(g, 2, 2, 4);
  for (std::vector<int64_t> sizes :
       {std::vector<int64_t>{0, 3, 4}, {1, 1, 1}, {5, 0, 7}, {4, 5, 8}, {9, 3, 2}})
    Check(s, {g.a, g.b, g.c}, sizes);
}

TEST(Device, AllreduceOfAnyExtent) {
  for (int64_t extent : {1, 2, 3, 5, 8, 24, 33}) {
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

TEST(Device, AllreduceWithLanesOutOfRange) {
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
  for (std::vector<int64_t> sizes : {std::vector<int64_t>{0, 3}, {1, 1}, {5, 6}, {4, 0}, {9, 31}})
    Check(s, {a, b}, sizes);
}

PassContext WithWarps(int64_t size) {
  auto machine = std::make_shared<target::Machine>();
  machine->axes = {{"blockIdx.x", 0}, {"threadIdx.x", 0}, {"threadIdx.y", 0}};
  machine->limits["warp_size"] = size;
  PassContext context;
  context.device = machine;
  return context;
}

// By shuffles if lanes are neighbours and warps are full, else by the tree alone. By both if a row
// has several warps.
TEST(Device, AllreduceByShuffles) {
  for (const auto& [rows, lanes, shuffles] :
       std::vector<std::tuple<int64_t, int64_t, bool>>{{1, 4, true},
                                                       {1, 2, true},
                                                       {2, 2, true},
                                                       {4, 2, true},
                                                       {3, 2, false},
                                                       {1, 3, false},
                                                       {1, 8, true},
                                                       {2, 12, true},
                                                       {1, 20, true},
                                                       {1, 6, false}}) {
    Tensor a = Placeholder({Int(7), Int(31)}, DataType::Int(32), "A");
    IterVar k = te::ReduceAxis(Int(0), Int(31), "k");
    std::vector<Tensor> b = ComputeTuple(
        {Int(7)}, [&](const Indices& i) { return ArgMax(k->var, At(a, {i[0], k->var}), {k}); },
        "B");
    Schedule s = CreateSchedule({b[0]->op});
    auto [io, ii] = Split(s[b[0]], AxisOf(b[0], 0), rows);
    Bind(s[b[0]], io, ThreadAxis("blockIdx.x"));
    Bind(s[b[0]], ii, ThreadAxis("threadIdx.y", Int(rows)));
    auto [ko, ki] = Split(s[b[0]], k, lanes);
    (void)ko;
    Bind(s[b[0]], ki, ThreadAxis("threadIdx.x"));
    ir::Module module;
    EXPECT_EQ(CheckDevice(s, {a, b[0], b[1]}, {}, WithWarps(4), &module), "");
    const bool found = ir::ToText(module).find("warp_shuffle") != std::string::npos;
    EXPECT_EQ(found, shuffles) << rows << " rows of " << lanes;
  }
}

TEST(Device, AllreduceOfATuple) {
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

TEST(Device, AllreduceOverTwoAxes) {
  Tensor a = Placeholder({Int(2), Int(5), Int(3)}, DataType::Int(32), "A");
  IterVar k = te::ReduceAxis(Int(0), Int(5), "k"), l = te::ReduceAxis(Int(0), Int(3), "l");
  Tensor b = Compute(
      {Int(2)}, [&](const Indices& i) { return Sum(At(a, {i[0], k->var, l->var}), {k, l}); }, "B");
  Schedule s = CreateSchedule({b->op});
  Bind(s[b], AxisOf(b, 0), ThreadAxis("blockIdx.x"));
  Bind(s[b], k, ThreadAxis("threadIdx.y"));
  Bind(s[b], l, ThreadAxis("threadIdx.x"));
  Check(s, {a, b});
}

// Rows divided by their sum: a block's threads compute the sum of its row together.
TEST(Device, AttachedAllreduceIsSharedByItsBlock) {
  ir::Var n = MakeSizeVar("n"), m = MakeSizeVar("m");
  Tensor a = Placeholder({n, m}, DataType::Float(32), "A");
  IterVar k = te::ReduceAxis(Int(0), m, "k");
  Tensor sum = Compute({n}, [&](const Indices& i) { return Sum(At(a, {i[0], k->var}), {k}); }, "S");
  Tensor b =
      Compute({n, m}, [&](const Indices& i) { return At(a, {i[0], i[1]}) - At(sum, {i[0]}); }, "B");
  Schedule s = CreateSchedule({b->op});
  Bind(s[b], AxisOf(b, 0), ThreadAxis("blockIdx.x"));
  auto [jo, ji] = Split(s[b], AxisOf(b, 1), 4);
  (void)jo;
  Bind(s[b], ji, ThreadAxis("threadIdx.x"));
  ComputeAt(s[sum], s[b], AxisOf(b, 0));
  auto [ko, ki] = Split(s[sum], k, 4);
  (void)ko;
  Bind(s[sum], ki, ThreadAxis("threadIdx.x"));
  for (std::vector<int64_t> sizes : {std::vector<int64_t>{2, 9}, {1, 1}, {0, 4}, {3, 4}})
    Check(s, {a, b}, sizes);
}

// Rows of a warp, reversed through its lanes; the last block has lanes out of range.
TEST(Device, WarpMemoryByShuffles) {
  for (int64_t rows : {1, 3}) {
    ir::Var n = MakeSizeVar("n");
    Tensor a = Placeholder({n, Int(8)}, DataType::Float(32), "A");
    Tensor p = Compute({n, Int(8)}, [&](const Indices& i) { return At(a, {i[0], i[1]}) * 2; }, "P");
    Tensor b = Compute(
        {n, Int(8)},
        [&](const Indices& i) { return At(p, {i[0], Int(7) - i[1]}) + At(p, {i[0], i[1]}); }, "B");
    Schedule s = CreateSchedule({b->op});
    auto [io, ii] = Split(s[b], AxisOf(b, 0), rows);
    auto [jo, ji] = Split(s[b], AxisOf(b, 1), 4);
    Reorder(s[b], {io, ii, ji, jo});
    Bind(s[b], io, ThreadAxis("blockIdx.x"));
    Bind(s[b], ii, ThreadAxis("threadIdx.y"));
    Bind(s[b], ji, ThreadAxis("threadIdx.x"));
    ComputeAt(s[p], s[b], ji);
    s[p].scope = "warp";
    auto [po, pi] = Split(s[p], AxisOf(p, 1), 4);
    (void)po;
    Bind(s[p], pi, ThreadAxis("threadIdx.x"));
    for (int64_t size : {0, 1, 4, 5}) {
      ir::Module module;
      EXPECT_EQ(CheckDevice(s, {a, b}, {size}, WithWarps(4), &module), "");
      EXPECT_NE(ir::ToText(module).find("warp_shuffle"), std::string::npos);
    }
  }
}

TEST(Device, StencilThroughSharedMemory) {
  ir::Var n = MakeSizeVar("n");
  Tensor a = Placeholder({n + 2}, DataType::Float(32), "A");
  Tensor p = Compute({n + 2}, [&](const Indices& i) { return At(a, {i[0]}) + 1; }, "P");
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
  for (int64_t size : {0, 1, 8, 13}) Check(s, {a, b}, {size});
}

TEST(Device, KernelsFollowEachOtherAndRepeatOnTheHost) {
  Tensor a = Placeholder({Int(6), Int(5)}, DataType::Float(32), "A");
  Tensor b =
      Compute({Int(6), Int(5)}, [&](const Indices& i) { return At(a, {i[0], i[1]}) + 1; }, "B");
  Tensor c = Compute(
      {Int(6), Int(5)}, [&](const Indices& i) { return At(b, {Int(5) - i[0], i[1]}) * 2; }, "C");
  Schedule s = CreateSchedule({c->op});
  Bind(s[b], AxisOf(b, 0), ThreadAxis("blockIdx.x"));
  Bind(s[c], AxisOf(c, 1), ThreadAxis("threadIdx.x"));  // the loop over rows stays on the host
  Check(s, {a, c});
}

TEST(Device, ScanKeepsItsTimeLoopInOneKernel) {
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
  for (int64_t size : {1, 2, 6}) Check(s, {x, scan}, {size});
}

// The part of each thread from rfactor, combined over threads.
// A constant that is too large for code is an argument of the kernels that use it. The loop of the
// host launches the first kernel twice.
TEST(Device, LargeConstantsStayOnTheHost) {
  constexpr int64_t kRows = 40, kColumns = 32;
  std::vector<float> data(kRows * kColumns);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i % 100);
  const auto blob = [&](size_t n) {
    return Blob::Copy({reinterpret_cast<const char*>(data.data()), n * sizeof(float)});
  };
  const Tensor large = Constant(blob(data.size()), {kRows, kColumns}, DataType::Float(32), "W");
  const Tensor small = Constant(blob(kColumns), {kColumns}, DataType::Float(32), "bias");
  const Tensor a = Placeholder({Int(kRows), Int(kColumns)}, DataType::Float(32), "A");
  const Tensor b = Compute(
      {Int(kRows), Int(kColumns)},
      [&](const Indices& i) { return At(a, {i[0], i[1]}) * At(large, {i[0], i[1]}); }, "B");
  const Tensor c = Compute(
      {Int(kRows), Int(kColumns)},
      [&](const Indices& i) {
        return At(b, {i[0], i[1]}) + At(large, {Int(kRows - 1) - i[0], i[1]}) + At(small, {i[1]});
      },
      "C");
  Schedule s = CreateSchedule({c->op});
  auto [half, row] = SplitParts(s[b], AxisOf(b, 0), 2);
  (void)half;
  Bind(s[b], row, ThreadAxis("blockIdx.x"));
  Bind(s[b], AxisOf(b, 1), ThreadAxis("threadIdx.x"));
  Bind(s[c], AxisOf(c, 0), ThreadAxis("blockIdx.x"));
  Bind(s[c], AxisOf(c, 1), ThreadAxis("threadIdx.x"));
  ir::Module split;
  EXPECT_EQ(CheckDevice(s, {a, b, c}, {}, {}, &split), "");
  const ir::Module host = DropUnusedConstants(Separate(split).host),
                   device = DropUnusedConstants(Separate(split).device);
  ASSERT_EQ(ir::ConstantsIn(host->attrs).size(), 1u);
  EXPECT_EQ(ir::ConstantsIn(host->attrs)[0]->data->size(), data.size() * sizeof(float));
  ASSERT_EQ(ir::ConstantsIn(device->attrs).size(), 1u);
  EXPECT_EQ(ir::ConstantsIn(device->attrs)[0]->data->size(), kColumns * sizeof(float));
  // The kernel that uses no small constant has an argument for the large one.
  ASSERT_EQ(device->functions.size(), 2u);
  EXPECT_EQ(device->functions[0]->params.size(), 4u) << ir::ToText(device);
  const std::string text = ir::ToText(host);
  EXPECT_NE(text.find("lathe.device_constant"), std::string::npos) << text;
}

// rfactor gives each thread a partial result; the threads combine them.
TEST(Device, RfactorThenThreads) {
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
  for (int64_t size : {0, 1, 5, 17}) Check(s, {a, b}, {size});
}

// A padded convolution: tiles with a border in shared memory, several outputs for each thread.
TEST(Device, PaddedConvolution) {
  for (int64_t size : {5, 8, 9}) {
    const Expr n = Int(size);
    Tensor a = Placeholder({n, n}, DataType::Float(32), "A");
    Tensor w = Placeholder({Int(3), Int(3)}, DataType::Float(32), "W");
    Tensor pad = Compute(
        {n + 2, n + 2},
        [&](const Indices& i) {
          const Expr y = i[0], x = i[1];
          const Expr inside =
              ir::LogicalAnd(ir::LogicalAnd(y >= 1, y < n + 1), ir::LogicalAnd(x >= 1, x < n + 1));
          return ir::IfThenElse(inside, At(a, {y - 1, x - 1}), Float(0));
        },
        "P");
    IterVar dy = te::ReduceAxis(Int(0), Int(3), "dy"), dx = te::ReduceAxis(Int(0), Int(3), "dx");
    Tensor c = Compute(
        {n, n},
        [&](const Indices& i) {
          return Sum(At(pad, {i[0] + dy->var, i[1] + dx->var}) * At(w, {dy->var, dx->var}),
                     {dy, dx});
        },
        "C");
    Schedule s = CreateSchedule({c->op});
    Tensor cl = CacheWrite(s, c, "local")[0];
    auto [by, yi] = Split(s[c], AxisOf(c, 0), 4);
    auto [bx, xi] = Split(s[c], AxisOf(c, 1), 4);
    auto [ty, yr] = Split(s[c], yi, 2);
    Reorder(s[c], {by, bx, ty, xi, yr});
    Bind(s[c], by, ThreadAxis("blockIdx.y"));
    Bind(s[c], bx, ThreadAxis("blockIdx.x"));
    Bind(s[c], ty, ThreadAxis("threadIdx.y"));
    Bind(s[c], xi, ThreadAxis("threadIdx.x"));
    ComputeAt(s[cl], s[c], xi);
    ComputeAt(s[pad], s[c], bx);
    IterVar fused = Fuse(s[pad], {s[pad].leaf_axes[0], s[pad].leaf_axes[1]});
    auto [rest, x] = Split(s[pad], fused, 4);
    auto [more, y] = Split(s[pad], rest, 2);
    (void)more;
    Bind(s[pad], y, ThreadAxis("threadIdx.y"));
    Bind(s[pad], x, ThreadAxis("threadIdx.x"));
    Check(s, {a, w, c});
  }
}

// Matmuls of random sizes and tiles.
TEST(Device, RandomTiles) {
  uint64_t state = 20260101;
  auto next = [&](int64_t low, int64_t high) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + static_cast<int64_t>((state >> 33) % static_cast<uint64_t>(high - low + 1));
  };
  for (int round = 0; round < 25; ++round) {
    const int64_t n = next(1, 9), m = next(1, 9), l = next(1, 9);
    const int64_t threads = next(1, 3), per_thread = next(1, 3), step = next(1, 4);
    const bool dynamic = next(0, 1) == 1, copies = next(0, 1) == 1;
    Gemm g(Int(n), Int(m), Int(l));
    const Schedule s =
        TiledGemm(g, threads, per_thread, step, dynamic ? "shared.dyn" : "shared", copies);
    EXPECT_EQ(CheckDevice(s, {g.a, g.b, g.c}), "")
        << n << " " << m << " " << l << ": " << threads << " threads, " << per_thread
        << " each, step " << step << (dynamic ? ", dynamic" : "") << (copies ? ", virtual" : "");
  }
}

}  // namespace
}  // namespace lathe::lower
