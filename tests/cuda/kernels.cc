#include "tests/cuda/kernels.h"

#include <algorithm>

#include "schedule/primitives/primitives.h"
#include "te/tensor_intrin.h"

namespace lathe {
namespace {

using ir::Int;
using schedule::AxisOf;
using schedule::Bind;
using schedule::Split;
using schedule::ThreadAxis;
using te::At;
using te::Indices;

ir::IterVar Reduction(const ir::Expr& extent) { return te::ReduceAxis(Int(0), extent, "k"); }

ir::Expr Part(const ir::Expr& x, int64_t of, int64_t by) {
  return ir::FloorDivide(ir::FloorModulo(x, Int(of)), Int(by));
}

// Binds the axes of blocks. Blocks start in the order of blockIdx.x, then .y, then .z, so blocks
// that run at the same time share what they read. Returns the innermost of these axes.
ir::IterVar BindBlocks(schedule::Stage& stage, const ir::IterVar& by, const ir::IterVar& bx,
                       int64_t group) {
  if (group == 0) {
    Bind(stage, by, ThreadAxis("blockIdx.y"));
    Bind(stage, bx, ThreadAxis("blockIdx.x"));
    return bx;
  }
  auto [outer, inner] = Split(stage, by, Int(group));
  schedule::Reorder(stage, {outer, bx, inner});
  Bind(stage, outer, ThreadAxis("blockIdx.z"));
  Bind(stage, bx, ThreadAxis("blockIdx.y"));
  Bind(stage, inner, ThreadAxis("blockIdx.x"));
  return inner;
}

}  // namespace

Case Elementwise(const std::string& name, DataType type, int lanes, int64_t n) {
  const te::Tensor a = te::Placeholder({Int(n)}, type, "A"),
                   b = te::Placeholder({Int(n)}, type, "B");
  const te::Tensor c = te::Compute(
      {Int(n)},
      [&](const Indices& i) { return At(a, {i[0]}) * At(b, {i[0]}) + ir::Const(1, type); }, "C");
  schedule::Schedule s = schedule::CreateSchedule({c->op});
  auto [block, rest] = Split(s[c], AxisOf(c, 0), Int(128 * lanes));
  auto [thread, inner] = Split(s[c], rest, Int(lanes));
  Bind(s[c], block, ThreadAxis("blockIdx.x"));
  Bind(s[c], thread, ThreadAxis("threadIdx.x"));
  schedule::Vectorize(s[c], inner);
  return {name, s, {a, b, c}, {}};
}

Case ElementwiseOfAnySize(int64_t n) {
  const ir::Var size = ir::MakeSizeVar("n");
  const te::Tensor a = te::Placeholder({size}, DataType::Float(32), "A");
  const te::Tensor b =
      te::Compute({size}, [&](const Indices& i) { return At(a, {i[0]}) * 2 + 1; }, "B");
  schedule::Schedule s = schedule::CreateSchedule({b->op});
  auto [block, thread] = Split(s[b], AxisOf(b, 0), Int(128));
  Bind(s[b], block, ThreadAxis("blockIdx.x"));
  Bind(s[b], thread, ThreadAxis("threadIdx.x"));
  return {"any_size", s, {a, b}, {n}};
}

Case TableLookup(int64_t n) {
  const std::vector<float> values = {1, -0.5f, 3, 0.25f, -7};
  const te::Tensor t =
      te::Constant(Blob::Copy({reinterpret_cast<const char*>(values.data()), values.size() * 4}),
                   {static_cast<int64_t>(values.size())}, DataType::Float(32), "T");
  const te::Tensor a = te::Placeholder({Int(n)}, DataType::Float(32), "A");
  const te::Tensor c = te::Compute(
      {Int(n)},
      [&](const Indices& i) { return At(a, {i[0]}) * At(t, {ir::FloorModulo(i[0], Int(5))}); },
      "C");
  schedule::Schedule s = schedule::CreateSchedule({c->op});
  auto [block, thread] = Split(s[c], AxisOf(c, 0), Int(64));
  Bind(s[c], block, ThreadAxis("blockIdx.x"));
  Bind(s[c], thread, ThreadAxis("threadIdx.x"));
  return {"table", s, {a, c}, {}};
}

Case Gemm(const std::string& name, const GemmOptions& options) {
  const bool symbolic = !options.sizes.empty();
  const auto extent = [&](const char* of) -> ir::Expr {
    return symbolic ? ir::Expr(ir::MakeSizeVar(of)) : Int(options.n);
  };
  const ir::Expr n = extent("n"), l = extent("l"), m = extent("m");
  const te::Tensor a = te::Placeholder({n, l}, options.type, "A");
  const te::Tensor b = te::Placeholder({l, m}, options.type, "B");
  const ir::IterVar k = Reduction(l);
  const te::Tensor c = te::Compute(
      {n, m},
      [&](const Indices& i) { return te::Sum(At(a, {i[0], k->var}) * At(b, {k->var, i[1]}), {k}); },
      "C");
  schedule::Schedule s = schedule::CreateSchedule({c->op});
  const te::Tensor cl = schedule::CacheWrite(s, c, "local")[0];
  const te::Tensor as = schedule::CacheRead(s, a, options.shared, {cl->op}),
                   bs = schedule::CacheRead(s, b, options.shared, {cl->op});
  const int64_t tile = options.threads * options.per_thread;
  auto [by, yi] = Split(s[c], AxisOf(c, 0), Int(tile));
  auto [bx, xi] = Split(s[c], AxisOf(c, 1), Int(tile));
  Bind(s[c], by, ThreadAxis("blockIdx.y"));
  Bind(s[c], bx, ThreadAxis("blockIdx.x"));
  ir::IterVar inner;
  if (options.virtual_threads) {
    auto [vy, ty] = schedule::SplitParts(s[c], yi, Int(options.per_thread));
    auto [vx, tx] = schedule::SplitParts(s[c], xi, Int(options.per_thread));
    schedule::Reorder(s[c], {by, bx, vy, vx, ty, tx});
    Bind(s[c], vy, ThreadAxis("vthread"));
    Bind(s[c], vx, ThreadAxis("vthread"));
    Bind(s[c], ty, ThreadAxis("threadIdx.y"));
    Bind(s[c], tx, ThreadAxis("threadIdx.x"));
    inner = tx;
  } else {
    auto [ty, yr] = Split(s[c], yi, Int(options.per_thread));
    auto [tx, xr] = Split(s[c], xi, Int(options.per_thread));
    schedule::Reorder(s[c], {by, bx, ty, tx, yr, xr});
    Bind(s[c], ty, ThreadAxis("threadIdx.y"));
    Bind(s[c], tx, ThreadAxis("threadIdx.x"));
    inner = tx;
  }
  schedule::ComputeAt(s[cl], s[c], inner);
  auto [ko, ki] = Split(s[cl], s[cl].leaf_axes.back(), Int(options.step));
  const std::vector<ir::IterVar> data = {s[cl].leaf_axes[0], s[cl].leaf_axes[1]};
  schedule::Reorder(s[cl], {ko, ki, data[0], data[1]});
  if (!options.virtual_threads) {
    for (const ir::IterVar& axis : data) schedule::Unroll(s[cl], axis);
  }
  if (options.stages > 1) schedule::Pipeline(s[cl], ko, options.stages, /*async=*/true);
  for (const te::Tensor& load : {as, bs}) {
    schedule::ComputeAt(s[load], s[cl], ko);
    const ir::IterVar fused = schedule::Fuse(s[load], {s[load].leaf_axes[0], s[load].leaf_axes[1]});
    auto [rest, x] = Split(s[load], fused, Int(options.threads));
    auto [more, y] = Split(s[load], rest, Int(options.threads));
    (void)more;
    Bind(s[load], y, ThreadAxis("threadIdx.y"));
    Bind(s[load], x, ThreadAxis("threadIdx.x"));
  }
  return {name, s, {a, b, c}, options.sizes};
}

Case RowSums(int64_t rows, int64_t columns) {
  const te::Tensor a = te::Placeholder({Int(rows), Int(columns)}, DataType::Float(32), "A");
  const ir::IterVar k = Reduction(Int(columns));
  const te::Tensor b = te::Compute(
      {Int(rows)}, [&](const Indices& i) { return te::Sum(At(a, {i[0], k->var}), {k}); }, "B");
  schedule::Schedule s = schedule::CreateSchedule({b->op});
  auto [ko, ki] = Split(s[b], s[b].leaf_axes.back(), Int(128));
  (void)ko;
  const te::Tensor part = schedule::RFactor(s, b, ki)[0];
  Bind(s[b], AxisOf(b, 0), ThreadAxis("blockIdx.x"));
  const ir::IterVar lane = s[b].leaf_axes.back();
  Bind(s[b], lane, ThreadAxis("threadIdx.x"));
  schedule::ComputeAt(s[part], s[b], lane);
  return {"row_sums", s, {a, b}, {}};
}

Case Int8Gemm(int64_t n) {
  const DataType narrow = DataType::Int(8), wide = DataType::Int(32);
  const te::Tensor a = te::Placeholder({Int(n), Int(n)}, narrow, "A"),
                   b = te::Placeholder({Int(n), Int(n)}, narrow, "B");
  const ir::IterVar k = Reduction(Int(n));
  const te::Tensor c = te::Compute(
      {Int(n), Int(n)},
      [&](const Indices& i) {
        return te::Sum(
            ir::MakeCast(wide, At(a, {i[0], k->var})) * ir::MakeCast(wide, At(b, {i[1], k->var})),
            {k});
      },
      "C");
  schedule::Schedule s = schedule::CreateSchedule({c->op});
  const te::Tensor cl = schedule::CacheWrite(s, c, "local")[0];
  auto [by, ty] = Split(s[c], AxisOf(c, 0), Int(8));
  auto [bx, tx] = Split(s[c], AxisOf(c, 1), Int(8));
  schedule::Reorder(s[c], {by, bx, ty, tx});
  Bind(s[c], by, ThreadAxis("blockIdx.y"));
  Bind(s[c], bx, ThreadAxis("blockIdx.x"));
  Bind(s[c], ty, ThreadAxis("threadIdx.y"));
  Bind(s[c], tx, ThreadAxis("threadIdx.x"));
  schedule::ComputeAt(s[cl], s[c], tx);
  auto [ko, ki] = Split(s[cl], s[cl].leaf_axes.back(), Int(4));
  (void)ko;
  schedule::Tensorize(s[cl], ki, te::GetTensorIntrin("cuda.dp4a", "cuda"));
  return {"int8_gemm", s, {a, b, c}, {}};
}

Case MmaGemm(const std::string& name, DataType type, int64_t n, int64_t warps, int64_t stages) {
  const DataType wide = DataType::Float(32);
  const te::Tensor a = te::Placeholder({Int(n), Int(n)}, type, "A"),
                   b = te::Placeholder({Int(n), Int(n)}, type, "B");
  const ir::IterVar k = Reduction(Int(n));
  const te::Tensor c = te::Compute(
      {Int(n), Int(n)},
      [&](const Indices& i) {
        return te::Sum(
            ir::MakeCast(wide, At(a, {i[0], k->var})) * ir::MakeCast(wide, At(b, {k->var, i[1]})),
            {k});
      },
      "C");
  schedule::Schedule s = schedule::CreateSchedule({c->op});
  const te::Tensor cl = schedule::CacheWrite(s, c, "local")[0];
  const te::Tensor as = schedule::CacheRead(s, a, "shared", {cl->op}),
                   bs = schedule::CacheRead(s, b, "shared", {cl->op});
  auto [by, yi] = Split(s[c], AxisOf(c, 0), Int(16 * warps));
  auto [bx, xi] = Split(s[c], AxisOf(c, 1), Int(8));
  auto [tz, yw] = Split(s[c], yi, Int(16));
  auto [ty, i2] = Split(s[c], yw, Int(2));
  auto [tx, j2] = Split(s[c], xi, Int(2));
  schedule::Reorder(s[c], {by, bx, tz, ty, tx, i2, j2});
  Bind(s[c], by, ThreadAxis("blockIdx.y"));
  Bind(s[c], bx, ThreadAxis("blockIdx.x"));
  Bind(s[c], tz, ThreadAxis("threadIdx.z"));
  Bind(s[c], ty, ThreadAxis("threadIdx.y"));
  Bind(s[c], tx, ThreadAxis("threadIdx.x"));
  schedule::ComputeAt(s[cl], s[c], tx);
  auto [ko, ki] = Split(s[cl], s[cl].leaf_axes.back(), Int(16));
  const std::vector<ir::IterVar> data = {s[cl].leaf_axes[0], s[cl].leaf_axes[1]};
  schedule::Reorder(s[cl], {ko, data[0], data[1], ki});
  schedule::Tensorize(
      s[cl], data[0],
      te::GetTensorIntrin(type.is_bfloat16() ? "cuda.mma_bf16" : "cuda.mma_f16", "cuda"));
  if (stages > 1) schedule::Pipeline(s[cl], ko, stages, /*async=*/true);
  for (const te::Tensor& load : {as, bs}) {
    schedule::ComputeAt(s[load], s[cl], ko);
    const ir::IterVar fused = schedule::Fuse(s[load], {s[load].leaf_axes[0], s[load].leaf_axes[1]});
    auto [rest, wide_copy] = Split(s[load], fused, Int(stages > 1 ? 2 : 1));
    if (stages > 1) schedule::Vectorize(s[load], wide_copy);
    auto [more, x] = Split(s[load], rest, Int(4));
    auto [most, y] = Split(s[load], more, Int(8));
    auto [all, z] = Split(s[load], most, Int(warps));
    (void)all;
    Bind(s[load], z, ThreadAxis("threadIdx.z"));
    Bind(s[load], y, ThreadAxis("threadIdx.y"));
    Bind(s[load], x, ThreadAxis("threadIdx.x"));
  }
  return {name, s, {a, b, c}, {}};
}

Case TiledGemm(const std::string& name, const TiledOptions& options) {
  // Each value that a thread reads from shared memory takes one cycle of a core's 128 bytes. With 8
  // x 8 elements a thread, the 16 values take as long as the products on a core with 128
  // multipliers. With 8 x 16 elements, the products take a third longer than the 24 values.
  constexpr int64_t kWarpRows = 64, kWarpColumns = 64, kRows = 8, kColumns = 16;
  const int64_t n = options.n, warps = options.rows / kWarpRows * (options.columns / kWarpColumns);
  const te::Tensor a = te::Placeholder({Int(n), Int(n)}, DataType::Float(32), "A");
  const te::Tensor b = te::Placeholder({Int(n), Int(n)}, DataType::Float(32), "B");
  const ir::IterVar k = Reduction(Int(n));
  const te::Tensor c = te::Compute(
      {Int(n), Int(n)},
      [&](const Indices& i) { return te::Sum(At(a, {i[0], k->var}) * At(b, {k->var, i[1]}), {k}); },
      "C");
  schedule::Schedule s = schedule::CreateSchedule({c->op});
  const te::Tensor cl = schedule::CacheWrite(s, c, "local")[0];
  const te::Tensor as = schedule::CacheRead(s, a, "shared.dyn", {cl->op}),
                   bs = schedule::CacheRead(s, b, "shared.dyn", {cl->op});
  auto [by, yi] = Split(s[c], AxisOf(c, 0), Int(options.rows));
  auto [bx, xi] = Split(s[c], AxisOf(c, 1), Int(options.columns));
  auto [wy, yw] = Split(s[c], yi, Int(kWarpRows));
  auto [wx, xw] = Split(s[c], xi, Int(kWarpColumns));
  auto [ly, i] = Split(s[c], yw, Int(kRows));
  auto [lx, j] = Split(s[c], xw, Int(kColumns));
  auto [jo, jv] = Split(s[c], j, Int(4));
  schedule::Reorder(s[c], {by, bx, wy, wx, ly, lx, i, jo, jv});
  BindBlocks(s[c], by, bx, options.group);
  Bind(s[c], schedule::Fuse(s[c], {wy, wx}), ThreadAxis("threadIdx.z"));
  Bind(s[c], ly, ThreadAxis("threadIdx.y"));
  Bind(s[c], lx, ThreadAxis("threadIdx.x"));
  schedule::Unroll(s[c], i);
  schedule::Unroll(s[c], jo);
  schedule::Vectorize(s[c], jv);
  schedule::ComputeAt(s[cl], s[c], lx);
  const std::vector<ir::IterVar> data = {s[cl].leaf_axes[0], s[cl].leaf_axes[1]};
  auto [ko, ki] = Split(s[cl], s[cl].leaf_axes.back(), Int(options.step));
  auto [kq, ku] = Split(s[cl], ki, Int(std::min(options.unrolled, options.step)));
  schedule::Reorder(s[cl], {ko, kq, ku, data[0], data[1]});
  for (const ir::IterVar& axis : {ku, data[0], data[1]}) schedule::Unroll(s[cl], axis);
  schedule::Pipeline(s[cl], ko, options.stages, /*async=*/true);
  // Rows that the lanes of a warp read together lie side by side, for four steps of k at a time;
  // the same holds for four columns. So an access is one instruction, and the lanes' 16 bytes are
  // adjacent.
  schedule::TransformLayout(s, as, {"d0 // 64", "d0 % 8", "d1 // 4", "d0 // 8 % 8", "d1 % 4"});
  schedule::TransformLayout(s, bs, {"d0", "d1 // 64", "d1 // 4 % 4", "d1 // 16 % 4", "d1 % 4"});
  const auto load = [&](const te::Tensor& tile, const std::vector<ir::IterVar>& order,
                        const ir::IterVar& four) {
    std::vector<ir::IterVar> all = order;
    all.push_back(four);
    schedule::Reorder(s[tile], all);
    auto [rest, x] =
        Split(s[tile], schedule::Fuse(s[tile], options.copied == 1 ? all : order), Int(4));
    auto [more, y] = Split(s[tile], rest, Int(8));
    auto [most, z] = Split(s[tile], more, Int(warps));
    Bind(s[tile], z, ThreadAxis("threadIdx.z"));
    Bind(s[tile], y, ThreadAxis("threadIdx.y"));
    Bind(s[tile], x, ThreadAxis("threadIdx.x"));
    if (options.copied == 4) schedule::Vectorize(s[tile], four);
    schedule::Unroll(s[tile], most);
  };
  for (const te::Tensor& tile : {as, bs}) schedule::ComputeAt(s[tile], s[cl], ko);
  {
    auto [warp, in_warp] = Split(s[as], s[as].leaf_axes[0], Int(kWarpRows));
    auto [row, in_row] = Split(s[as], in_warp, Int(kRows));
    auto [steps, four] = Split(s[as], s[as].leaf_axes.back(), Int(4));
    load(as, {warp, in_row, steps, row}, four);
  }
  {
    const ir::IterVar step = s[bs].leaf_axes[0];
    auto [warp, in_warp] = Split(s[bs], s[bs].leaf_axes[1], Int(kWarpColumns));
    auto [column, in_column] = Split(s[bs], in_warp, Int(kColumns));
    auto [quarter, four] = Split(s[bs], in_column, Int(4));
    load(bs, {step, warp, quarter, column}, four);
  }
  return {name, s, {a, b, c}, {}};
}

Case MmaTileGemm(const std::string& name, const MmaTileOptions& options) {
  const DataType wide = DataType::Float(32);
  const int64_t n = options.n, wm = options.warp_rows, wn = options.warp_columns,
                across = options.columns / wn, warps = options.rows / wm * across;
  const te::Tensor a = te::Placeholder({Int(n), Int(n)}, options.type, "A"),
                   b = te::Placeholder({Int(n), Int(n)}, options.type, "B");
  const ir::IterVar k = Reduction(Int(n));
  // In the order in which the lanes of a warp hold it (backends/cuda/mma.h).
  const te::Tensor cl = te::Compute(
      {Int(n / options.rows), Int(n / options.columns), Int(warps), Int(32), Int(wm / 16), Int(2),
       Int(wn / 8), Int(2)},
      [&](const Indices& i) {
        const ir::Expr row = i[0] * options.rows + ir::FloorDivide(i[2], Int(across)) * wm +
                             i[4] * 16 + i[5] * 8 + ir::FloorDivide(i[3], Int(4)),
                       column = i[1] * options.columns + ir::FloorModulo(i[2], Int(across)) * wn +
                                i[6] * 8 + ir::FloorModulo(i[3], Int(4)) * 2 + i[7];
        return te::Sum(
            ir::MakeCast(wide, At(a, {row, k->var})) * ir::MakeCast(wide, At(b, {k->var, column})),
            {k});
      },
      "CL");
  const te::Tensor c = te::Compute(
      {Int(n), Int(n)},
      [&](const Indices& i) {
        return At(cl, {ir::FloorDivide(i[0], Int(options.rows)),
                       ir::FloorDivide(i[1], Int(options.columns)),
                       Part(i[0], options.rows, wm) * across + Part(i[1], options.columns, wn),
                       Part(i[0], 8, 1) * 4 + Part(i[1], 8, 2), Part(i[0], wm, 16),
                       Part(i[0], 16, 8), Part(i[1], wn, 8), Part(i[1], 2, 1)});
      },
      "C");
  schedule::Schedule s = schedule::CreateSchedule({c->op});
  schedule::SetScope(s[cl], "local");
  const te::Tensor as = schedule::CacheRead(s, a, "shared.dyn", {cl->op}),
                   bs = schedule::CacheRead(s, b, "shared.dyn", {cl->op});
  auto [by, yi] = Split(s[c], AxisOf(c, 0), Int(options.rows));
  auto [bx, xi] = Split(s[c], AxisOf(c, 1), Int(options.columns));
  auto [wy, yw] = Split(s[c], yi, Int(wm));
  auto [wx, xw] = Split(s[c], xi, Int(wn));
  auto [i, y16] = Split(s[c], yw, Int(16));
  auto [h, ty] = Split(s[c], y16, Int(8));
  auto [j, x8] = Split(s[c], xw, Int(8));
  auto [tx, p] = Split(s[c], x8, Int(2));
  schedule::Reorder(s[c], {by, bx, wy, wx, ty, tx, i, h, j, p});
  const ir::IterVar block = BindBlocks(s[c], by, bx, options.group);
  Bind(s[c], schedule::Fuse(s[c], {wy, wx}), ThreadAxis("threadIdx.y"));
  Bind(s[c], schedule::Fuse(s[c], {ty, tx}), ThreadAxis("threadIdx.x"));
  for (const ir::IterVar& axis : {i, h, j}) schedule::Unroll(s[c], axis);
  schedule::Vectorize(s[c], p);
  schedule::ComputeAt(s[cl], s[c], block);
  const std::vector<ir::IterVar> own = s[cl].leaf_axes;
  auto [ko, ki] = Split(s[cl], own.back(), Int(options.step));
  auto [kf, kk] = Split(s[cl], ki, Int(16));
  schedule::Reorder(s[cl],
                    {own[0], own[1], own[2], own[3], ko, kf, own[4], own[5], own[6], own[7], kk});
  Bind(s[cl], own[2], ThreadAxis("threadIdx.y"));
  Bind(s[cl], own[3], ThreadAxis("threadIdx.x"));
  schedule::Unroll(s[cl], kf);
  schedule::Tensorize(
      s[cl], own[4],
      te::GetTensorIntrin("cuda.mma_" + std::string(options.type.is_bfloat16() ? "bf16" : "f16") +
                              "_m" + std::to_string(wm) + "n" + std::to_string(wn),
                          "cuda"));
  schedule::Pipeline(s[cl], ko, options.stages, /*async=*/true);
  for (const te::Tensor& load : {as, bs}) {
    schedule::ComputeAt(s[load], s[cl], ko);
    // The distance between rows is an odd multiple of 16 bytes, so eight rows lie in different
    // banks.
    const int64_t row = load.get() == as.get() ? options.step : options.columns;
    schedule::StorageAlign(s[load], s[load].leaf_axes[0], row * 2, row + 8);
    const ir::IterVar fused = schedule::Fuse(s[load], {s[load].leaf_axes[0], s[load].leaf_axes[1]});
    auto [rest, eight] = Split(s[load], fused, Int(8));
    auto [more, x] = Split(s[load], rest, Int(32));
    auto [most, y] = Split(s[load], more, Int(warps));
    Bind(s[load], y, ThreadAxis("threadIdx.y"));
    Bind(s[load], x, ThreadAxis("threadIdx.x"));
    schedule::Vectorize(s[load], eight);
    schedule::Unroll(s[load], most);
  }
  return {name, s, {a, b, c}, {}};
}

Case WgmmaGemm(const std::string& name, const WgmmaOptions& options) {
  const DataType wide = DataType::Float(32);
  const std::string suffix = options.type.is_bfloat16() ? "bf16" : "f16";
  const int64_t m = options.m, n = options.n, columns = options.columns;
  const te::Tensor a = te::Placeholder({Int(m), Int(options.k)}, options.type, "A"),
                   b = te::Placeholder({Int(n), Int(options.k)}, options.type, "B");
  const ir::IterVar k = Reduction(Int(options.k));
  // In the order in which the threads of a warpgroup hold it: by warp, row (of 8) and pair of
  // columns. Each thread has two halves of rows, and a pair of every 8 columns.
  const te::Tensor cl = te::Compute(
      {Int(m / 16), Int(8), Int(4), Int(2), Int(n / 8), Int(2)},
      [&](const Indices& i) {
        const ir::Expr row = i[0] * 16 + i[3] * 8 + i[1], column = i[4] * 8 + i[2] * 2 + i[5];
        return te::Sum(
            ir::MakeCast(wide, At(a, {row, k->var})) * ir::MakeCast(wide, At(b, {column, k->var})),
            {k});
      },
      "CL");
  const te::Tensor c = te::Compute(
      {Int(m), Int(n)},
      [&](const Indices& i) {
        return At(cl, {ir::FloorDivide(i[0], Int(16)), Part(i[0], 8, 1), Part(i[1], 8, 2),
                       Part(i[0], 16, 8), ir::FloorDivide(i[1], Int(8)), Part(i[1], 2, 1)});
      },
      "C");
  schedule::Schedule s = schedule::CreateSchedule({c->op});
  schedule::SetScope(s[cl], "local");
  const te::Tensor as = schedule::CacheRead(s, a, "shared.dyn", {cl->op}),
                   bs = schedule::CacheRead(s, b, "shared.dyn", {cl->op});
  auto [by, yi] = Split(s[c], AxisOf(c, 0), Int(64 * options.groups));
  auto [bx, xi] = Split(s[c], AxisOf(c, 1), Int(columns));
  auto [tz, y16] = Split(s[c], yi, Int(16));
  auto [h, ty] = Split(s[c], y16, Int(8));
  auto [j, x8] = Split(s[c], xi, Int(8));
  auto [tx, p] = Split(s[c], x8, Int(2));
  schedule::Reorder(s[c], {by, bx, tz, ty, tx, h, j, p});
  const ir::IterVar block = BindBlocks(s[c], by, bx, options.group);
  Bind(s[c], tz, ThreadAxis("threadIdx.z"));
  Bind(s[c], ty, ThreadAxis("threadIdx.y"));
  Bind(s[c], tx, ThreadAxis("threadIdx.x"));
  schedule::Vectorize(s[c], p);
  schedule::ComputeAt(s[cl], s[c], block);
  const std::vector<ir::IterVar> own = s[cl].leaf_axes;
  auto [ko, ki] = Split(s[cl], own.back(), Int(64));
  schedule::Reorder(s[cl], {own[0], own[1], own[2], ko, own[3], own[4], own[5], ki});
  Bind(s[cl], own[0], ThreadAxis("threadIdx.z"));
  Bind(s[cl], own[1], ThreadAxis("threadIdx.y"));
  Bind(s[cl], own[2], ThreadAxis("threadIdx.x"));
  schedule::Tensorize(
      s[cl], own[3],
      te::GetTensorIntrin("cuda.wgmma_" + suffix + "_n" + std::to_string(columns), "cuda"));
  schedule::Pipeline(s[cl], ko, options.stages, /*async=*/true);
  for (const te::Tensor& load : {as, bs}) {
    schedule::ComputeAt(s[load], s[cl], ko);
    auto [rows, r] = Split(s[load], s[load].leaf_axes[0], Int(64));
    (void)rows;
    schedule::Tensorize(s[load], r, te::GetTensorIntrin("cuda.tma_" + suffix, "cuda"));
  }
  return {name, s, {a, b, c}, {}};
}

std::vector<Case> AllCases() {
  GemmOptions pipelined;
  pipelined.stages = 3;
  GemmOptions vthread, dynamic, any, half, big;
  big.shared = "shared.dyn";  // 64 KiB of it
  big.step = 256;
  big.sizes = {32, 256, 32};
  vthread.virtual_threads = true;
  dynamic.shared = "shared.dyn";
  any.sizes = {33, 20, 41};
  half.type = DataType::Float(16);
  half.n = 32;
  TiledOptions tiled;
  tiled.n = tiled.rows = tiled.columns = 64;
  tiled.step = 8;
  MmaTileOptions tiles;
  tiles.n = tiles.rows = tiles.columns = 64;
  tiles.warp_rows = tiles.warp_columns = 32;
  tiles.step = 16;
  MmaTileOptions bfloat_tiles = tiles;
  bfloat_tiles.type = DataType::BFloat16();
  bfloat_tiles.warp_rows = 64;
  bfloat_tiles.group = 1;
  std::vector<Case> cases = {
      Elementwise("float32_by_4", DataType::Float(32), 4, 1024),
      Elementwise("float16_by_8", DataType::Float(16), 8, 2048),
      Elementwise("bfloat16_by_8", DataType::BFloat16(), 8, 2048),
      Elementwise("float8", DataType(kDLFloat8_e4m3fn, 8), 4, 1024),
      Elementwise("odd_size", DataType::Float(32), 4, 1001),
      ElementwiseOfAnySize(300),
      Gemm("gemm", {}),
      Gemm("gemm_vthread", vthread),
      Gemm("gemm_dynamic", dynamic),
      Gemm("gemm_any", any),
      Gemm("gemm_half", half),
      Gemm("gemm_big", big),
      Gemm("gemm_pipelined", pipelined),
      RowSums(5, 300),
      Int8Gemm(32),
      MmaGemm("mma_f16", DataType::Float(16), 32, 2),
      MmaGemm("mma_bf16", DataType::BFloat16(), 32, 1),
      MmaGemm("mma_pipelined", DataType::Float(16), 64, 2, 3),
      TiledGemm("tiled", tiled),
      MmaTileGemm("mma_tiles", tiles),
      MmaTileGemm("mma_tiles_bf16", bfloat_tiles),
  };
  return cases;
}

}  // namespace lathe
