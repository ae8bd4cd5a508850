// How long inference, each pass, fusion and planning take for graphs of more and more operators:
// encoders with many narrow layers, of any number of tokens. No kernel of the plan is compiled; the
// constants are folded as always, by kernels that are.
//
//   passes [OPERATORS ...]     1000 2000 5000 10000 20000 if none are given
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "driver/default_plugins.h"
#include "graph/build.h"
#include "graph/infer.h"
#include "graph/networks/networks.h"
#include "graph/passes/fuse.h"
#include "graph/plan/plan_maker.h"
#include "target/target.h"

namespace lathe {
namespace {

using Clock = std::chrono::steady_clock;

double Milliseconds(Clock::time_point since) {
  return std::chrono::duration<double, std::milli>(Clock::now() - since).count();
}

size_t Operators(const graph::GraphFuncRef& func) {
  size_t count = 0;
  for (const auto& binding : func->body->bindings) {
    if (binding->value->node_kind() == ir::NodeKind::kGraphCall) ++count;
  }
  return count;
}

graph::GraphFuncRef Encoder(int64_t layers) {
  return graph::Bert({.layers = layers,
                      .hidden = 32,
                      .heads = 2,
                      .intermediate = 64,
                      .vocabulary = 100,
                      .positions = 64});
}

// The number of layers with which an encoder has about `operators` operators.
int64_t Layers(size_t operators) {
  const size_t one = Operators(Encoder(1)), two = Operators(Encoder(2));
  return static_cast<int64_t>((operators - one) / (two - one) + 1);
}

void Measure(size_t operators) {
  Clock::time_point start = Clock::now();
  Ref<ir::GraphModuleNode> made = Make<ir::GraphModuleNode>();
  made->functions.push_back(Encoder(Layers(operators)));
  const double built_ms = Milliseconds(start);
  const size_t count = Operators(made->functions[0]);
  start = Clock::now();
  const ir::GraphModule typed = graph::InferTypes(ir::GraphModule(made));
  const double inferred_ms = Milliseconds(start);
  std::printf("%zu operators: built in %.0f ms, inferred in %.0f ms\n", count, built_ms,
              inferred_ms);

  const target::Target target = target::ParseTarget("llvm");
  graph::GraphBuildOptions options{.opt_level = 3};
  const Clock::time_point begin = Clock::now();
  start = begin;
  options.after_pass = [&](std::string_view pass, const graph::GraphFuncRef&,
                           const graph::GraphFuncRef& after) {
    std::printf("  %8.1f ms  %.*s (%zu bindings)\n", Milliseconds(start),
                static_cast<int>(pass.size()), pass.data(), after->body->bindings.size());
    start = Clock::now();
  };
  const ir::GraphModule optimized = graph::OptimizeGraph(typed, target, options);
  start = Clock::now();
  const graph::GraphFuncRef fused = graph::Fuse(*optimized->functions[0], optimized);
  options.after_pass("fuse", optimized->functions[0], fused);
  const graph::MadePlan plan =
      graph::MakePlan(*fused, graph::PlanTargets{"cpu", {{"cpu", target.ToString()}}});
  std::printf("  %8.1f ms  plan (%zu steps, %zu kernels)\n", Milliseconds(start),
              plan.plan.steps.size(), plan.kernels.size());
  const double total = inferred_ms + Milliseconds(begin);
  std::printf("  %8.1f ms  in all, %.1f us per operator\n", total,
              total * 1000 / static_cast<double>(count));
}

}  // namespace
}  // namespace lathe

int main(int argc, char** argv) {
  std::vector<size_t> sizes;
  for (int i = 1; i < argc; ++i) sizes.push_back(std::strtoull(argv[i], nullptr, 10));
  if (sizes.empty()) sizes = {1000, 2000, 5000, 10000, 20000};
  lathe::driver::UseDefaultPlugins();
  try {
    for (const size_t size : sizes) lathe::Measure(size);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
