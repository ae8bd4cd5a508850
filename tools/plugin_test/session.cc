#include "tools/plugin_test/session.h"

#include <cstring>
#include <vector>

namespace lathe::kit {
namespace {

absl::Status FromError(lathe_value* error, const char* what) {
  const std::string text = TakeError(error);
  return Failed(std::string(what) + ": " +
                (text.empty() ? "failed without an error object" : text));
}

}  // namespace

SessionInput MakeSessionInput(const Subject& subject) {
  return {SmallIr(subject), TargetTextOf(subject)};
}

absl::Status UseDevice(const Library& library) {
  const lathe_device_api* device = library.device();
  if (device == nullptr) return absl::OkStatus();
  void* const self = device->self;
  lathe_value error{};
  int32_t count = 0;
  if (device->count(self, &count, &error) != 0) return FromError(&error, "count");
  if (count == 0) return absl::OkStatus();
  lathe_value name{};
  if (device->attribute(self, 0, "name", &name) != 0) return FromError(&name, "attribute");
  Drop(&name);
  int64_t shape[] = {64};
  const lathe_alloc_request request = {sizeof(request), "global", 64,   64,
                                       {kDLUInt, 8, 1}, 1,        shape};
  void* data = nullptr;
  if (device->alloc(self, 0, &request, &data, &error) != 0) return FromError(&error, "alloc");
  absl::Status status = Require(data != nullptr, "alloc succeeded and gave NULL");
  uint8_t there[64], back[64] = {};
  for (size_t i = 0; i < sizeof(there); ++i) there[i] = static_cast<uint8_t>(i * 7);
  DLTensor host{there, {kDLCPU, 0}, 1, {kDLUInt, 8, 1}, shape, nullptr, 0};
  DLTensor ours{data, {kDLExtDev, 0}, 1, {kDLUInt, 8, 1}, shape, nullptr, 0};
  if (status.ok() && device->copy(self, &host, &ours, nullptr, &error) != 0)
    status = FromError(&error, "copy to the device");
  host.data = back;
  if (status.ok() && device->copy(self, &ours, &host, nullptr, &error) != 0)
    status = FromError(&error, "copy from the device");
  if (status.ok() && std::memcmp(there, back, sizeof(there)) != 0)
    status = Failed("what came back is not what was sent");
  if (device->free(self, 0, "global", data, &error) != 0 && status.ok())
    status = FromError(&error, "free");
  Drop(&error);
  return status;
}

absl::Status CompileOnce(const Library& library, const SessionInput& input, std::string* bytes,
                         std::string* kind) {
  const lathe_codegen_api* codegen = library.codegen();
  if (codegen == nullptr) return absl::OkStatus();
  const lathe_compile_request request = {sizeof(request),
                                         {input.ir.data(), input.ir.size()},
                                         input.target.c_str(),
                                         LATHE_OUTPUT_MODULE,
                                         0,
                                         nullptr,
                                         ""};
  lathe_compile_result result{sizeof(result), {}, {}, {}, 0, {}, {}};
  lathe_value error{};
  absl::Status status;
  if (codegen->compile(codegen->self, &request, &result, &error) != 0) {
    status = FromError(&error, "compile");
  } else {
    *bytes = TextOf(result.output);
    *kind = TextOf(result.module_kind);
    if (bytes->empty() || kind->empty()) status = Failed("compile gave no bytes or no module kind");
  }
  for (lathe_value* value :
       {&result.output, &result.module_kind, &result.consumed, &result.log, &result.times})
    Drop(value);
  return status;
}

absl::Status UseModule(const Library& library, const std::string& bytes) {
  const lathe_module_api* api = library.module();
  if (api == nullptr || bytes.empty()) return absl::OkStatus();
  const lathe_bytes view = {bytes.data(), bytes.size()};
  lathe_value error{};
  if (api->probe != nullptr) {
    int32_t verdict = LATHE_PROBE_OK;
    lathe_value reason{};
    if (api->probe(api->self, &view, &verdict, &reason) != 0) return FromError(&reason, "probe");
    Drop(&reason);
    if (verdict != LATHE_PROBE_OK) return Failed("probe refuses what the plugin itself compiled");
  }
  void* module = nullptr;
  if (api->load(api->self, &view, &module, &error) != 0) return FromError(&error, "load");
  absl::Status status;
  lathe_value function{}, saved{}, text{}, none{};
  if (api->get_function(module, "f_kernel0", &function) != 0)
    status = FromError(&function, "get_function");
  if (status.ok() && api->get_function(module, "of nobody", &none) != 0)
    status = FromError(&none, "get_function of an unknown name");
  if (status.ok() && none.kind != LATHE_VALUE_NONE)
    status = Failed("it has a function of any name");
  if (status.ok() && api->describe != nullptr && api->describe(module, "metadata", &text) != 0)
    status = FromError(&text, "describe");
  if (status.ok() && api->save != nullptr && api->save(module, &saved) != 0)
    status = FromError(&saved, "save");
  api->drop(module);
  // The function was returned earlier. It is dropped after its module.
  for (lathe_value* value : {&function, &saved, &text, &none}) Drop(value);
  return status;
}

absl::Status RunSession(const Library& library, const SessionInput& input) {
  KIT_RETURN_IF_ERROR(UseDevice(library));
  std::string bytes, kind;
  KIT_RETURN_IF_ERROR(CompileOnce(library, input, &bytes, &kind));
  // Other loaders load modules of other kinds ("elf": the runtime).
  const lathe_module_api* own =
      kind.empty() ? nullptr
                   : static_cast<const lathe_module_api*>(
                         library.plugin().get_interface(LATHE_MODULE_INTERFACE, kind.c_str()));
  return own == nullptr ? absl::OkStatus() : UseModule(library, bytes);
}

}  // namespace lathe::kit
