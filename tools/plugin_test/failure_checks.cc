// Makes every host function and every allocation fail once, and asks every plugin function for the
// impossible.
#include "tools/plugin_test/session.h"

namespace lathe::kit {
namespace {

constexpr int64_t kMostCalls = 400;

// Makes the host's n-th call fail, for n = 1, 2, ... until `step` meets no failure. Each failure
// must end in an error, or the plugin must do without the result. Nothing may leak in either case.
absl::Status FailEach(const std::function<absl::Status()>& step, const char* what) {
  const HostCounters before = CurrentCounters();
  for (int64_t n = 1; n <= kMostCalls; ++n) {
    FailCall(n);
    const absl::Status status = step();
    const bool failed = FailureHappened();
    FailCall(0);
    const HostCounters after = CurrentCounters();
    const std::string at =
        std::string(what) + ", the host's call " + std::to_string(n) + " failing";
    if (after.pieces != before.pieces || after.objects != before.objects) {
      return Failed(at + ": left behind " + std::to_string(after.pieces - before.pieces) +
                    " pieces of memory and " + std::to_string(after.objects - before.objects) +
                    " objects");
    }
    if (!failed) return status;
    if (!status.ok() && status.message().find("without an error object") != std::string_view::npos)
      return Failed(at + ": " + std::string(status.message()));
  }
  return absl::OkStatus();  // more host calls than this check tries
}

absl::Status InitFails(const Subject& subject) {
  absl::StatusOr<lathe_plugin_query> query = OpenQuery(subject.path);
  if (!query.ok()) return query.status();
  const lathe_plugin* plugin = (*query)(KitHost());
  if (plugin == nullptr) return Failed("the query refuses today's host");
  for (int64_t n = 1; n <= kMostCalls; ++n) {
    FailCall(n);
    const absl::Status status = Init(*plugin, subject);
    const bool failed = FailureHappened();
    FailCall(0);
    if (!failed) return status;
    if (status.ok()) {
      lathe_value error{};
      plugin->shutdown(&error);
      Drop(&error);
    }
  }
  return absl::OkStatus();
}

absl::Status DeviceFails(const Subject& subject) {
  absl::StatusOr<Library> library = Library::Open(subject);
  if (!library.ok()) return library.status();
  if (library->device() == nullptr) return NotApplicable("it has no device");
  return FailEach([&] { return UseDevice(*library); }, "device");
}

absl::Status CompileFails(const Subject& subject) {
  const SessionInput input = MakeSessionInput(subject);
  absl::StatusOr<Library> library = Library::Open(subject);
  if (!library.ok()) return library.status();
  if (library->codegen() == nullptr) return NotApplicable("it compiles nothing");
  return FailEach(
      [&] {
        std::string bytes, kind;
        return CompileOnce(*library, input, &bytes, &kind);
      },
      "compile");
}

absl::Status ModuleFails(const Subject& subject) {
  const SessionInput input = MakeSessionInput(subject);
  absl::StatusOr<Library> library = Library::Open(subject);
  if (!library.ok()) return library.status();
  if (library->module() == nullptr) return NotApplicable("it has no modules");
  std::string bytes, kind;
  KIT_RETURN_IF_ERROR(CompileOnce(*library, input, &bytes, &kind));
  if (bytes.empty() || kind != subject.manifest.modules[0].kind)
    return NotApplicable("nothing here makes modules of its kind");
  return FailEach([&] { return UseModule(*library, bytes); }, "module");
}

// Requires that a call failed, and that it gave an error object.
absl::Status MustFail(int result, lathe_value* error, const std::string& what) {
  const std::string text = TakeError(error);
  KIT_RETURN_IF_ERROR(Require(result != 0, what + " succeeded"));
  return Require(!text.empty(), what + " failed without an error object");
}

absl::Status DeviceSaysNo(const Subject& subject) {
  absl::StatusOr<Library> library = Library::Open(subject);
  if (!library.ok()) return library.status();
  const lathe_device_api* device = library->device();
  if (device == nullptr) return NotApplicable("it has no device");
  int32_t count = 0;
  lathe_value error{};
  if (device->count(device->self, &count, &error) != 0) return Failed(TakeError(&error));
  if (count == 0) return NotApplicable("no device is here");
  void* data = nullptr;
  lathe_alloc_request request = {sizeof(request), "of nobody", 64, 64, {kDLUInt, 8, 1}, 0, nullptr};
  const lathe_device_api& d = *device;
  KIT_RETURN_IF_ERROR(MustFail(d.alloc(d.self, 0, &request, &data, &error), &error,
                               "an allocation in an unknown scope"));
  request.scope = "global";
  request.bytes = uint64_t{1} << 60;
  KIT_RETURN_IF_ERROR(
      MustFail(d.alloc(d.self, 0, &request, &data, &error), &error, "an allocation of 2^60 bytes"));
  return UseDevice(*library);  // the device still works
}

absl::Status CodegenSaysNo(const Subject& subject) {
  const SessionInput input = MakeSessionInput(subject);
  absl::StatusOr<Library> library = Library::Open(subject);
  if (!library.ok()) return library.status();
  const lathe_codegen_api* codegen = library->codegen();
  if (codegen == nullptr) return NotApplicable("it compiles nothing");
  auto compile = [&](const std::string& ir, int32_t output) {
    const lathe_compile_request request = {
        sizeof(request), {ir.data(), ir.size()}, input.target.c_str(), output, 0, nullptr, ""};
    lathe_compile_result result{sizeof(result), {}, {}, {}, 0, {}, {}};
    lathe_value error{};
    const int status = codegen->compile(codegen->self, &request, &result, &error);
    for (lathe_value* value :
         {&result.output, &result.module_kind, &result.consumed, &result.log, &result.times})
      Drop(value);
    return MustFail(status, &error,
                    ir.empty() ? "compiling nothing" : "an unknown output or no IR");
  };
  KIT_RETURN_IF_ERROR(compile("", LATHE_OUTPUT_MODULE));
  KIT_RETURN_IF_ERROR(compile("this is no IR", LATHE_OUTPUT_MODULE));
  KIT_RETURN_IF_ERROR(compile(input.ir, 77));
  std::string bytes, kind;
  return CompileOnce(*library, input, &bytes, &kind);
}

absl::Status ModuleSaysNo(const Subject& subject) {
  absl::StatusOr<Library> library = Library::Open(subject);
  if (!library.ok()) return library.status();
  const lathe_module_api* api = library->module();
  if (api == nullptr) return NotApplicable("it has no modules");
  for (const std::string& bytes :
       {std::string(), std::string("rubbish"), std::string(4096, '\xff')}) {
    const lathe_bytes view = {bytes.data(), bytes.size()};
    void* module = nullptr;
    lathe_value error{};
    KIT_RETURN_IF_ERROR(MustFail(api->load(api->self, &view, &module, &error), &error,
                                 "loading " + std::to_string(bytes.size()) + " bytes of rubbish"));
  }
  return absl::OkStatus();
}

}  // namespace

void AddFailureChecks(const Subject&, Checks* checks) {
  checks->push_back({"failure", "init-with-failing-host", InitFails});
  checks->push_back({"failure", "device-with-failing-host", DeviceFails});
  checks->push_back({"failure", "compile-with-failing-host", CompileFails});
  checks->push_back({"failure", "module-with-failing-host", ModuleFails});
  checks->push_back({"failure", "device-says-no", DeviceSaysNo});
  checks->push_back({"failure", "codegen-says-no", CodegenSaysNo});
  checks->push_back({"failure", "module-says-no", ModuleSaysNo});
}

}  // namespace lathe::kit
