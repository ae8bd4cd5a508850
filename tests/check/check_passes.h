// For tests: runs a module through a pipeline and interprets it before and after every pass.
#pragma once

#include <string>
#include <vector>

#include "ir/interpreter/interpreter.h"
#include "lower/pass.h"

namespace lathe::lower {

// The tensors of `module`'s first function, by parameter order: inputs are filled with small
// integers from `seed`, so that results are exact in every type; others are zero. Symbolic extents
// take `sizes` in order of appearance.
struct TestArguments {
  std::vector<std::vector<char>> memory;
  std::vector<ir::InterpValue> values;
};
TestArguments MakeArguments(const ir::Func& func, const std::vector<int64_t>& sizes, uint64_t seed);

// Runs the first function before the first pass and after each pass; throws Error
// "pass-changed-result", which names the first pass whose module gives other bytes in any tensor. A
// module with thread axes is run with three orders of its threads (interleavings), which must give
// the same. Verifies after each pass. Returns the final module.
ir::Module CheckPasses(const ir::Module& module, std::span<const Pass> passes,
                       const std::vector<int64_t>& sizes, uint64_t seed, PassContext context = {});

}  // namespace lathe::lower
