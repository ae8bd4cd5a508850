// Plans with blocks, and with sizes that a run binds.
#include <random>

#include "gtest/gtest.h"
#include "runtime/artifact/artifact_module.h"
#include "runtime/cancel.h"
#include "runtime/graph/executor.h"
#include "runtime/graph/test_kernels.h"
#include "runtime/graph/test_plans.h"
#include "runtime/init.h"
#include "runtime/status.h"

namespace lathe::runtime::graph {
namespace {

using Kind = PlanStep::Kind;
using List = std::vector<float>;

std::shared_ptr<const Executable> Made(const Plan& plan) {
  Initialize();
  static const Module* module = new Module(StaticArtifact(&lathe_graph_test_kernels).value());
  const absl::StatusOr<Plan> read = DecodePlan(EncodePlan(plan));
  EXPECT_TRUE(read.ok()) << read.status();
  auto made = Executable::Create(*read, *module);
  EXPECT_TRUE(made.ok()) << made.status();
  return *made;
}

Tensor Floats(const List& data) {
  return Tensor::FromHost(data.data(), data.size() * 4,
                          std::vector<int64_t>{static_cast<int64_t>(data.size())},
                          DataType::Float(32))
      .value();
}
List Of(const absl::StatusOr<Tensor>& tensor) {
  EXPECT_TRUE(tensor.ok()) << tensor.status();
  List out(static_cast<size_t>(tensor->num_elements()));
  EXPECT_TRUE(tensor->CopyToHost(out.data(), out.size() * 4).ok());
  return out;
}
List RunOn(Context& context, std::initializer_list<List> inputs) {
  int index = 0;
  for (const List& input : inputs) EXPECT_TRUE(context.SetInput(index++, Floats(input)).ok());
  const absl::Status status = context.Run();
  EXPECT_TRUE(status.ok()) << status;
  return Of(context.GetOutput(0));
}

// y = x < limit ? 3 x + x : x + x3 ...
TEST(Flow, IfRunsOneBlock) {
  PlanBuilder b;
  const int32_t one = b.Constant(1), x = b.Input("x", {one}), limit = b.Input("limit", {one}),
                below = b.Arena({}, DataType::Bool()), y = b.Arena({one});
  b.Step("below", {x, limit, below});
  b.If(below, [&] { b.Step("mix", {x, limit, y}, {{"n", one}}); }, [&] { b.Copy(x, y); });
  b.plan.outputs = {y};
  Context context(Made(b.plan));
  EXPECT_EQ(RunOn(context, {{1}, {5}}), List{8});
  EXPECT_EQ(RunOn(context, {{7}, {5}}), List{7});
  // What only one block writes is not written.
  PlanBuilder half = b;
  half.plan.steps.pop_back();
  half.plan.steps[1].second = 0;
  EXPECT_EQ(StatusText(CheckPlan(half.plan)), "the plan is not sound: output 0: no step writes it");
}

// {x, 3 x + x} in one tensor that no step writes as a whole; a block may write a part, too.
TEST(Flow, PartsAreWrittenWhereTheyLie) {
  PlanBuilder b;
  const int32_t half = b.Constant(32), all = b.Constant(64), x = b.Input("x", {half}),
                on = b.Input("on", {}), whole = b.Arena({all}), first = b.Part(whole, {half}, 0),
                second = b.Part(whole, {half}, 128), y = b.Arena({all}),
                view = b.Alias(second, {half});
  b.plan.tensors[static_cast<size_t>(on)].dtype = DataType::Bool();
  b.Copy(x, first);
  b.If(on, [&] { b.Step("mix", {first, x, second}, {{"n", half}}); }, [&] { b.Copy(x, second); });
  b.Step("mix", {whole, whole, y}, {{"n", all}});
  b.plan.outputs = {whole, view, y};
  Context context(Made(b.plan));
  List ones(32, 1), expected(64, 1);
  ASSERT_TRUE(context.SetInput(0, Floats(ones)).ok());
  for (const bool mixed : {true, false, true}) {
    std::fill(expected.begin() + 32, expected.end(), mixed ? 4 : 1);
    const Tensor flag = Tensor::FromHost(&mixed, 1, {}, DataType::Bool()).value();
    ASSERT_TRUE(context.SetInput(1, flag).ok());
    ASSERT_TRUE(context.Run().ok());
    EXPECT_EQ(Of(context.GetOutput(0)), expected);
    EXPECT_EQ(Of(context.GetOutput(1)), List(expected.begin() + 32, expected.end()));
    for (float& element : expected) element *= 4;
    EXPECT_EQ(Of(context.GetOutput(2)), expected);
    for (float& element : expected) element /= 4;
  }
  // What only one block writes is missing in the whole.
  PlanBuilder without = b;
  without.plan.steps.erase(without.plan.steps.begin() + 3);
  without.plan.steps[1].second = 0;
  EXPECT_EQ(StatusText(CheckPlan(without.plan)),
            "the plan is not sound: step 3: it reads a tensor that no step before it writes");
}

// while (x < limit) x = 3 x + 1, with memory that is used again in each round.
TEST(Flow, LoopsCarryTensors) {
  PlanBuilder b;
  const int32_t one = b.Constant(1), x = b.Input("x", {one}), limit = b.Input("limit", {one}),
                step = b.Input("step", {one}), below = b.Arena({}, DataType::Bool()),
                now = b.Arena({one}), other = b.Arena({one}), next = b.Arena({one});
  b.Copy(x, now);
  b.Loop(
      below, [&] { b.Step("below", {now, limit, below}); },
      [&] {
        b.Step("mix", {now, now, other}, {{"n", one}});  // dead at once
        b.Step("mix", {now, step, next}, {{"n", one}});
        b.Copy(next, now);
      });
  b.plan.outputs = {now};
  Context context(Made(b.plan));
  EXPECT_EQ(RunOn(context, {{0}, {100}, {1}}), List{121});
  EXPECT_EQ(RunOn(context, {{200}, {100}, {1}}), List{200});
  int steps = 0;
  ASSERT_TRUE(context.RunObserved([&](const ObservedStep&) { ++steps; }).ok());
  EXPECT_EQ(steps, 2);
  // The loop would never end.
  Cancellation stop;
  CancelScope scope(stop);
  stop.SetDeadline(std::chrono::steady_clock::now() + std::chrono::milliseconds(30));
  ASSERT_TRUE(context.SetInput(0, Floats({0})).ok());
  ASSERT_TRUE(context.SetInput(2, Floats({0})).ok());
  EXPECT_EQ(StatusName(context.Run()), "deadline-exceeded");
}

// The positive elements of x: their number is known after one kernel, their values after another.
struct Positive {
  Positive() {
    n = b.Extent(0, 0);
    k = b.Run();
    x = b.Input("x", {n});
    count = b.Arena({}, DataType::Int(64));
    y = b.Arena({k});
    z = b.Arena({k});
    b.Step("count", {x, count}, {{"n", n}});
    b.Bind(count, k);
    b.Step("pick", {x, y}, {{"n", n}, {"k", k}});
    b.Step("mix", {y, y, z}, {{"n", k}});
    b.plan.outputs = {z, y};
  }
  PlanBuilder b;
  int32_t n, k, x, count, y, z;
};

TEST(Flow, ARunBindsSizes) {
  Positive p;
  Context context(Made(p.b.plan));
  EXPECT_EQ(StatusName(context.GetOutputShape(0).status()), "graph-not-run");
  EXPECT_EQ(RunOn(context, {{1, -1, 2, -2, 3}}), (List{4, 8, 12}));
  EXPECT_EQ(Of(context.GetOutput(1)), (List{1, 2, 3}));
  EXPECT_EQ(context.GetOutputShape(1).value(), std::vector<int64_t>{3});
  EXPECT_EQ(RunOn(context, {{-1, -1, -1, -1, -1}}), List{});
  EXPECT_EQ(RunOn(context, {{5, 6, 7, 8, 9}}), (List{20, 24, 28, 32, 36}));
  EXPECT_EQ(RunOn(context, {{5, -6}}), List{20});
  // The caller's memory has to fit.
  ASSERT_TRUE(context.SetOutput(0, Floats({0, 0})).ok());
  ASSERT_TRUE(context.SetInput(0, Floats({5, -6})).ok());
  EXPECT_EQ(StatusName(context.Run()), "graph-output-mismatch");
  EXPECT_EQ(RunOn(context, {{5, 6}}), (List{20, 24}));
  // There is only one element.
  p.b.plan.steps[1].element = 1;
  Context wrong(Made(p.b.plan));
  ASSERT_TRUE(wrong.SetInput(0, Floats({1})).ok());
  EXPECT_EQ(StatusName(wrong.Run()), "graph-size-element");
}

// What must hold of a size that a run computes is checked when the size is known.
TEST(Flow, ConditionsOnSizesOfARun) {
  Positive p;
  const int32_t three = p.b.Constant(3), m = p.b.Extent(1, 0);
  p.b.Input("w", {m});
  p.b.plan.conditions = {
      {PlanCondition::Kind::kAtMost, p.k, three, "elements of `x`"},
      {PlanCondition::Kind::kEqual, p.b.Size(PlanSize::Kind::kAdd, p.k, p.k), m, "extent of `w`"}};
  Context context(Made(p.b.plan));
  EXPECT_EQ(RunOn(context, {{1, -1, 2}, {0, 0, 0, 0}}), (List{4, 8}));
  ASSERT_TRUE(context.SetInput(0, Floats({1, 2, 3, 4})).ok());
  const absl::Status status = context.Run();
  EXPECT_EQ(StatusName(status), "graph-size-condition");
  EXPECT_EQ(StatusText(status),
            "`main`: a size that this run computed does not fit the graph: elements of `x`\n"
            "expected: at most 3\nfound: 4\nhelp: give other inputs; the graph was compiled for "
            "sizes of which this holds");
  ASSERT_TRUE(context.SetInput(0, Floats({1, 2, 3})).ok());
  EXPECT_EQ(StatusName(context.Run()), "graph-size-condition");
  EXPECT_EQ(RunOn(context, {{-1, 2, 3}, {0, 0, 0, 0}}), (List{8, 12}));
  // Two sizes that are never known together.
  PlanBuilder b;
  const int32_t c = b.Input("c", {}), i = b.Input("i", {}), k = b.Run(), l = b.Run();
  b.plan.tensors[static_cast<size_t>(c)].dtype = DataType::Bool();
  b.plan.tensors[static_cast<size_t>(i)].dtype = DataType::Int(64);
  b.If(c, [&] { b.Bind(i, k); }, [&] { b.Bind(i, l); });
  b.plan.outputs = {i};
  b.plan.conditions = {{PlanCondition::Kind::kEqual, k, l, "x"}};
  EXPECT_EQ(StatusText(CheckPlan(b.plan)),
            "the plan is not sound: condition 0: its sizes are not bound together");
}

// A result with an upper bound: the first elements of a larger tensor.
TEST(Flow, PrefixesOfLargerTensors) {
  PlanBuilder b;
  const int32_t n = b.Extent(0, 0), k = b.Run(), x = b.Input("x", {n}),
                count = b.Arena({}, DataType::Int(64)), all = b.Arena({n}),
                first = b.Prefix(all, {k}), other = b.Arena({n});
  b.Step("pick", {x, all}, {{"n", n}, {"k", n}});
  b.Step("count", {x, count}, {{"n", n}});
  b.Bind(count, k);
  b.Step("mix", {x, x, other}, {{"n", n}});  // must not take the memory of `all`
  b.plan.outputs = {first, other};
  Context context(Made(b.plan));
  EXPECT_EQ(RunOn(context, {{1, -1, 2}}), (List{1, 2}));
  EXPECT_EQ(RunOn(context, {{-1, -1, 2}}), List{2});
  EXPECT_EQ(Of(context.GetOutput(1)), (List{-4, -4, 8}));
}

TEST(Flow, EveryCheckHasItsText) {
  using Change = void (*)(Positive&);
  const std::pair<const char*, Change> cases[] = {
      {"step 1: its kind is unknown",
       [](Positive& p) { p.b.plan.steps[1].kind = static_cast<Kind>(9); }},
      {"step 0: it has blocks, but is no control flow",
       [](Positive& p) { p.b.plan.steps[0].first = 1; }},
      {"step 2: a copy reads one tensor and writes another",
       [](Positive& p) {
         p.b.plan.steps[2].kind = Kind::kCopy;
         p.b.plan.steps[2].writes[1] = 0;
       }},
      {"step 2: a copy keeps the element type",
       [](Positive& p) {
         p.b.plan.steps[2].kind = Kind::kCopy;
         p.b.plan.steps[2].buffers[0] = p.count;
       }},
      {"step 0: it takes a condition alone",
       [](Positive& p) { p.b.plan.steps[0].kind = Kind::kIf; }},
      {"step 4: its condition is no bool[]", [](Positive& p) { p.b.If(p.x, [] {}, [] {}); }},
      {"step 5: its blocks do not end within the block around it",
       [](Positive& p) {
         const int32_t c = p.b.Arena({}, DataType::Bool());
         p.b.Step("below", {p.x, p.x, c});
         p.b.If(c, [] {}, [] {});
         p.b.plan.steps.back().second = 1;
       }},
      {"step 69: blocks are nested too deeply",
       [](Positive& p) {
         const int32_t c = p.b.Arena({}, DataType::Bool());
         p.b.Step("below", {p.x, p.x, c});
         for (int i = 0; i < 70; ++i) {
           p.b.If(c, [] {}, [] {});
           p.b.plan.steps.back().first = 69 - i;
         }
       }},
      {"step 4: it reads a tensor that no step before it writes",
       [](Positive& p) { p.b.Loop(p.b.Arena({}, DataType::Bool()), [] {}, [] {}); }},
      {"step 1: it binds one size to an element of one tensor",
       [](Positive& p) { p.b.plan.steps[1].sizes = {}, p.b.plan.steps[1].size_names = {}; }},
      {"step 1: it binds a size to something that is no integer",
       [](Positive& p) { p.b.plan.steps[1].buffers[0] = p.x; }},
      {"step 1: there is no such element", [](Positive& p) { p.b.plan.steps[1].element = -1; }},
      {"step 1: it binds a size that the inputs decide",
       [](Positive& p) { p.b.plan.steps[1].sizes[0] = p.n; }},
      {"step 4: another step binds its size", [](Positive& p) { p.b.Bind(p.count, p.k); }},
      {"step 1: it uses a size that is not bound",
       [](Positive& p) { std::swap(p.b.plan.steps[1], p.b.plan.steps[2]); }},
      {"step 0: a size of it is not bound",
       [](Positive& p) { p.b.plan.tensors[static_cast<size_t>(p.count)].shape = {p.k}; }},
      {"output 0: a size of it is not bound",
       [](Positive& p) { p.b.plan.outputs = {p.b.Alias(p.x, {p.b.Run()})}; }},
      {"input 0: its shape is known only while running",
       [](Positive& p) { p.b.plan.tensors[static_cast<size_t>(p.x)].shape = {p.k}; }},
  };
  for (const auto& [text, change] : cases) {
    Positive p;
    change(p);
    const absl::Status status = CheckPlan(p.b.plan);
    EXPECT_EQ(StatusName(status), "plan-malformed") << text;
    EXPECT_EQ(StatusText(status), std::string("the plan is not sound: ") + text);
  }
  // What a block binds is bound within it only.
  PlanBuilder b;
  const int32_t n = b.Extent(0, 0), k = b.Run(), one = b.Constant(1), x = b.Input("x", {n}),
                v = b.Input("v", {one}), c = b.Arena({}, DataType::Bool()),
                count = b.Arena({}, DataType::Int(64)), y = b.Arena({k});
  b.Step("below", {v, v, c});
  b.Step("count", {x, count}, {{"n", n}});
  b.If(c, [&] { b.Bind(count, k); }, [] {});
  EXPECT_TRUE(CheckPlan(b.plan).ok());
  b.Step("pick", {x, y}, {{"n", n}, {"k", k}});
  EXPECT_EQ(StatusText(CheckPlan(b.plan)),
            "the plan is not sound: step 4: it uses a size that is not bound");
}

// Random plans with blocks within blocks, and what their tensors hold, each in its own memory.
struct RandomFlow {
  explicit RandomFlow(uint64_t seed) : random(seed) {
    n = b.Extent(0, 0);
    one = b.Constant(1);
    std::vector<int32_t> vectors = {b.Input("x", {n})};
    std::vector<int32_t> scalars = {b.Input("s", {one}), b.Input("t", {one})};
    Block(3, vectors, scalars);
    for (int i = 0; i < 3; ++i) b.plan.outputs.push_back(Pick(vectors));
  }
  size_t Any(size_t below) { return static_cast<size_t>(random() % below); }
  int32_t Pick(const std::vector<int32_t>& of) { return of[Any(of.size())]; }
  int32_t NewCondition(const std::vector<int32_t>& scalars) {
    const int32_t condition = b.Arena({}, DataType::Bool());
    b.Step("below", {Pick(scalars), Pick(scalars), condition});
    return condition;
  }
  // A tensor of the arena to write: an old one, perhaps, else a new one.
  int32_t Target(std::vector<int32_t>& of, int32_t size) {
    const int32_t old = Pick(of);
    if (Any(3) == 0 &&
        b.plan.tensors[static_cast<size_t>(old)].memory == PlanTensor::Memory::kArena)
      return old;
    return b.Arena({size});
  }
  void Compute(std::vector<int32_t>& of, int32_t size) {
    const int32_t first = Pick(of), second = Pick(of);
    int32_t target = Target(of, size);
    while (target == first || target == second) target = b.Arena({size});
    b.Step("mix", {first, second, target}, {{"n", size}});
    of.push_back(target);
  }
  // Adds the tensors that are written on every way to the lists.
  void Block(int depth, std::vector<int32_t>& vectors, std::vector<int32_t>& scalars) {
    const size_t steps = 1 + Any(6);
    for (size_t i = 0; i < steps; ++i) {
      const size_t choice = Any(depth == 0 ? 3 : 6);
      if (choice < 3) {
        choice == 2 ? Compute(scalars, one) : Compute(vectors, n);
      } else if (choice < 5) {
        const int32_t result = b.Arena({n}), condition = NewCondition(scalars);
        const auto block = [&] {
          std::vector<int32_t> inner = vectors, inner_scalars = scalars;
          Block(depth - 1, inner, inner_scalars);
          b.Copy(Pick(inner), result);
        };
        b.If(condition, block, block);
        vectors.push_back(result);
      } else {
        // while (counter < limit): counter = 3 counter + 1, so that it ends.
        const int32_t counter = b.Arena({one}), next = b.Arena({one}),
                      condition = b.Arena({}, DataType::Bool()), carried = b.Arena({n});
        b.Copy(1, counter);  // `s`
        b.Copy(Pick(vectors), carried);
        std::vector<int32_t> seen = vectors;
        seen.push_back(carried);
        std::vector<int32_t> seen_scalars = scalars;
        b.Loop(
            condition,
            [&] {
              b.Step("below", {counter, 2, condition});
              if (Any(2) == 0) Compute(seen, n);
            },
            [&] {
              std::vector<int32_t> inner = seen, inner_scalars = seen_scalars;
              Block(depth - 1, inner, inner_scalars);
              if (inner.back() != carried) b.Copy(inner.back(), carried);
              b.Step("mix", {counter, 1, next}, {{"n", one}});
              b.Copy(next, counter);
            });
        vectors = seen;
      }
    }
  }

  // The interpreter: steps [begin, end).
  void Interpret(size_t begin, size_t end, std::vector<List>& values) const {
    for (size_t i = begin; i < end; ++i) {
      const PlanStep& step = b.plan.steps[i];
      const auto of = [&](size_t k) -> List& {
        return values[static_cast<size_t>(step.buffers[k])];
      };
      const size_t middle = i + 1 + static_cast<size_t>(step.first),
                   last = middle + static_cast<size_t>(step.second);
      if (step.kind == Kind::kCopy) {
        of(1) = List(of(0));
      } else if (step.kind == Kind::kIf) {
        of(0)[0] != 0 ? Interpret(i + 1, middle, values) : Interpret(middle, last, values);
        i = last - 1;
      } else if (step.kind == Kind::kLoop) {
        for (Interpret(i + 1, middle, values); of(0)[0] != 0; Interpret(i + 1, middle, values))
          Interpret(middle, last, values);
        i = last - 1;
      } else if (step.kernel == "below") {
        of(2) = {of(0)[0] < of(1)[0] ? 1.0f : 0.0f};
      } else {
        List out = of(0);
        for (size_t k = 0; k < out.size(); ++k) out[k] = 3 * out[k] + of(1)[k];
        of(2) = out;
      }
    }
  }

  PlanBuilder b;
  std::mt19937_64 random;
  int32_t n, one;
};

TEST(Flow, RandomPlansComputeTheirValues) {
  int blocks = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    RandomFlow flow(seed);
    for (const PlanStep& step : flow.b.plan.steps)
      blocks += step.kind == Kind::kIf || step.kind == Kind::kLoop ? 1 : 0;
    Context context(Made(flow.b.plan));
    for (const size_t n : {20u, 3u}) {
      List x(n);
      for (size_t i = 0; i < n; ++i) x[i] = static_cast<float>(i + seed % 5) / 1024;
      std::vector<List> values(flow.b.plan.tensors.size());
      values[0] = x;
      values[1] = {1};
      values[2] = {static_cast<float>(seed % 7 * 3)};
      flow.Interpret(0, flow.b.plan.steps.size(), values);
      ASSERT_TRUE(context.SetInput(1, Floats({1})).ok());
      ASSERT_TRUE(context.SetInput(2, Floats(values[2])).ok());
      RunOn(context, {x});
      for (size_t i = 0; i < flow.b.plan.outputs.size(); ++i) {
        const List& expected = values[static_cast<size_t>(flow.b.plan.outputs[i])];
        const List found = Of(context.GetOutput(static_cast<int>(i)));
        ASSERT_EQ(found.size(), expected.size());
        for (size_t k = 0; k < found.size(); ++k)
          ASSERT_TRUE(found[k] == expected[k] ||
                      (found[k] != found[k] && expected[k] != expected[k]))
              << "seed " << seed << ", output " << i << ": " << found[k] << ", " << expected[k];
      }
    }
  }
  EXPECT_GT(blocks, 300);
}

}  // namespace
}  // namespace lathe::runtime::graph
