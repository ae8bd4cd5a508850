#include "examples/lesson_support.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "driver/compile.h"
#include "driver/default_plugins.h"
#include "ir/text/printer.h"
#include "runtime/module.h"
#include "runtime/timer.h"
#include "target/target.h"

namespace lathe::examples {

int LessonMain(int argc, char** argv, const std::function<void(const LessonOptions&)>& lesson) {
  LessonOptions options;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--small") == 0) {
      options.small = true;
      continue;
    }
    char* end = nullptr;
    options.size = std::strtoll(argv[i], &end, 10);
    if (*argv[i] == '\0' || *end != '\0' || options.size < 1 || options.size > 8192) {
      std::fprintf(stderr, "usage: %s [--small] [SIZE]    SIZE from 1 to 8192\n", argv[0]);
      return 2;
    }
  }
  try {
    driver::UseDefaultPlugins();
    lesson(options);
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}

void Must(const absl::Status& status) {
  if (!status.ok()) throw std::runtime_error(std::string(status.message()));
}

runtime::Tensor MakeTensor(std::initializer_list<int64_t> shape,
                           const std::function<double(int64_t)>& value) {
  runtime::Tensor tensor = Must(runtime::Tensor::Empty(shape, DataType::Float(32)));
  float* data = tensor.HostData<float>();
  for (int64_t i = 0; i < tensor.num_elements(); ++i) data[i] = static_cast<float>(value(i));
  return tensor;
}

runtime::Tensor MakeZeros(std::initializer_list<int64_t> shape) {
  return MakeTensor(shape, [](int64_t) { return 0.0; });
}

void ExpectClose(const runtime::Tensor& got, const runtime::Tensor& expected, double tolerance) {
  if (got.num_elements() != expected.num_elements())
    throw std::runtime_error("results of different sizes");
  const float* a = got.HostData<float>();
  const float* b = expected.HostData<float>();
  for (int64_t i = 0; i < got.num_elements(); ++i) {
    const double scale = std::fmax(1.0, std::fmax(std::fabs(a[i]), std::fabs(b[i])));
    // Written so that a NaN fails.
    if (!(std::fabs(static_cast<double>(a[i]) - b[i]) <= tolerance * scale)) {
      throw std::runtime_error("wrong result at element " + std::to_string(i) + ": " +
                               std::to_string(a[i]) + " instead of " + std::to_string(b[i]));
    }
  }
}

void PrintLoops(const std::string& title, const ir::Module& loops) {
  ir::PrintOptions options;
  options.short_form = true;
  std::printf("\n-- %s\n\n%s\n", title.c_str(), ir::ToText(loops->functions[0], options).c_str());
}

double Seconds(const std::function<void()>& call, bool small) {
  auto run = [&] {
    call();
    return absl::OkStatus();
  };
  const double once = Must(runtime::TimeFunction(run, runtime::Device::Cpu(), {})).min;
  constexpr double kLong = 0.5;
  if (small || once > kLong) return once;
  runtime::TimerOptions options;
  options.repeat = 10;
  options.min_repeat_ms = 20;
  return Must(runtime::TimeFunction(run, runtime::Device::Cpu(), options)).min;
}

runtime::Function BuildFunction(const ir::Module& loops, const std::string& name) {
  // "llvm" without attributes is this processor with all its vector instructions.
  const runtime::Module module = Must(driver::Build(loops, target::ParseTarget("llvm"), {}));
  return Must(module.GetFunction(name));
}

}  // namespace lathe::examples
