// Devices, modules, the registry, timing.
#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "python/ffi/ffi.h"
#include "python/ffi/traits.h"
#include "runtime/cancel.h"
#include "runtime/module.h"
#include "runtime/plugin_loader/plugin_loader.h"
#include "runtime/session/session.h"
#include "runtime/status.h"
#include "runtime/stream.h"
#include "runtime/tensor.h"
#include "runtime/thread_pool.h"

namespace lathe::python {
namespace {

using runtime::Device;
using runtime::Function;
using runtime::Module;
using runtime::Value;

absl::StatusOr<int32_t> CountDevices(const Device& device) {
  LATHE_ASSIGN_OR_RETURN(const Ref<runtime::Session> session, runtime::SessionOf(device));
  return session->CountDevices(device.kind);
}

void RegisterDevices() {
  Def("device.parse", [](const std::string& text) { return Device::Parse(text); });
  Def("device.kind", [](const std::string& name) { return runtime::DeviceKindFromName(name); });
  Def("device.kind_name", [](int kind) { return runtime::DeviceKindName(kind); });
  Def("device.kind_names", [] { return runtime::DeviceKindNames(); });
  Def("device.text", [](const Device& device) { return device.ToString(); });
  // The number of devices; 0 if nothing provides the kind.
  Def("device.count", [](const Device& device) -> int64_t {
    auto count = CountDevices(device);
    return count.ok() ? *count : 0;
  });
  Def("device.why_not", [](const Device& device) -> std::string {
    auto count = CountDevices(device);
    return count.ok() ? "" : std::string(count.status().message());
  });
  Def("device.attribute", [](const Device& device, const std::string& name) {
    return OrThrow(
        OrThrow(runtime::SessionOf(device))->DeviceAttribute(device.kind, device.id, name));
  });
  Def("device.synchronize",
      [](const Device& device) { runtime::ThrowIfError(runtime::Synchronize(device)); });
}

// The metadata of the function in the module or in an import, in the order of function lookup.
const runtime::FunctionMetadata* MetadataOf(const Module& m, const std::string& name) {
  for (const runtime::ModuleNode* module : runtime::ModulesOf(m)) {
    if (const runtime::FunctionMetadata* found = module->metadata().FindFunction(name))
      return found;
  }
  return nullptr;
}

// Covers the first 63 arguments. Leaves out arguments that share a name, because the name does not
// say which one is written.
int64_t WrittenBits(const runtime::FunctionMetadata& function) {
  int64_t bits = 0;
  for (size_t i = 0; i < function.arguments.size() && i < 63; ++i) {
    const std::string& name = function.arguments[i].name;
    const auto same = std::count_if(function.arguments.begin(), function.arguments.end(),
                                    [&](const auto& argument) { return argument.name == name; });
    const bool is_output =
        std::find(function.outputs.begin(), function.outputs.end(), name) != function.outputs.end();
    if (is_output && same == 1) bits |= int64_t{1} << i;
  }
  return bits;
}

void RegisterModules() {
  Def("module.load",
      [](const std::string& path) { return OrThrow(runtime::LocalSession()->LoadFile(path)); });
  Def("module.load_bytes", [](const std::string& kind, const std::string& bytes) {
    return OrThrow(runtime::LocalSession()->LoadBytes(kind, bytes));
  });
  Def("module.deserialize",
      [](const std::string& bytes) { return OrThrow(Module::Deserialize(bytes)); });
  Def("module.serialize", [](const Module& m) { return Value::Bytes(OrThrow(m.Serialize())); });
  Def("module.kind", [](const Module& m) { return std::string(m->kind()); });
  Def("module.get_function", [](const Module& m, const std::string& name, bool imports) -> Value {
    if (!imports) return m->GetFunction(name);
    return OrThrow(m.GetFunction(name));
  });
  Def("module.entry", [](const Module& m) { return OrThrow(m.EntryFunction()); });
  Def("module.entry_name", [](const Module& m) -> std::string {
    if (!m->metadata().entry.empty()) return m->metadata().entry;
    const std::vector<std::string> names = m->FunctionNames();
    return names.size() == 1 ? names[0] : "main";
  });
  // Bit i: the function writes argument i, according to its module's metadata.
  Def("module.written", [](const Module& m, const std::string& name) -> int64_t {
    const runtime::FunctionMetadata* function = MetadataOf(m, name);
    return function == nullptr ? 0 : WrittenBits(*function);
  });
  Def("module.function_names", [](const Module& m) { return m->FunctionNames(); });
  Def("module.metadata", [](const Module& m) { return m->metadata().ToJson(); });
  Def("module.imports", [](const Module& m) { return m->imports(); });
  Def("module.import", [](const Module& m, const Module& imported) { m.Import(imported); });
  Def("module.source",
      [](const Module& m, const std::string& format) { return OrThrow(m->Source(format)); });
  Def("module.save", [](const Module& m) { return Value::Bytes(OrThrow(m->Save())); });
}

// The check that a call from Python makes by itself (python/core/function.cc).
void CheckWritable(int64_t written, const std::vector<Value>& args) {
  for (size_t i = 0; i < args.size() && i < 63; ++i) {
    if ((written >> i & 1) == 0 || !args[i].Is<runtime::Tensor>()) continue;
    const auto tensor = args[i].As<runtime::Tensor>();
    if (!tensor || !tensor.read_only()) continue;
    throw Error(Diagnostic{
        .name = "call-argument-read-only",
        .message = "argument " + std::to_string(i) + " is read-only, and the function writes it",
        .help = "pass a copy that may be written"});
  }
}

// What is called before each sample: a function, or the name of one where the measured function is.
Function Preprocess(runtime::Session& session, const Any& given) {
  if (given.is_none()) return Function();
  if (given.Is<std::string>()) return OrThrow(session.GetFunction(given.As<std::string>()));
  return given.As<Function>();
}

// The seconds of each sample, then the number of calls per sample. `go_on` is called at least every
// 50 ms. If it raises (KeyboardInterrupt), the measurement ends.
std::vector<double> Time(const Function& function, const std::vector<Value>& args,
                         const Device& device, const std::vector<double>& options,
                         const Any& preprocess, int64_t written, const Function& go_on) {
  CheckWritable(written, args);
  runtime::TimerOptions timer;
  timer.number = static_cast<int64_t>(options.at(0));
  timer.repeat = static_cast<int64_t>(options.at(1));
  timer.min_repeat_ms = options.at(2);
  timer.cooldown_interval_ms = options.at(3);
  timer.repeats_to_cooldown = static_cast<int64_t>(options.at(4));
  timer.flush_cache_bytes = static_cast<uint64_t>(options.at(5));
  timer.go_on = [&] { return go_on.TryCallPacked(nullptr, 0).status(); };
  const Ref<runtime::Session> session = OrThrow(runtime::SessionOf(device));
  const Function before = Preprocess(*session, preprocess);
  // The measured loops run without cancel checks here. `go_on` checks between them. A session's
  // worker does the same; this side waits, and looks.
  std::optional<runtime::CancelScope::Borrowed> nobody;
  if (device.session == 0) nobody.emplace(nullptr);
  runtime::TimerResult result = OrThrow(session->Time(function, args, device, timer, before));
  result.seconds.push_back(static_cast<double>(result.number));
  return result.seconds;
}

}  // namespace

void RegisterRuntime() {
  RegisterDevices();
  RegisterModules();
  Def("registry.register",
      [](const std::string& name, const Function& function, bool override, bool exported) {
        runtime::ThrowIfError(runtime::RegisterGlobal(
            name, function, override ? runtime::Override::kReplace : runtime::Override::kRefuse,
            exported ? runtime::Exported::kYes : runtime::Exported::kNo));
      });
  Def("registry.remove", [](const std::string& name) { return runtime::RemoveGlobal(name); });
  Def("registry.names", [](const std::string& prefix) { return runtime::ListGlobalNames(prefix); });
  Def("plugins.add_folder",
      [](const std::string& path) { runtime::PluginLoader::Global().AddFolder(path); });
  // [[title, path, state, reason]...]
  Def("plugins.list", [] {
    std::vector<Value> plugins;
    for (const runtime::PluginInfo& info : runtime::PluginLoader::Global().List()) {
      std::vector<Value> one;
      one.emplace_back(info.Title());
      one.emplace_back(info.path);
      one.emplace_back(std::string(runtime::PluginStateName(info.state)));
      one.emplace_back(std::string(info.reason.message()));
      plugins.emplace_back(std::move(one));
    }
    return plugins;
  });
  Def("runtime.time", Time);
  Def("runtime.set_num_threads", [](int n) { runtime::SetNumThreads(n); });
  Def("runtime.num_threads", [] { return runtime::NumThreads(); });
  // For tests and measurements of calls between Python and C++.
  Def("testing.nop", [](const runtime::Args&, Value*) {});
  Def("testing.echo", [](const Any& value) -> Value { return value; });
}

}  // namespace lathe::python
