// A session with this process that behaves like a session with another one: its tensors are
// handles, its functions accept only its own tensors, and it can be closed while its objects are in
// use. A worker serves one to its client; tests of programs that should work with any session use
// one. It isolates nothing.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "runtime/session/loopback_device.h"
#include "runtime/session/session.h"

namespace lathe::runtime {

class LoopbackSession final : public Session {
 public:
  // Fails with `session-too-many`.
  static absl::StatusOr<Ref<LoopbackSession>> Open();
  LoopbackSession() = default;
  ~LoopbackSession() override { Close(); }

  std::string_view name() const override { return "loopback"; }
  absl::StatusOr<DeviceAPI*> FindDeviceAPI(int32_t kind) override;
  absl::StatusOr<Module> LoadFile(const std::string& path) override;
  absl::StatusOr<Module> LoadBytes(std::string_view kind, std::string_view bytes) override;
  SessionFiles& files() override { return files_; }
  absl::StatusOr<Module> LoadUploaded(std::string_view name) override;
  absl::StatusOr<Module> LoadLinked(std::string_view name) override;
  absl::StatusOr<Function> GetFunction(std::string_view name) override;
  // Fails with `session-argument` if the function is not from this session.
  absl::StatusOr<TimerResult> Time(const Function& function, std::span<const Value> args,
                                   const Device& device, TimerOptions options,
                                   const Function& preprocess) override;

  // Calls a function on the far side: tensors and devices of the session become local ones, and a
  // returned tensor becomes one of the session. A function of this side becomes one that the far
  // side can call, with the reverse done to its arguments and its result. Values that may not cross
  // give `session-argument`.
  absl::StatusOr<Value> Call(const Function& far, std::span<const lathe_value> args);

  // The device of one kind; null if the kind was not used so far.
  LoopbackDevice* FindUsed(int32_t kind);

 protected:
  void OnClose() override;

 private:
  absl::StatusOr<Value> Bring(Value result);
  // A function of the far side that calls `near` on this one.
  Function MakeCallback(Function near);
  absl::StatusOr<Value> CallBack(const Function& near, std::span<const lathe_value> args);

  friend class Arguments;

  std::mutex mutex_;
  std::map<int32_t, std::unique_ptr<LoopbackDevice>> devices_;
  FolderFiles files_{*this};
};

}  // namespace lathe::runtime
