// A session with this process that behaves as one with another: its tensors are handles, its
// functions take no tensors but its own, and it can be closed while things of it are in use. For
// tests of programs that are to work with any session; it measures and isolates nothing.
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
  absl::StatusOr<Function> GetFunction(std::string_view name) override;
  // `session-argument` where the function is not of this session.
  absl::StatusOr<TimerResult> Time(const Function& function, std::span<const Value> args,
                                   const Device& device, TimerOptions options,
                                   const Function& preprocess) override;

  // Calls a function at the far end: the session's tensors and devices become local ones, and a
  // tensor that comes back one of the session. What may not cross fails with `session-argument`.
  absl::StatusOr<Value> Call(const Function& far, std::span<const lathe_value> args);

  // Of one kind, or null where none was used so far.
  LoopbackDevice* FindUsed(int32_t kind);

 protected:
  void OnClose() override;

 private:
  absl::StatusOr<Value> Bring(Value result);

  std::mutex mutex_;
  std::map<int32_t, std::unique_ptr<LoopbackDevice>> devices_;
};

}  // namespace lathe::runtime
