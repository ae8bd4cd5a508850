// The cost of calls through the host, compared with direct calls of the plugin's functions.
//
// It is measured and printed, but never makes a plugin fail: the calling code is Lathe's, machines
// are noisy, and sanitizers slow down the host's side more.
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "driver/lower_device.h"
#include "ir/binary.h"
#include "plugins/host/codegen.h"
#include "runtime/plugin_loader/plugin_loader.h"
#include "runtime/registry.h"
#include "runtime/status.h"
#include "tools/plugin_test/library.h"
#include "tools/plugin_test/programs.h"

namespace lathe::kit {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMostCallNs = 10, kMostCompileMs = 1;
constexpr const char* kOver = ": OVER ITS BOUND, here and now";
// The machine may be busy, so the best of many rounds counts. One round within the bounds is
// enough.
constexpr int kRounds = 8, kBatches = 40;
constexpr auto kLongest = std::chrono::seconds(20);

// Processor time of all threads, in ns. A busy machine does not increase it.
double NowNs() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

std::string Text(const char* format, double a, double b, double c) {
  char text[200];
  std::snprintf(text, sizeof(text), format, a, b, c);
  return text;
}

// Calls a module's function `calls` times per batch, and takes the best of some batches: through
// the runtime's handle, and through the plugin's own function object.
absl::Status Call(const Subject& subject) {
  UsePlugin(subject);
  const target::Target target = target::ParseTarget(TargetName(subject));
  if (driver::TakesKernels(target))
    return NotApplicable("its functions are launches, which the backend's own benchmark measures");
  absl::StatusOr<runtime::Device> device = DeviceOf(target);
  if (!device.ok()) return device.status();
  const Program program = ScaleProgram(subject);
  absl::StatusOr<runtime::Module> module = BuildProgram(target, program);
  if (!module.ok()) return module.status();
  const absl::StatusOr<runtime::Function> function = module->GetFunction("f");
  if (!function.ok()) return function.status();
  // The plugin's own function if the plugin loads its modules itself; else the compiled code.
  lathe_value raw_function{};
  void* handle = nullptr;
  const lathe_module_api* api = nullptr;
  const absl::StatusOr<Library> library = Library::Open(subject);
  if (!library.ok()) return library.status();
  for (const runtime::ManifestModule& kind : subject.manifest.modules) {
    if ((*module)->kind() != kind.kind) continue;
    api = static_cast<const lathe_module_api*>(
        library->plugin().get_interface(LATHE_MODULE_INTERFACE, kind.kind.c_str()));
    const absl::StatusOr<std::string> bytes = (*module)->Save();
    if (!bytes.ok()) return NotApplicable("its modules cannot be saved");
    const lathe_bytes view = {bytes->data(), bytes->size()};
    lathe_value error{};
    if (api->load(api->self, &view, &handle, &error) != 0) return Failed(TakeError(&error));
    if (api->get_function(handle, "f", &raw_function) != 0) return Failed(TakeError(&raw_function));
  }
  const auto* own = handle == nullptr
                        ? function->get()
                        : reinterpret_cast<const lathe_function*>(raw_function.v_object);

  const auto empty = runtime::Tensor::Empty({0}, DataType::Float(32), *device);
  if (!empty.ok()) return empty.status();
  const runtime::Value tensor(*empty);
  const lathe_value args[] = {tensor.c(), tensor.c()};
  const auto time = [&](int calls, const auto& call) {
    const double begin = NowNs();
    for (int i = 0; i < calls; ++i) call();
    return (NowNs() - begin) / calls;
  };
  const auto through = [&] { function->CallPacked(args, 2); };
  const auto direct = [&] {
    lathe_value ret{};
    own->call(own->self, args, 2, &ret);
  };
  if (const auto tried = function->TryCallPacked(args, 2); !tried.ok()) return tried.status();
  const double once = time(50, through);
  const int calls = static_cast<int>(std::clamp(2e5 / std::max(once, 1.0), 20.0, 20000.0));
  const auto began = Clock::now();
  double least = 1e30, of_that = 0;
  for (int round = 0; round < kRounds && least > kMostCallNs; ++round) {
    double with = 1e30, without = 1e30;
    for (int batch = 0; batch < kBatches; ++batch) {
      with = std::min(with, time(calls, through));
      without = std::min(without, time(calls, direct));
    }
    if (with - without < least) {
      least = with - without;
      of_that = without;
    }
    if (Clock::now() - began > kLongest) break;
  }
  Drop(&raw_function);
  if (handle != nullptr) api->drop(handle);
  const std::string text = Text("the door adds %.1f ns to a call of %.0f ns (at most %.0f)",
                                std::max(least, 0.0), of_that, kMostCallNs);
  return Measured(least <= kMostCallNs ? text : text + kOver);
}

absl::Status Compile(const Subject& subject) {
  UsePlugin(subject);
  const target::Target target = target::ParseTarget(TargetName(subject));
  const std::string ir = ir::EncodeModule(LoweredFor(subject, ScaleProgram(subject)));
  absl::StatusOr<plugins::CodeGen> codegen =
      plugins::CodeGen::For(target, ir::kBinaryVersion, ir::kBinaryVersion);
  if (!codegen.ok()) return codegen.status();
  const auto factory = runtime::FindOrLoadGlobal("codegen." + target.kind);
  if (!factory.ok()) return factory.status();
  const auto& table = static_cast<const runtime::PluginCodeGen*>((*factory)().As<void*>())->table;
  const std::string text = codegen->target().ToString();
  plugins::CompileInput input;
  input.ir = ir;
  const auto through = [&]() -> absl::Status { return codegen->Compile(input).status(); };
  const auto direct = [&]() -> absl::Status {
    const lathe_compile_request request = {
        sizeof(request), {ir.data(), ir.size()}, text.c_str(), LATHE_OUTPUT_MODULE, 0, nullptr, ""};
    lathe_compile_result result{sizeof(result), {}, {}, {}, 0, {}, {}};
    lathe_value error{};
    if (table.compile(table.self, &request, &result, &error) != 0) return Failed(TakeError(&error));
    for (lathe_value* value :
         {&result.output, &result.module_kind, &result.consumed, &result.log, &result.times})
      Drop(value);
    return absl::OkStatus();
  };
  const auto began = Clock::now();
  double with = 1e30, without = 1e30;
  for (int i = 0; i < 400 && (i < 3 || with - without > kMostCompileMs / 10); ++i) {
    double begin = NowNs();
    KIT_RETURN_IF_ERROR(through());
    with = std::min(with, (NowNs() - begin) / 1e6);
    begin = NowNs();
    KIT_RETURN_IF_ERROR(direct());
    without = std::min(without, (NowNs() - begin) / 1e6);
    if (Clock::now() - began > kLongest) break;
  }
  const std::string line = Text("the door adds %.3f ms to a compilation of %.2f ms (at most %.0f)",
                                std::max(with - without, 0.0), without, kMostCompileMs);
  return Measured(with - without <= kMostCompileMs ? line : line + kOver);
}

}  // namespace

void AddSpeedChecks(const Subject& subject, Checks* checks) {
  if (subject.targets.empty()) return;
  checks->push_back({"speed", "call", Call});
  checks->push_back({"speed", "compile", Compile});
}

}  // namespace lathe::kit
