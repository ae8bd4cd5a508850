// Default schedules for targets with threads: what kernels compute, in the interpreter of threads,
// after every pass.
#include "topi/gpu/thread_schedule.h"

#include "base/address_sanitizer.h"
#include "gtest/gtest.h"
#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "te/operation.h"
#include "tests/check/check_device.h"

namespace lathe::topi::gpu {
namespace {

using ir::Expr;
using ir::IterVar;
using te::At;
using te::Compute;
using te::Indices;
using te::Placeholder;
using te::Tensor;

target::Machine Machine(int64_t threads = 256) {
  target::Machine machine;
  machine.axes = {{"blockIdx.x", 0}, {"threadIdx.x", threads}};
  machine.limits = {{"max_threads_per_block", threads}};
  machine.memory = {{"global"}, {"local"}};
  return machine;
}

std::vector<ir::Op> OutputsOf(const std::vector<ir::NodeRef>& args) {
  std::vector<ir::Op> outputs;
  for (const ir::NodeRef& arg : args) {
    const ir::Tensor tensor = ir::RefAs<ir::TensorNode>(arg);
    if (tensor && ir::As<ir::PlaceholderOp>(tensor->op) == nullptr) outputs.push_back(tensor->op);
  }
  return outputs;
}

struct Kernels {
  std::string problem;
  int count = 0;
};

// What is wrong with a schedule.
std::string ProblemOf(const std::vector<ir::NodeRef>& args, const std::vector<int64_t>& sizes,
                      Config config, ir::Module* split = nullptr) {
  return lower::CheckDevice(ScheduleForThreads(OutputsOf(args), Machine(8), config), args, sizes,
                            {}, split);
}

// Checks the schedule, also with the least and the most of each knob, and counts the kernels. With
// sanitizers only the defaults: the compiler's code is the same for all values of a knob.
Kernels Check(const std::vector<ir::NodeRef>& args, const std::vector<int64_t>& sizes = {},
              bool with_knobs = true) {
  EXPECT_EQ(WhyNoThreads(OutputsOf(args)), "");
  Kernels out;
  ir::Module split;
  out.problem = ProblemOf(args, sizes, {}, &split);
  Config config;
  ScheduleForThreads(OutputsOf(args), Machine(8), config);
  for (const KnobValue& knob : config.asked()) {
    for (const int64_t value : {knob.low, knob.high}) {
      if (!with_knobs || kAddressSanitizer || value == knob.otherwise) continue;
      const std::string problem = ProblemOf(args, sizes, Config({{knob.name, value}}));
      if (!problem.empty()) out.problem += knob.name + "=" + std::to_string(value) + problem;
    }
  }
  for (const ir::Func& func : split->functions)
    out.count += func->name.find("_kernel") != std::string::npos ? 1 : 0;
  return out;
}

TEST(ThreadSchedule, MapsAreOneKernel) {
  const ir::Var n = ir::MakeSizeVar("n");
  const Tensor a = Placeholder({n, ir::Int(3)}), b = Placeholder({ir::Int(3)});
  const Tensor sum = Compute({n, ir::Int(3)},
                             [&](const Indices& i) { return At(a, {i[0], i[1]}) + At(b, {i[1]}); });
  const Tensor c = Compute({n, ir::Int(3)}, [&](const Indices& i) {
    return ir::MakeMax(At(sum, {i[0], i[1]}), ir::Const(0, DataType::Float(32)));
  });
  for (const int64_t size : {1, 5, 40}) {
    const Kernels made = Check({n, a, b, c}, {size});
    EXPECT_EQ(made.problem, "");
    EXPECT_EQ(made.count, 1);
  }
}

TEST(ThreadSchedule, WhatFollowsASumIsComputedInItsThreads) {
  const Tensor a = Placeholder({ir::Int(5), ir::Int(7)}), w = Placeholder({ir::Int(6), ir::Int(7)}),
               bias = Placeholder({ir::Int(6)});
  const IterVar k = te::ReduceAxis(ir::Int(0), ir::Int(7));
  const Tensor product = Compute({ir::Int(5), ir::Int(6)}, [&](const Indices& i) {
    return te::Sum(At(a, {i[0], k->var}) * At(w, {i[1], k->var}), {k});
  });
  const Tensor sum = Compute({ir::Int(5), ir::Int(6)}, [&](const Indices& i) {
    return At(product, {i[0], i[1]}) + At(bias, {i[1]});
  });
  const Tensor c = Compute({ir::Int(5), ir::Int(6)},
                           [&](const Indices& i) { return At(sum, {i[0], i[1]}) * 2; });
  const Kernels made = Check({a, w, bias, c});
  EXPECT_EQ(made.problem, "");
  EXPECT_EQ(made.count, 1);
}

std::vector<std::string> KnobsOf(const Tensor& output) {
  Config config;
  ScheduleForThreads({output->op}, Machine(), config);
  std::vector<std::string> names;
  for (const KnobValue& knob : config.asked()) names.push_back(knob.name);
  return names;
}

// Loops within threads: as many as the sides of a tile, for the sums and for what follows them.
int LoopsWithinThreads(const Tensor& output) {
  Config config;
  const schedule::Schedule s = ScheduleForThreads({output->op}, Machine(8), config);
  int count = 0;
  for (const Ref<schedule::Stage>& stage : s->stages) {
    for (const auto& [leaf, attr] : stage->leaf_attrs)
      count += attr.kind == ir::ForKind::kUnrolled || attr.kind == ir::ForKind::kVectorized;
  }
  return count;
}

TEST(ThreadSchedule, AThreadHasATileOfAProduct) {
  const ir::Var n = ir::MakeSizeVar("n");
  const auto product = [&](const Tensor& a, const Tensor& b, int64_t extent) {
    const IterVar k = te::ReduceAxis(ir::Int(0), ir::Int(extent));
    return Compute({a->shape()[0], b->shape()[1]}, [&, k](const Indices& i) {
      return te::Sum(At(a, {i[0], k->var}) * At(b, {k->var, i[1]}), {k});
    });
  };
  // 2,048 threads are enough here. Columns are vectors of four.
  const Tensor b = Placeholder({ir::Int(3), ir::Int(128)});
  const Tensor a = Placeholder({ir::Int(144), ir::Int(3)});
  const Tensor c = product(a, b, 3);
  EXPECT_EQ(LoopsWithinThreads(c), 4);
  EXPECT_EQ(Check({a, b, c}, {}, false).problem, "");
  EXPECT_EQ(KnobsOf(c),
            (std::vector<std::string>{"threads.per_block", "threads.tile_rows",
                                      "threads.tile_columns", "threads.least", "threads.unroll"}));
  const Tensor few = Placeholder({ir::Int(16), ir::Int(3)}), d = product(few, b, 3);
  for (const int64_t columns : {1, 4}) {
    const Config tiles({{"threads.least", 256},
                        {"threads.tile_rows", 2},
                        {"threads.tile_columns", columns},
                        {"threads.unroll", 16}});
    EXPECT_EQ(ProblemOf({few, b, d}, {}, tiles), "") << columns;
  }
  // Rows of any number stay apart.
  const Tensor rows = Placeholder({n, ir::Int(3)});
  const Tensor e = product(rows, b, 3);
  EXPECT_EQ(LoopsWithinThreads(e), 2);
  for (const int64_t size : {1, 37}) EXPECT_EQ(Check({n, rows, b, e}, {size}, false).problem, "");
  // Too few results, and a number of columns that has no vectors.
  EXPECT_EQ(LoopsWithinThreads(product(Placeholder({ir::Int(16), ir::Int(3)}), b, 3)), 0);
  EXPECT_EQ(LoopsWithinThreads(product(Placeholder({ir::Int(1025), ir::Int(3)}),
                                       Placeholder({ir::Int(3), ir::Int(30)}), 3)),
            0);
}

TEST(ThreadSchedule, AThreadHasATileOfAConvolution) {
  const Tensor x = Placeholder({ir::Int(2), ir::Int(2), ir::Int(18), ir::Int(14)}),
               w = Placeholder({ir::Int(24), ir::Int(2), ir::Int(3), ir::Int(3)}),
               bias = Placeholder({ir::Int(24)}),
               more = Placeholder({ir::Int(2), ir::Int(24), ir::Int(16), ir::Int(12)});
  const IterVar c = te::ReduceAxis(ir::Int(0), ir::Int(2)),
                dy = te::ReduceAxis(ir::Int(0), ir::Int(3)),
                dx = te::ReduceAxis(ir::Int(0), ir::Int(3));
  const Tensor sums = Compute(more->shape(), [&](const Indices& i) {
    return te::Sum(At(x, {i[0], c->var, i[2] + dy->var, i[3] + dx->var}) *
                       At(w, {i[1], c->var, dy->var, dx->var}),
                   {c, dy, dx});
  });
  EXPECT_EQ(LoopsWithinThreads(sums), 4);
  EXPECT_EQ(Check({x, w, sums}, {}, false).problem, "");
  const Tensor y = Compute(more->shape(), [&](const Indices& i) {
    const std::vector<Expr> at(i.begin(), i.end());
    return ir::MakeMax(At(sums, at) + At(bias, {i[1]}) + At(more, at),
                       ir::Const(0, DataType::Float(32)));
  });
  const Kernels made = Check({x, w, bias, more, y}, {}, false);
  EXPECT_EQ(made.problem, "");
  EXPECT_EQ(made.count, 1);
}

TEST(ThreadSchedule, ARowIsReducedOnce) {
  // Softmax without exp, so that numbers are exact: the row's maximum, differences, their sum.
  const Tensor a = Placeholder({ir::Int(4), ir::Int(9)});
  const IterVar k = te::ReduceAxis(ir::Int(0), ir::Int(9)),
                l = te::ReduceAxis(ir::Int(0), ir::Int(9));
  const Tensor most =
      Compute({ir::Int(4)}, [&](const Indices& i) { return te::Max(At(a, {i[0], k->var}), {k}); });
  const Tensor less = Compute({ir::Int(4), ir::Int(9)}, [&](const Indices& i) {
    return At(a, {i[0], i[1]}) - At(most, {i[0]});
  });
  const Tensor sum = Compute(
      {ir::Int(4)}, [&](const Indices& i) { return te::Sum(At(less, {i[0], l->var}), {l}); });
  const Tensor c = Compute({ir::Int(4), ir::Int(9)}, [&](const Indices& i) {
    return At(less, {i[0], i[1]}) * At(sum, {i[0]});
  });
  const Kernels made = Check({a, c});
  EXPECT_EQ(made.problem, "");
  EXPECT_EQ(made.count, 3);
  EXPECT_EQ(KnobsOf(c),
            (std::vector<std::string>{"threads.per_block", "threads.shares", "threads.own"}));
}

TEST(ThreadSchedule, WindowsOfAFrame) {
  const Tensor x = Placeholder({ir::Int(1), ir::Int(2), ir::Int(6), ir::Int(6)}),
               w = Placeholder({ir::Int(3), ir::Int(2), ir::Int(3), ir::Int(3)});
  const Tensor framed =
      Compute({ir::Int(1), ir::Int(2), ir::Int(8), ir::Int(8)}, [&](const Indices& i) {
        const Expr inside = ir::LogicalAnd(ir::LogicalAnd(i[2] >= 1, i[2] < 7),
                                           ir::LogicalAnd(i[3] >= 1, i[3] < 7));
        return ir::MakeSelect(inside, At(x, {i[0], i[1], i[2] - 1, i[3] - 1}),
                              ir::Const(0, DataType::Float(32)));
      });
  const IterVar c = te::ReduceAxis(ir::Int(0), ir::Int(2)),
                dy = te::ReduceAxis(ir::Int(0), ir::Int(3)),
                dx = te::ReduceAxis(ir::Int(0), ir::Int(3));
  const Tensor y = Compute({ir::Int(1), ir::Int(3), ir::Int(6), ir::Int(6)}, [&](const Indices& i) {
    return te::Sum(At(framed, {i[0], c->var, i[2] + dy->var, i[3] + dx->var}) *
                       At(w, {i[1], c->var, dy->var, dx->var}),
                   {c, dy, dx});
  });
  EXPECT_EQ(Check({x, w, y}).problem, "");
}

TEST(ThreadSchedule, OneResult) {
  const Tensor a = Placeholder({ir::Int(13)});
  const IterVar k = te::ReduceAxis(ir::Int(0), ir::Int(13));
  const Tensor sum = Compute({}, [&](const Indices&) { return te::Sum(At(a, {k->var}), {k}); });
  const Tensor twice = Compute({}, [&](const Indices&) { return At(sum, {}) * 2; });
  const Kernels made = Check({a, sum, twice});
  EXPECT_EQ(made.problem, "");
  EXPECT_EQ(made.count, 2);
  EXPECT_EQ(Check({a, twice}).problem, "");
}

TEST(ThreadSchedule, SeveralResults) {
  const Tensor a = Placeholder({ir::Int(4), ir::Int(6)});
  const IterVar k = te::ReduceAxis(ir::Int(0), ir::Int(6));
  const std::vector<Tensor> best = te::ComputeTuple({ir::Int(4)}, [&](const Indices& i) {
    return te::ArgMax(k->var, At(a, {i[0], k->var}), {k});
  });
  EXPECT_EQ(Check({a, best[0], best[1]}).problem, "");
}

TEST(ThreadSchedule, WhatIsSequentialHasNone) {
  const Tensor a = Placeholder({ir::Int(4)});
  const std::vector<Tensor> made = te::Extern(
      {{ir::Int(4)}}, {DataType::Float(32)}, {a},
      [](const std::vector<ir::Buffer>& in, const std::vector<ir::Buffer>& out) {
        return ir::MakeStore(out[0], ir::MakeLoad(in[0], {ir::Int(0)}), {ir::Int(0)});
      },
      "first");
  EXPECT_EQ(WhyNoThreads({made[0]->op}),
            "`first` is made of statements that run one after the other");
  EXPECT_FALSE(HasThreads(target::Machine()));
  EXPECT_TRUE(HasThreads(Machine()));
}

}  // namespace
}  // namespace lathe::topi::gpu
