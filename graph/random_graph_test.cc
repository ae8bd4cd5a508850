// Random graphs, at the lowest and the highest optimisation level, against the interpreter.
// LATHE_RANDOM_GRAPHS=N tries N of them instead; LATHE_RANDOM_SEED=S begins with seed S.
#include <cstdlib>

#include "base/address_sanitizer.h"
#include "base/error.h"
#include "driver/default_plugins.h"
#include "graph/compare.h"
#include "graph/random_graph.h"
#include "gtest/gtest.h"
#include "ir/text/printer.h"

namespace lathe::graph {
namespace {

uint64_t FromEnvironment(const char* name, uint64_t fallback) {
  const char* text = std::getenv(name);
  return text == nullptr ? fallback : std::strtoull(text, nullptr, 10);
}

TEST(RandomGraphs, CompiledIsInterpreted) {
  driver::UseDefaultPlugins();
  const uint64_t count = FromEnvironment("LATHE_RANDOM_GRAPHS", kAddressSanitizer ? 8 : 25),
                 first = FromEnvironment("LATHE_RANDOM_SEED", 1);
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const GraphFuncRef func = RandomGraph(seed, {.control_flow = seed % 2 == 0});
    for (const int level : {0, 3}) {
      CompareOptions options{.seed = seed, .sizes = {static_cast<int64_t>(1 + seed % 9)}};
      options.build.opt_level = level;
      std::string difference;
      try {
        difference = CompareWithInterpreter(func, options);
      } catch (const std::exception& error) {
        difference = error.what();
      }
      EXPECT_EQ(difference, "") << "seed " << seed << ", level " << level << "\n"
                                << ir::ToText(func, {.max_data = 0});
      if (!difference.empty()) return;
    }
  }
}

}  // namespace
}  // namespace lathe::graph
