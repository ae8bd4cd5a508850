#include "runtime/graph/executor.h"

#include <cstdlib>
#include <new>
#include <random>
#include <thread>

#include "base/blob.h"
#include "gtest/gtest.h"
#include "runtime/artifact/artifact_module.h"
#include "runtime/cancel.h"
#include "runtime/graph/test_kernels.h"
#include "runtime/graph/test_plans.h"
#include "runtime/init.h"
#include "runtime/status.h"

namespace lathe::runtime::graph {
namespace {

using Kind = PlanSize::Kind;

Module Kernels() {
  Initialize();
  static const Module* module = new Module(StaticArtifact(&lathe_graph_test_kernels).value());
  return *module;
}

std::shared_ptr<const Executable> Made(const Plan& plan, const ConstantSource& constants = {}) {
  auto made = Executable::Create(plan, Kernels(), constants);
  EXPECT_TRUE(made.ok()) << made.status();
  return *made;
}

Tensor Floats(std::vector<float> data, std::vector<int64_t> shape = {}) {
  if (shape.empty()) shape = {static_cast<int64_t>(data.size())};
  return Tensor::FromHost(data.data(), data.size() * 4, shape, DataType::Float(32)).value();
}

std::vector<float> Of(const absl::StatusOr<Tensor>& tensor) {
  EXPECT_TRUE(tensor.ok()) << tensor.status();
  std::vector<float> out(static_cast<size_t>(tensor->num_elements()));
  EXPECT_TRUE(tensor->CopyToHost(out.data(), out.size() * 4).ok());
  return out;
}

using List = std::vector<float>;

// y = 3 x + w
struct Affine {
  Affine() {
    n = b.Extent(0, 0);
    x = b.Input("x", {n});
    w = b.Input("w", {n});
    y = b.Arena({n});
    b.Step("mix", {x, w, y}, {{"n", n}});
    b.plan.outputs = {y};
  }
  PlanBuilder b;
  int32_t n, x, w, y;
};

TEST(Executor, RunsAPlan) {
  Context context(Made(Affine().b.plan));
  EXPECT_EQ(StatusName(context.GetOutput(0).status()), "graph-not-run");
  ASSERT_TRUE(context.SetInput("x", Floats({1, 2, 3})).ok());
  EXPECT_EQ(StatusName(context.Run()), "graph-input-missing");
  ASSERT_TRUE(context.SetInput("w", Floats({10, 20, 30})).ok());
  ASSERT_TRUE(context.Run().ok());
  EXPECT_EQ(Of(context.GetOutput(0)), (List{13, 26, 39}));
  // Other values, then other shapes.
  ASSERT_TRUE(context.SetInput(0, Floats({0, 0, 1})).ok());
  ASSERT_TRUE(context.Run().ok());
  EXPECT_EQ(Of(context.GetOutput(0)), (List{10, 20, 33}));
  ASSERT_TRUE(context.SetInput(0, Floats({5})).ok());
  const absl::Status mismatch = context.Run();
  EXPECT_EQ(StatusName(mismatch), "graph-shape-mismatch");
  EXPECT_NE(mismatch.message().find("expected: 1, as dimension 0 of `x`"), std::string::npos)
      << mismatch;
  ASSERT_TRUE(context.SetInput(1, Floats({7})).ok());
  ASSERT_TRUE(context.Run().ok());
  EXPECT_EQ(Of(context.GetOutput(0)), List{22});
  EXPECT_EQ(context.GetOutputShape(0).value(), std::vector<int64_t>{1});
}

TEST(Executor, RunsWithNoElements) {
  Context context(Made(Affine().b.plan));
  ASSERT_TRUE(context.SetInput(0, Floats({}, {0})).ok());
  ASSERT_TRUE(context.SetInput(1, Floats({}, {0})).ok());
  ASSERT_TRUE(context.Run().ok());
  EXPECT_EQ(Of(context.GetOutput(0)), List{});
}

TEST(Executor, FindsConstants) {
  PlanBuilder b;
  const int32_t n = b.Constant(2);
  const List data = {5, 6};
  const std::string_view bytes(reinterpret_cast<const char*>(data.data()), 8);
  const int32_t x = b.Input("x", {n}), w = b.Weight("w", {n}, DigestOf(bytes)), y = b.Arena({n});
  b.Step("mix", {x, w, y}, {{"n", n}});
  b.plan.outputs = {y, w};
  const auto bare = Made(b.plan);
  Context missing(bare);
  ASSERT_TRUE(missing.SetInput(0, Floats({1, 1})).ok());
  EXPECT_EQ(StatusName(missing.Run()), "graph-constant-missing");
  const auto run = [](Context& context) {
    EXPECT_TRUE(context.SetInput(0, Floats({1, 1})).ok());
    EXPECT_TRUE(context.Run().ok());
    List out = Of(context.GetOutput(0)), second = Of(context.GetOutput(1));
    out.insert(out.end(), second.begin(), second.end());
    return out;
  };
  // By digest, from a source, by name.
  {
    const Ref<const Blob> blob = Blob::Copy(bytes);
    Context context(Made(b.plan));
    EXPECT_EQ(run(context), (List{8, 9, 5, 6}));
  }
  Context sourced(Made(b.plan, [](const PlanConstant& c) {
    EXPECT_EQ(c.name, "w");
    return Floats({7, 8});
  }));
  EXPECT_EQ(run(sourced), (List{10, 11, 7, 8}));
  const NamedTensor named[] = {{"w", Floats({1, 2})}};
  Context with(bare->WithConstants(named).value());
  EXPECT_EQ(run(with), (List{4, 5, 1, 2}));
  // In one context; others keep theirs.
  Context other(bare->WithConstants(named).value());
  ASSERT_TRUE(other.SetConstant("w", Floats({3, 3})).ok());
  EXPECT_EQ(run(other), (List{6, 6, 3, 3}));
  EXPECT_EQ(run(with), (List{4, 5, 1, 2}));
  const NamedTensor wrong[] = {{"w", Floats({1})}}, unknown[] = {{"v", Floats({1})}};
  EXPECT_EQ(StatusName(bare->WithConstants(wrong).status()), "graph-constant-mismatch");
  EXPECT_EQ(StatusName(bare->WithConstants(unknown).status()), "graph-constant-unknown");
  EXPECT_EQ(StatusName(other.SetConstant(1, Floats({1, 2}))), "graph-constant-unknown");
}

// Outputs that are no memory of their own: an input, an alias of one, the same tensor twice, an
// alias of another output.
TEST(Executor, OutputsMayShareTensors) {
  PlanBuilder b;
  const int32_t two = b.Constant(2), three = b.Constant(3), six = b.Constant(6);
  const int32_t x = b.Input("x", {six}), flat = b.Alias(x, {two, three}), y = b.Arena({six}),
                folded = b.Alias(y, {three, two});
  b.Step("mix", {x, x, y}, {{"n", six}});
  b.plan.outputs = {x, flat, y, y, folded};
  Context context(Made(b.plan));
  const Tensor mine = Floats(List(6));
  ASSERT_TRUE(context.SetInput(0, Floats({1, 2, 3, 4, 5, 6})).ok());
  ASSERT_TRUE(context.SetOutput(3, mine).ok());
  for (int time = 0; time < 2; ++time) {
    ASSERT_TRUE(context.Run().ok());
    const List in = {1, 2, 3, 4, 5, 6}, out = {4, 8, 12, 16, 20, 24};
    EXPECT_EQ(Of(context.GetOutput(0)), in);
    EXPECT_EQ(Of(context.GetOutput(1)), in);
    for (int i = 2; i < 5; ++i) EXPECT_EQ(Of(context.GetOutput(i)), out);
    EXPECT_EQ(Of(mine), out);
    EXPECT_EQ(context.GetOutput(4)->shape(0), 3);
  }
  // The copies are copies.
  ASSERT_TRUE(context.GetOutput(0)->CopyFrom(Floats(List(6))).ok());
  ASSERT_TRUE(context.Run().ok());
  EXPECT_EQ(Of(context.GetOutput(1)), (List{1, 2, 3, 4, 5, 6}));
}

TEST(Executor, TakesTheCallersMemory) {
  Context context(Made(Affine().b.plan));
  const Tensor x = Floats({1, 2}), w = Floats({3, 4}), y = Floats({0, 0});
  ASSERT_TRUE(context.SetInputZeroCopy(0, x).ok());
  ASSERT_TRUE(context.SetInputZeroCopy(1, w).ok());
  ASSERT_TRUE(context.SetOutput(0, y).ok());
  ASSERT_TRUE(context.Run().ok());
  EXPECT_EQ(Of(y), (List{6, 10}));
  ASSERT_TRUE(x.CopyFrom(Floats({0, 0})).ok());
  ASSERT_TRUE(context.Run().ok());
  EXPECT_EQ(Of(y), (List{3, 4}));
  // A copied input does not write into what was shared before.
  ASSERT_TRUE(context.SetInput(0, Floats({9, 9})).ok());
  EXPECT_EQ(Of(x), (List{0, 0}));
  // In memory of the context again; the caller's stays.
  ASSERT_TRUE(context.SetOutput(0, Tensor()).ok());
  EXPECT_EQ(StatusName(context.GetOutput(0).status()), "graph-not-run");
  ASSERT_TRUE(context.Run().ok());
  EXPECT_EQ(Of(context.GetOutput(0)), (List{30, 31}));
  EXPECT_EQ(Of(y), (List{3, 4}));
  // An input may be read through.
  EXPECT_EQ(Of(context.GetInput(1)), (List{3, 4}));
}

TEST(Executor, RefusesMemoryThatKernelsCannotUse) {
  Context context(Made(Affine().b.plan));
  const Tensor four = Floats({1, 2, 3, 4}), w = Floats({1, 2});
  EXPECT_EQ(StatusName(context.SetInputZeroCopy(0, four.Slice(0, 0, 4, 2))), "graph-input-layout");
  char bytes[16] = {};
  const int64_t shape[] = {2};
  const Tensor odd = Tensor::Wrap(bytes, reinterpret_cast<uintptr_t>(bytes) % 4 == 0 ? 1 : 2, shape,
                                  {}, DataType::Float(32), Device::Cpu(), nullptr, nullptr);
  EXPECT_EQ(StatusName(context.SetInputZeroCopy(0, odd)), "graph-input-layout");
  EXPECT_EQ(StatusName(context.SetOutput(0, odd)), "graph-output-layout");
  EXPECT_EQ(StatusName(context.SetOutput(0, w.ReadOnly())), "graph-output-layout");
  EXPECT_EQ(StatusName(context.SetInput(0, Tensor::Empty({2}, DataType::Int(32)).value())),
            "graph-input-mismatch");
  EXPECT_EQ(StatusName(context.SetInput(0, Floats({1, 2}, {1, 2}))), "graph-input-mismatch");
  EXPECT_EQ(StatusName(context.SetInput(2, w)), "graph-input-index");
  EXPECT_EQ(StatusName(context.GetInput(-1).status()), "graph-input-index");
  EXPECT_EQ(StatusName(context.GetInput(0).status()), "graph-input-missing");
  EXPECT_EQ(StatusName(context.SetInput("v", w)), "graph-input-unknown");
  EXPECT_EQ(StatusName(context.SetOutput(1, w)), "graph-output-index");
  EXPECT_EQ(StatusName(context.SetOutput(0, Floats({1, 2}, {1, 2}))), "graph-output-mismatch");
  EXPECT_EQ(StatusName(context.SetThreads(-1)), "graph-threads");
  // Copies take any layout.
  ASSERT_TRUE(context.SetInput(0, four.Slice(0, 0, 4, 2)).ok());
  ASSERT_TRUE(context.SetInputZeroCopy(1, w).ok());
  ASSERT_TRUE(context.SetOutput(0, four).ok());
  EXPECT_EQ(StatusName(context.Run()), "graph-output-mismatch");
  ASSERT_TRUE(context.SetOutput(0, w).ok());
  EXPECT_EQ(StatusName(context.Run()), "graph-overlap");
  ASSERT_TRUE(context.SetOutput(0, Tensor()).ok());
  ASSERT_TRUE(context.Run().ok());
  EXPECT_EQ(Of(context.GetOutput(0)), (List{4, 11}));
}

TEST(Executor, ChecksPlanAgainstCode) {
  const auto refused = [](auto change) {
    Affine affine;
    change(affine.b.plan);
    return std::string(StatusName(Executable::Create(affine.b.plan, Kernels()).status()));
  };
  EXPECT_EQ(refused([](Plan&) {}), "");
  EXPECT_EQ(refused([](Plan& p) { p.steps[0].kernel = "none"; }), "entry-not-found");
  EXPECT_EQ(refused([](Plan& p) { p.steps[0].kernel = "empty"; }), "graph-kernel-mismatch");
  EXPECT_EQ(refused([](Plan& p) { p.steps[0].size_names = {"m"}; }), "graph-kernel-mismatch");
  EXPECT_EQ(refused([](Plan& p) { p.tensors[1].dtype = DataType::Int(32); }),
            "graph-kernel-mismatch");
  EXPECT_EQ(refused([](Plan& p) { p.tensors[0].shape = {0, 0}; }), "graph-kernel-mismatch");
  EXPECT_EQ(refused([](Plan& p) {
              p.steps[0].buffers[2] = 0;
              p.steps[0].writes[2] = 0;
            }),
            "plan-malformed");  // nothing writes the output
  EXPECT_EQ(refused([](Plan& p) {
              p.steps[0].buffers[2] = 0;
              p.steps[0].writes[2] = 0;
              p.outputs = {};
            }),
            "graph-kernel-mismatch");
  EXPECT_EQ(StatusName(Executable::Create(Affine().b.plan, Module()).status()), "module-null");
}

TEST(Executor, ChecksShapesOfKernels) {
  PlanBuilder b;
  const int32_t n = b.Extent(0, 0), one = b.Constant(1), less = b.Size(Kind::kSub, n, one);
  const int32_t x = b.Input("x", {n}), y = b.Arena({less}), z = b.Arena({n});
  b.Step("shorten", {x, y}, {{"n", less}});
  b.plan.outputs = {y};
  Context context(Made(b.plan));
  ASSERT_TRUE(context.SetInput(0, Floats({1, 2, 3})).ok());
  ASSERT_TRUE(context.Run().ok());
  EXPECT_EQ(Of(context.GetOutput(0)), (List{1, 2}));
  // Of no elements there are none less.
  ASSERT_TRUE(context.SetInput(0, Floats({}, {0})).ok());
  EXPECT_EQ(StatusName(context.Run()), "graph-size-overflow");
  // The kernel would write behind its tensor.
  b.plan.steps[0].buffers = {x, z};
  b.plan.steps[0].sizes = {n};
  b.plan.outputs = {z};
  Context wrong(Made(b.plan));
  ASSERT_TRUE(wrong.SetInput(0, Floats({1, 2, 3})).ok());
  EXPECT_EQ(StatusName(wrong.Run()), "graph-kernel-shape");
}

TEST(Executor, SizesFitTheKernels) {
  PlanBuilder b;
  const int32_t n = b.Extent(0, 0), zero = b.Constant(0), s = b.Real(0.5),
                big = b.Constant(int64_t{1} << 31);
  const int32_t m = b.Size(Kind::kMul, n, big);
  const int32_t x = b.Input("x", {n, zero}), y = b.Arena({n, zero}), fold = b.Alias(x, {m, zero}),
                z = b.Arena({m, zero});
  b.Step("shift", {x, y}, {{"m", n}, {"n", zero}, {"s", s}});
  b.plan.outputs = {y};
  Context context(Made(b.plan));
  ASSERT_TRUE(context.SetInput(0, Floats({}, {1, 0})).ok());
  EXPECT_TRUE(context.Run().ok());
  b.Step("shift", {fold, z}, {{"m", m}, {"n", zero}, {"s", s}});
  Context large(Made(b.plan));
  ASSERT_TRUE(large.SetInput(0, Floats({}, {1, 0})).ok());
  EXPECT_EQ(StatusName(large.Run()), "graph-size-range");
}

TEST(Executor, ErrorsNameTheStep) {
  PlanBuilder b;
  const int32_t n = b.Extent(0, 0), x = b.Input("x", {n}), y = b.Arena({n});
  b.Step("positive", {x, y}, {{"n", n}});
  b.plan.outputs = {y};
  Context context(Made(b.plan));
  ASSERT_TRUE(context.SetInput(0, Floats({1, -1})).ok());
  const absl::Status status = context.Run();
  EXPECT_EQ(StatusName(status), "too-small");
  EXPECT_NE(status.message().find("in: step 0 (`positive_0`) of `main`"), std::string::npos)
      << status;
  EXPECT_EQ(StatusName(context.GetOutput(0).status()), "graph-not-run");
  ASSERT_TRUE(context.SetInput(0, Floats({1, 1})).ok());
  EXPECT_TRUE(context.Run().ok());
}

TEST(Executor, CanBeCancelled) {
  Context context(Made(Affine().b.plan));
  ASSERT_TRUE(context.SetInput(0, Floats({1})).ok());
  ASSERT_TRUE(context.SetInput(1, Floats({1})).ok());
  Cancellation stop;
  CancelScope scope(stop);
  EXPECT_TRUE(context.Run().ok());
  stop.Cancel();
  EXPECT_EQ(StatusName(context.Run()), "cancelled");
}

TEST(Executor, ReportsEachStep) {
  PlanBuilder b;
  const int32_t n = b.Extent(0, 0), x = b.Input("x", {n}), y = b.Arena({n}), z = b.Arena({n});
  b.Step("mix", {x, x, y}, {{"n", n}});
  b.Step("mix", {y, x, z}, {{"n", n}});
  b.plan.outputs = {z};
  Context context(Made(b.plan));
  ASSERT_TRUE(context.SetInput(0, Floats({1, 2})).ok());
  std::vector<List> seen;
  const absl::Status status = context.RunObserved([&](const ObservedStep& step) {
    EXPECT_EQ(step.index, static_cast<int>(seen.size()));
    EXPECT_EQ(step.step->location, "mix_" + std::to_string(seen.size()));
    EXPECT_GE(step.nanoseconds, 0);
    ASSERT_EQ(step.outputs.size(), 1u);
    EXPECT_EQ(step.numbers[0], seen.empty() ? y : z);
    seen.push_back(Of(step.outputs[0]));
    EXPECT_EQ(StatusName(context.Run()), "graph-context-busy");
  });
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(seen, (std::vector<List>{{4, 8}, {13, 26}}));
}

TEST(Executor, InputsOfFixedShapeHaveMemory) {
  PlanBuilder b;
  const int32_t n = b.Constant(2), x = b.Input("x", {n}), y = b.Arena({n});
  b.Step("mix", {x, x, y}, {{"n", n}});
  b.plan.outputs = {y};
  Context context(Made(b.plan));
  EXPECT_EQ(context.GetOutputShape(0).value(), std::vector<int64_t>{2});
  EXPECT_EQ(Of(context.GetInput(0)), (List{0, 0}));
  ASSERT_TRUE(context.GetInput(0)->CopyFrom(Floats({1, 2})).ok());
  ASSERT_TRUE(context.Run().ok());
  EXPECT_EQ(Of(context.GetOutput(0)), (List{4, 8}));
}

// A random graph of `mix` and `shift` over vectors of n and 2 n elements, with its values.
struct RandomGraph {
  explicit RandomGraph(uint64_t seed) : random(seed) {
    const int32_t two = b.Constant(2);
    n = b.Extent(0, 0);
    twice = b.Size(Kind::kMul, n, two);
    s = b.Real(1);
    b.Input("x", {n});
    b.Input("y", {twice});
    of = {0, 1};
    const int steps = 1 + static_cast<int>(Any(30));
    for (int i = 0; i < steps; ++i) Grow(two);
    const size_t outputs = 1 + Any(4);
    for (size_t i = 0; i < outputs; ++i)
      b.plan.outputs.push_back(static_cast<int32_t>(Any(b.plan.tensors.size())));
  }
  uint64_t Any(uint64_t below) { return random() % below; }
  bool IsTwice(size_t tensor) const {
    const auto& shape = b.plan.tensors[tensor].shape;
    return shape.size() == 2 || shape[0] == twice;
  }
  void Grow(int32_t two) {
    const auto a = static_cast<int32_t>(Any(b.plan.tensors.size()));
    auto c = static_cast<int32_t>(Any(b.plan.tensors.size()));
    const std::vector<int32_t> shape = b.plan.tensors[static_cast<size_t>(a)].shape;
    if (Any(4) == 0 && IsTwice(static_cast<size_t>(a))) {
      b.Alias(a, shape.size() == 2 ? std::vector<int32_t>{twice} : std::vector<int32_t>{two, n});
      return;
    }
    if (shape.size() == 2) {
      const int32_t out = b.Arena(shape);
      b.Step("shift", {a, out}, {{"n", n}, {"m", two}, {"s", s}});
      return;
    }
    while (b.plan.tensors[static_cast<size_t>(c)].shape != shape)
      c = static_cast<int32_t>(Any(b.plan.tensors.size()));
    const int32_t out = b.Arena(shape);
    b.Step("mix", {a, c, out}, {{"n", shape[0]}});
  }
  // What all tensors hold, each in memory of its own.
  std::vector<List> Values(const List& x, const List& y) const {
    std::vector<List> all(b.plan.tensors.size());
    all[0] = x;
    all[1] = y;
    size_t step = 0;
    for (size_t i = 2; i < all.size(); ++i) {
      const PlanTensor& tensor = b.plan.tensors[i];
      if (tensor.memory == PlanTensor::Memory::kAlias) {
        all[i] = all[static_cast<size_t>(tensor.index)];
        continue;
      }
      const PlanStep& by = b.plan.steps[step++];
      const List& first = all[static_cast<size_t>(by.buffers[0])];
      const List& second = all[static_cast<size_t>(by.buffers[1])];
      all[i].resize(first.size());
      for (size_t k = 0; k < first.size(); ++k)
        all[i][k] = by.kernel == "mix" ? std::fmod(3 * first[k], 1e30f) + second[k] : first[k] + 1;
    }
    return all;
  }
  PlanBuilder b;
  std::mt19937_64 random;
  std::vector<int32_t> of;
  int32_t n, twice, s;
};

TEST(Executor, RandomGraphsComputeTheirValues) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    RandomGraph graph(seed);
    Context context(Made(graph.b.plan));
    for (const size_t n : {5u, 40u, 5u}) {
      List x(n), y(2 * n);
      for (size_t i = 0; i < n; ++i) x[i] = static_cast<float>(i);
      for (size_t i = 0; i < 2 * n; ++i) y[i] = static_cast<float>(i % 7);
      ASSERT_TRUE(context.SetInput(0, Floats(x)).ok());
      ASSERT_TRUE(context.SetInput(1, Floats(y)).ok());
      const absl::Status status = context.Run();
      ASSERT_TRUE(status.ok()) << seed << ": " << status;
      const std::vector<List> values = graph.Values(x, y);
      for (size_t i = 0; i < graph.b.plan.outputs.size(); ++i) {
        ASSERT_EQ(Of(context.GetOutput(static_cast<int>(i))),
                  values[static_cast<size_t>(graph.b.plan.outputs[i])])
            << "seed " << seed << ", output " << i << ", n " << n;
      }
      EXPECT_GE(context.arena_bytes(), context.arena_lower_bound());
    }
  }
}

TEST(Executor, ContextsRunAtTheSameTime) {
  const RandomGraph graph(17);
  const auto shared = Made(graph.b.plan);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      Context context(shared);
      const List x(8, static_cast<float>(t)), y(16, 1);
      EXPECT_TRUE(context.SetInput(0, Floats(x)).ok());
      EXPECT_TRUE(context.SetInput(1, Floats(y)).ok());
      const List expected = graph.Values(x, y)[static_cast<size_t>(graph.b.plan.outputs[0])];
      for (int time = 0; time < 20; ++time) {
        EXPECT_TRUE(context.Run().ok());
        EXPECT_EQ(Of(context.GetOutput(0)), expected);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace lathe::runtime::graph
