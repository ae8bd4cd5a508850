// Lesson 3: matrix multiplication, from textbook loops to the limits of the processor, one step at
// a time.
//
//   bazel run //examples:lesson_3_matmul            512 x 512 matrices
//   bazel run //examples:lesson_3_matmul -- 1024    larger; multiples of 64
//
// The description of the product is written once. Each step is a schedule; the lesson prints its
// loops and measures their speed. A multiplication and an addition count as two operations: 2 n^3
// in all.

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "driver/compile.h"
#include "examples/lesson_support.h"
#include "runtime/thread_pool.h"
#include "schedule/primitives/primitives.h"
#include "te/operation.h"

namespace lathe::examples {
namespace {

using ir::IterVar;
using schedule::Schedule;

constexpr int64_t kBlock = 32;

struct Matmul {
  te::Tensor a, b, packed, c;  // `packed` is null if the product reads B itself
  IterVar k;
};

// C[i, j] = sum over k of A[i, k] * B[k, j]
Matmul Describe(int64_t n) {
  Matmul p;
  p.a = te::Placeholder({ir::Int(n), ir::Int(n)}, DataType::Float(32), "A");
  p.b = te::Placeholder({ir::Int(n), ir::Int(n)}, DataType::Float(32), "B");
  p.k = te::ReduceAxis(ir::Int(0), ir::Int(n), "k");
  p.c = te::Compute(
      {ir::Int(n), ir::Int(n)},
      [&](const te::Indices& at) {
        return te::Sum(te::At(p.a, {at[0], p.k->var}) * te::At(p.b, {p.k->var, at[1]}), {p.k});
      },
      "C");
  return p;
}

// The same product with a copy of B in another order: panels of `panel` columns, and within a panel
// row after row. So the inner loops read contiguous memory. The copy is a compute like any other,
// so it can be scheduled, too.
Matmul DescribePacked(int64_t n, int64_t panel) {
  Matmul p = Describe(n);
  p.k = te::ReduceAxis(ir::Int(0), ir::Int(n), "k");
  p.packed = te::Compute(
      {ir::Int(n / panel), ir::Int(n), ir::Int(panel)},
      [&](const te::Indices& at) { return te::At(p.b, {at[1], at[0] * panel + at[2]}); }, "packed",
      {.axis_names = {"panel", "k", "j"}});
  p.c = te::Compute(
      {ir::Int(n), ir::Int(n)},
      [&](const te::Indices& at) {
        return te::Sum(te::At(p.a, {at[0], p.k->var}) *
                           te::At(p.packed, {ir::FloorDivide(at[1], panel), p.k->var,
                                             ir::FloorModulo(at[1], panel)}),
                       {p.k});
      },
      "C");
  return p;
}

// A tile of C that is added up in registers: rows x columns sums are computed at once. Two vectors
// of columns and enough rows keep the multipliers busy while each addition waits for the one before
// it; more would not fit into the registers.
struct RegisterTile {
  int64_t rows, columns;
};
RegisterTile ChooseTile() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) return {8, 32};  // 16 of 32 registers of 16 floats
  if (__builtin_cpu_supports("avx2")) return {4, 16};     // 8 of 16 registers of 8 floats
#endif
  return {4, 8};  // 8 registers of 4 floats
}

struct Step {
  const char* name;
  const char* why;
  Matmul program;
  std::function<void(Schedule&, const Matmul&)> schedule;
};

// Tiles of C, and within a tile a few products at a time: rows of A and B are used again while they
// are in the cache. Returns the innermost loop, over a row of the tile.
IterVar Block(Schedule& s, const Matmul& p) {
  auto tile =
      schedule::Tile(s[p.c], schedule::AxisOf(p.c, 0), schedule::AxisOf(p.c, 1), kBlock, kBlock);
  auto [k_outer, k_inner] = schedule::Split(s[p.c], p.k, 4);
  schedule::Reorder(s[p.c],
                    {tile.x_outer, tile.y_outer, k_outer, tile.x_inner, k_inner, tile.y_inner});
  return tile.y_inner;
}

void Pack(Schedule& s, const Matmul& p, bool parallel) {
  schedule::Vectorize(s[p.packed], schedule::AxisOf(p.packed, 2));
  if (parallel) schedule::Parallel(s[p.packed], schedule::AxisOf(p.packed, 0));
}

// A tile of C is added up in its own small buffer (cache_write). The buffer stays in registers
// because its loops are unrolled and vectorized, so that every access to it has a constant place.
// It is copied to C once, at the end.
void Registers(Schedule& s, const Matmul& p, const RegisterTile& tile, bool parallel) {
  const te::Tensor sum = schedule::CacheWrite(s, p.c, "local")[0];
  auto t = schedule::Tile(s[p.c], schedule::AxisOf(p.c, 0), schedule::AxisOf(p.c, 1), tile.rows,
                          tile.columns);
  // The loop over panels is outermost: one panel of B serves all rows before the next one is
  // fetched.
  schedule::Reorder(s[p.c], {t.y_outer, t.x_outer, t.x_inner, t.y_inner});
  schedule::ComputeAt(s[sum], s[p.c], t.x_outer);
  schedule::Vectorize(s[p.c], t.y_inner);
  schedule::Unroll(s[p.c], t.x_inner);

  // cache_write has moved the product itself, with its k, to `sum`.
  const IterVar row = schedule::AxisOf(sum, 0), column = schedule::AxisOf(sum, 1),
                k = schedule::ReduceAxisOf(sum, 0);
  schedule::Reorder(s[sum], {k, row, column});
  schedule::Unroll(s[sum], row);
  schedule::Vectorize(s[sum], column);
  Pack(s, p, parallel);
  // Tiles do not depend on each other; one loop over all of them has enough parts for any number of
  // threads.
  if (parallel) schedule::Parallel(s[p.c], schedule::Fuse(s[p.c], {t.y_outer, t.x_outer}));
}

std::vector<Step> Steps(int64_t n) {
  const RegisterTile tile = ChooseTile();
  const Matmul direct = Describe(n);
  const Matmul packed = DescribePacked(n, kBlock);
  const Matmul panels = DescribePacked(n, tile.columns);
  return {
      {"default", "one loop per axis, as in the formula", direct, [](Schedule&, const Matmul&) {}},
      {"blocked", "tiles of C: what is in the cache is used again", direct,
       [](Schedule& s, const Matmul& p) { Block(s, p); }},
      {"packed", "B in the order in which it is read", packed,
       [](Schedule& s, const Matmul& p) {
         Block(s, p);
         Pack(s, p, false);
       }},
      {"vectorized", "a row of the tile in vectors", packed,
       [](Schedule& s, const Matmul& p) {
         schedule::Vectorize(s[p.c], Block(s, p));
         Pack(s, p, false);
       }},
      {"registers", "cache_write, unrolled: a tile is added up in registers", panels,
       [=](Schedule& s, const Matmul& p) { Registers(s, p, tile, false); }},
      {"parallel", "the threads share the tiles", panels,
       [=](Schedule& s, const Matmul& p) { Registers(s, p, tile, true); }},
  };
}

runtime::Tensor PlainMatmul(const runtime::Tensor& a, const runtime::Tensor& b, int64_t n) {
  runtime::Tensor c = MakeZeros({n, n});
  const float* x = a.HostData<float>();
  const float* y = b.HostData<float>();
  float* z = c.HostData<float>();
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t k = 0; k < n; ++k) {
      for (int64_t j = 0; j < n; ++j) z[i * n + j] += x[i * n + k] * y[k * n + j];
    }
  }
  return c;
}

void Lesson(const LessonOptions& options) {
  const int64_t n = options.size > 0 ? options.size : options.small ? 64 : 512;
  if (n % 64 != 0) throw std::runtime_error("this lesson takes sizes that are multiples of 64");
  const runtime::Tensor a =
      MakeTensor({n, n}, [](int64_t i) { return static_cast<double>(i * 31 % 17) / 16 - 0.5; });
  const runtime::Tensor b =
      MakeTensor({n, n}, [](int64_t i) { return static_cast<double>(i * 57 % 23) / 22 - 0.5; });
  const runtime::Tensor expected = PlainMatmul(a, b, n);
  const double operations =
      2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);

  std::string table;
  double first = 0;
  for (const Step& step : Steps(n)) {
    Schedule s = schedule::CreateSchedule({step.program.c->op});
    step.schedule(s, step.program);
    const ir::Module loops =
        driver::Lower(s, {step.program.a, step.program.b, step.program.c}, "matmul", {});
    PrintLoops(std::string(step.name) + ": " + step.why, loops);
    const runtime::Function matmul = BuildFunction(loops, "matmul");
    const runtime::Tensor c = MakeZeros({n, n});
    matmul(a, b, c);
    ExpectClose(c, expected, 1e-4);
    const double seconds = Seconds([&] { matmul(a, b, c); }, options.small);
    if (first == 0) first = seconds;
    char line[200];
    std::snprintf(line, sizeof line, "%-11s %9.3f ms %8.2f GFLOP/s %7.1fx   %s\n", step.name,
                  seconds * 1e3, operations / seconds / 1e9, first / seconds, step.why);
    table += line;
  }
  std::printf("-- %lld x %lld, float32, all results checked; `parallel` on %d threads\n\n%s",
              static_cast<long long>(n), static_cast<long long>(n), runtime::NumThreads(),
              table.c_str());
}

}  // namespace
}  // namespace lathe::examples

int main(int argc, char** argv) {
  return lathe::examples::LessonMain(argc, argv, lathe::examples::Lesson);
}
