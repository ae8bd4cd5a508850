// Functions: of modules, exported ones, and those of the client.
#include <string>
#include <utility>

#include "runtime/error_object.h"
#include "runtime/rpc/items.h"
#include "runtime/rpc/service_parts.h"
#include "runtime/status.h"
#include "runtime/tensor.h"

namespace lathe::runtime::rpc {

// A function of the client as the far side sees it.
struct Service::ClientFunction : internal::FunctionObject {
  ~ClientFunction() {
    const std::lock_guard lock(link->mutex);
    link->released.push_back(static_cast<int64_t>(function));
  }
  std::shared_ptr<Link> link;
  uint64_t function = 0;

  // The service, for the thread that it runs on, which ends it.
  absl::StatusOr<Service*> Serving() const {
    const std::lock_guard lock(link->mutex);
    if (link->service == nullptr)
      return MakeStatus(absl::StatusCode::kFailedPrecondition, "session-closed",
                        "a function of a client was called whose session has ended");
    if (std::this_thread::get_id() != link->service->thread_)
      return MakeStatus(absl::StatusCode::kFailedPrecondition, "rpc-callback-thread",
                        "a function of the client was called by a thread of a parallel loop; only "
                        "the thread that carries out the request may call it");
    return link->service;
  }

  static int Call(void* self, const lathe_value* args, int32_t n, lathe_value* ret) noexcept {
    const auto* own = static_cast<ClientFunction*>(self);
    try {
      absl::StatusOr<Service*> service = own->Serving();
      if (!service.ok()) return internal::ReturnStatus(service.status(), ret);
      absl::StatusOr<Value> result =
          (*service)->CallClient(own->function, {args, static_cast<size_t>(n)});
      if (!result.ok()) return internal::ReturnStatus(result.status(), ret);
      *ret = result->release();
      return 0;
    } catch (...) {
      *ret = internal::ObjectValue(ErrorFromCurrentException().release());
      return -1;
    }
  }
};

uint64_t Service::Keep(Value value) {
  objects_.emplace(++last_object_, std::move(value));
  return last_object_;
}

template <class T>
absl::StatusOr<T> Service::ObjectOf(uint64_t object) const {
  const auto at = objects_.find(object);
  if (at != objects_.end() && at->second.Is<T>()) return at->second.As<T>();
  return MakeStatus(
      absl::StatusCode::kNotFound, "rpc-unknown-object",
      {"the worker has no ", ValueTraits<T>::Name(), " by the handle ", std::to_string(object),
       "\nexpected: what it gave to this session, and not released"});
}

absl::StatusOr<Value> Service::MakeValue(const Item& item) {
  return FromItem(item, [this](const Item& other) -> absl::StatusOr<Value> {
    switch (static_cast<ItemKind>(other.kind)) {
      case ItemKind::kDevice:
        if (other.device.size() != 2) break;
        return Value(session_->device(static_cast<int32_t>(other.device[0]),
                                      static_cast<int32_t>(other.device[1])));
      case ItemKind::kTensor: {
        if (!other.view) break;
        LATHE_ASSIGN_OR_RETURN(Tensor tensor, FromView(*other.view, session_->id().number));
        return Value(std::move(tensor));
      }
      case ItemKind::kFunction: {
        LATHE_ASSIGN_OR_RETURN(Function function, ObjectOf<Function>(other.object.value_or(0)));
        return Value(std::move(function));
      }
      case ItemKind::kModule: {
        LATHE_ASSIGN_OR_RETURN(Module module, ObjectOf<Module>(other.object.value_or(0)));
        return Value(std::move(module));
      }
      case ItemKind::kCallback: {
        if (!other.object) break;
        auto* object = MakeObject<ClientFunction>();
        object->Retain();
        object->link = link_;
        object->function = *other.object;
        object->call = &ClientFunction::Call;
        object->self = object;
        return Value(Function::Adopt(object->c()));
      }
      default:
        break;
    }
    return MalformedItem(other);
  });
}

absl::StatusOr<std::vector<Value>> Service::MakeValues(const std::vector<Item>& items) {
  std::vector<Value> values;
  values.reserve(items.size());
  for (const Item& item : items) {
    LATHE_ASSIGN_OR_RETURN(Value value, MakeValue(item));
    values.push_back(std::move(value));
  }
  return values;
}

absl::StatusOr<Item> Service::MakeItem(const lathe_value& value) {
  return ToItem(value, [this](const lathe_value& other) -> absl::StatusOr<Item> {
    Item item;
    Value owned = Value::CopyOf(other);
    if (owned.Is<Device>()) {
      const auto device = owned.As<Device>();
      item.kind = static_cast<uint64_t>(ItemKind::kDevice);
      item.device = {device.kind, device.id};
      return item;
    }
    if (owned.Is<Tensor>()) {
      const auto tensor = owned.As<Tensor>();
      item.kind = static_cast<uint64_t>(ItemKind::kTensor);
      item.view = ToView(tensor.dl(), tensor.read_only());
      item.object = Keep(std::move(owned));
      return item;
    }
    if (owned.Is<Function>()) {
      item.kind = static_cast<uint64_t>(ItemKind::kFunction);
      item.object = Keep(std::move(owned));
      return item;
    }
    if (owned.Is<Module>()) {
      const auto module = owned.As<Module>();
      item.kind = static_cast<uint64_t>(ItemKind::kModule);
      if (!module->metadata().empty()) item.bytes = module->metadata().ToJson();
      item.names = module->FunctionNames();
      item.object = Keep(std::move(owned));
      return item;
    }
    return MakeStatus(absl::StatusCode::kInvalidArgument, "session-argument",
                      {DescribeValue(other),
                       " cannot leave the worker\nexpected: a number, text, bytes, an element "
                       "type, a device, a tensor, a function, a module, or a list of these"});
  });
}

Service::Outcome Service::ItemResult(const Value& value, uint64_t request) {
  const uint64_t before = last_object_;
  absl::StatusOr<Item> item = MakeItem(value.c());
  if (item.ok()) {
    std::string frame = EncodeFrame(Result{*std::move(item)}, request);
    if (frame.size() <= kHeaderBytes + kMostBodyBytes) return frame;
    item = TooLarge("a result", frame.size());
  }
  ForgetAfter(before);
  return item.status();
}

void Service::ForgetAfter(uint64_t object) {
  objects_.erase(objects_.upper_bound(object), objects_.end());
}

Service::Outcome Service::Call(const Frame& frame) {
  rpc::Call call;
  LATHE_RETURN_IF_ERROR(Lost(Decode(frame.body, &call)));
  LATHE_ASSIGN_OR_RETURN(const Function function, ObjectOf<Function>(call.function));
  LATHE_ASSIGN_OR_RETURN(const std::vector<Value> values, MakeValues(call.arguments));
  std::vector<lathe_value> borrowed;
  borrowed.reserve(values.size());
  for (const Value& value : values) borrowed.push_back(value.c());
  LATHE_ASSIGN_OR_RETURN(
      const Value result,
      function.TryCallPacked(borrowed.data(), static_cast<int32_t>(borrowed.size())));
  return ItemResult(result, frame.request);
}

Service::Outcome Service::Find(const Frame& frame) {
  FindFunction find;
  LATHE_RETURN_IF_ERROR(Lost(Decode(frame.body, &find)));
  if (!find.module) {
    LATHE_ASSIGN_OR_RETURN(Function exported, session_->GetFunction(find.name));
    return ItemResult(Value(std::move(exported)), frame.request);
  }
  LATHE_ASSIGN_OR_RETURN(const Module module, ObjectOf<Module>(*find.module));
  Function found = module.FindFunction(find.name);
  return ItemResult(found ? Value(std::move(found)) : Value(), frame.request);
}

Service::Outcome Service::Time(const Frame& frame) {
  rpc::Time time;
  LATHE_RETURN_IF_ERROR(Lost(Decode(frame.body, &time)));
  LATHE_ASSIGN_OR_RETURN(const Function function, ObjectOf<Function>(time.function));
  LATHE_ASSIGN_OR_RETURN(const std::vector<Value> values, MakeValues(time.arguments));
  TimerOptions options;
  options.number = time.number;
  options.repeat = time.repeat;
  options.min_repeat_ms = time.min_repeat_ms;
  options.cooldown_interval_ms = time.cooldown_interval_ms;
  options.repeats_to_cooldown = time.repeats_to_cooldown;
  options.flush_cache_bytes = time.flush_cache_bytes;
  options.go_on = [] {
    if (CancelScope::Look(CancelScope::Current()) == 0) return absl::OkStatus();
    return MakeStatus(absl::StatusCode::kCancelled, "cancelled", "the measurement was cancelled");
  };
  Function preprocess;
  if (time.preprocess) {
    LATHE_ASSIGN_OR_RETURN(const Value value, MakeValue(*time.preprocess));
    if (!value.Is<Function>()) return MalformedItem(*time.preprocess);
    preprocess = value.As<Function>();
  }
  LATHE_ASSIGN_OR_RETURN(DeviceAPI * api, FindDevice(time.kind, time.id));
  const Device device = session_->device(api->kind(), static_cast<int32_t>(time.id));
  LATHE_ASSIGN_OR_RETURN(TimerResult result,
                         session_->Time(function, values, device, options, preprocess));
  return EncodeFrame(Timed{std::move(result.seconds), result.number}, frame.request);
}

void Service::Release(const Frame& frame) {
  rpc::Release release;
  if (!Lost(Decode(frame.body, &release)).ok()) return;
  for (const int64_t object : release.objects) objects_.erase(static_cast<uint64_t>(object));
}

absl::StatusOr<Value> Service::CallClient(uint64_t function, std::span<const lathe_value> args) {
  uint64_t request = 0;
  {
    std::lock_guard lock(mutex_);
    if (active_.empty() || active_.size() >= kMostRequestDepth)
      return MakeStatus(
          absl::StatusCode::kResourceExhausted, "rpc-callback-depth",
          {active_.empty() ? "no request runs" : "callbacks within callbacks, too deep",
           ": a function of the client cannot be called"});
    request = active_.back()->request;
  }
  rpc::Callback call;
  call.function = function;
  const uint64_t before = last_object_;
  for (const lathe_value& arg : args) {
    absl::StatusOr<Item> item = MakeItem(arg);
    if (!item.ok()) {
      ForgetAfter(before);
      return item.status();
    }
    call.arguments.push_back(*std::move(item));
  }
  const std::string frame = EncodeFrame(call, request);
  if (frame.size() > kHeaderBytes + kMostBodyBytes) {
    ForgetAfter(before);
    return TooLarge("arguments of a callback", frame.size());
  }
  auto at = callback_answers_.end();
  {
    const Waiting waits(*this);
    Send(frame);
    while (lost_.ok() && (at = callback_answers_.find(request)) == callback_answers_.end()) Step();
  }
  LATHE_RETURN_IF_ERROR(lost_);
  const Frame answer = std::move(at->second);
  callback_answers_.erase(at);
  if (answer.type == Failed::kType) {
    Failed failed;
    LATHE_RETURN_IF_ERROR(Lost(Decode(answer.body, &failed)));
    if (failed.failure.code != 0) return FromFailure(failed.failure);
    return Unexpected(answer, "a failure with a reason");
  }
  Result result;
  LATHE_RETURN_IF_ERROR(Lost(Decode(answer.body, &result)));
  return MakeValue(result.item);
}

}  // namespace lathe::runtime::rpc
