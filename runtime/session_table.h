// The table of sessions: what the session number in a Device stands for.
//
// A session is another process that holds tensors for this one (docs/design/sessions.md); number 0
// is this process. Tensors and streams of a session own a reference to it. So it stays as long as
// they do, and its number belongs to no other session before the last of them is gone.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/object.h"
#include "runtime/device.h"
#include "runtime/device_api.h"

namespace lathe::runtime {

// The most sessions at once: what fits the upper half of a packed device type.
inline constexpr int32_t kMaxSessions = 65535;

// A plain value that finds a session again, or finds out that its number is another's by now.
struct SessionId {
  int32_t number = 0;       // Device::session
  uint32_t generation = 0;  // counts the sessions that had the number, from 1

  friend constexpr bool operator==(const SessionId&, const SessionId&) = default;
};

// What the table knows of a session; runtime/session/session.h says what else one can do. Methods
// are thread-safe. Nobody keeps a pointer to one without a reference.
class SessionBase : public Object {
 public:
  // Derived classes close in their own destructor: OnClose is theirs.
  virtual ~SessionBase();

  // For messages.
  virtual std::string_view name() const = 0;
  // The devices of a kind at the other end. The session owns them; they answer `session-closed`
  // once it is closed. Fails with `device-kind-unavailable`.
  virtual absl::StatusOr<DeviceAPI*> FindDeviceAPI(int32_t kind) = 0;
  // Ends it: whatever uses its tensors fails with `session-closed` from now on, and to drop them
  // does nothing. Does nothing where it is closed.
  virtual void Close();

  SessionId id() const { return id_; }
  bool closed() const { return closed_.load(std::memory_order_acquire); }
  absl::Status CheckOpen() const;

 protected:
  SessionBase();
  // Once, by whoever closes first: gives back what the other end holds.
  virtual void OnClose() {}

 private:
  friend absl::Status AddSession(const Ref<SessionBase>& session);

  SessionId id_;
  std::atomic<bool> closed_{false};
};

// Gives a new session its number. Numbers are taken first in, first out: all others come before one
// that was used comes again, so that a Device that outlived its session names none for long. Fails
// with `session-too-many`.
absl::Status AddSession(const Ref<SessionBase>& session);
// `session-closed` where the number is no open session's or, by id, belongs to another one.
absl::StatusOr<Ref<SessionBase>> FindSession(int32_t number);
absl::StatusOr<Ref<SessionBase>> FindSession(const SessionId& id);

// Devices of one kind in use. Those of this process live for ever, those of a session as long as
// somebody has this.
class DeviceRef {
 public:
  DeviceRef() = default;
  explicit DeviceRef(DeviceAPI* api, Ref<SessionBase> session = nullptr)
      : api_(api), session_(std::move(session)) {}

  DeviceAPI* get() const { return api_; }
  DeviceAPI* operator->() const { return api_; }
  // What was closed took everything back: nothing is to be freed any more.
  bool closed() const { return session_ && session_->closed(); }

 private:
  DeviceAPI* api_ = nullptr;
  Ref<SessionBase> session_;
};

// Of this process or of any session. Fails with `session-closed` and as GetDeviceAPI does.
absl::StatusOr<DeviceRef> FindDevices(int32_t kind, int32_t session);
absl::StatusOr<DeviceRef> FindDevice(const Device& device);
// A reference to the device's session without any API, so that its number stays its own; holds
// nothing where the device is local or its session is not open.
DeviceRef KeepSession(const Device& device);

}  // namespace lathe::runtime
