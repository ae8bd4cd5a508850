// What checks cost: the digest of an artefact's code when it is loaded, and the verifier before a
// plugin gets a module.
//
//   bazel run //bench/compile:checks_bench
//
// Budgets: 2 ms for 10 MB of code and metadata; 3 % of a compilation. Times are the minimum of the
// runs; shares are of the sums over all runs.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/pieces.h"
#include "bench/compile/compiled_programs.h"
#include "driver/auto_build.h"
#include "driver/build_module.h"
#include "driver/compile_times.h"
#include "driver/default_plugins.h"
#include "runtime/artifact/seal.h"
#include "topi/cpu/conv2d.h"
#include "topi/ops/rows.h"

namespace lathe::bench {
namespace {

using driver::ProgramToCompile;
using runtime::SealCheck;

// -- Digests.

std::string RandomBytes(size_t bytes) {
  std::mt19937_64 random(1);
  std::string out(bytes, '\0');
  std::generate(out.begin(), out.end(), [&] { return static_cast<char>(random()); });
  return out;
}

double LeastToCheck(std::string_view file, SealCheck what) {
  double least = INFINITY;
  for (int run = 0; run < 51; ++run) {
    const double start = Now();
    if (!runtime::CheckSeal(file, "file", what).ok()) std::exit(1);
    least = std::min(least, Now() - start);
  }
  return least;
}

void Digests() {
  constexpr size_t kBytes = 10'000'000;
  std::string code = RandomBytes(kBytes);
  code += runtime::SealOf(Pieces(code), {});
  std::printf("digest of 10 MB of code and metadata: %.2f ms (budget 2)\n",
              LeastToCheck(code, SealCheck::kCode));
}

// -- The verifier.

ProgramToCompile ByDefault(std::vector<ir::NodeRef> args, const target::Target& target) {
  auto program = driver::AutoProgram(std::move(args), "kernel", target, {}, nullptr);
  if (!program.ok()) std::exit(1);
  return *std::move(program);
}

ProgramToCompile VectorAdd(const target::Target& target) {
  const ir::Var n = ir::MakeSizeVar("n");
  const te::Tensor a = te::Placeholder({n}, DataType::Float(32), "A"),
                   b = te::Placeholder({n}, DataType::Float(32), "B");
  const te::Tensor c = te::Compute(
      {n}, [&](const te::Indices& i) { return te::At(a, {i[0]}) + te::At(b, {i[0]}); }, "C");
  return ByDefault({a, b, c}, target);
}

ProgramToCompile Softmax(const target::Target& target) {
  const te::Tensor x = te::Placeholder({ir::Int(64), ir::Int(1000)}, DataType::Float(32), "X");
  return ByDefault({x, topi::ops::Softmax(x)}, target);
}

ProgramToCompile Convolution(const target::Target& target) {
  return Scheduled(topi::cpu::Conv2dNCHWc({1, 64, 56, 56, 64, 3, 1, 1}, Machine()), "kernel",
                   target);
}

struct Named {
  const char* name;
  ProgramToCompile (*make)(const target::Target& target);
};
constexpr Named kPrograms[] = {{"vector add", VectorAdd},
                               {"softmax 64 x 1000", Softmax},
                               {"GEMM 1024", Gemm},
                               {"convolution 3 x 3, 56 x 56 x 64", Convolution}};

void Verifier() {
  const target::Target target = target::ParseTarget("llvm");
  double verified = 0, compiled = 0;
  for (const Named& program : kPrograms) {
    double verify = 0, total = 0;
    constexpr int kRuns = 21;
    for (int run = 0; run <= kRuns; ++run) {
      ProgramToCompile made = program.make(target);
      driver::CompileTimes times;
      times.Watch(&made.context);
      if (!driver::BuildProgram(made, nullptr).ok()) std::exit(1);
      const double took = times.Elapsed();
      if (run == 0) continue;  // the plugin is loaded
      total += took;
      for (const driver::CompileTimes::Step& step : times.Steps()) {
        if (step.who == "driver" && step.what == "verify") verify += step.seconds;
      }
    }
    if (verify == 0) std::exit(1);
    std::printf("verified before the plugin, %s: %.3f ms of %.2f ms, %.2f %%\n", program.name,
                verify * 1e3 / kRuns, total * 1e3 / kRuns, 100 * verify / total);
    verified += verify;
    compiled += total;
  }
  std::printf("verified before the plugin, all: %.2f %% of lowering and compiling (budget 3)\n",
              100 * verified / compiled);
}

}  // namespace
}  // namespace lathe::bench

int main() {
  lathe::driver::UseDefaultPlugins();
  lathe::bench::Digests();
  lathe::bench::Verifier();
  return 0;
}
