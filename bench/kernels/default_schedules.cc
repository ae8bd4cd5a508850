// What a hand-written schedule gains: each case of bench/run, with its template's schedule and with
// the one that AutoSchedule gives the same computation, timed alternately, several times.
//
//   bazel run -c opt //bench/kernels:default_schedules -- [--threads=N] [--trace] [NAME...]
//
// Prints the minimum of all samples; "limit" is what docs/design/default_schedules.md promises.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/kernels/cases.h"
#include "bench/kernels/default_kernel.h"
#include "driver/compile.h"
#include "driver/compile_times.h"
#include "driver/default_plugins.h"
#include "ir/text/printer.h"
#include "runtime/tensor.h"
#include "runtime/thread_pool.h"
#include "runtime/timer.h"
#include "schedule/trace.h"
#include "target/canonical.h"
#include "target/machine_of.h"
#include "target/target.h"

namespace lathe::bench {
namespace {

using runtime::Tensor;
using topi::cpu::Kernel;

bool StartsWith(const std::string& text, const std::string& prefix) {
  return text.rfind(prefix, 0) == 0;
}

struct Ready {
  runtime::Module module;
  runtime::Function function;
  std::vector<Tensor> tensors;
  std::vector<runtime::Value> values;
  double least_ms = INFINITY;
  double compile_ms = 0;
};

Ready Prepare(const Kernel& kernel, const target::Target& target) {
  Ready out;
  driver::CompileTimes times;
  lower::PassContext context;
  times.Watch(&context);
  out.module = *driver::Build(
      driver::Lower(kernel.schedule, {kernel.args.begin(), kernel.args.end()}, "kernel", context),
      target, context);
  out.compile_ms = times.Seconds() * 1e3;
  out.function = *out.module.GetFunction("kernel");
  for (const te::Tensor& arg : kernel.args) {
    std::vector<int64_t> shape;
    for (const ir::Expr& extent : arg->shape()) shape.push_back(ir::As<ir::IntImm>(extent)->value);
    Tensor tensor = *Tensor::Empty(shape, arg->dtype());
    if (arg->dtype() == DataType::Float(32)) {
      for (int64_t i = 0; i < tensor.num_elements(); ++i)
        tensor.HostData<float>()[i] = static_cast<float>(i % 17) / 17 - 0.5f;
    }
    out.tensors.push_back(tensor);
    out.values.emplace_back(tensor);
  }
  return out;
}

void Time(Ready& kernel) {
  runtime::TimerOptions options;
  options.repeat = 5;
  options.min_repeat_ms = 5;
  const auto result =
      runtime::TimeFunction(kernel.function, kernel.values, runtime::Device(), options);
  if (!result.ok()) {
    std::fprintf(stderr, "%s\n", result.status().ToString().c_str());
    std::exit(1);
  }
  kernel.least_ms = std::min(kernel.least_ms, result->min * 1e3);
}

int Main(const std::vector<std::string>& arguments) {
  std::vector<std::string> wanted;
  bool trace = false;
  int threads = 1;
  for (const std::string& argument : arguments) {
    if (argument == "--trace") {
      trace = true;
    } else if (StartsWith(argument, "--threads=")) {
      threads = std::atoi(argument.c_str() + 10);
    } else {
      wanted.push_back(argument);
    }
  }
  driver::UseDefaultPlugins();
  runtime::SetNumThreads(threads);
  const target::Target target = *target::CanonicalTarget(target::ParseTarget("llvm"));
  const target::Machine machine = target::MachineOf(target);
  std::printf("%-28s %10s %10s %7s %6s  %s\n", "case", "hand ms", "default ms", "ratio", "limit",
              "compile ms, hand and default");
  int over = 0;
  for (const Case& each : Cases()) {
    bool asked = wanted.empty();
    for (const std::string& prefix : wanted) asked = asked || StartsWith(each.name, prefix);
    if (!asked || !HasDefault(each)) continue;
    const Kernel hand = each.make(machine);
    const Kernel made = DefaultKernel(each, hand, machine);
    if (trace)
      std::printf("%s\n",
                  ir::ToText(schedule::ToProgram(made.schedule,
                                                 {made.args.begin(), made.args.end()}, each.name))
                      .c_str());
    Ready by_hand = Prepare(hand, target), by_default = Prepare(made, target);
    for (int round = 0; round < 4; ++round) {
      Time(by_hand);
      Time(by_default);
    }
    const double ratio = by_default.least_ms / by_hand.least_ms;
    const double limit = DefaultLimit(each);
    if (ratio > limit) ++over;
    std::printf("%-28s %10.4f %10.4f %7.2f %6.0f%s %.1f, %.1f\n", each.name.c_str(),
                by_hand.least_ms, by_default.least_ms, ratio, limit, ratio > limit ? "!" : " ",
                by_hand.compile_ms, by_default.compile_ms);
    std::fflush(stdout);
  }
  std::printf("%d over the limit; peak memory %.0f MB\n", over,
              static_cast<double>(driver::PeakMemory()) / (1 << 20));
  return 0;
}

}  // namespace
}  // namespace lathe::bench

int main(int argc, char** argv) { return lathe::bench::Main({argv + 1, argv + argc}); }
