// What people are told: functions that do not exist, recursion without end, wrong arguments, graphs
// that plans cannot hold, shapes that do not fit when a graph runs.
#include "base/error.h"
#include "driver/default_plugins.h"
#include "graph/build.h"
#include "graph/check/check_passes.h"
#include "graph/infer.h"
#include "graph/interpreter/interpreter.h"
#include "graph/networks/networks.h"
#include "graph/ops/example.h"
#include "graph/passes/convert_layout.h"
#include "graph/passes/mixed_precision.h"
#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "runtime/graph/plan.h"
#include "runtime/status.h"
#include "target/host_target.h"

namespace lathe::graph {
namespace {

using runtime::Tensor;

template <class F>
std::string NameOfError(F run) {
  try {
    run();
  } catch (const Error& error) {
    return error.name();
  }
  return "no error";
}

ir::GraphModule Typed(const std::string& text) { return InferTypes(ir::ParseGraphModule(text)); }

Tensor Ones(std::initializer_list<int64_t> shape) {
  Tensor tensor = Tensor::Empty(shape, DataType::Float(32)).value();
  for (size_t i = 0; i < tensor.num_bytes() / 4; ++i) tensor.HostData<float>()[i] = 1;
  return tensor;
}

TEST(GraphErrors, OfTheInterpreter) {
  const ir::GraphModule module = Typed(R"(
    graph main(%x: float32[n, 2 * n]) -> float32[n, 2 * n] { return %x }
    graph endless(%x: float32[n]) -> float32[n] {
      %0 = @endless(%x)
      return %0
    })");
  EXPECT_EQ(NameOfError([&] { Interpret(module, "other", {}); }), "graph-interpret-argument");
  EXPECT_EQ(NameOfError([&] { Interpret(module, "main", {}); }), "graph-interpret-argument");
  EXPECT_EQ(NameOfError([&] { Interpret(module, "main", {Ones({2, 3})}); }),
            "graph-interpret-argument");
  EXPECT_EQ(NameOfError([&] { Interpret(module, "endless", {Ones({2})}); }), "graph-call-depth");
  // A module that was put together by hand, and not verified.
  const ir::GraphModule wrong =
      ir::ParseGraphModule("graph main(%x: float32[n]) -> float32[n] { return %x }");
  Ref<ir::GraphModuleNode> copy = CopyOf(*wrong);
  Ref<ir::GraphFunc> func = CopyOf(*copy->functions[0]);
  func->body = ir::MakeGraphBlock({}, ir::MakeGraphVar("y", func->params[0]->type));
  copy->functions[0] = func;
  EXPECT_EQ(NameOfError([&] { Interpret(ir::GraphModule(copy), "main", {Ones({2})}); }),
            "graph-undefined");
}

std::string NameOfBuildError(const std::string& text, const std::string& function = "main") {
  return NameOfError([&] {
    static_cast<void>(
        CompileGraph(ir::ParseGraphModule(text), function, target::HostTarget(), {}).ok());
  });
}

TEST(GraphErrors, OfBuilding) {
  driver::UseDefaultPlugins();
  EXPECT_EQ(NameOfBuildError("graph main(%x: float32[4]) { return %x }", "mian"),
            "graph-no-function");
  EXPECT_EQ(NameOfBuildError(R"(graph main(%x: float32[4], %f: fn(float32[4]) -> float32[4]) {
                               %0 = %f(%x)
                               return %0
                             })"),
            "graph-plan-unsupported");
  // No input says what n is.
  EXPECT_EQ(NameOfBuildError(R"(graph main(%x: float32[2 * n]) {
                               %0 = exp(%x)
                               return %0
                             })"),
            "graph-plan-size");
  EXPECT_EQ(NameOfError([] { ResNet(19); }), "network-unknown");
  const OpExample wrong{{"float32[3] within 0:1"}};
  std::map<std::string, ir::Var> sizes;
  EXPECT_EQ(NameOfError([&] { ReadExample(wrong, DataType::Float(32), &sizes); }), "graph-example");
}

// A plan has a limit that is lower than that of graphs.
TEST(GraphErrors, BlocksThatNestTooDeepForAPlan) {
  driver::UseDefaultPlugins();
  for (const size_t depth :
       {runtime::graph::kMostNestedBlocks, runtime::graph::kMostNestedBlocks + 1}) {
    std::string text = "graph main(%x: float32[4], %c: bool[]) {";
    for (size_t i = 0; i < depth; ++i) text += " %v = if %c {";
    text += " %e = exp(%x) return %e }";
    for (size_t i = 0; i < depth; ++i) text += std::string(" else { return %x } return %v }");
    const std::string name = NameOfBuildError(text);
    EXPECT_EQ(name,
              depth == runtime::graph::kMostNestedBlocks ? "no error" : "graph-plan-unsupported")
        << text;
  }
}

TEST(GraphErrors, BlocksThatNestTooDeep) {
  GraphFuncRef func;
  {
    Builder b("main");
    const ir::GraphVar x = b.Input("x", DataType::Float(32), {});
    const ir::GraphVar c = b.Input("c", DataType::Bool(), {});
    ir::GraphVar inner = x;
    const int depth = kMaxBlockDepth + 1;
    for (int i = 0; i < depth; ++i) b.OpenBlock();
    for (int i = 0; i < depth; ++i) {
      Ref<ir::GraphIf> node = Make<ir::GraphIf>();
      node->condition = c;
      node->then_block = b.CloseBlock(inner);
      node->else_block = ir::MakeGraphBlock({}, x);
      inner = b.Emit(node);
    }
    func = b.Finish(inner);
  }
  EXPECT_EQ(NameOfError([&] { InferTypes(*func); }), "graph-too-deep");
}

// Sizes of different names are assumed to be equal where they meet; a run checks it.
TEST(GraphErrors, SizesThatMustBeEqual) {
  driver::UseDefaultPlugins();
  const auto compiled = CompileGraph(ir::ParseGraphModule(R"(
      graph main(%x: float32[n, 4], %y: float32[m, 4]) {
        %0 = add(%x, %y)
        return %0
      })"),
                                     "main", target::HostTarget(), {});
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  runtime::graph::Context context(LoadGraph(*compiled).value());
  ASSERT_TRUE(context.SetInput(0, Ones({3, 4})).ok());
  ASSERT_TRUE(context.SetInput(1, Ones({3, 4})).ok());
  ASSERT_TRUE(context.Run().ok());
  EXPECT_EQ(context.GetOutput(0)->HostData<float>()[11], 2);
  ASSERT_TRUE(context.SetInput(1, Ones({2, 4})).ok());
  const absl::Status status = context.Run();
  EXPECT_EQ(runtime::StatusName(status), "graph-size-condition");
  EXPECT_NE(status.message().find("dimension 0 of argument 1"), std::string::npos) << status;
}

// What a pass made of a function must give the same results.
TEST(GraphErrors, APassThatChangesResults) {
  const ir::GraphModule module = InferTypes(ir::ParseGraphModule(R"(
      graph main(%x: float32[n, 4]) {
        %0 = tanh(%x)
        return %0
      }
      graph other(%x: float32[n, 4]) {
        %0 = exp(%x)
        return %0
      })"));
  PassCheck check(module, "main", {3}, 1);
  check.After("right", module->functions[0]);
  EXPECT_EQ(check.passes(), 1);
  EXPECT_EQ(NameOfError([&] { check.After("wrong", module->functions[1]); }), "graph-pass-differs");
}

TEST(GraphErrors, OfPassesOnRequest) {
  const ir::GraphModule module = Typed(R"(
    graph main(%x: float32[1, 4, 8, 8], %w: float32[4, 4, 1, 1]) {
      %0 = nn.conv2d(%x, %w)
      %1 = nn.relu(%0)
      %2 = topk(%1, k=1)
      return %1
    })");
  const GraphFuncRef main = module->functions[0];
  const auto error_of = [&](const DesiredLayouts& desired) {
    return NameOfError([&] { ConvertLayout(main, module, desired); });
  };
  EXPECT_EQ(error_of({{"nn.conv2d", {"NHWC"}}}), "no error");
  EXPECT_EQ(error_of({{"nn.relu", {"NHWC"}}}), "graph-layout");
  EXPECT_EQ(error_of({{"nn.no", {"NHWC"}}}), "graph-layout");
  EXPECT_EQ(error_of({{"nn.conv2d", {""}}}), "graph-layout");
  EXPECT_EQ(error_of({{"nn.conv2d", {"NHHC"}}}), "graph-layout");
  EXPECT_EQ(error_of({{"nn.conv2d", {"NHWC", "HWII"}}}), "graph-layout");
  const auto narrow_error = [&](const MixedPrecision& wish) {
    return NameOfError([&] { ToMixedPrecision(main, module, wish); });
  };
  EXPECT_EQ(narrow_error({DataType::BFloat16()}), "no error");
  EXPECT_EQ(narrow_error({DataType::Float(32)}), "graph-precision");
  EXPECT_EQ(narrow_error({DataType::Float(16), /*refuse_unlisted=*/true}), "graph-precision");
}

}  // namespace
}  // namespace lathe::graph
