// Graphs for OpenCL devices, and for OpenCL and the host together: compiled code against the
// interpreter.
#include "base/error.h"
#include "graph/compare.h"
#include "graph/networks/layers.h"
#include "graph/networks/networks.h"
#include "graph/random_graph.h"
#include "runtime/graph/plan_module.h"
#include "tests/opencl/scale.h"

namespace lathe::graph {
namespace {

using ir::GraphVar;

class OnOpenCl : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    driver::UseDefaultPlugins();
    ASSERT_TRUE(runtime::graph::RegisterGraph().ok());
  }
  static GraphBuildOptions Options(const std::string& main) {
    GraphBuildOptions options;
    options.devices.emplace("opencl", target::ParseTarget("opencl"));
    options.main_device = main;
    return options;
  }
  static std::string Compare(const GraphFuncRef& func, const std::string& main,
                             std::vector<std::string>* notes = nullptr) {
    CompareOptions options;
    options.build = Options(main);
    options.build.note = [notes](const std::string& text) {
      if (notes != nullptr) notes->push_back(text);
    };
    try {
      return CompareWithInterpreter(func, options);
    } catch (const std::exception& e) {
      return e.what();
    }
  }
};

// A few layers; `placed` says whether the first convolution is annotated.
GraphFuncRef Net(const std::string& placed) {
  Builder b("main");
  Layers layers(&b, 1);
  GraphVar x = layers.Picture(1, 16);
  x = layers.Relu(layers.ConvNorm(x, "first", {.in = 3, .out = 8, .kernel = 3, .stride = 2}));
  if (!placed.empty()) x = b.Call("on_device", {x}, {{"device", StringAttr(placed)}});
  const GraphVar y = layers.Relu(layers.ConvNorm(x, "second", {.in = 8, .out = 8, .kernel = 3}));
  x = layers.Pool(layers.Add(x, y), "max", 2, 2, 0);
  return b.Finish(b.Call("nn.softmax", {layers.Classifier(layers.Average(x), "last", 8, 10)}));
}

TEST_F(OnOpenCl, AllOfANet) { EXPECT_EQ(Compare(Net(""), "opencl"), ""); }

TEST_F(OnOpenCl, HalfOfANet) {
  EXPECT_EQ(Compare(Net("opencl"), "cpu"), "");
  EXPECT_EQ(Compare(Net("cpu"), "opencl"), "");
}

TEST_F(OnOpenCl, AnyNumberOfTokens) {
  EXPECT_EQ(Compare(Bert({.layers = 1,
                          .hidden = 16,
                          .heads = 2,
                          .intermediate = 32,
                          .vocabulary = 10,
                          .positions = 16}),
                    "opencl"),
            "");
}

TEST_F(OnOpenCl, ALoop) { EXPECT_EQ(Compare(Lstm(8), "opencl"), ""); }

TEST_F(OnOpenCl, WhatIsSequentialRunsOnTheHost) {
  Builder b("main");
  const GraphVar x = b.Input("x", DataType::Float(32), {Int64(4), Int64(5)});
  const GraphVar sorted = b.Call("sort", {b.Call("nn.relu", {x})});
  std::vector<std::string> notes;
  EXPECT_EQ(Compare(b.Finish(b.Call("exp", {sorted})), "opencl", &notes), "");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_TRUE(notes[0].starts_with("`sort` runs on the host, not on `opencl`: ")) << notes[0];
}

TEST_F(OnOpenCl, RandomGraphs) {
  for (uint64_t seed = 0; seed < 6; ++seed) {
    const GraphFuncRef func = RandomGraph(seed);
    EXPECT_EQ(Compare(func, "opencl"), "") << seed;
  }
}

TEST_F(OnOpenCl, WrongPlacesAreNamed) {
  const auto error = [](const GraphFuncRef& func, const GraphBuildOptions& options) {
    try {
      Ref<ir::GraphModuleNode> module = Make<ir::GraphModuleNode>();
      module->functions.push_back(func);
      EXPECT_FALSE(CompileGraph(module, "main", target::ParseTarget("llvm"), options).ok());
    } catch (const Error& e) {
      return std::string(e.name());
    }
    return std::string();
  };
  EXPECT_EQ(error(Net("cuda"), Options("cpu")), "graph-no-target");
  EXPECT_EQ(error(Net("opencl"), {}), "graph-no-target");
  Builder b("main");
  const GraphVar x = b.Input("x", DataType::Float(32), {Int64(4)});
  const GraphVar sorted = b.Call("sort", {x});
  EXPECT_EQ(error(b.Finish(b.Call("on_device", {sorted}, {{"device", StringAttr("opencl")}})),
                  Options("cpu")),
            "graph-device-operator");
}

TEST_F(OnOpenCl, TargetsAreSorted) {
  const GraphTargets one = SortTargets({target::ParseTarget("opencl")});
  EXPECT_EQ(one.main_device, "opencl");
  EXPECT_EQ(one.host.kind, "llvm");
  const GraphTargets two =
      SortTargets({target::ParseTarget("opencl"), target::ParseTarget("llvm -mcpu=x86-64")});
  EXPECT_EQ(two.main_device, "cpu");
  EXPECT_EQ(two.host.Get("mcpu"), "x86-64");
  EXPECT_THROW(SortTargets({target::ParseTarget("opencl"), target::ParseTarget("opencl")}), Error);
}

}  // namespace
}  // namespace lathe::graph
