// Whole networks: how long they take to compile and to run, and which kernels take the time.
//
//   networks [NETWORK ...] [--threads=N] [--tokens=N] [--opt=N] [--kernels=N] [--seconds=S]
//            [--target=T] [--print-after=PASS]
//
// NETWORK: resnet18, resnet50, vgg19, densenet121, mobilenet, lstm, bert, static_bert.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "base/error.h"
#include "driver/default_plugins.h"
#include "graph/build.h"
#include "graph/networks/networks.h"
#include "ir/text/printer.h"
#include "runtime/tensor.h"
#include "runtime/thread_pool.h"

namespace lathe {
namespace {

using Clock = std::chrono::steady_clock;

double Milliseconds(Clock::time_point since) {
  return std::chrono::duration<double, std::milli>(Clock::now() - since).count();
}

struct Options {
  std::vector<std::string> networks;
  int threads = 1, opt_level = 3, kernels = 10;
  int64_t tokens = 128;
  double seconds = 2;
  std::string target = "llvm", print_after;
};

bool Flag(const std::string& arg, const std::string& name, std::string* value) {
  if (!arg.starts_with("--" + name + "=")) return false;
  *value = arg.substr(name.size() + 3);
  return true;
}

Options Parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    std::string value;
    if (Flag(argv[i], "threads", &value)) {
      options.threads = std::atoi(value.c_str());
    } else if (Flag(argv[i], "opt", &value)) {
      options.opt_level = std::atoi(value.c_str());
    } else if (Flag(argv[i], "kernels", &value)) {
      options.kernels = std::atoi(value.c_str());
    } else if (Flag(argv[i], "tokens", &value)) {
      options.tokens = std::atoi(value.c_str());
    } else if (Flag(argv[i], "seconds", &value)) {
      options.seconds = std::atof(value.c_str());
    } else if (Flag(argv[i], "print-after", &options.print_after)) {
    } else if (Flag(argv[i], "target", &value)) {
      options.target = value;
    } else if (argv[i][0] == '-') {
      std::fprintf(stderr, "unknown option %s; the first lines of networks.cc list them\n",
                   argv[i]);
      std::exit(2);
    } else {
      options.networks.emplace_back(argv[i]);
    }
  }
  if (options.networks.empty()) options.networks = {"resnet50", "bert"};
  return options;
}

graph::GraphFuncRef Network(const std::string& name, const Options& options) {
  if (name.starts_with("resnet")) return graph::ResNet(std::atoi(name.c_str() + 6));
  if (name.starts_with("vgg")) return graph::Vgg(std::atoi(name.c_str() + 3));
  if (name.starts_with("densenet")) return graph::DenseNet(std::atoi(name.c_str() + 8));
  if (name == "mobilenet") return graph::MobileNetV2();
  if (name == "lstm") return graph::Lstm(512);
  if (name == "bert") return graph::Bert();
  if (name == "static_bert") return graph::Bert({.tokens = options.tokens});
  std::fprintf(stderr, "there is no network `%s`: resnet18, 34, 50, 101, bert, static_bert\n",
               name.c_str());
  std::exit(2);
}

void SetInputs(runtime::graph::Context& context, const Options& options) {
  const runtime::graph::Plan& plan = context.plan();
  for (size_t i = 0; i < plan.inputs.size(); ++i) {
    const runtime::graph::PlanTensor& tensor =
        plan.tensors[static_cast<size_t>(plan.inputs[i].tensor)];
    std::vector<int64_t> shape;
    for (const int32_t number : tensor.shape) {
      const runtime::graph::PlanSize& size = plan.sizes[static_cast<size_t>(number)];
      const bool known = size.kind == runtime::graph::PlanSize::Kind::kConstant;
      shape.push_back(known ? size.value : options.tokens);
    }
    runtime::Tensor value = runtime::Tensor::Empty(shape, tensor.dtype).value();
    const size_t count = value.num_bytes() / static_cast<size_t>(tensor.dtype.bytes());
    for (size_t k = 0; k < count; ++k) {
      if (tensor.dtype.is_float()) {
        value.HostData<float>()[k] =
            plan.inputs[i].name == "mask" ? 1 : static_cast<float>(k * 7919 % 255) / 128 - 1;
      } else {
        value.HostData<int32_t>()[k] = static_cast<int32_t>(k * 7919 % 30000);
      }
    }
    if (const absl::Status status = context.SetInput(static_cast<int>(i), value); !status.ok()) {
      std::fprintf(stderr, "%s\n", status.ToString().c_str());
      std::exit(1);
    }
  }
}

void Require(const absl::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  std::exit(1);
}

void Run(const std::string& name, const Options& options) {
  Clock::time_point start = Clock::now();
  Ref<ir::GraphModuleNode> module = lathe::Make<ir::GraphModuleNode>();
  module->functions.push_back(Network(name, options));
  const double made_ms = Milliseconds(start);
  double weights = 0;
  for (const auto& binding : module->functions[0]->body->bindings) {
    const auto* constant = ir::As<ir::Constant>(binding->value);
    if (constant != nullptr) weights += static_cast<double>(constant->data->size());
  }
  start = Clock::now();
  graph::GraphBuildOptions build{.opt_level = options.opt_level};
  build.after_pass = [&](std::string_view pass, const graph::GraphFuncRef&,
                         const graph::GraphFuncRef& after) {
    if (pass == options.print_after)
      std::printf("%s\n", ir::ToText(after, {.max_data = 0}).c_str());
  };
  const auto compiled = graph::CompileGraph(ir::GraphModule(module), "main",
                                            target::ParseTarget(options.target), build);
  Require(compiled.status());
  const double compiled_ms = Milliseconds(start);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);  // of the largest network so far
  start = Clock::now();
  const auto executable = graph::LoadGraph(*compiled);
  Require(executable.status());
  runtime::graph::Context context(*executable);
  SetInputs(context, options);
  Require(context.SetThreads(options.threads));
  Require(context.Run());
  std::printf("%s, threads %d: made in %.0f ms, compiled in %.0f ms, loaded and run in %.0f ms\n",
              name.c_str(), options.threads, made_ms, compiled_ms, Milliseconds(start));
  std::printf("  weights %.0f MB, memory when compiled at most %.0f MB\n", weights / 1e6,
              static_cast<double>(usage.ru_maxrss) * 1024 / 1e6);
  std::printf("  %zu steps, arena %.1f MB (at least %.1f), code %.1f MB\n",
              context.plan().steps.size(), static_cast<double>(context.arena_bytes()) / 1e6,
              static_cast<double>(context.arena_lower_bound()) / 1e6,
              static_cast<double>(compiled->kernels.bytes.size()) / 1e6);

  std::vector<double> times;
  std::map<std::string, std::pair<int, double>> by_kernel;  // count, milliseconds
  for (start = Clock::now(); Milliseconds(start) < options.seconds * 1000 || times.size() < 3;) {
    const Clock::time_point begin = Clock::now();
    Require(context.Run());
    times.push_back(Milliseconds(begin));
  }
  std::sort(times.begin(), times.end());
  std::printf("  run: least %.2f ms, median %.2f ms of %zu\n", times[0], times[times.size() / 2],
              times.size());
  constexpr int kRounds = 5;
  for (int round = 0; round < kRounds; ++round) {
    Require(context.RunObserved([&](const runtime::graph::ObservedStep& step) {
      auto& [count, ms] = by_kernel[step.step->kernel];
      ++count;
      ms += static_cast<double>(step.nanoseconds) / 1e6;
    }));
  }
  std::vector<std::pair<double, std::string>> slowest;
  for (const auto& [kernel, of] : by_kernel) slowest.emplace_back(of.second / kRounds, kernel);
  std::sort(slowest.rbegin(), slowest.rend());
  for (size_t i = 0; i < slowest.size() && i < static_cast<size_t>(options.kernels); ++i) {
    std::printf("  %8.3f ms  %3d x  %s\n", slowest[i].first,
                by_kernel[slowest[i].second].first / kRounds, slowest[i].second.c_str());
  }
}

}  // namespace
}  // namespace lathe

int main(int argc, char** argv) {
  const lathe::Options options = lathe::Parse(argc, argv);
  lathe::driver::UseDefaultPlugins();
  try {
    for (const std::string& name : options.networks) lathe::Run(name, options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
