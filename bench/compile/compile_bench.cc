// From tensor expressions to a callable: in this process, in a new one through the compile cache,
// and several kernels at once; where the time goes, and the most memory used.
//
//   bazel run //bench/compile:compile_bench
//
// Budgets: vector addition 6 ms and matrix product 25 ms, both with hand-written schedules, once
// the plugin is loaded; 2 ms in a process that finds them in the cache, from before its first use
// of Lathe to the callable; 100 kernels as one module 1,600 ms on two cores, 60 ms from the cache.
// Figures are the minimum of the runs.
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "bench/compile/compiled_programs.h"
#include "driver/auto_build.h"
#include "driver/build_many.h"
#include "driver/build_module.h"
#include "driver/compile_times.h"
#include "driver/default_plugins.h"
#include "runtime/tensor.h"
#include "schedule/primitives/primitives.h"
#include "topi/cpu/conv2d.h"
#include "topi/cpu/gemm.h"

namespace lathe::bench {
namespace {

using driver::CompileCache;
using driver::ProgramToCompile;

ProgramToCompile VectorAdd(const target::Target& target) {
  const ir::Var n = ir::MakeSizeVar("n");
  const te::Tensor a = te::Placeholder({n}, DataType::Float(32), "A"),
                   b = te::Placeholder({n}, DataType::Float(32), "B");
  const te::Tensor c = te::Compute(
      {n}, [&](const te::Indices& i) { return te::At(a, {i[0]}) + te::At(b, {i[0]}); }, "C");
  schedule::Schedule s = schedule::CreateSchedule({c->op});
  auto [outer, inner] = schedule::Split(s[c], schedule::AxisOf(c, 0), 64);
  schedule::Parallel(s[c], outer);
  schedule::Vectorize(s[c], schedule::Split(s[c], inner, 16).second);
  return {s, {a, b, c}, "add", target, {}};
}

// The processor time of this process in ms: the only time that has a meaning on a busy machine.
double Computed() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

using Maker = ProgramToCompile (*)(const target::Target&);
struct Named {
  const char* name;
  Maker make;
  double budget_ms;
};
constexpr Named kPrograms[] = {{"vector add", VectorAdd, 6}, {"GEMM 1024", Gemm, 25}};

void InProcess(const Named& program) {
  const target::Target target = target::ParseTarget("llvm");
  double least = INFINITY, least_computed = INFINITY;
  std::string where;
  for (int run = 0; run < 21; ++run) {
    const double start = Now(), computed = Computed();
    ProgramToCompile made = program.make(target);
    driver::CompileTimes times;
    times.Watch(&made.context);
    const auto module = driver::BuildProgram(made, nullptr);
    if (!module.ok()) std::exit(1);
    const double took = Now() - start;
    least_computed = std::min(least_computed, Computed() - computed);
    if (took < least) {
      least = took;
      where = times.ToString();
    }
  }
  std::printf(
      "%s, te to callable in this process: %.2f ms, %.2f ms of the processor (budget %.0f)\n%s\n",
      program.name, least, least_computed, program.budget_ms, where.c_str());
}

// In the child: prints the milliseconds.
int Child(const std::string& which, const std::string& folder) {
  const double start = Now();
  driver::UseDefaultPlugins();
  CompileCache cache({folder, 1 << 28});
  const target::Target target = target::ParseTarget("llvm");
  for (const Named& program : kPrograms) {
    if (which != program.name) continue;
    const auto module = driver::BuildProgram(program.make(target), &cache);
    if (!module.ok()) return 1;
    std::printf("%.3f %s\n", Now() - start, cache.hits() == 1 ? "hit" : "miss");
  }
  return 0;
}

// Runs this program again; returns {milliseconds, found in the cache}.
std::pair<double, bool> RunChild(const char* which, const std::string& folder) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  setenv("RUNFILES_DIR", (self + ".runfiles").c_str(), 0);
  const std::string command = self + " --child '" + which + "' '" + folder + "'";
  FILE* pipe = popen(command.c_str(), "r");
  double ms = 0;
  char word[16] = "";
  if (pipe == nullptr || std::fscanf(pipe, "%lf %15s", &ms, word) != 2) std::exit(1);
  pclose(pipe);
  return {ms, std::string(word) == "hit"};
}

void OtherProcess(const Named& program) {
  std::string folder = "/tmp/lathe-compile-bench-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) std::exit(1);
  const auto [first, found] = RunChild(program.name, folder);
  if (found) std::exit(1);
  double least = INFINITY;
  for (int run = 0; run < 21; ++run) {
    const auto [ms, hit] = RunChild(program.name, folder);
    if (!hit) std::exit(1);
    least = std::min(least, ms);
  }
  std::filesystem::remove_all(folder);
  std::printf("%s in a new process: %.2f ms compiled, %.2f ms from the cache (budget 2)\n",
              program.name, first, least);
}

// A compiled function of three tensors: all its checks, and 16 additions.
void CallCompiled() {
  const te::Tensor a = te::Placeholder({ir::Int(16)}, DataType::Float(32), "A"),
                   b = te::Placeholder({ir::Int(16)}, DataType::Float(32), "B");
  const te::Tensor c = te::Compute(
      {ir::Int(16)}, [&](const te::Indices& i) { return te::At(a, {i[0]}) + te::At(b, {i[0]}); },
      "C");
  const auto module = driver::AutoBuild({a, b, c}, "add", target::ParseTarget("llvm"), {}, nullptr);
  if (!module.ok()) std::exit(1);
  const runtime::Function add = *module->GetFunction("add");
  const runtime::Tensor x = *runtime::Tensor::Empty({16}, DataType::Float(32)),
                        y = *runtime::Tensor::Empty({16}, DataType::Float(32)),
                        z = *runtime::Tensor::Empty({16}, DataType::Float(32));
  double least = INFINITY;
  constexpr int kCalls = 100000;
  for (int sample = 0; sample < 30; ++sample) {
    const double start = Now();
    for (int i = 0; i < kCalls; ++i) add(x, y, z);
    least = std::min(least, (Now() - start) * 1e6 / kCalls);
  }
  std::printf(
      "call of a compiled function of three tensors, arguments checked: %.1f ns (budget 40)\n",
      least);
}

// 100 kernels, all different, of the kinds in a network for images: convolutions, products,
// normalised rows and maps, with the schedules that users get.
std::vector<ProgramToCompile> Network(const target::Target& target) {
  std::vector<ProgramToCompile> programs;
  const auto add = [&](schedule::Schedule s, std::vector<ir::NodeRef> args) {
    const std::string name = "kernel_" + std::to_string(programs.size());
    programs.push_back({std::move(s), std::move(args), name, target, {}});
  };
  const auto add_default = [&](std::vector<ir::NodeRef> args) {
    auto made = driver::AutoProgram(std::move(args), "", target, {}, nullptr);
    if (!made.ok()) std::exit(1);
    add(made->schedule, made->args);
  };
  for (int64_t i = 0; i < 20; ++i) {
    const auto conv = topi::cpu::Conv2dNCHWc(
        {1, 64 + 32 * (i % 5), 7 * (1 + i % 4), 7 * (1 + i % 4), 64 + 32 * (i / 5), 3, 1, 1},
        Machine());
    add(conv.schedule, {conv.args.begin(), conv.args.end()});
    const auto gemm =
        topi::cpu::Gemm({16 + 16 * i, 256, 64 + 32 * (i % 7)}, DataType::Float(32), Machine());
    add(gemm.schedule, {gemm.args.begin(), gemm.args.end()});
    const ir::Expr rows = ir::Int(64 + i), columns = ir::Int(128 + 16 * i);
    const te::Tensor a = te::Placeholder({rows, columns}, DataType::Float(32), "A"),
                     b = te::Placeholder({rows, columns}, DataType::Float(32), "B");
    const ir::IterVar k = te::ReduceAxis(ir::Int(0), columns, "k");
    const te::Tensor most = te::Compute(
        {rows}, [&](const te::Indices& x) { return te::Max(te::At(a, {x[0], k->var}), {k}); }, "m");
    add_default({a, te::Compute(
                        {rows, columns},
                        [&](const te::Indices& x) {
                          return te::At(a, {x[0], x[1]}) - te::At(most, {x[0]});
                        },
                        "C")});
    add_default({a, b,
                 te::Compute(
                     {rows, columns},
                     [&](const te::Indices& x) {
                       return ir::MakeMax(te::At(a, {x[0], x[1]}) + te::At(b, {x[0], x[1]}),
                                          ir::Float(0));
                     },
                     "C")});
    add_default({a, te::Compute(
                        {columns, rows},
                        [&](const te::Indices& x) {
                          return te::At(a, {x[1], x[0]}) * ir::Float(static_cast<double>(i));
                        },
                        "C")});
  }
  return programs;
}

void OneModuleOfMany() {
  const std::vector<ProgramToCompile> programs = Network(target::ParseTarget("llvm"));
  double cold = INFINITY, found = INFINITY;
  for (int run = 0; run < 3; ++run) {
    std::string folder = "/tmp/lathe-compile-bench-XXXXXX";
    if (mkdtemp(folder.data()) == nullptr) std::exit(1);
    for (int again = 0; again < 4; ++again) {
      CompileCache cache({folder, 1 << 28});
      const double start = Now();
      const auto module = driver::BuildTogether(programs, {.cache = &cache});
      if (!module.ok()) std::exit(1);
      double& least = again == 0 ? cold : found;
      least = std::min(least, Now() - start);
      const auto expected = static_cast<int64_t>(again == 0 ? 0 : programs.size());
      if (cache.hits() != expected) std::exit(1);
    }
    std::filesystem::remove_all(folder);
  }
  std::printf(
      "%zu kernels as one module: %.0f ms compiled (budget 1600), %.1f ms from the cache "
      "(budget 60)\n",
      programs.size(), cold, found);
}

void SeveralAtOnce() {
  const target::Target target = target::ParseTarget("llvm");
  std::vector<ProgramToCompile> programs;
  for (const int64_t n : {64, 128, 192, 256, 320, 384, 448, 512}) {
    for (const bool convolution : {false, true}) {
      const topi::cpu::Kernel kernel =
          convolution ? topi::cpu::Conv2dNCHWc({1, 64, n / 8, n / 8, 64, 3, 1, 1}, Machine())
                      : topi::cpu::Gemm({n, n, n}, DataType::Float(32), Machine());
      programs.push_back(
          {kernel.schedule, {kernel.args.begin(), kernel.args.end()}, "kernel", target, {}});
    }
  }
  double least[3] = {INFINITY, INFINITY, INFINITY};
  for (int run = 0; run < 5; ++run) {
    for (const int threads : {1, 2}) {
      const double start = Now();
      for (const auto& module : driver::BuildMany(programs, nullptr, threads)) {
        if (!module.ok()) std::exit(1);
      }
      least[threads] = std::min(least[threads], Now() - start);
    }
  }
  std::printf("%zu kernels: %.0f ms on one thread, %.0f ms on two (%.2f times as fast)\n",
              programs.size(), least[1], least[2], least[1] / least[2]);
}

}  // namespace
}  // namespace lathe::bench

int main(int argc, char** argv) {
  using namespace lathe;  // NOLINT: a program of one function
  if (argc == 4 && std::string(argv[1]) == "--child") return bench::Child(argv[2], argv[3]);
  driver::UseDefaultPlugins();
  for (const bench::Named& program : bench::kPrograms) bench::InProcess(program);
  for (const bench::Named& program : bench::kPrograms) bench::OtherProcess(program);
  bench::SeveralAtOnce();
  bench::OneModuleOfMany();
  bench::CallCompiled();
  std::printf("peak memory %.1f MB\n", static_cast<double>(driver::PeakMemory()) / (1 << 20));
  return 0;
}
