#include "runtime/c_api.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/dtype.h"
#include "base/error.h"
#include "runtime/c_entry.h"
#include "runtime/cancel.h"
#include "runtime/device.h"
#include "runtime/error_object.h"
#include "runtime/function.h"
#include "runtime/init.h"
#include "runtime/module.h"
#include "runtime/raise.h"
#include "runtime/registry.h"
#include "runtime/session_table.h"
#include "runtime/status.h"
#include "runtime/stream.h"
#include "runtime/table.h"
#include "runtime/tensor.h"
#include "runtime/thread_pool.h"
#include "runtime/timer.h"
#include "runtime/workspace.h"

namespace lathe::runtime {
namespace {

using internal::AsModule;
using internal::Entry;
using internal::NullArgument;

lathe_error* Register(const char* name, lathe_function* function, int32_t replace,
                      Exported exported) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(name);
    return RegisterGlobal(name, Function(function),
                          replace != 0 ? Override::kReplace : Override::kRefuse, exported);
  });
}

Tensor Share(lathe_tensor* tensor) { return Tensor(tensor); }

absl::Status Give(absl::StatusOr<Tensor> tensor, lathe_tensor** out) {
  LATHE_RETURN_IF_ERROR(tensor.status());
  *out = tensor->release();
  return absl::OkStatus();
}

absl::Status GiveText(std::string_view text, lathe_string** out) {
  *out = MakeStringObject(text).release();
  return absl::OkStatus();
}

absl::Status GiveModule(absl::StatusOr<Module> module, lathe_object** out) {
  LATHE_RETURN_IF_ERROR(module.status());
  *out = static_cast<lathe_object*>(module->release());
  return absl::OkStatus();
}

absl::StatusOr<std::span<const int64_t>> Extents(const int64_t* extents, int32_t n) {
  if (n < 0)
    return MakeStatus(absl::StatusCode::kInvalidArgument, "tensor-invalid", "a negative rank");
  if (n > 0 && extents == nullptr) return NullArgument("shape");
  return std::span<const int64_t>(extents, static_cast<size_t>(n));
}

// A function whose code is the caller's.
struct ForeignFunction : internal::FunctionObject {
  ~ForeignFunction() {
    if (drop_self != nullptr) drop_self(self);
  }
  void (*drop_self)(void*) = nullptr;
};

}  // namespace
}  // namespace lathe::runtime

using namespace lathe;           // NOLINT(google-build-using-namespace)
using namespace lathe::runtime;  // NOLINT(google-build-using-namespace)

extern "C" {

int32_t lathe_c_api_version(void) { return LATHE_C_API_VERSION; }

void lathe_object_retain(lathe_object* object) { RetainObject(object); }
void lathe_object_release(lathe_object* object) { ReleaseObject(object); }
void lathe_value_release(lathe_value* value) {
  if (value != nullptr) Value::Adopt(std::exchange(*value, lathe_value{}));
}

lathe_error* lathe_string_new(const char* data, size_t size, lathe_string** out) {
  return Entry([&]() -> absl::Status {
    if (size > 0) LATHE_REQUIRE(data);
    LATHE_REQUIRE(out);
    return GiveText({data, size}, out);
  });
}
lathe_error* lathe_bytes_new(const char* data, size_t size, lathe_string** out) {
  return Entry([&]() -> absl::Status {
    if (size > 0) LATHE_REQUIRE(data);
    LATHE_REQUIRE(out);
    *out = MakeBytesObject({data, size}).release();
    return absl::OkStatus();
  });
}

lathe_error* lathe_error_new(int32_t code, const char* name, const char* message,
                             const char* notes) {
  const auto text = [](const char* chars) { return chars == nullptr ? "" : chars; };
  return MakeErrorObject(code, text(name), text(message), text(notes)).release();
}
lathe_error* lathe_error_text(const lathe_error* error, lathe_string** out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(error);
    LATHE_REQUIRE(out);
    try {
      ThrowError(*error);
    } catch (const Error& thrown) {
      return GiveText(thrown.what(), out);
    }
  });
}

lathe_error* lathe_function_new(lathe_call call, void* self, void (*drop)(void* self),
                                lathe_function** out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(call);
    LATHE_REQUIRE(out);
    auto* object = MakeObject<ForeignFunction>();
    object->Retain();
    object->call = call;
    object->self = self;
    object->drop_self = drop;
    *out = object->c();
    return absl::OkStatus();
  });
}

lathe_error* lathe_function_call(lathe_function* function, const lathe_value* args, int32_t n,
                                 lathe_value* ret) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(function);
    LATHE_REQUIRE(ret);
    if (n < 0)
      return MakeStatus(absl::StatusCode::kInvalidArgument, "call-wrong-argument-count",
                        "a negative count");
    if (n > 0) LATHE_REQUIRE(args);
    *ret = Function(function).CallPacked(args, n).release();
    return absl::OkStatus();
  });
}

struct lathe_cancellation {
  lathe::runtime::Cancellation flag;
};

lathe_error* lathe_cancellation_new(lathe_cancellation** out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(out);
    *out = new lathe_cancellation;
    return absl::OkStatus();
  });
}
void lathe_cancellation_free(lathe_cancellation* cancellation) { delete cancellation; }
void lathe_cancellation_cancel(lathe_cancellation* cancellation) {
  if (cancellation != nullptr) cancellation->flag.Cancel();
}
void lathe_cancellation_deadline(lathe_cancellation* cancellation, int64_t milliseconds) {
  if (cancellation == nullptr) return;
  cancellation->flag.SetDeadline(std::chrono::steady_clock::now() +
                                 std::chrono::milliseconds(milliseconds));
}
lathe_error* lathe_function_call_cancellable(lathe_function* function, const lathe_value* args,
                                             int32_t n, lathe_value* ret,
                                             lathe_cancellation* cancellation) {
  if (cancellation == nullptr) return lathe_function_call(function, args, n, ret);
  const CancelScope scope(cancellation->flag);
  return lathe_function_call(function, args, n, ret);
}

lathe_error* lathe_global_register(const char* name, lathe_function* function, int32_t replace) {
  return Register(name, function, replace, Exported::kNo);
}
lathe_error* lathe_global_register_exported(const char* name, lathe_function* function,
                                            int32_t replace) {
  return Register(name, function, replace, Exported::kYes);
}
lathe_error* lathe_global_find(const char* name, lathe_function** out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(name);
    LATHE_REQUIRE(out);
    LATHE_ASSIGN_OR_RETURN(Function found, FindOrLoadGlobal(name));
    *out = found.release();
    return absl::OkStatus();
  });
}
int32_t lathe_global_remove(const char* name) {
  return name != nullptr && RemoveGlobal(name) ? 1 : 0;
}
lathe_error* lathe_global_names(const char* prefix, lathe_string** out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(out);
    std::string text;
    for (const std::string& name : ListGlobalNames(prefix == nullptr ? "" : prefix))
      text += name + "\n";
    return GiveText(text, out);
  });
}

lathe_error* lathe_dtype_parse(const char* text, DLDataType* out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(text);
    LATHE_REQUIRE(out);
    DataType dtype;
    if (!DataType::Parse(text, &dtype))
      return MakeStatus(
          absl::StatusCode::kInvalidArgument, "dtype-unknown",
          {"`", text, "` is no element type\nexpected: float32, int8x4, bfloat16, bool, ..."});
    *out = dtype.dl();
    return absl::OkStatus();
  });
}
lathe_error* lathe_dtype_text(DLDataType dtype, lathe_string** out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(out);
    return GiveText(DataType(dtype).ToString(), out);
  });
}
lathe_error* lathe_device_parse(const char* text, DLDevice* out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(text);
    LATHE_REQUIRE(out);
    *out = Device::Parse(text).packed();
    return absl::OkStatus();
  });
}
lathe_error* lathe_device_text(DLDevice device, lathe_string** out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(out);
    return GiveText(Device::FromPacked(device).ToString(), out);
  });
}
lathe_error* lathe_device_count(int32_t device_type, int32_t* out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(out);
    const Device device = Device::FromPacked({static_cast<DLDeviceType>(device_type), 0});
    LATHE_ASSIGN_OR_RETURN(const DeviceRef devices, FindDevices(device.kind, device.session));
    LATHE_ASSIGN_OR_RETURN(*out, devices->Count());
    return absl::OkStatus();
  });
}
lathe_error* lathe_device_attribute(DLDevice device, const char* key, lathe_value* out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(key);
    LATHE_REQUIRE(out);
    LATHE_ASSIGN_OR_RETURN(const DeviceRef devices, FindDevice(Device::FromPacked(device)));
    LATHE_ASSIGN_OR_RETURN(Value value, devices->Attribute(device.device_id, key));
    *out = value.release();
    return absl::OkStatus();
  });
}
lathe_error* lathe_device_synchronize(DLDevice device) {
  return Entry([&] { return Synchronize(Device::FromPacked(device)); });
}
lathe_error* lathe_stream_new(DLDevice device, int32_t kind, lathe_stream** out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(out);
    if (kind < 0 || kind > 2)
      return MakeStatus(absl::StatusCode::kInvalidArgument, "stream-unknown-kind",
                        {"a stream's kind is 0, 1 or 2, not ", std::to_string(kind)});
    LATHE_ASSIGN_OR_RETURN(Stream stream,
                           Stream::New(Device::FromPacked(device), static_cast<StreamKind>(kind)));
    *out = stream.release();
    return absl::OkStatus();
  });
}
lathe_error* lathe_stream_set_current(DLDevice device, lathe_stream* stream) {
  return Entry([&]() -> absl::Status {
    SetCurrentStream(Device::FromPacked(device), Stream(stream));
    return absl::OkStatus();
  });
}

lathe_error* lathe_tensor_empty(const int64_t* shape, int32_t ndim, DLDataType dtype,
                                DLDevice device, const char* scope, lathe_tensor** out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(out);
    LATHE_ASSIGN_OR_RETURN(const auto extents, Extents(shape, ndim));
    return Give(Tensor::Empty(extents, DataType(dtype), Device::FromPacked(device),
                              scope == nullptr ? "" : scope),
                out);
  });
}
lathe_error* lathe_tensor_wrap(void* data, uint64_t byte_offset, const int64_t* shape,
                               const int64_t* strides, int32_t ndim, DLDataType dtype,
                               DLDevice device, int32_t read_only, void (*release)(void* context),
                               void* context, lathe_tensor** out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(out);
    LATHE_ASSIGN_OR_RETURN(const auto extents, Extents(shape, ndim));
    std::span<const int64_t> given;
    if (strides != nullptr) given = {strides, extents.size()};
    return Give(Tensor::Wrap(data, byte_offset, extents, given, DataType(dtype),
                             Device::FromPacked(device), release, context, read_only != 0),
                out);
  });
}
lathe_error* lathe_tensor_from_dlpack(DLManagedTensor* managed, lathe_tensor** out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(out);
    return Give(Tensor::FromDLPack(managed), out);
  });
}
lathe_error* lathe_tensor_from_dlpack_versioned(DLManagedTensorVersioned* managed,
                                                lathe_tensor** out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(out);
    return Give(Tensor::FromDLPackVersioned(managed), out);
  });
}
lathe_error* lathe_tensor_to_dlpack(lathe_tensor* tensor, DLManagedTensor** out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(out);
    LATHE_ASSIGN_OR_RETURN(*out, Share(tensor).ToDLPack());
    return absl::OkStatus();
  });
}
lathe_error* lathe_tensor_to_dlpack_versioned(lathe_tensor* tensor,
                                              DLManagedTensorVersioned** out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(out);
    LATHE_ASSIGN_OR_RETURN(*out, Share(tensor).ToDLPackVersioned());
    return absl::OkStatus();
  });
}
lathe_error* lathe_tensor_slice(lathe_tensor* tensor, int32_t axis, int64_t begin, int64_t end,
                                int64_t step, lathe_tensor** out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(tensor);
    LATHE_REQUIRE(out);
    return Give(Share(tensor).Slice(axis, begin, end, step), out);
  });
}
lathe_error* lathe_tensor_reshape(lathe_tensor* tensor, const int64_t* shape, int32_t ndim,
                                  lathe_tensor** out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(tensor);
    LATHE_REQUIRE(out);
    LATHE_ASSIGN_OR_RETURN(const auto extents, Extents(shape, ndim));
    return Give(Share(tensor).Reshape(extents), out);
  });
}
lathe_error* lathe_tensor_transpose(lathe_tensor* tensor, const int32_t* axes, int32_t n,
                                    lathe_tensor** out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(tensor);
    LATHE_REQUIRE(out);
    if (n > 0) LATHE_REQUIRE(axes);
    return Give(Share(tensor).Transpose({axes, static_cast<size_t>(n < 0 ? 0 : n)}), out);
  });
}
lathe_error* lathe_tensor_copy(lathe_tensor* from, lathe_tensor* to) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(from);
    LATHE_REQUIRE(to);
    return Share(to).CopyFrom(Share(from));
  });
}
lathe_error* lathe_tensor_to_device(lathe_tensor* tensor, DLDevice device, lathe_tensor** out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(tensor);
    LATHE_REQUIRE(out);
    return Give(Share(tensor).To(Device::FromPacked(device)), out);
  });
}
lathe_error* lathe_tensor_copy_from_host(lathe_tensor* tensor, const void* data, uint64_t bytes) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(tensor);
    return Share(tensor).CopyFromHost(data, bytes);
  });
}
lathe_error* lathe_tensor_copy_to_host(lathe_tensor* tensor, void* data, uint64_t bytes) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(tensor);
    return Share(tensor).CopyToHost(data, bytes);
  });
}
uint64_t lathe_tensor_bytes(const lathe_tensor* tensor) {
  return tensor == nullptr ? 0 : Share(const_cast<lathe_tensor*>(tensor)).num_bytes();
}

lathe_error* lathe_module_load_file(const char* path, lathe_object** out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(path);
    LATHE_REQUIRE(out);
    return GiveModule(LoadModuleFile(path), out);
  });
}
lathe_error* lathe_module_load(const char* kind, const void* data, size_t size,
                               lathe_object** out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(kind);
    if (size > 0) LATHE_REQUIRE(data);
    LATHE_REQUIRE(out);
    return GiveModule(LoadModuleBytes(kind, {static_cast<const char*>(data), size}), out);
  });
}
lathe_error* lathe_module_function(lathe_object* module, const char* name, lathe_function** out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(out);
    LATHE_ASSIGN_OR_RETURN(const Module from, AsModule(module));
    LATHE_ASSIGN_OR_RETURN(Function found,
                           name == nullptr ? from.EntryFunction() : from.GetFunction(name));
    *out = found.release();
    return absl::OkStatus();
  });
}
lathe_error* lathe_module_kind(lathe_object* module, lathe_string** out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(out);
    LATHE_ASSIGN_OR_RETURN(const Module of, AsModule(module));
    return GiveText(of->kind(), out);
  });
}
lathe_error* lathe_module_metadata(lathe_object* module, lathe_string** out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(out);
    LATHE_ASSIGN_OR_RETURN(const Module of, AsModule(module));
    return GiveText(of->metadata().ToJson(), out);
  });
}
lathe_error* lathe_module_import(lathe_object* module, lathe_object* imported) {
  return Entry([&]() -> absl::Status {
    LATHE_ASSIGN_OR_RETURN(const Module into, AsModule(module));
    LATHE_ASSIGN_OR_RETURN(Module what, AsModule(imported));
    into.Import(std::move(what));
    return absl::OkStatus();
  });
}
lathe_error* lathe_module_save(lathe_object* module, lathe_string** out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(out);
    LATHE_ASSIGN_OR_RETURN(const Module of, AsModule(module));
    LATHE_ASSIGN_OR_RETURN(const std::string bytes, of.Serialize());
    *out = MakeBytesObject(bytes).release();
    return absl::OkStatus();
  });
}

lathe_error* lathe_threads_set(int32_t n) {
  return Entry([&]() -> absl::Status {
    SetNumThreads(n);
    return absl::OkStatus();
  });
}
void lathe_workspace_limit_set(uint64_t bytes) { SetWorkspaceLimit(bytes); }
lathe_error* lathe_threads(int32_t* out) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(out);
    *out = NumThreads();
    return absl::OkStatus();
  });
}
lathe_error* lathe_parallel_for(lathe_parallel_body body, void* closure, int64_t extent) {
  lathe_error* failed = nullptr;
  lathe_error* error = Entry([&]() -> absl::Status {
    LATHE_REQUIRE(body);
    if (ParallelFor(body, closure, extent) != 0) failed = TakePendingError().release();
    return absl::OkStatus();
  });
  return error != nullptr ? error : failed;
}
void lathe_parallel_replace(int32_t (*run)(void* context, lathe_parallel_body body, void* closure,
                                           int64_t extent),
                            void* context) {
  SetParallelRun(run, context);
}
const lathe_runtime_table* lathe_get_runtime_table(void) { return RuntimeTable(); }

lathe_error* lathe_time_function(lathe_function* function, const lathe_value* args, int32_t n,
                                 DLDevice device, const lathe_timer_options* options,
                                 double* samples) {
  return Entry([&]() -> absl::Status {
    LATHE_REQUIRE(function);
    LATHE_REQUIRE(options);
    LATHE_REQUIRE(samples);
    if (n > 0) LATHE_REQUIRE(args);
    if (options->struct_size < sizeof(lathe_timer_options))
      return MakeStatus(absl::StatusCode::kInvalidArgument, "timer-invalid-options",
                        "struct_size is too small");
    TimerOptions wanted;
    wanted.number = options->number;
    wanted.repeat = options->repeat;
    wanted.min_repeat_ms = options->min_repeat_ms;
    wanted.cooldown_interval_ms = options->cooldown_interval_ms;
    wanted.repeats_to_cooldown = options->repeats_to_cooldown;
    wanted.flush_cache_bytes = options->flush_cache_bytes;
    const Function timed(function);
    LATHE_ASSIGN_OR_RETURN(const TimerResult result,
                           TimeFunction([&] { return timed.TryCallPacked(args, n).status(); },
                                        Device::FromPacked(device), wanted));
    std::copy(result.seconds.begin(), result.seconds.end(), samples);
    return absl::OkStatus();
  });
}

}  // extern "C"
