// The compiler's own time, from a schedule to the stage that code generators take: a scheduled GEMM
// (budget 3 ms), 30 fused stages (30 ms), and how the time grows with the number of stages (to
// 1,000) and with the size of one expression (to 1,000,000 nodes): no worse than n log n. CPU time
// of this thread, the minimum of several runs.
//
//   bazel run //bench/lower:lowering_bench [-- WHAT]
//
// WHAT is PASSES: also each pass's share of the largest; ONLY: only the single programs, 200 times
// each, to be inspected with a profiler; NODES N: one expression of N nodes, once, for counting
// instructions (valgrind --tool=callgrind).

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "driver/compile.h"
#include "lower/pipeline.h"
#include "schedule/loop_nest.h"
#include "schedule/primitives/primitives.h"
#include "te/operation.h"

namespace lathe {
namespace {

using ir::Expr;
using schedule::AxisOf;
using schedule::ReduceAxisOf;
using schedule::Schedule;
using te::Indices;
using te::Tensor;

bool show_passes = false, only_single = false;

double CpuMilliseconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

struct Program {
  Schedule schedule;
  std::vector<ir::NodeRef> args;
};

struct Cost {
  double scheduled = 0;  // Normalize, bounds, loop nest
  double lowered = 0;    // all passes
};

Cost LowerOnce(const Program& program, bool print) {
  lower::PassContext context;
  if (print) {
    context.after_pass = [](const lower::Pass& pass, const ir::Module&, const ir::Module&,
                            double seconds) {
      std::printf("    %-20s %10.3f ms\n", pass.name, seconds * 1e3);
    };
  }
  Cost cost;
  double start = CpuMilliseconds();
  const ir::Func func = schedule::LowerSchedule(program.schedule, program.args, "main");
  cost.scheduled = CpuMilliseconds() - start;
  start = CpuMilliseconds();
  lower::RunPasses(lower::RunPasses(ir::MakeModule({func}), lower::TilePasses(), context),
                   lower::FlatPasses(), context);
  cost.lowered = CpuMilliseconds() - start;
  return cost;
}

Cost Least(const Program& program, int runs) {
  Cost least{1e30, 1e30};
  for (int i = 0; i < runs; ++i) {
    const Cost cost = LowerOnce(program, false);
    least.scheduled = std::min(least.scheduled, cost.scheduled);
    least.lowered = std::min(least.lowered, cost.lowered);
  }
  return least;
}

// Blocked, packed, vectorised, parallel: lesson 3's last step.
Program Gemm() {
  const int n = 1024;
  const Tensor a = te::Placeholder({ir::Int(n), ir::Int(n)}, DataType::Float(32), "A");
  const Tensor b = te::Placeholder({ir::Int(n), ir::Int(n)}, DataType::Float(32), "B");
  const Tensor packed = te::Compute(
      {ir::Int(n / 32), ir::Int(n), ir::Int(32)},
      [&](const Indices& i) { return te::At(b, {i[1], i[0] * 32 + i[2]}); }, "P");
  const ir::IterVar k = te::ReduceAxis(ir::Int(0), ir::Int(n), "k");
  Tensor c = te::Compute(
      {ir::Int(n), ir::Int(n)},
      [&](const Indices& i) {
        return te::Sum(
            te::At(a, {i[0], k->var}) *
                te::At(packed, {ir::FloorDivide(i[1], 32), k->var, ir::FloorModulo(i[1], 32)}),
            {k});
      },
      "C");
  Schedule s = schedule::CreateSchedule({c->op});
  const Tensor local = schedule::CacheWrite(s, c, "global")[0];
  auto [io, ii] = schedule::Split(s[c], AxisOf(c, 0), 8);
  auto [jo, ji] = schedule::Split(s[c], AxisOf(c, 1), 32);
  schedule::Reorder(s[c], {io, jo, ii, ji});
  schedule::Vectorize(s[c], ji);
  schedule::Parallel(s[c], io);
  schedule::Stage& inner = s[local];
  schedule::ComputeAt(inner, s[c], jo);
  const ir::IterVar li = inner.root_axes[0], lj = inner.root_axes[1], lk = inner.root_axes[2];
  auto [ko, ki] = schedule::Split(inner, lk, 4);
  schedule::Reorder(inner, {ko, ki, li, lj});
  schedule::Unroll(inner, li);
  schedule::Unroll(inner, ki);
  schedule::Vectorize(inner, lj);
  schedule::Stage& pack = s[packed];
  schedule::Vectorize(pack, pack.leaf_axes[2]);
  schedule::Parallel(pack, pack.leaf_axes[0]);
  return {s, {a, b, c}};
}

// Elementwise stages and one stencil in three, each computed where the last needs it.
Program Chain(int stages, bool fused) {
  const ir::Var n = ir::MakeSizeVar("n");
  const Tensor input = te::Placeholder({n + stages * 2}, DataType::Float(32), "in");
  Tensor last = input;
  std::vector<Tensor> made;
  for (int k = 0; k < stages; ++k) {
    const Tensor before = last;
    const bool stencil = fused && k % 3 == 0;
    last = te::Compute(
        {n + (stages - 1 - k) * 2},
        [&](const Indices& i) {
          const Expr here = te::At(before, {i[0]});
          return stencil ? here + te::At(before, {i[0] + 1}) : here * ir::Float(2) + ir::Float(1);
        },
        "s" + std::to_string(k));
    made.push_back(last);
  }
  Schedule s = schedule::CreateSchedule({last->op});
  auto [outer, inner] = schedule::Split(s[last], AxisOf(last, 0), 64);
  if (fused) {
    for (const Tensor& tensor : made) {
      if (!ir::SameTensor(tensor, last)) schedule::ComputeAt(s[tensor], s[last], outer);
    }
  }
  schedule::Parallel(s[last], outer);
  return {s, {input, last}};
}

// Windows over windows, each stage computed at a tile of the next one, all extents symbolic.
Program Attached() {
  const ir::Var n = ir::MakeSizeVar("n"), m = ir::MakeSizeVar("m");
  const Tensor input = te::Placeholder({n + 8, m + 8}, DataType::Float(32), "in");
  Tensor last = input;
  std::vector<Tensor> made;
  for (int k = 0; k < 4; ++k) {
    const Tensor before = last;
    const int rest = 6 - 2 * k;
    const ir::IterVar dy = te::ReduceAxis(ir::Int(0), ir::Int(3), "dy"),
                      dx = te::ReduceAxis(ir::Int(0), ir::Int(3), "dx");
    last = te::Compute(
        {n + rest, m + rest},
        [&](const Indices& i) {
          return te::Sum(te::At(before, {i[0] + dy->var, i[1] + dx->var}), {dy, dx});
        },
        "w" + std::to_string(k));
    made.push_back(last);
  }
  Schedule s = schedule::CreateSchedule({last->op});
  ir::IterVar at;
  for (size_t k = made.size(); k-- > 0;) {
    schedule::Stage& stage = s[made[k]];
    if (at) schedule::ComputeAt(stage, s[made[k + 1]], at);
    const int64_t tile = int64_t{8} << k;
    auto tiles = schedule::Tile(stage, AxisOf(made[k], 0), AxisOf(made[k], 1), tile, tile);
    at = tiles.y_outer;
  }
  return {s, {input, last}};
}

// One element whose body has about `nodes` nodes: a balanced sum of products of distinct loads.
Program Large(int nodes) {
  const ir::Var n = ir::MakeSizeVar("n");
  const int leaves = std::max(1, nodes / 8);
  const Tensor input = te::Placeholder({n + leaves}, DataType::Float(32), "in");
  const Tensor out = te::Compute(
      {n},
      [&](const Indices& i) {
        std::vector<Expr> level;
        for (int k = 0; k < leaves; ++k)
          level.push_back(te::At(input, {i[0] + k}) * ir::Float(k % 7 + 1));
        while (level.size() > 1) {
          std::vector<Expr> next;
          for (size_t k = 0; k + 1 < level.size(); k += 2) next.push_back(level[k] + level[k + 1]);
          if (level.size() % 2 != 0) next.push_back(level.back());
          level = std::move(next);
        }
        return level[0];
      },
      "out");
  return {schedule::CreateSchedule({out->op}), {input, out}};
}

// The minimum time of each pass over several runs.
void LeastOfPasses(const Program& program, int runs) {
  std::vector<std::pair<std::string, double>> least;
  for (int run = 0; run < runs; ++run) {
    size_t at = 0;
    double last = 0;
    lower::PassContext context;
    context.after_pass = [&](const lower::Pass& pass, const ir::Module&, const ir::Module&,
                             double) {
      const double now = CpuMilliseconds();
      if (run == 0) least.emplace_back(pass.name, 1e30);
      least[at].second = std::min(least[at].second, now - last);
      ++at;
      last = CpuMilliseconds();
    };
    const ir::Func func = schedule::LowerSchedule(program.schedule, program.args, "main");
    last = CpuMilliseconds();
    lower::RunPasses(lower::RunPasses(ir::MakeModule({func}), lower::TilePasses(), context),
                     lower::FlatPasses(), context);
  }
  for (const auto& [name, ms] : least) std::printf("    %-20s %10.3f ms\n", name.c_str(), ms);
}

// Prints one curve; the last column is the exponent of growth since the line before.
void Curve(const char* what, const std::vector<int>& sizes,
           const std::function<Program(int)>& make) {
  std::printf("\n%s\n%12s %14s %14s %12s %10s\n", what, "n", "schedule ms", "passes ms", "us per n",
              "exponent");
  double before = 0;
  int size_before = 0;
  for (int size : sizes) {
    const Program program = make(size);
    const Cost cost = Least(program, size > 100000 ? 1 : 3);
    const double total = cost.scheduled + cost.lowered;
    std::printf("%12d %14.3f %14.3f %12.2f", size, cost.scheduled, cost.lowered,
                total * 1e3 / size);
    if (size_before != 0) {
      std::printf(" %10.2f",
                  std::log(total / before) / std::log(static_cast<double>(size) / size_before));
    }
    std::printf("\n");
    std::fflush(stdout);
    before = total;
    size_before = size;
  }
  if (show_passes) LowerOnce(make(sizes.back()), true);
}

void One(const char* what, const Program& program, double budget) {
  const Cost cost = Least(program, only_single ? 200 : 11);
  std::printf("%-24s schedule %7.3f ms, passes %7.3f ms, together %7.3f ms (budget %.0f)\n", what,
              cost.scheduled, cost.lowered, cost.scheduled + cost.lowered, budget);
  if (show_passes) LeastOfPasses(program, 21);
}

}  // namespace
}  // namespace lathe

int main(int argc, char** argv) {
  using namespace lathe;  // NOLINT: a program of one function
  show_passes = argc > 1 && std::strcmp(argv[1], "PASSES") == 0;
  only_single = argc > 1 && std::strcmp(argv[1], "ONLY") == 0;
  if (argc == 3 && std::strcmp(argv[1], "NODES") == 0) {
    const Cost cost = LowerOnce(Large(std::atoi(argv[2])), false);
    std::printf("%s nodes: %.1f ms\n", argv[2], cost.scheduled + cost.lowered);
    return 0;
  }
  One("scheduled GEMM", Gemm(), 3);
  One("30 fused stages", Chain(30, true), 30);
  One("symbolic, attached", Attached(), 100);
  if (only_single) return 0;
  Curve("stages at the root", {10, 30, 100, 300, 1000}, [](int n) { return Chain(n, false); });
  Curve("stages fused into one loop", {10, 30, 100, 300, 1000},
        [](int n) { return Chain(n, true); });
  Curve("nodes of one expression", {1000, 10000, 100000, 1000000}, Large);
  return 0;
}
