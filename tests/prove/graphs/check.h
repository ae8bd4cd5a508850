// Checks one graph: every pass and both ends of the optimisation levels against the interpreter.
//
// - The text and the bytes of the graph are read back as the same graph.
// - Each pass alone, fusion, and the passes one after another: the interpreter says the same before
//   and after.
// - Compiled at the levels 0 and 3, run with several sizes in one context, to memory of the caller
//   or of the context; the plan is read back from its bytes first. Sizes of which something in the
//   graph does not hold must be refused.
#pragma once

#include <cstdint>
#include <string>

#include "driver/cache/compile_cache.h"
#include "graph/builder.h"

namespace lathe::prove::graphs {

struct CheckOptions {
  uint64_t seed = 1;                      // of inputs, sizes and noise
  bool passes = true;                     // interprets before and after passes
  bool compile = true;                    // compiles and runs
  driver::CompileCache* cache = nullptr;  // of kernels; both levels share most of them
  std::string only = {};                  // checks this step only (CheckResult::where); "": all
};

struct CheckResult {
  // Which step is wrong: "text", "binary", "interpreter", "pass fuse", "fuse in order", "level 3",
  // ...; "" if none is.
  std::string where;
  std::string detail;
  int64_t runs = 0;     // of compiled graphs
  int64_t refused = 0;  // sets of sizes that were refused, as they should be
  bool ok() const { return where.empty(); }
};

// `func` is typed.
CheckResult CheckGraph(const graph::GraphFuncRef& func, const CheckOptions& options);

}  // namespace lathe::prove::graphs
