// Runs models beside recorded inputs and outputs: the folders of ONNX's backend tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "driver/cache/compile_cache.h"

namespace lathe::graph::onnx {

struct SuiteOptions {
  int opt_level = 3;
  bool interpret = false;  // by the reference interpreter instead of compiled code
  // Results of float16 and bfloat16 may differ by two units in the last place if that is more:
  // their tests were recorded with steps that were rounded to 16 bits.
  double rtol = 1e-3, atol = 1e-7;
  // Or by this part of the largest element: for whole models, whose small results are differences
  // of large numbers.
  double of_largest = 0;
  driver::CompileCache* cache = nullptr;
};

struct SuiteOutcome {
  enum class Kind : uint8_t { kPassed, kFailed, kRefused };
  std::string name;
  Kind kind = Kind::kPassed;
  std::string reason;  // of what did not pass: one line
  // Inputs whose values were given when the model was compiled, because shapes depend on them.
  std::vector<std::string> fixed;
};
const char* OutcomeName(SuiteOutcome::Kind kind);

// A folder with model.onnx and test_data_set_0/{input,output}_N.pb. Refused is what the importer
// says that it does not support; all else that goes wrong is a failure.
SuiteOutcome RunCase(const std::string& folder, const SuiteOptions& options);

// All of them, on `threads` threads, in the order of `folders`.
std::vector<SuiteOutcome> RunCases(const std::vector<std::string>& folders,
                                   const SuiteOptions& options, int threads);

// How many have which outcome: of functions expanded to nodes, or of single operators.
struct SuiteCounts {
  int passed = 0, fixed = 0, failed = 0, refused = 0;
  int all() const { return passed + failed + refused; }
};
SuiteCounts CountOf(const std::vector<SuiteOutcome>& outcomes, bool expanded);
// The row of docs/onnx.md that has these numbers; `what` comes before them.
std::string CountRow(const std::vector<SuiteOutcome>& outcomes, const std::string& what,
                     bool expanded);

// A file light_NAME.onnx beside light_NAME_output_0.pb: one of ONNX's light models. Its input is
// i / n for element i of n.
SuiteOutcome RunLightModel(const std::string& path, const SuiteOptions& options);

// The folders with a model.onnx, or the files light_NAME.onnx, below `root`, sorted by name.
std::vector<std::string> FindCases(const std::string& root);
std::vector<std::string> FindLightModels(const std::string& root);

}  // namespace lathe::graph::onnx
