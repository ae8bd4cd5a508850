// How long inference, each pass, fusion and planning take for graphs of more and more operators:
// encoders with many narrow layers, of any number of tokens. No kernel of the plan is compiled; the
// constants are folded as always, by kernels that are.
//
//   passes [OPERATORS ...]     1000 2000 5000 10000 20000 if none are given
//   passes --import [OPERATORS ...]
//   passes --weights MEGABYTES
//
// --import: how long the import of an ONNX file with so many operators takes. --weights: what
// memory the import of an ONNX file with so many bytes of weights takes, and compiling it.
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/file.h"
#include "driver/default_plugins.h"
#include "graph/build.h"
#include "graph/import/model_file.h"
#include "graph/import/onnx/test_models.h"
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

// A file that is removed at the end.
class Scratch {
 public:
  explicit Scratch(const std::string& bytes)
      : path_(std::filesystem::temp_directory_path() /
              ("lathe-passes-" + std::to_string(getpid()) + ".onnx")) {
    const FileProblem problem = WriteFile(path_.string(), bytes);
    if (!problem.ok()) throw std::runtime_error(problem.text);
  }
  ~Scratch() { std::filesystem::remove(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

graph::ModelFile Imported(const std::string& path) {
  absl::StatusOr<graph::ModelFile> model = graph::ImportModelFile(path, {});
  if (!model.ok()) throw std::runtime_error(std::string(model.status().message()));
  return *std::move(model);
}

// Blocks of a convolution with its bias, a normalisation, an activation, a sum, and a reshape whose
// shape the graph computes, as exporters write them.
std::string OnnxModel(size_t operators) {
  using graph::onnx::FloatTensor, graph::onnx::IntTensor, graph::onnx::IntsAttribute;
  graph::onnx::TestGraph made{.nodes = {}, .inputs = {{"x0", {1, 16, 8, 8}}}, .outputs = {}};
  made.initializers = {IntTensor("first", {0}), IntTensor("rest", {16, 8, 8})};
  const std::string pads = IntsAttribute("pads", {1, 1, 1, 1});
  const std::vector<float> ones(16, 1), weights(16 * 16 * 9, 0.01F);
  std::string x = "x0";
  for (size_t i = 1; made.nodes.size() + 8 <= operators; ++i) {
    const std::string n = std::to_string(i);
    made.nodes.push_back({"Conv", {x, "w" + n, "b" + n}, {"conv" + n}, {pads}});
    made.nodes.push_back(
        {"BatchNormalization", {"conv" + n, "b" + n, "b" + n, "b" + n, "b" + n}, {"norm" + n}});
    made.nodes.push_back({"Relu", {"norm" + n}, {"relu" + n}});
    made.nodes.push_back({"Add", {"relu" + n, x}, {"sum" + n}});
    made.nodes.push_back({"Shape", {"sum" + n}, {"shape" + n}});
    made.nodes.push_back({"Gather", {"shape" + n, "first"}, {"batch" + n}});
    made.nodes.push_back(
        {"Concat", {"batch" + n, "rest"}, {"all" + n}, {graph::onnx::IntAttribute("axis", 0)}});
    made.nodes.push_back({"Reshape", {"sum" + n, "all" + n}, {"x" + n}});
    made.initializers.push_back(FloatTensor("w" + n, {16, 16, 3, 3}, weights));
    made.initializers.push_back(FloatTensor("b" + n, {16}, ones));
    x = "x" + n;
  }
  made.outputs = {x};
  return graph::onnx::ModelBytes(made);
}

void MeasureImport(size_t operators) {
  const Scratch file(OnnxModel(operators));
  std::vector<double> times;
  for (int i = 0; i < 7; ++i) {
    const Clock::time_point start = Clock::now();
    Imported(file.path());
    times.push_back(Milliseconds(start));
  }
  std::sort(times.begin(), times.end());
  std::printf("import of an ONNX file of %zu operators: %.1f ms, median %.1f ms%s\n",
              operators / 8 * 8, times.front(), times[times.size() / 2],
              operators == 1000 ? " (goal: 300 ms)" : "");
}

// A line of /proc/self/status, in megabytes.
double Megabytes(const std::string& what) {
  std::ifstream status("/proc/self/status");
  std::string name;
  double kilobytes = 0;
  while (status >> name) {
    if (name == what + ":") status >> kilobytes;
  }
  return kilobytes / 1000;
}

void PrintMemory(const char* when) {
  std::printf("%-28s own %7.0f MB, of mapped files %7.0f MB, most of both so far %7.0f MB\n", when,
              Megabytes("RssAnon"), Megabytes("RssFile"), Megabytes("VmHWM"));
  std::fflush(stdout);
}

// Products with square matrices of 1024: 4 MB each. Protobuf does not align them.
void MeasureWeights(size_t megabytes) {
  using graph::onnx::RawTensor;
  constexpr int64_t kExtent = 1024;
  constexpr size_t kBytes = kExtent * kExtent * sizeof(float);
  std::string bytes;
  {
    graph::onnx::TestGraph made{.nodes = {}, .inputs = {{"x0", {1, kExtent}}}, .outputs = {}};
    std::string x = "x0";
    for (size_t i = 1; i * kBytes <= megabytes * 1000000; ++i) {
      const std::string n = std::to_string(i);
      made.nodes.push_back({"MatMul", {x, "w" + n}, {"x" + n}});
      std::vector<float> weights(kExtent * kExtent, static_cast<float>(i));
      made.initializers.push_back(RawTensor(
          "w" + n, 1, {kExtent, kExtent}, {reinterpret_cast<const char*>(weights.data()), kBytes}));
      x = "x" + n;
    }
    made.outputs = {x};
    bytes = graph::onnx::ModelBytes(made);
  }
  const Scratch file(bytes);
  std::string().swap(bytes);
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << "5";  // the most so far is that of now
  PrintMemory("before");
  const Clock::time_point start = Clock::now();
  const graph::ModelFile model = Imported(file.path());
  std::printf("import of %zu MB of weights: %.0f ms\n", megabytes, Milliseconds(start));
  PrintMemory("imported");
  const auto compiled = graph::CompileGraph(model.module, model.function,
                                            target::ParseTarget("llvm"), {.opt_level = 3});
  if (!compiled.ok()) throw std::runtime_error(std::string(compiled.status().message()));
  PrintMemory("compiled");
}

}  // namespace
}  // namespace lathe

int main(int argc, char** argv) {
  std::vector<size_t> sizes;
  const std::string what = argc > 1 && argv[1][0] == '-' ? argv[1] : "";
  for (int i = what.empty() ? 1 : 2; i < argc; ++i) {
    sizes.push_back(std::strtoull(argv[i], nullptr, 10));
  }
  const auto measure = what == "--import"    ? lathe::MeasureImport
                       : what == "--weights" ? lathe::MeasureWeights
                                             : lathe::Measure;
  if (sizes.empty()) {
    sizes = what == "--weights" ? std::vector<size_t>{550}
                                : std::vector<size_t>{1000, 2000, 5000, 10000, 20000};
  }
  lathe::driver::UseDefaultPlugins();
  try {
    for (const size_t size : sizes) measure(size);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
