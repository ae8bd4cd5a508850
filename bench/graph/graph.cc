// What the executor of plans costs beside its kernels. Prints the minimum and the median of many
// samples, in microseconds, beside the goals.
//
//   bazel run -c opt //bench/graph
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

#include "runtime/artifact/artifact_module.h"
#include "runtime/graph/executor.h"
#include "runtime/graph/test_kernels.h"
#include "runtime/graph/test_plans.h"
#include "runtime/init.h"
#include "runtime/tensor.h"

namespace lathe::runtime::graph {
namespace {

// A chain of kernels that do nothing. Each takes two tensors and one size.
Plan Chain(int steps) {
  PlanBuilder b;
  const int32_t n = b.Extent(0, 0);
  int32_t last = b.Input("x", {n});
  for (int i = 0; i < steps; ++i) {
    const int32_t next = b.Arena({n});
    b.Step("empty", {last, next}, {{"n", n}});
    last = next;
  }
  b.plan.outputs = {last};
  return b.plan;
}

void Report(const char* what, const char* goal, int samples, const std::function<void()>& body) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  for (int i = 0; i < samples; ++i) {
    const auto begin = Clock::now();
    body();
    times.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
  }
  std::sort(times.begin(), times.end());
  std::printf("%-52s %10.1f %10.1f   %s\n", what, times.front(), times[times.size() / 2], goal);
}

void Run() {
  Initialize();
  const Module kernels = StaticArtifact(&lathe_graph_test_kernels).value();
  const Plan plan = Chain(1000);
  const auto executable = Executable::Create(plan, kernels).value();
  const Tensor x = Tensor::Empty({1024}, DataType::Float(32)).value();
  const Tensor y = Tensor::Empty({2048}, DataType::Float(32)).value();
  const auto good = [](const absl::Status& status) {
    if (!status.ok()) std::printf("%s\n", std::string(status.message()).c_str());
  };
  std::printf("%-52s %10s %10s   %s\n", "", "min us", "median us", "goal");
  Context context(executable);
  good(context.SetInput(0, x));
  good(context.Run());
  Report("run 1,000 empty kernels", "150", 500, [&] { good(context.Run()); });
  bool other = false;
  Report("the same, the shape alternating between two", "", 500, [&] {
    other = !other;
    good(context.SetInputZeroCopy(0, other ? y : x));
    good(context.Run());
  });
  int64_t extent = 0;
  Report("the same, each time with a new shape", "", 100, [&] {
    good(context.SetInputZeroCopy(0, y.Slice(0, 0, ++extent)));
    good(context.Run());
  });
  Report("find and check 1,000 kernels", "", 50,
         [&] { good(Executable::Create(plan, kernels).status()); });
  const std::string bytes = EncodePlan(plan);
  Report("read and check the plan", "", 50, [&] { good(DecodePlan(bytes).status()); });
}

}  // namespace
}  // namespace lathe::runtime::graph

int main() { lathe::runtime::graph::Run(); }
