// Runs ONNX's backend tests and prints a line for each that did not pass, and counts.
//
//   bazel run --config=ci //graph/import/onnx:node_suite -- FOLDER [--filter=TEXT] [--verbose]
//       [--interpret] [--level=N] [--cache] [--of-largest=PART] [--markdown [--newer=FOLDER]]
//       [--light]
//
// FOLDER is the unpacked archive of the tests. --markdown prints the page docs/onnx.md, with the
// tests of newer versions of ONNX's operators that `tools/try_onnxruntime --backend` wrote.
// With --light, FOLDER has ONNX's light models and their outputs. --of-largest=1e-4 lets elements
// differ by this part of an output's largest one, and by no more.
#include <cstdio>
#include <thread>

#include "driver/default_plugins.h"
#include "graph/import/onnx/import.h"
#include "graph/import/onnx/node_suite.h"

namespace lathe::graph::onnx {
namespace {

// What is known of tests that do not pass although nothing is missing.
struct Remark {
  std::string_view part, text;
};
constexpr Remark kRemarks[] = {
    {"adam_multiple", "the results were recorded with an epsilon that the model does not state"},
    {"bernoulli", "random numbers, which ONNX does not define"},
    {"BFLOAT16",
     "the recorded results were truncated; ours are rounded to the nearest even number"},
    {"dft_inverse", "the recorded results have rounding errors of float32; ours are nearer to 0"},
    {"qlinearmatmul", "the recorded results wrapped around; ours saturate, as ONNX says"},
    {"fp16", "the results were recorded with steps that were rounded to 16 bits"},
};

void PrintCounts(const std::vector<SuiteOutcome>& outcomes) {
  for (const bool expanded : {false, true}) {
    const SuiteCounts counts = CountOf(outcomes, expanded);
    std::printf(
        "%s: %d of %d passed (%d with values that shapes depend on given when compiled), "
        "%d failed, %d refused\n",
        expanded ? "expanded" : "unexpanded", counts.passed, counts.all(), counts.fixed,
        counts.failed, counts.refused);
  }
}

// What the page says of operators that are not ONNX's own.
constexpr const char* kMicrosoft =
    "## com.microsoft\n\n"
    "Operators that ONNX Runtime's optimizer and exporters write. Each attribute that is not "
    "known, "
    "and each input that is not supported, is refused by name.\n\n"
    "- **Attention**: masks of 0 and 1 (rank 2 to 4), ends, or ends and begins of sequences, a "
    "bias, a past; not `do_rotary`, nor one buffer for past and present. MultiHeadAttention also "
    "takes packed queries, keys and values, and keys that have heads already.\n"
    "- **GroupQueryAttention** is a formula of `seqlens_k`: each sequence of a batch may have "
    "another number of keys in its cache. Caches are float, and not windows; there is no "
    "`qk_output`, and no normalisation inside.\n"
    "- **MatMulNBits**: weights of 2, 4 and 8 bits become numbers of A's type when the model is "
    "compiled, so they take the memory of these; `accuracy_level` is not used.\n"
    "- **QLinear...** and the other operators of 8 bits are computed in float32 between their "
    "inputs' and outputs' scales.\n\n"
    "`tools/try_onnxruntime` compares a model of each with ONNX Runtime at levels 0 and 3 "
    "(`python/onnxruntime`).\n\n";

// How to add operators.
constexpr const char* kOwn = R"(## Operators of one's own

What Lathe does not know, or shall convert in another way, a function of yours turns into operators
of Lathe's:

```python
def scale(inputs, attributes):
    return inputs[0] * attributes.get("factor", 1.0)

mod, params = relay.frontend.from_onnx("model.onnx", convert_map={"com.example.Scale": scale})
```

In C++ it is `ImportOptions::converters` (`graph/import/onnx/import.h`). Such functions come before
Lathe's operators, and before the functions of the model. An input whose value is known is a
constant, so that the function may read it; one that is left out is `None`. A function that fails,
or whose results are not those of the node, is the error `onnx-custom`, which names the node.

)";

void PrintCountRows(const std::vector<SuiteOutcome>& outcomes, const std::string& what) {
  for (const bool expanded : {false, true}) {
    std::printf("%s\n", CountRow(outcomes, what, expanded).c_str());
  }
}

void PrintFailureRows(const std::vector<SuiteOutcome>& outcomes) {
  for (const SuiteOutcome& outcome : outcomes) {
    if (outcome.kind == SuiteOutcome::Kind::kPassed) continue;
    std::string reason = outcome.reason;
    for (const Remark& remark : kRemarks) {
      if (outcome.kind == SuiteOutcome::Kind::kFailed &&
          outcome.name.find(remark.part) != std::string::npos) {
        reason = remark.text;
      }
    }
    std::printf("| %s | %s | %s |\n", outcome.name.c_str(), OutcomeName(outcome.kind),
                reason.c_str());
  }
}

// `newer`: the outcomes of tests of newer versions of ONNX's operators; may be empty.
void PrintMarkdown(const std::vector<SuiteOutcome>& outcomes,
                   const std::vector<SuiteOutcome>& newer) {
  std::printf(
      "# ONNX\n\n"
      "This page is written by `bazel run --config=ci //graph/import/onnx:node_suite -- FOLDER "
      "--markdown`.\n\n## Operators\n\n");
  std::string line;
  for (const std::string& name : SupportedOperators()) {
    line += (line.empty() ? "" : ", ") + name;
  }
  std::printf("%s.\n\n%s%s## ONNX's backend tests\n\n", line.c_str(), kMicrosoft, kOwn);
  std::printf(
      "The node tests of onnx 1.17.0, imported, compiled at level 3 and run, with a relative "
      "tolerance of 1e-3 (or two units in the last place of 16-bit floats) and an absolute one of "
      "1e-7. Inputs are bound while running. *Fixed*: "
      "passed with the values of some inputs given when the model was compiled, because they "
      "decide "
      "shapes (`shape` of Reshape, `axes` of reductions).\n\n"
      "| tests | all | passed | of them fixed | failed | refused |\n|---|---|---|---|---|---|\n");
  PrintCountRows(outcomes, "");
  if (!newer.empty()) PrintCountRows(newer, "opsets 23 to 28: ");
  std::printf("\n## What does not pass\n\n| test | | why |\n|---|---|---|\n");
  PrintFailureRows(outcomes);
  if (newer.empty()) return;
  std::printf(
      "\n## What does not pass of opsets 23 to 28\n\n"
      "The tests that the package onnx 1.23.2 makes (`tools/try_onnxruntime --backend "
      "23-28`).\n\n| test | | why |\n|---|---|---|\n");
  PrintFailureRows(newer);
}

int Main(int argc, char** argv) {
  SuiteOptions options;
  std::string folder, filter, newer;
  bool verbose = false, markdown = false, light = false;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "--interpret") {
      options.interpret = true;
    } else if (arg == "--verbose") {
      verbose = true;
    } else if (arg == "--light") {
      light = true;
    } else if (arg == "--markdown") {
      markdown = true;
    } else if (arg == "--cache") {
      options.cache = &driver::CompileCache::Default();
    } else if (arg.starts_with("--level=")) {
      options.opt_level = std::atoi(arg.c_str() + 8);
    } else if (arg.starts_with("--of-largest=")) {
      options.of_largest = std::atof(arg.c_str() + 13);
      options.rtol = 0;
    } else if (arg.starts_with("--newer=")) {
      newer = arg.substr(8);
    } else if (arg.starts_with("--filter=")) {
      filter = arg.substr(9);
    } else if (arg.starts_with("--") || !folder.empty()) {
      std::fprintf(stderr, "node_suite: %s is not known; see the head of node_suite_main.cc\n",
                   arg.c_str());
      return 2;
    } else {
      folder = arg;
    }
  }
  if (folder.empty()) {
    std::fprintf(stderr, "node_suite: expected the folder of the tests\n");
    return 2;
  }
  driver::UseDefaultPlugins();
  if (markdown) {
    const int threads = static_cast<int>(std::thread::hardware_concurrency());
    const auto run = [&](const std::string& root) {
      return root.empty() ? std::vector<SuiteOutcome>()
                          : RunCases(FindCases(root), options, threads);
    };
    PrintMarkdown(run(folder), run(newer));
    return 0;
  }
  std::vector<SuiteOutcome> outcomes;
  for (const std::string& path : light ? FindLightModels(folder) : FindCases(folder)) {
    if (path.find(filter) == std::string::npos) continue;
    outcomes.push_back(light ? RunLightModel(path, options) : RunCase(path, options));
    const SuiteOutcome& outcome = outcomes.back();
    if (outcome.kind == SuiteOutcome::Kind::kPassed && !verbose) continue;
    std::string fixed;
    for (const std::string& name : outcome.fixed) fixed += " " + name;
    std::printf("%s %s %s%s\n", OutcomeName(outcome.kind), outcome.name.c_str(),
                outcome.reason.c_str(), fixed.empty() ? "" : (" (fixed:" + fixed + ")").c_str());
    std::fflush(stdout);
  }
  PrintCounts(outcomes);
  return 0;
}

}  // namespace
}  // namespace lathe::graph::onnx

int main(int argc, char** argv) { return lathe::graph::onnx::Main(argc, argv); }
