// A session with another process, over a data connection: modules, functions, tensors, devices and
// files of the far side, by handles. What a test or a user does with a session (session.h) works
// with this one.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/rpc/caller.h"
#include "runtime/session/session.h"

namespace lathe::runtime::rpc {

class RemoteDevice;

// Thread-safe. Requests of all threads are carried out one after the other. A child that fork made
// has no session: using it there fails with `session-forked`, and leaves the parent's alone.
class RemoteSession final : public Session {
 public:
  // `transport`: a data connection whose far side runs a Service. `name` for messages: "b:9090".
  // Fails with `session-too-many`.
  static absl::StatusOr<Ref<RemoteSession>> Open(std::string name,
                                                 std::unique_ptr<Transport> transport,
                                                 std::unique_ptr<Control> control);
  // Use Open.
  RemoteSession(std::string name, std::unique_ptr<Transport> transport,
                std::unique_ptr<Control> control);
  ~RemoteSession() override;

  std::string_view name() const override { return name_; }
  absl::StatusOr<DeviceAPI*> FindDeviceAPI(int32_t kind) override;
  absl::StatusOr<Module> LoadFile(const std::string& path) override;
  absl::StatusOr<Module> LoadBytes(std::string_view kind, std::string_view bytes) override;
  SessionFiles& files() override { return *files_; }
  absl::StatusOr<Module> LoadUploaded(std::string_view name) override;
  absl::StatusOr<Module> LoadLinked(std::string_view name) override;
  absl::StatusOr<Function> GetFunction(std::string_view name) override;
  absl::StatusOr<TimerResult> Time(const Function& function, std::span<const Value> args,
                                   const Device& device, TimerOptions options,
                                   const Function& preprocess) override;

  // Has the far side serve another session; before anything else. Fails with `rpc-constructor` and
  // with what the constructor says.
  absl::Status Construct(const std::string& constructor, const std::vector<Value>& arguments);
  // Calls a function of the far side by its handle.
  absl::StatusOr<Value> Call(uint64_t function, std::span<const lathe_value> args);
  // A call that was sent: `result` waits for it. Many may be under way; they run in order.
  class Pending {
   public:
    absl::StatusOr<Value> Result();

   private:
    friend class RemoteSession;
    Ref<RemoteSession> session_;
    absl::Status status_;
    std::unique_ptr<Caller::Request> request_;
  };
  // `function` must be one of this session; else the result is `session-argument`.
  Pending Start(const Function& function, std::span<const lathe_value> args);

  // Null if the module has no such function.
  absl::StatusOr<Function> FindFunction(uint64_t module, std::string_view name);
  Caller& caller() { return *caller_; }
  // What the worker said that it runs on, which may be an emulator; of the first one, if a
  // constructor leads further. Set by Connect, before anybody has the session.
  const Machine& machine() const { return machine_; }
  void set_machine(Machine machine) { machine_ = std::move(machine); }
  // Keeps what the session needs until the session and everything that came from it are gone: the
  // server of a worker that is started for it alone. Before anybody has the session.
  void Keep(std::shared_ptr<void> needed) { needed_ = std::move(needed); }
  // Objects of the far side that this side has dropped.
  void Drop(uint64_t object);

 protected:
  void OnClose() override;

 private:
  absl::StatusOr<Module> Load(LoadFrom from, std::string_view name, std::string_view bytes);
  absl::StatusOr<Module> MakeModule(Loaded loaded);
  // `what` is called for messages only.
  absl::StatusOr<Item> MakeItem(const lathe_value& value, absl::FunctionRef<std::string()> what);
  absl::StatusOr<std::vector<Item>> MakeArguments(std::span<const lathe_value> args);
  absl::StatusOr<Value> MakeValue(const Item& item);
  absl::StatusOr<Value> ReadResult(const Frame& frame);
  absl::StatusOr<Caller::Returned> RunCallback(uint64_t function,
                                               const std::vector<Item>& arguments);
  void ForgetCallbacks(const Numbers& functions);
  // Sends a message that has `arguments`.
  template <class Message>
  std::unique_ptr<Caller::Request> StartWith(const Message& message,
                                             const std::vector<Item>& arguments);

  std::shared_ptr<void> needed_;  // goes last
  std::string name_;
  Machine machine_;
  std::unique_ptr<Caller> caller_;
  std::unique_ptr<SessionFiles> files_;
  std::mutex mutex_;  // what follows
  std::map<int32_t, std::unique_ptr<RemoteDevice>> devices_;
  std::map<uint64_t, Function> callbacks_;
  uint64_t last_callback_ = 0;
};

}  // namespace lathe::runtime::rpc
