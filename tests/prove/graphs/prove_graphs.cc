#include "tests/prove/graphs/prove_graphs.h"

#include <iomanip>

#include "base/error.h"
#include "graph/infer.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "tests/prove/graphs/random_graph.h"
#include "tests/prove/graphs/shrink.h"
#include "tests/prove/random.h"

namespace lathe::prove::graphs {
namespace {

using graph::GraphFuncRef;

std::string TextOf(const GraphFuncRef& func) {
  return ir::ToText(func, {.max_data = size_t{1} << 20});
}

void ReportFailure(const GraphFuncRef& func, const CheckOptions& how, const CheckResult& first,
                   std::ostream& out) {
  CheckOptions options = how;
  options.only = first.where;
  const GraphFuncRef small = Shrink(func, [&](const GraphFuncRef& candidate) {
    return CheckGraph(candidate, options).where == first.where;
  });
  const CheckResult again = CheckGraph(small, options);
  out << "FAILED at " << first.where << "\n"
      << (again.ok() ? first.detail : again.detail) << "\ngraph (shrunk from "
      << CountBindings(*func->body) << " values to " << CountBindings(*small->body) << "):\n"
      << TextOf(small) << std::endl;
}

}  // namespace

bool ProveOneGraph(uint64_t seed, const ProveGraphsOptions& options, GraphReport& report,
                   std::ostream& out) {
  ++report.graphs;
  CheckResult result;
  GraphFuncRef func;
  CheckOptions how;
  how.seed = seed;
  how.cache = options.cache;
  how.passes = options.passes;
  how.compile = options.compile;
  try {
    const RandomGraph graph = MakeRandomGraph(seed);
    func = graph.func;
    report.operators += static_cast<int64_t>(CountBindings(*func->body));
    for (const auto& [name, count] : graph.features) ++report.graphs_with[name];
    if (options.show) out << "# seed " << seed << "\n" << TextOf(func) << std::endl;
  } catch (const std::exception& error) {
    ++report.failures;
    out << "FAILED while making the graph of seed " << seed << ": " << error.what() << "\n";
    return false;
  }
  result = CheckGraph(func, how);
  report.runs += result.runs;
  report.refused += result.refused;
  if (result.ok()) return true;
  ++report.failures;
  if (!options.shrink) {
    out << "FAILED at " << result.where << ", graph seed " << seed << "\n";
    return false;
  }
  out << "prove: run seed " << options.seed << ", graph " << options.skip + report.graphs - 1
      << ", its seed " << seed << "\n";
  ReportFailure(func, how, result, out);
  return false;
}

void ProveGraphs(const ProveGraphsOptions& options, GraphReport& report, std::ostream& out) {
  Random random(options.seed);
  for (int64_t i = 0; i < options.skip; ++i) random.Next();
  for (int64_t i = 0; i < options.graphs && report.failures < options.most_failures; ++i) {
    if (options.go_on && !options.go_on(report.graphs)) return;
    ProveOneGraph(random.Next(), options, report, out);
  }
}

void Print(const GraphReport& report, std::ostream& out) {
  int64_t operators = 0;
  for (const auto& [name, count] : report.graphs_with) {
    operators += graph::FindOp(name) != nullptr ? 1 : 0;
  }
  out << report.graphs << " graphs of " << report.operators << " values and " << operators << " of "
      << graph::AllOps().size() << " operators: " << report.runs << " runs of compiled graphs, "
      << report.refused << " illegal sizes refused, " << report.failures << " failures\n";
  out << "graphs with:\n";
  for (const auto& [name, count] : report.graphs_with) {
    if (graph::FindOp(name) != nullptr) continue;
    out << "  " << std::left << std::setw(34) << name << std::right << std::setw(7) << count
        << std::setw(5) << 100 * count / report.graphs << " %\n";
  }
}

bool IsGraphText(const std::string& text) {
  // Lines of data come first.
  for (size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    const std::string_view line = std::string_view(text).substr(at);
    if (line.starts_with("graph ") || line.starts_with("type ")) return true;
    if (line.starts_with("program ") || text.find('\n', at) == std::string::npos) return false;
  }
  return false;
}

bool ReplayGraph(const std::string& text, driver::CompileCache* cache, std::ostream& out) {
  const ir::GraphModule module = graph::InferTypes(ir::ParseGraphModule(text));
  bool good = true;
  for (const GraphFuncRef& func : module->functions) {
    // Seeds differ in inputs, sizes, vectors, and in whose memory results are.
    for (uint64_t seed = 1; seed <= 3 && good; ++seed) {
      const CheckResult result = CheckGraph(func, {.seed = seed, .cache = cache});
      good = result.ok();
      if (!good) out << "FAILED at " << result.where << "\n" << result.detail << "\n";
    }
  }
  if (good) out << "computes what it should\n";
  return good;
}

}  // namespace lathe::prove::graphs
