#include "runtime/rpc/remote_session.h"

#include <utility>

#include "runtime/error_object.h"
#include "runtime/rpc/items.h"
#include "runtime/rpc/remote_device.h"
#include "runtime/status.h"
#include "runtime/tensor.h"

namespace lathe::runtime::rpc {
namespace {

// A function of the far side; keeps the session.
struct RemoteFunction : internal::FunctionObject {
  ~RemoteFunction() { session->Drop(handle); }
  Ref<RemoteSession> session;
  uint64_t handle = 0;
};

int CallRemote(void* self, const lathe_value* args, int32_t n, lathe_value* ret) noexcept {
  const auto* function = static_cast<RemoteFunction*>(self);
  try {
    absl::StatusOr<Value> result =
        function->session->Call(function->handle, {args, static_cast<size_t>(n)});
    if (!result.ok()) return internal::ReturnStatus(result.status(), ret);
    *ret = result->release();
    return 0;
  } catch (...) {
    *ret = internal::ObjectValue(ErrorFromCurrentException().release());
    return -1;
  }
}

Function MakeRemote(Ref<RemoteSession> session, uint64_t handle) {
  auto* object = MakeObject<RemoteFunction>();
  object->Retain();
  object->session = std::move(session);
  object->handle = handle;
  object->call = CallRemote;
  object->self = object;
  return Function::Adopt(object->c());
}

const RemoteFunction* RemoteOf(const Function& function) {
  if (!function || function.get()->call != CallRemote) return nullptr;
  return static_cast<const RemoteFunction*>(function.get()->self);
}

class RemoteModule final : public ModuleNode {
 public:
  RemoteModule(Ref<RemoteSession> session, Loaded loaded, Metadata metadata)
      : session_(std::move(session)), loaded_(std::move(loaded)), metadata_(std::move(metadata)) {}
  ~RemoteModule() override { session_->Drop(loaded_.module); }

  std::string_view kind() const override { return "remote"; }
  Function GetFunction(std::string_view name) override {
    absl::StatusOr<Function> found = session_->FindFunction(loaded_.module, name);
    if (!found.ok()) ThrowStatus(found.status());
    return *std::move(found);
  }
  std::vector<std::string> FunctionNames() const override { return loaded_.functions; }
  const Metadata& metadata() const override { return metadata_; }
  const RemoteSession* session() const { return session_.get(); }
  uint64_t handle() const { return loaded_.module; }

 private:
  Ref<RemoteSession> session_;
  Loaded loaded_;
  Metadata metadata_;
};

class RemoteFiles final : public SessionFiles {
 public:
  explicit RemoteFiles(RemoteSession& session) : session_(session) {}

  absl::Status Upload(std::string_view name, std::string_view bytes) override {
    LATHE_RETURN_IF_ERROR(CheckName(name));
    return session_.caller()
        .Ask(rpc::Upload{std::string(name), bytes.size(), Connection::DigestOfChunks(bytes)}, bytes)
        .status();
  }
  // Of a session behind another: the machine between keeps the whole file, as Upload sends it with
  // its digest before the first byte.
  absl::Status UploadPieces(std::string_view name, uint64_t size, NextPiece next) override {
    if (size > kMostSessionBytes) {
      return MakeStatus(absl::StatusCode::kResourceExhausted, "session-files-too-large",
                        {"the file `", name, "` has ", std::to_string(size),
                         " bytes\nexpected: at most ", std::to_string(kMostSessionBytes)});
    }
    std::string bytes;
    while (bytes.size() < size) {
      LATHE_ASSIGN_OR_RETURN(const std::string_view piece, next());
      bytes += piece;
    }
    return Upload(name, bytes);
  }
  absl::StatusOr<std::string> Download(std::string_view name) override {
    LATHE_RETURN_IF_ERROR(CheckName(name));
    std::string bytes;
    LATHE_RETURN_IF_ERROR(session_.caller()
                              .Ask(rpc::Download{std::string(name)}, {},
                                   Sink{.text = &bytes, .most = kMostSessionBytes})
                              .status());
    return bytes;
  }
  absl::StatusOr<std::vector<std::string>> List() override {
    LATHE_RETURN_IF_ERROR(session_.CheckOpen());
    LATHE_ASSIGN_OR_RETURN(const Frame frame, session_.caller().Ask(ListFiles{}));
    Result result;
    LATHE_RETURN_IF_ERROR(DecodeFrame(frame, &result));
    std::vector<std::string> names;
    for (Item& item : result.item.items) names.push_back(std::move(item.bytes).value_or(""));
    return names;
  }
  absl::Status Remove(std::string_view name) override {
    LATHE_RETURN_IF_ERROR(CheckName(name));
    return session_.caller().Ask(RemoveFile{std::string(name)}).status();
  }

 private:
  // The far side checks it, too, but would call the session by a name of its own.
  absl::Status CheckName(std::string_view name) const {
    LATHE_RETURN_IF_ERROR(session_.CheckOpen());
    return CheckFileName(session_, name);
  }

  RemoteSession& session_;
};

}  // namespace

absl::StatusOr<Ref<RemoteSession>> RemoteSession::Open(std::string name,
                                                       std::unique_ptr<Transport> transport,
                                                       std::unique_ptr<Control> control) {
  Ref<RemoteSession> session =
      Make<RemoteSession>(std::move(name), std::move(transport), std::move(control));
  LATHE_RETURN_IF_ERROR(AddSession(session));
  return session;
}

RemoteSession::RemoteSession(std::string name, std::unique_ptr<Transport> transport,
                             std::unique_ptr<Control> control)
    : name_(std::move(name)), files_(std::make_unique<RemoteFiles>(*this)) {
  caller_ = std::make_unique<Caller>(
      std::move(transport), std::move(control),
      [this](uint64_t function, const std::vector<Item>& arguments) {
        return RunCallback(function, arguments);
      },
      [this](const Numbers& functions) { ForgetCallbacks(functions); });
}

RemoteSession::~RemoteSession() {
  Close();
  // The sockets and the thread are the parent's.
  if (caller_->forked()) static_cast<void>(caller_.release());
  // Before the rest, which its thread uses.
  caller_.reset();
}

void RemoteSession::OnClose() {
  if (caller_->forked()) return;
  caller_->control().Close();
  caller_->Break(MakeStatus(absl::StatusCode::kFailedPrecondition, "session-closed",
                            {Describe(*this), " is closed"}));
  std::map<uint64_t, Function> dropped;  // after unlocking: dropping may run any code
  std::lock_guard lock(mutex_);
  dropped.swap(callbacks_);
}

absl::StatusOr<DeviceAPI*> RemoteSession::FindDeviceAPI(int32_t kind) {
  LATHE_RETURN_IF_ERROR(CheckOpen());
  {
    std::lock_guard lock(mutex_);
    const auto at = devices_.find(kind);
    if (at != devices_.end()) return at->second.get();
  }
  auto device = std::make_unique<RemoteDevice>(*this, kind);
  LATHE_RETURN_IF_ERROR(device->Count().status());  // the far side may not have this kind
  std::lock_guard lock(mutex_);
  return devices_.emplace(kind, std::move(device)).first->second.get();
}

absl::StatusOr<Module> RemoteSession::Load(LoadFrom from, std::string_view name,
                                           std::string_view bytes) {
  LATHE_RETURN_IF_ERROR(CheckOpen());
  const absl::StatusOr<Frame> frame =
      caller_->Ask(rpc::Load{static_cast<uint64_t>(from), std::string(name), bytes.size()}, bytes);
  if (!frame.ok()) {
    const absl::StatusCode code = frame.status().code();
    if (code == absl::StatusCode::kAborted || code == absl::StatusCode::kUnavailable)
      return frame.status();  // of the session
    // A plugin that is missing is missing there, not here.
    return absl::Status(code, std::string(frame.status().message()) + "\nwhere: in " +
                                  Describe(*this) +
                                  ", with the plugins and libraries of that machine");
  }
  Loaded loaded;
  LATHE_RETURN_IF_ERROR(DecodeFrame(*frame, &loaded));
  return MakeModule(std::move(loaded));
}

absl::StatusOr<Module> RemoteSession::MakeModule(Loaded loaded) {
  Metadata metadata;
  if (!loaded.metadata.empty()) {
    LATHE_ASSIGN_OR_RETURN(metadata, Metadata::FromJson(loaded.metadata));
  }
  return Module(
      Make<RemoteModule>(Ref<RemoteSession>(this), std::move(loaded), std::move(metadata)));
}

absl::StatusOr<Module> RemoteSession::LoadFile(const std::string& path) {
  return Load(LoadFrom::kPath, path, {});
}

absl::StatusOr<Module> RemoteSession::LoadBytes(std::string_view kind, std::string_view bytes) {
  return Load(LoadFrom::kBytes, kind, bytes);
}

absl::StatusOr<Module> RemoteSession::LoadUploaded(std::string_view name) {
  return Load(LoadFrom::kUploaded, name, {});
}

absl::StatusOr<Module> RemoteSession::LoadLinked(std::string_view name) {
  return Load(LoadFrom::kLinked, name, {});
}

absl::StatusOr<Function> RemoteSession::GetFunction(std::string_view name) {
  LATHE_RETURN_IF_ERROR(CheckOpen());
  LATHE_ASSIGN_OR_RETURN(const Frame frame, caller_->Ask(rpc::FindFunction{std::string(name), {}}));
  LATHE_ASSIGN_OR_RETURN(const Value found, ReadResult(frame));
  return found.As<Function>();
}

absl::StatusOr<Function> RemoteSession::FindFunction(uint64_t module, std::string_view name) {
  LATHE_RETURN_IF_ERROR(CheckOpen());
  LATHE_ASSIGN_OR_RETURN(const Frame frame,
                         caller_->Ask(rpc::FindFunction{std::string(name), module}));
  LATHE_ASSIGN_OR_RETURN(const Value found, ReadResult(frame));
  return found.Is<Function>() ? found.As<Function>() : Function();
}

void RemoteSession::Drop(uint64_t object) {
  caller_->Queue(rpc::Release{{static_cast<int64_t>(object)}});
}

absl::StatusOr<Item> RemoteSession::MakeItem(const lathe_value& value,
                                             absl::FunctionRef<std::string()> what) {
  Numbers registered;
  absl::StatusOr<Item> made = ToItem(value, [&](const lathe_value& other) -> absl::StatusOr<Item> {
    Item item;
    if (other.kind == LATHE_VALUE_DEVICE) {
      const Device device = Device::FromPacked(other.v_device);
      if (device.session != id().number) return CannotCross(*this, what());
      item.kind = static_cast<uint64_t>(ItemKind::kDevice);
      item.device = {device.kind, device.id};
      return item;
    }
    Function function;
    if (ValueTraits<Function>::Get(other, &function) == Conversion::kOk) {
      const RemoteFunction* remote = RemoteOf(function);
      if (remote != nullptr && remote->session.get() != this) return CannotCross(*this, what());
      const bool far = remote != nullptr;
      item.kind = static_cast<uint64_t>(far ? ItemKind::kFunction : ItemKind::kCallback);
      if (far) {
        item.object = remote->handle;
        return item;
      }
      std::lock_guard lock(mutex_);
      item.object = ++last_callback_;
      callbacks_.emplace(last_callback_, std::move(function));
      registered.push_back(static_cast<int64_t>(last_callback_));
      return item;
    }
    Module module;
    if (ValueTraits<Module>::Get(other, &module) == Conversion::kOk) {
      const auto* remote = dynamic_cast<const RemoteModule*>(module.get());
      if (remote == nullptr || remote->session() != this) return CannotCross(*this, what());
      item.kind = static_cast<uint64_t>(ItemKind::kModule);
      item.object = remote->handle();
      return item;
    }
    const DLTensor* dl = nullptr;
    if (ValueTraits<const DLTensor*>::Get(other, &dl) != Conversion::kOk ||
        Device::FromPacked(dl->device).session != id().number)
      return CannotCross(*this, what());
    Tensor tensor;
    const bool owned = ValueTraits<Tensor>::Get(other, &tensor) == Conversion::kOk;
    item.kind = static_cast<uint64_t>(ItemKind::kTensor);
    item.view = ToView(*dl, owned && tensor.read_only());
    return item;
  });
  // Of a list that has a value which cannot cross, too.
  if (!made.ok()) ForgetCallbacks(registered);
  return made;
}

absl::StatusOr<std::vector<Item>> RemoteSession::MakeArguments(std::span<const lathe_value> args) {
  std::vector<Item> items;
  items.reserve(args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    absl::StatusOr<Item> item = MakeItem(args[i], [&] {
      return "argument " + std::to_string(i) + ", " + DescribeValue(args[i]) + ",";
    });
    if (!item.ok()) {
      ForgetCallbacks(CallbacksOf(items));
      return item.status();
    }
    items.push_back(*std::move(item));
  }
  return items;
}

template <class Message>
std::unique_ptr<Caller::Request> RemoteSession::StartWith(const Message& message,
                                                          const std::vector<Item>& arguments) {
  std::unique_ptr<Caller::Request> request = caller_->Start(message);
  if (!request->sent()) ForgetCallbacks(CallbacksOf(arguments));
  return request;
}

absl::StatusOr<Value> RemoteSession::MakeValue(const Item& item) {
  return FromItem(item, [this](const Item& other) -> absl::StatusOr<Value> {
    const uint64_t object = other.object.value_or(0);
    switch (static_cast<ItemKind>(other.kind)) {
      case ItemKind::kDevice:
        if (other.device.size() != 2) break;
        return Value(
            device(static_cast<int32_t>(other.device[0]), static_cast<int32_t>(other.device[1])));
      case ItemKind::kFunction:
        if (object == 0) break;
        return Value(MakeRemote(Ref<RemoteSession>(this), object));
      case ItemKind::kModule: {
        if (object == 0) break;
        LATHE_ASSIGN_OR_RETURN(Module module,
                               MakeModule({object, "", other.bytes.value_or(""), other.names}));
        return Value(std::move(module));
      }
      case ItemKind::kTensor: {
        if (!other.view) break;
        struct Owned {
          Ref<RemoteSession> session;
          uint64_t object;
        };
        auto owned = std::make_unique<Owned>(Owned{Ref<RemoteSession>(this), object});
        LATHE_ASSIGN_OR_RETURN(Tensor tensor,
                               FromView(
                                   *other.view, id().number,
                                   [](void* context) {
                                     const std::unique_ptr<Owned> own(static_cast<Owned*>(context));
                                     if (own->object != 0) own->session->Drop(own->object);
                                   },
                                   owned.get()));
        owned.release();
        return Value(std::move(tensor));
      }
      default:
        break;
    }
    return MalformedItem(other);
  });
}

absl::StatusOr<Value> RemoteSession::ReadResult(const Frame& frame) {
  Result result;
  LATHE_RETURN_IF_ERROR(DecodeFrame(frame, &result));
  return MakeValue(result.item);
}

absl::Status RemoteSession::Construct(const std::string& constructor,
                                      const std::vector<Value>& arguments) {
  rpc::Construct construct{constructor, {}};
  for (const Value& argument : arguments) {
    LATHE_ASSIGN_OR_RETURN(Item item, MakeItem(argument.c(), [] {
                             return std::string("an argument of a session's constructor");
                           }));
    construct.arguments.push_back(std::move(item));
  }
  return StartWith(construct, construct.arguments)->Wait().status();
}

absl::StatusOr<Value> RemoteSession::Call(uint64_t function, std::span<const lathe_value> args) {
  LATHE_RETURN_IF_ERROR(CheckOpen());
  rpc::Call call{function, {}};
  LATHE_ASSIGN_OR_RETURN(call.arguments, MakeArguments(args));
  LATHE_ASSIGN_OR_RETURN(const Frame frame, StartWith(call, call.arguments)->Wait());
  return ReadResult(frame);
}

RemoteSession::Pending RemoteSession::Start(const Function& function,
                                            std::span<const lathe_value> args) {
  Pending pending;
  pending.session_ = Ref<RemoteSession>(this);
  const RemoteFunction* remote = RemoteOf(function);
  absl::StatusOr<std::vector<Item>> items = MakeArguments(args);
  if (remote == nullptr || remote->session.get() != this) {
    pending.status_ = CannotCross(*this, "a call of a function of another session");
  } else if (!items.ok()) {
    pending.status_ = items.status();
  } else {
    const rpc::Call call{remote->handle, *std::move(items)};
    pending.request_ = StartWith(call, call.arguments);
  }
  return pending;
}

absl::StatusOr<Value> RemoteSession::Pending::Result() {
  LATHE_RETURN_IF_ERROR(status_);
  LATHE_ASSIGN_OR_RETURN(const Frame frame, request_->Wait());
  return session_->ReadResult(frame);
}

absl::StatusOr<Caller::Returned> RemoteSession::RunCallback(uint64_t function,
                                                            const std::vector<Item>& arguments) {
  Function found;
  {
    std::lock_guard lock(mutex_);
    const auto at = callbacks_.find(function);
    if (at != callbacks_.end()) found = at->second;
  }
  if (!found)
    return MakeStatus(absl::StatusCode::kNotFound, "rpc-unknown-object",
                      {"the far side calls function ", std::to_string(function),
                       ", which this side never gave it, or it has released"});
  std::vector<Value> values;
  for (const Item& item : arguments) {
    LATHE_ASSIGN_OR_RETURN(Value value, MakeValue(item));
    values.push_back(std::move(value));
  }
  std::vector<lathe_value> borrowed;
  for (const Value& value : values) borrowed.push_back(value.c());
  LATHE_ASSIGN_OR_RETURN(
      Value result, found.TryCallPacked(borrowed.data(), static_cast<int32_t>(borrowed.size())));
  LATHE_ASSIGN_OR_RETURN(
      Item item, MakeItem(result.c(), [] { return std::string("the result of a callback"); }));
  return Caller::Returned{std::move(item), std::move(result)};
}

void RemoteSession::ForgetCallbacks(const Numbers& functions) {
  std::vector<Function> dropped;  // after unlocking: dropping may run any code
  std::lock_guard lock(mutex_);
  for (const int64_t function : functions) {
    const auto at = callbacks_.find(static_cast<uint64_t>(function));
    if (at == callbacks_.end()) continue;
    dropped.push_back(std::move(at->second));
    callbacks_.erase(at);
  }
}

absl::StatusOr<TimerResult> RemoteSession::Time(const Function& function,
                                                std::span<const Value> args, const Device& device,
                                                TimerOptions options, const Function& preprocess) {
  LATHE_RETURN_IF_ERROR(CheckOpen());
  const RemoteFunction* const remote = RemoteOf(function);
  if (remote == nullptr || remote->session.get() != this)
    return CannotCross(*this, "to time a function of another session");
  if (device.session != id().number) return CannotCross(*this, device.ToString());
  std::vector<lathe_value> values;
  for (const Value& arg : args) values.push_back(arg.c());
  rpc::Time time;
  time.function = remote->handle;
  LATHE_ASSIGN_OR_RETURN(time.arguments, MakeArguments(values));
  time.kind = device.kind;
  time.id = device.id;
  time.number = options.number;
  time.repeat = options.repeat;
  time.min_repeat_ms = options.min_repeat_ms;
  time.cooldown_interval_ms = options.cooldown_interval_ms;
  time.repeats_to_cooldown = options.repeats_to_cooldown;
  time.flush_cache_bytes = options.flush_cache_bytes;
  if (preprocess) {
    LATHE_ASSIGN_OR_RETURN(time.preprocess, MakeItem(ValueTraits<Function>::Borrow(preprocess),
                                                     [] { return std::string("`preprocess`"); }));
  }
  std::vector<Item> given = time.arguments;
  if (time.preprocess) given.push_back(*time.preprocess);
  LATHE_ASSIGN_OR_RETURN(const Frame frame, StartWith(time, given)->Wait());
  Timed timed;
  LATHE_RETURN_IF_ERROR(DecodeFrame(frame, &timed));
  if (timed.seconds.empty()) return Unexpected(frame, "Timed with samples");
  return Summarize(std::move(timed.seconds), timed.number);
}

}  // namespace lathe::runtime::rpc
