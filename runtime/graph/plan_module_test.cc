#include "runtime/graph/plan_module.h"

#include <thread>

#include "gtest/gtest.h"
#include "runtime/artifact/artifact_module.h"
#include "runtime/graph/test_kernels.h"
#include "runtime/graph/test_plans.h"
#include "runtime/init.h"
#include "runtime/registry.h"
#include "runtime/status.h"

namespace lathe::runtime::graph {
namespace {

using List = std::vector<float>;

// y = 3 x + w, and w: the first constant is in the code, the second is not.
Plan AffinePlan(const std::string& name) {
  PlanBuilder b(name);
  const int32_t n = b.Constant(2);
  const int32_t x = b.Input("x", {n}), w = b.Weight("w", {n}), v = b.Weight("v", {n}),
                y = b.Arena({n}), z = b.Arena({n});
  b.Step("mix", {x, w, y}, {{"n", n}});
  b.Step("mix", {y, v, z}, {{"n", n}});
  b.plan.outputs = {y, z};
  b.plan.constants_entry = "constants";
  return b.plan;
}

Plan DoublePlan(const std::string& name) {
  PlanBuilder b(name);
  const int32_t n = b.Extent(0, 0), x = b.Input("x", {n}), y = b.Arena({n});
  b.Step("mix", {x, x, y}, {{"n", n}});
  b.plan.outputs = {y};
  return b.plan;
}

Tensor Floats(List data, std::vector<int64_t> shape = {}) {
  if (shape.empty()) shape = {static_cast<int64_t>(data.size())};
  return Tensor::FromHost(data.data(), data.size() * 4, shape, DataType::Float(32)).value();
}
List Of(const Value& value) {
  const auto tensor = value.As<Tensor>();
  List out(static_cast<size_t>(tensor.num_elements()));
  EXPECT_TRUE(tensor.CopyToHost(out.data(), out.size() * 4).ok());
  return out;
}

// The kernels, with plans that were saved and loaded again.
Module Model() {
  Initialize();
  EXPECT_TRUE(RegisterGraph().ok());
  EXPECT_TRUE(RegisterGraph().ok());
  const Module module = StaticArtifact(&lathe_graph_test_kernels).value();
  for (const Plan& plan : {AffinePlan("affine"), DoublePlan("twice_twice")}) {
    const std::string bytes = MakePlanModule(plan).value()->Save().value();
    module.Import(LoadModuleBytes("plan", bytes).value());
  }
  return module;
}

std::string NameOf(const absl::Status& status) { return std::string(StatusName(status)); }

struct Caller {
  Module context;
  template <class... A>
  Value operator()(std::string_view name, const A&... args) const {
    return context.GetFunction(name).value()(args...);
  }
  template <class... A>
  std::string ErrorOf(std::string_view name, const A&... args) const {
    return NameOf(context.GetFunction(name).value().TryCall(args...).status());
  }
};

Caller NewContext(const Module& module, const std::string& name) {
  return {FindGlobal("graph.context_create")(module, name).As<Module>()};
}

TEST(PlanModule, IsAFunctionOfTheArtefact) {
  const Module module = Model();
  const Function f = module.GetFunction("twice_twice").value();
  const Tensor x = Floats({1, 2, 3}), y = Floats({0, 0, 0});
  f(x, y);
  EXPECT_EQ(Of(y), (List{4, 8, 12}));
  // Other layouts are copied.
  const Tensor wide = Floats(List(6), {3, 2});
  f(wide.Select(1, 0), y);
  EXPECT_EQ(Of(y), (List{0, 0, 0}));
  f(x, wide.Select(1, 1));
  EXPECT_EQ(Of(wide), (List{0, 4, 0, 8, 0, 12}));
  // Without outputs it makes them.
  const Value first = f(x), second = f(y);
  EXPECT_EQ(Of(first), (List{4, 8, 12}));
  EXPECT_EQ(Of(second), (List{0, 0, 0}));
  EXPECT_EQ(NameOf(f.TryCall().status()), "call-wrong-argument-count");
  EXPECT_EQ(NameOf(f.TryCall(x, x, x).status()), "call-wrong-argument-count");
  EXPECT_EQ(NameOf(f.TryCall(x, x).status()), "graph-overlap");
  EXPECT_EQ(NameOf(f.TryCall(x, y.ReadOnly()).status()), "graph-output-read-only");
  EXPECT_EQ(NameOf(f.TryCall(x, Floats({1})).status()), "graph-output-mismatch");
  f(x, y);
  EXPECT_EQ(Of(y), (List{4, 8, 12}));
  EXPECT_EQ(PlanNames(module), (std::vector<std::string>{"affine", "twice_twice"}));
}

TEST(PlanModule, MakesContextsForTheHost) {
  const Module module = Model();
  const Function f = module.GetFunction("twice_twice").value();
  const Caller c = {f(Device::Cpu()).As<Module>()};
  EXPECT_EQ(c.context->kind(), "graph_context");
  EXPECT_EQ(c("get_input_type", 0).As<std::vector<Value>>().at(1).As<int>(), -1);
  c("set_input", 0, Floats({1}));
  c("run");
  EXPECT_EQ(Of(c("get_output", 0)), List{4});
  EXPECT_EQ(NameOf(f.TryCall(Device::Parse("cuda:0")).status()), "graph-device");
}

TEST(PlanModule, OutlivesItsArtefact) {
  Function f = Model().GetFunction("twice_twice").value();
  EXPECT_EQ(Of(f(Floats({1}))), List{4});
}

TEST(PlanModule, TheOnlyOneIsTheDefault) {
  Initialize();
  ASSERT_TRUE(RegisterGraph().ok());
  const Module module = StaticArtifact(&lathe_graph_test_kernels).value();
  module.Import(MakePlanModule(DoublePlan("net")).value());
  EXPECT_EQ(Of(module.GetFunction("default").value()(Floats({2}))), List{8});
  EXPECT_EQ(FindExecutable(module, "default").value(), FindExecutable(module, "net").value());
  EXPECT_EQ(NameOf(Model().GetFunction("default").status()), "module-no-function");
  EXPECT_EQ(NameOf(FindExecutable(Model(), "default").status()), "graph-plan-unknown");
}

TEST(PlanModule, NeedsAnImporter) {
  Initialize();
  ASSERT_TRUE(RegisterGraph().ok());
  const Module alone = MakePlanModule(DoublePlan("f")).value();
  EXPECT_EQ(alone->kind(), "plan");
  EXPECT_EQ(NameOf(alone.GetFunction("f").status()), "module-no-function");
  EXPECT_EQ(NameOf(FindExecutable(alone, "f").status()), "entry-not-found");
  EXPECT_EQ(NameOf(FindExecutable(Model(), "twice").status()), "graph-plan-unknown");
  EXPECT_EQ(NameOf(MakePlanModule([] {
                     Plan plan = DoublePlan("f");
                     plan.outputs = {7};
                     return plan;
                   }())
                       .status()),
            "plan-malformed");
  EXPECT_EQ(NameOf(LoadModuleBytes("plan", "damaged").status()), "plan-corrupt");
  const Module module = Model();
  Plan plan = DoublePlan("f");
  plan.constants_entry = "constants";  // of two constants
  module.Import(MakePlanModule(plan).value());
  EXPECT_EQ(NameOf(FindExecutable(module, "f").status()), "graph-kernel-mismatch");
}

TEST(PlanModule, ContextsShareAnExecutable) {
  const Module module = Model();
  const auto one = FindExecutable(module, "affine").value();
  EXPECT_EQ(one, FindExecutable(module, "affine").value());
  EXPECT_NE(one, FindExecutable(Model(), "affine").value());
}

TEST(PlanModule, SeveralThreadsCallOneFunction) {
  const Function f = Model().GetFunction("twice_twice").value();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&f, t] {
      const Tensor x = Floats(List(static_cast<size_t>(t) + 1, 2)),
                   y = Floats(List(static_cast<size_t>(t) + 1));
      for (int time = 0; time < 50; ++time) {
        f(x, y);
        EXPECT_EQ(Of(y), List(static_cast<size_t>(t) + 1, 8));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(GraphFunctions, DoWhatContextsDo) {
  const Module module = Model();
  const Caller c = NewContext(module, "affine");
  EXPECT_EQ(c("get_num_inputs").As<int>(), 1);
  EXPECT_EQ(c("get_num_outputs").As<int>(), 2);
  EXPECT_EQ(c("get_input_name", 0).As<std::string>(), "x");
  EXPECT_EQ(c("get_input_index", "x").As<int>(), 0);
  EXPECT_EQ(c.ErrorOf("get_input_index", "y"), "graph-input-unknown");
  EXPECT_EQ(c.ErrorOf("get_input_name", 1), "graph-index");
  EXPECT_EQ(c("get_output_shape", 0).As<std::vector<Value>>().at(0).As<int>(), 2);
  EXPECT_EQ(c("get_num_params").As<int>(), 2);
  EXPECT_EQ(c("get_param_name", 1).As<std::string>(), "v");
  EXPECT_EQ(c("get_param", 0).As<Tensor>().shape(0), 2);
  EXPECT_TRUE(c("get_param", 1).is_none());
  EXPECT_EQ(c.ErrorOf("get_param", 2), "graph-constant-unknown");
  EXPECT_EQ(c("get_input_type", "x").As<std::vector<Value>>().at(0).As<std::string>(), "float32");
  EXPECT_EQ(c("get_input_type", 0).As<std::vector<Value>>().at(1).As<int>(), 2);
  EXPECT_EQ(c.ErrorOf("get_input_type", 1), "graph-index");
  EXPECT_EQ(c.ErrorOf("set_param", "u", Floats({1, 2})), "graph-constant-unknown");
  c("set_input", "x", Floats({1, 2}));
  EXPECT_EQ(c.ErrorOf("run"), "graph-constant-missing");
  const Value bytes = FindGlobal("graph.encode_params")("v", Floats({5, 6}));
  EXPECT_EQ(FindGlobal("graph.decode_params")(bytes).As<std::vector<Value>>().size(), 2u);
  c("load_params", bytes);
  c("run");
  EXPECT_EQ(Of(c("get_output", 0)), (List{13, 26}));
  EXPECT_EQ(Of(c("get_output", 1)), (List{44, 84}));
  const Tensor copy = Floats({0, 0});
  c("get_output", 1, copy);
  EXPECT_EQ(Of(copy), (List{44, 84}));
  EXPECT_EQ(Of(c("get_input", 0)), (List{1, 2}));
  // Shared constants; the caller's memory.
  const Caller other = NewContext(module, "affine");
  other("share_params", c.context);
  other("share_params", other.context);
  const Tensor x = Floats({0, 1}), z = Floats({0, 0});
  other("set_input_zero_copy", 0, x);
  other("set_output_zero_copy", 1, z);
  other("set_threads", 1);
  other("run");
  EXPECT_EQ(Of(z), (List{35, 75}));
  other("set_output_zero_copy", 1, nullptr);
  other("run");
  EXPECT_GT(other("arena_bytes").As<int>(), 0);
  EXPECT_EQ(other.ErrorOf("share_params", module), "graph-no-context");
  std::vector<std::string> seen;
  other("run_observed", Function::From([&](int step, std::string location, std::string kernel,
                                           int64_t time, std::vector<Value> tensors) {
          EXPECT_EQ(tensors.size(), 1u);
          EXPECT_GE(time, 0);
          seen.push_back(std::to_string(step) + location + kernel);
        }));
  EXPECT_EQ(seen, (std::vector<std::string>{"0mix_0mix", "1mix_1mix"}));
  for (const std::string& name : c.context->FunctionNames())
    EXPECT_TRUE(c.context.GetFunction(name).ok()) << name;
}

TEST(GraphFunctions, ParametersFitAllOrNone) {
  const Caller c = NewContext(Model(), "affine");
  c("set_input", 0, Floats({1, 2}));
  const auto encoded = [](const char* name, const Tensor& tensor) {
    return FindGlobal("graph.encode_params")("v", Floats({1, 1}), name, tensor);
  };
  EXPECT_EQ(c.ErrorOf("load_params", encoded("vv", Floats({1, 1}))), "graph-constant-unknown");
  EXPECT_EQ(c.ErrorOf("load_params", encoded("w", Floats({1}))), "graph-constant-mismatch");
  EXPECT_EQ(c.ErrorOf("load_params", "damaged"), "params-corrupt");
  EXPECT_EQ(c.ErrorOf("run"), "graph-constant-missing");
  c("load_params", encoded("w", Floats({0, 0})));
  c("run");
  EXPECT_EQ(Of(c("get_output", 1)), (List{10, 19}));
}

}  // namespace
}  // namespace lathe::runtime::graph
