#include "runtime/session/loopback_session.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "runtime/error_object.h"
#include "runtime/registry.h"
#include "runtime/session/cache_flush.h"
#include "runtime/status.h"
#include "runtime/tensor.h"

namespace lathe::runtime {
namespace {

// A function of the session; keeps the session alive.
struct FarFunction : internal::FunctionObject {
  Ref<LoopbackSession> session;
  Function far;
};

int CallFar(void* self, const lathe_value* args, int32_t n, lathe_value* ret) noexcept {
  const auto* function = static_cast<FarFunction*>(self);
  try {
    absl::StatusOr<Value> result =
        function->session->Call(function->far, {args, static_cast<size_t>(n)});
    if (!result.ok()) return internal::ReturnStatus(result.status(), ret);
    *ret = result->release();
    return 0;
  } catch (...) {
    *ret = internal::ObjectValue(ErrorFromCurrentException().release());
    return -1;
  }
}

Function MakeFar(Ref<LoopbackSession> session, Function far) {
  auto* object = MakeObject<FarFunction>();
  object->Retain();
  object->session = std::move(session);
  object->far = std::move(far);
  object->call = CallFar;
  object->self = object;
  return Function::Adopt(object->c());
}

const FarFunction* FarOf(const Function& function) {
  if (!function || function.get()->call != CallFar) return nullptr;
  return static_cast<const FarFunction*>(function.get()->self);
}

// A function of this side that the far side calls; the far side's reference keeps the session.
struct NearFunction : internal::FunctionObject {
  Ref<LoopbackSession> session;
  Function near;
};

class FarModule final : public ModuleNode {
 public:
  FarModule(Ref<LoopbackSession> session, Module far)
      : session_(std::move(session)), far_(std::move(far)) {}
  std::string_view kind() const override { return "loopback"; }
  Function GetFunction(std::string_view name) override {
    Function found = far_.FindFunction(name);
    return found ? MakeFar(session_, std::move(found)) : Function();
  }
  std::vector<std::string> FunctionNames() const override { return far_->FunctionNames(); }
  const Metadata& metadata() const override { return far_->metadata(); }
  const Module& far() const { return far_; }
  const LoopbackSession* session() const { return session_.get(); }

 private:
  Ref<LoopbackSession> session_;
  Module far_;
};

}  // namespace

// The arguments of a call in the form of the far side, for the duration of the call.
class Arguments {
 public:
  absl::Status Read(LoopbackSession& session, std::span<const lathe_value> args) {
    for (size_t i = 0; i < args.size(); ++i) {
      if (IsPlain(args[i])) {
        values_.push_back(args[i]);
        continue;
      }
      const auto what = [&] {
        return "argument " + std::to_string(i) + ", " + DescribeValue(args[i]) + ",";
      };
      LATHE_ASSIGN_OR_RETURN(Value far, Far(session, args[i], what));
      values_.push_back(far.c());
      owned_.push_back(std::move(far));
    }
    return absl::OkStatus();
  }
  std::span<const lathe_value> values() const { return values_; }

 private:
  // True if the value means the same on both sides.
  static bool IsPlain(const lathe_value& arg) {
    if (arg.kind != LATHE_VALUE_OBJECT || arg.v_object == nullptr)
      return arg.kind != LATHE_VALUE_POINTER && arg.kind != LATHE_VALUE_DEVICE &&
             arg.kind != LATHE_VALUE_DLTENSOR;
    if (const std::vector<Value>* elements = ArrayElements(arg))
      return std::all_of(elements->begin(), elements->end(),
                         [](const Value& element) { return IsPlain(element.c()); });
    return arg.v_object->kind == LATHE_OBJECT_STRING || arg.v_object->kind == LATHE_OBJECT_BYTES;
  }

  // The far side's form of a value that is not plain. `what` is called for messages only.
  static absl::StatusOr<Value> Far(LoopbackSession& session, const lathe_value& arg,
                                   absl::FunctionRef<std::string()> what) {
    if (arg.kind == LATHE_VALUE_DEVICE) {
      const Device device = Device::FromPacked(arg.v_device);
      if (device.session != session.id().number) return CannotCross(session, what());
      return Value(Device{device.kind, device.id, 0});
    }
    if (const std::vector<Value>* elements = ArrayElements(arg)) {
      std::vector<Value> far;
      for (const Value& element : *elements) {
        if (IsPlain(element.c())) {
          far.push_back(element);
          continue;
        }
        LATHE_ASSIGN_OR_RETURN(Value one, Far(session, element.c(), what));
        far.push_back(std::move(one));
      }
      return Value(std::move(far));
    }
    Function function;
    if (ValueTraits<Function>::Get(arg, &function) == Conversion::kOk) {
      const FarFunction* far = FarOf(function);
      if (far != nullptr && far->session.get() != &session) return CannotCross(session, what());
      return Value(far != nullptr ? far->far : session.MakeCallback(function));
    }
    Module module;
    if (ValueTraits<Module>::Get(arg, &module) == Conversion::kOk) {
      const auto* far = dynamic_cast<const FarModule*>(module.get());
      if (far == nullptr || far->session() != &session) return CannotCross(session, what());
      return Value(far->far());
    }
    return FarTensor(session, arg, what);
  }

  static absl::StatusOr<Value> FarTensor(LoopbackSession& session, const lathe_value& arg,
                                         absl::FunctionRef<std::string()> what) {
    Tensor tensor;
    const DLTensor* dl = arg.kind == LATHE_VALUE_DLTENSOR ? arg.v_dltensor : nullptr;
    if (ValueTraits<Tensor>::Get(arg, &tensor) == Conversion::kOk) dl = &tensor.dl();
    if (dl == nullptr || Device::FromPacked(dl->device).session != session.id().number)
      return CannotCross(session, what());
    const Device device = Device::FromPacked(dl->device);
    LATHE_RETURN_IF_ERROR(session.FindDeviceAPI(device.kind).status());
    LATHE_ASSIGN_OR_RETURN(LoopbackDevice::Local local,
                           session.FindUsed(device.kind)->Resolve(*dl));
    const auto rank = static_cast<size_t>(dl->ndim);
    std::span<const int64_t> strides;
    if (dl->strides != nullptr) strides = {dl->strides, rank};
    // The function may keep the tensor, and with it the memory, when this side has freed it.
    using Keeper = std::shared_ptr<const Held>;
    auto keeper = std::make_unique<Keeper>(std::move(local.held));
    Tensor far = Tensor::Wrap(
        local.view.data, dl->byte_offset, {dl->shape, rank}, strides, DataType(dl->dtype),
        Device{device.kind, device.id, 0},
        [](void* context) { delete static_cast<Keeper*>(context); }, keeper.get(),
        tensor && tensor.read_only());
    keeper.release();
    return Value(std::move(far));
  }

  std::vector<lathe_value> values_;
  std::vector<Value> owned_;
};

absl::StatusOr<Ref<LoopbackSession>> LoopbackSession::Open() {
  RegisterCacheFlush();
  Ref<LoopbackSession> session = Make<LoopbackSession>();
  LATHE_RETURN_IF_ERROR(AddSession(session));
  return session;
}

absl::StatusOr<DeviceAPI*> LoopbackSession::FindDeviceAPI(int32_t kind) {
  LATHE_ASSIGN_OR_RETURN(DeviceAPI * local, GetDeviceAPI(kind));
  std::lock_guard lock(mutex_);
  auto& device = devices_[kind];
  if (device == nullptr) device = std::make_unique<LoopbackDevice>(*this, local);
  return device.get();
}

LoopbackDevice* LoopbackSession::FindUsed(int32_t kind) {
  std::lock_guard lock(mutex_);
  const auto at = devices_.find(kind);
  return at == devices_.end() ? nullptr : at->second.get();
}

void LoopbackSession::OnClose() {
  std::vector<LoopbackDevice*> used;
  {
    std::lock_guard lock(mutex_);
    for (const auto& [kind, device] : devices_) used.push_back(device.get());
  }
  // Done after unlocking: freeing what a function returned may run any code.
  for (LoopbackDevice* device : used) device->Close();
  files_.End();
}

absl::StatusOr<Module> LoopbackSession::LoadFile(const std::string& path) {
  LATHE_RETURN_IF_ERROR(CheckOpen());
  LATHE_ASSIGN_OR_RETURN(Module far, LocalSession()->LoadFile(path));
  return Module(Make<FarModule>(Ref<LoopbackSession>(this), std::move(far)));
}

absl::StatusOr<Module> LoopbackSession::LoadBytes(std::string_view kind, std::string_view bytes) {
  LATHE_RETURN_IF_ERROR(CheckOpen());
  LATHE_ASSIGN_OR_RETURN(Module far, LocalSession()->LoadBytes(kind, bytes));
  return Module(Make<FarModule>(Ref<LoopbackSession>(this), std::move(far)));
}

absl::StatusOr<Module> LoopbackSession::LoadUploaded(std::string_view name) {
  LATHE_ASSIGN_OR_RETURN(const std::string path, files_.PathOf(name));
  return LoadFile(path);
}

absl::StatusOr<Module> LoopbackSession::LoadLinked(std::string_view name) {
  LATHE_RETURN_IF_ERROR(CheckOpen());
  LATHE_ASSIGN_OR_RETURN(Module far, LocalSession()->LoadLinked(name));
  return Module(Make<FarModule>(Ref<LoopbackSession>(this), std::move(far)));
}

absl::StatusOr<Function> LoopbackSession::GetFunction(std::string_view name) {
  LATHE_RETURN_IF_ERROR(CheckOpen());
  LATHE_ASSIGN_OR_RETURN(Function far, FindExported(name));
  return MakeFar(Ref<LoopbackSession>(this), std::move(far));
}

absl::StatusOr<Value> LoopbackSession::Call(const Function& far,
                                            std::span<const lathe_value> args) {
  LATHE_RETURN_IF_ERROR(CheckOpen());
  Arguments arguments;
  LATHE_RETURN_IF_ERROR(arguments.Read(*this, args));
  LATHE_ASSIGN_OR_RETURN(Value result,
                         far.TryCallPacked(arguments.values().data(),
                                           static_cast<int32_t>(arguments.values().size())));
  return Bring(std::move(result));
}

absl::StatusOr<TimerResult> LoopbackSession::Time(const Function& function,
                                                  std::span<const Value> args, const Device& device,
                                                  TimerOptions options,
                                                  const Function& preprocess) {
  LATHE_RETURN_IF_ERROR(CheckOpen());
  const FarFunction* const far = FarOf(function);
  if (far == nullptr || far->session.get() != this)
    return CannotCross(*this, "to time a function of another session");
  if (device.session != id().number) return CannotCross(*this, device.ToString());
  std::vector<lathe_value> values;
  for (const Value& arg : args) values.push_back(arg.c());
  Arguments arguments;
  LATHE_RETURN_IF_ERROR(arguments.Read(*this, values));
  const auto n = static_cast<int32_t>(values.size());
  // Called on this side, with the caller's arguments.
  if (preprocess)
    options.preprocess = [&] { return preprocess.TryCallPacked(values.data(), n).status(); };
  return TimeFunction([&] { return far->far.TryCallPacked(arguments.values().data(), n).status(); },
                      Device{device.kind, device.id, 0}, options);
}

Function LoopbackSession::MakeCallback(Function near) {
  auto* object = MakeObject<NearFunction>();
  object->Retain();
  object->session = Ref<LoopbackSession>(this);
  object->near = std::move(near);
  object->call = [](void* self, const lathe_value* args, int32_t n, lathe_value* ret) noexcept {
    const auto* function = static_cast<NearFunction*>(self);
    try {
      absl::StatusOr<Value> result =
          function->session->CallBack(function->near, {args, static_cast<size_t>(n)});
      if (!result.ok()) return internal::ReturnStatus(result.status(), ret);
      *ret = result->release();
      return 0;
    } catch (...) {
      *ret = internal::ObjectValue(ErrorFromCurrentException().release());
      return -1;
    }
  };
  object->self = object;
  return Function::Adopt(object->c());
}

absl::StatusOr<Value> LoopbackSession::CallBack(const Function& near,
                                                std::span<const lathe_value> args) {
  LATHE_RETURN_IF_ERROR(CheckOpen());
  std::vector<Value> brought;
  std::vector<Tensor> lent;
  for (const lathe_value& arg : args) {
    Tensor tensor;
    // Compiled code lends its tensors for the call: they own nothing.
    if (arg.kind == LATHE_VALUE_DLTENSOR && arg.v_dltensor != nullptr) {
      const DLTensor& dl = *arg.v_dltensor;
      const auto rank = static_cast<size_t>(dl.ndim);
      std::span<const int64_t> strides;
      if (dl.strides != nullptr) strides = {dl.strides, rank};
      tensor = Tensor::Wrap(dl.data, dl.byte_offset, {dl.shape, rank}, strides, DataType(dl.dtype),
                            Device::FromPacked(dl.device), nullptr, nullptr);
    }
    LATHE_ASSIGN_OR_RETURN(Value value, Bring(tensor ? Value(tensor) : Value::CopyOf(arg)));
    if (tensor) lent.push_back(value.As<Tensor>());
    brought.push_back(std::move(value));
  }
  std::vector<lathe_value> values;
  for (const Value& value : brought) values.push_back(value.c());
  absl::StatusOr<Value> result =
      near.TryCallPacked(values.data(), static_cast<int32_t>(values.size()));
  // Whoever kept one of them finds that its handle is no longer known.
  for (const Tensor& tensor : lent) {
    const Device device = tensor.device();
    if (LoopbackDevice* const used = FindUsed(device.kind); used != nullptr && tensor.dl().data)
      used->Free(device.id, "", tensor.dl().data).IgnoreError();
  }
  LATHE_RETURN_IF_ERROR(result.status());
  if (result->Is<const DLTensor*>())
    return CannotCross(*this, "a tensor as the result of a function of this side");
  Arguments far;
  LATHE_RETURN_IF_ERROR(far.Read(*this, {&result->c(), 1}));
  return Value::CopyOf(far.values().front());
}

// Converts a result to the form of this side.
absl::StatusOr<Value> LoopbackSession::Bring(Value result) {
  if (result.Is<Device>()) {
    const auto far = result.As<Device>();
    return Value(device(far.kind, far.id));
  }
  if (result.kind() != LATHE_VALUE_OBJECT) return result;
  if (const std::vector<Value>* elements = ArrayElements(result.c())) {
    std::vector<Value> brought;
    for (const Value& element : *elements) {
      LATHE_ASSIGN_OR_RETURN(Value one, Bring(element));
      brought.push_back(std::move(one));
    }
    return Value(std::move(brought));
  }
  if (result.Is<Module>())
    return Value(Module(Make<FarModule>(Ref<LoopbackSession>(this), result.As<Module>())));
  if (result.Is<Function>())
    return Value(MakeFar(Ref<LoopbackSession>(this), result.As<Function>()));
  if (!result.Is<Tensor>()) return result;
  auto tensor = result.As<Tensor>();
  if (!tensor.is_compact()) {
    LATHE_ASSIGN_OR_RETURN(tensor, tensor.Clone());
  }
  const Device there = tensor.device();
  LATHE_ASSIGN_OR_RETURN(DeviceAPI* const api, FindDeviceAPI(there.kind));
  auto* device = static_cast<LoopbackDevice*>(api);
  LATHE_ASSIGN_OR_RETURN(void* const handle, device->Share(tensor));
  // The tensor here owns this until its last reference is gone. The session owns the device.
  struct Kept {
    Ref<LoopbackSession> session;
    LoopbackDevice* device;
    int32_t id;
    void* handle;
  };
  auto* kept = new Kept{Ref<LoopbackSession>(this), device, there.id, handle};
  return Value(Tensor::Wrap(
      handle, tensor.dl().byte_offset, tensor.shape(), {}, tensor.dtype(),
      this->device(there.kind, there.id),
      [](void* context) {
        auto* own = static_cast<Kept*>(context);
        // If the session is closed, everything has been freed already.
        own->device->Free(own->id, "", own->handle).IgnoreError();
        delete own;
      },
      kept, tensor.read_only()));
}

}  // namespace lathe::runtime
