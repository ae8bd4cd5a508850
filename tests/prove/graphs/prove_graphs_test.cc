#include "tests/prove/graphs/prove_graphs.h"

#include <iostream>
#include <sstream>

#include "driver/cache/compile_cache.h"
#include "driver/default_plugins.h"
#include "graph/op.h"
#include "gtest/gtest.h"
#include "ir/text/printer.h"
#include "ir/walk.h"
#include "tests/prove/graphs/random_graph.h"
#include "tests/prove/graphs/shrink.h"

namespace lathe::prove::graphs {
namespace {

// The run is useful only if it really has what the passes and plans are about.
TEST(ProveGraphs, PassesAndPlansDoNotChangeWhatIsComputed) {
  driver::UseDefaultPlugins();
  GraphReport report;
  ProveGraphsOptions options;
  options.seed = 20261125;
  // Both optimisation levels share most kernels.
  driver::CompileCache cache({.folder = testing::TempDir() + "/kernels"});
  options.cache = &cache;
  ProveGraphs(options, report, std::cout);
  Print(report, std::cout);
  EXPECT_EQ(report.failures, 0);
  EXPECT_EQ(report.graphs, 100);
  EXPECT_GE(report.runs, 300);
  int64_t operators = 0;
  for (const auto& [name, count] : report.graphs_with) {
    operators += graph::FindOp(name) != nullptr ? 1 : 0;
  }
  EXPECT_GE(operators, 120);
  for (const char* feature :
       {"closure", "convolution", "if", "loop", "product", "symbolic", "tuple", "tuple result"}) {
    EXPECT_GE(report.graphs_with[feature], 4) << feature;
  }
}

TEST(ProveGraphs, AGraphDependsOnItsSeedOnly) {
  for (uint64_t seed = 1; seed < 20; ++seed) {
    EXPECT_EQ(ir::ToText(MakeRandomGraph(seed).func), ir::ToText(MakeRandomGraph(seed).func));
  }
}

size_t CountConstants(const ir::GraphFunc& func) {
  size_t count = 0;
  ir::PostOrder(static_cast<const ir::Node&>(func), [&](const ir::Node& node) {
    if (node.node_kind() == ir::NodeKind::kConstant) ++count;
  });
  return count;
}

// Of a graph with one bad value, hardly more than that value and what it needs is left: an operator
// may have five operands, and a loop has a condition and a counter.
TEST(ProveGraphs, FailuresAreShrunk) {
  for (uint64_t seed = 1; seed < 10; ++seed) {
    const graph::GraphFuncRef func = MakeRandomGraph(seed).func;
    const auto has_tanh = [](const graph::GraphFuncRef& candidate) {
      return ir::ToText(candidate, {.max_data = 0}).find("tanh(") != std::string::npos;
    };
    if (!has_tanh(func)) continue;
    const graph::GraphFuncRef small = Shrink(func, has_tanh);
    const bool has_loop = ir::ToText(small, {.max_data = 0}).find(" loop (") != std::string::npos;
    // Weights that an operator needs stay with it.
    const size_t computed = CountBindings(*small->body) - CountConstants(*small);
    EXPECT_LE(computed, has_loop ? 13u : 5u) << "seed " << seed << "\n"
                                             << ir::ToText(small, {.max_data = 0});
  }
}

// What a failure prints is read again.
TEST(ProveGraphs, AWrongTextIsRefused) {
  EXPECT_TRUE(IsGraphText("given data \"1\" \"00\"\ngraph main() {\n}"));
  EXPECT_FALSE(IsGraphText("program f {\n}"));
}

}  // namespace
}  // namespace lathe::prove::graphs
