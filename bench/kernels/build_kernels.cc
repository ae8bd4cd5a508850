// Compiles the kernels that bench/run times: `build_kernels --out=FOLDER [--target=TARGET]
// [NAME...]` writes NAME.so and NAME.txt (its loops) for each case whose name begins with a NAME,
// and prints one JSON line for each. NAME.default.so is the same computation with the default
// schedule, if the case has one. Peak memory is printed to standard error at the end.
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "bench/kernels/cases.h"
#include "bench/kernels/default_kernel.h"
#include "driver/compile.h"
#include "driver/compile_times.h"
#include "driver/default_plugins.h"
#include "ir/text/printer.h"
#include "target/canonical.h"
#include "target/machine_of.h"
#include "target/target.h"

namespace lathe::bench {
namespace {

bool Wanted(const std::string& name, const std::vector<std::string>& prefixes) {
  if (prefixes.empty()) return true;
  for (const std::string& prefix : prefixes) {
    if (name.rfind(prefix, 0) == 0) return true;
  }
  return false;
}

// {"name": "A", "shape": [4, 4], "dtype": "float32"}
std::string Describe(const te::Tensor& tensor) {
  std::string shape;
  for (const ir::Expr& extent : tensor->shape()) {
    shape += (shape.empty() ? "" : ", ") + std::to_string(ir::As<ir::IntImm>(extent)->value);
  }
  return "{\"name\": \"" + tensor->op->name + "\", \"shape\": [" + shape + "], \"dtype\": \"" +
         tensor->dtype().ToString() + "\"}";
}

// Compiles a kernel to PATH.so, and its loops to PATH.txt; returns the milliseconds that compiling
// took. `path` may be empty.
double WriteKernel(const topi::cpu::Kernel& kernel, const std::string& name,
                   const target::Target& target, const std::string& path) {
  const auto start = std::chrono::steady_clock::now();
  const ir::Module loops =
      driver::Lower(kernel.schedule, {kernel.args.begin(), kernel.args.end()}, name, {});
  const std::string object = *driver::Compile(loops, target, plugins::OutputKind::kObject, {});
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  if (!path.empty()) {
    const absl::Status written = driver::ExportObject(object, path + ".so");
    if (!written.ok()) throw std::runtime_error(std::string(written.message()));
    std::ofstream(path + ".txt") << ir::ToText(loops);
  }
  return took.count();
}

int Main(const std::vector<std::string>& arguments) {
  std::string folder, target_text = "llvm";
  std::vector<std::string> prefixes;
  bool list = false;
  for (const std::string& argument : arguments) {
    if (argument.rfind("--out=", 0) == 0) {
      folder = argument.substr(6);
    } else if (argument.rfind("--target=", 0) == 0) {
      target_text = argument.substr(9);
    } else if (argument == "--list") {
      list = true;
    } else if (argument.rfind("--", 0) == 0) {
      std::fprintf(stderr, "usage: build_kernels --out=FOLDER [--target=TARGET] [NAME...]\n");
      return 2;
    } else {
      prefixes.push_back(argument);
    }
  }
  if (list) {
    for (const Case& each : Cases()) std::printf("%s\n", each.name.c_str());
    return 0;
  }
  driver::UseDefaultPlugins();
  const target::Target target = *target::CanonicalTarget(target::ParseTarget(target_text));
  const target::Machine machine = target::MachineOf(target);
  for (const Case& each : Cases()) {
    if (!Wanted(each.name, prefixes)) continue;
    const topi::cpu::Kernel kernel = each.make(machine);
    const std::string path = folder.empty() ? "" : folder + "/" + each.name;
    const double compile_ms = WriteKernel(kernel, each.name, target, path);
    double default_limit = 0;  // none
    if (HasDefault(each)) {
      default_limit = DefaultLimit(each);
      WriteKernel(DefaultKernel(each, kernel, machine), each.name, target,
                  path.empty() ? "" : path + ".default");
    }
    std::string args;
    size_t outputs = 0;
    for (const te::Tensor& tensor : kernel.args) {
      args += (args.empty() ? "" : ", ") + Describe(tensor);
      if (ir::As<ir::PlaceholderOp>(tensor->op) == nullptr) ++outputs;
    }
    std::printf(
        "{\"case\": \"%s\", \"kind\": \"%s\", \"operations\": %.0f, \"bytes\": %.0f, "
        "\"compile_ms\": %.1f, \"default_limit\": %.0f, \"outputs\": %zu, \"args\": [%s]}\n",
        each.name.c_str(), each.operation_kind.c_str(), each.operations, each.bytes, compile_ms,
        default_limit, outputs, args.c_str());
    std::fflush(stdout);
  }
  std::fprintf(stderr, "compiling took at most %.0f MB of memory\n",
               static_cast<double>(driver::PeakMemory()) / (1 << 20));
  return 0;
}

}  // namespace
}  // namespace lathe::bench

int main(int argc, char** argv) {
  try {
    return lathe::bench::Main({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
