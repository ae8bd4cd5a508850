// The table of sessions: finds the session for the session number in a Device.
//
// A session is another process that holds tensors for this one (docs/design/sessions.md); number 0
// is this process. Tensors and streams of a session own a reference to it. So the session lives as
// long as they do, and its number is not reused before the last of them is gone.
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

// The most sessions at once: the numbers that fit into the upper half of a packed device type.
inline constexpr int32_t kMaxSessions = 65535;

// A plain value that identifies a session; it detects that the number belongs to another session
// now.
struct SessionId {
  int32_t number = 0;       // Device::session
  uint32_t generation = 0;  // counts the sessions with this number, from 1

  friend constexpr bool operator==(const SessionId&, const SessionId&) = default;
};

// The part of a session that the table needs; runtime/session/session.h has the full interface.
// Methods are thread-safe. A pointer to a session must be held by a reference.
class SessionBase : public Object {
 public:
  // A derived class must call Close in its own destructor, because OnClose is a method of its own.
  virtual ~SessionBase();

  // For messages.
  virtual std::string_view name() const = 0;
  // The devices of a kind on the far side. The session owns them; after Close they return
  // `session-closed`. Fails with `device-kind-unavailable`.
  virtual absl::StatusOr<DeviceAPI*> FindDeviceAPI(int32_t kind) = 0;
  // Ends the session: using its tensors fails with `session-closed` from now on, and dropping them
  // does nothing. A second call does nothing.
  virtual void Close();

  SessionId id() const { return id_; }
  bool closed() const { return closed_.load(std::memory_order_acquire); }
  absl::Status CheckOpen() const;

 protected:
  SessionBase();
  // Called once, by the first Close: frees the objects on the far side.
  virtual void OnClose() {}

 private:
  friend absl::Status AddSession(const Ref<SessionBase>& session);

  SessionId id_;
  std::atomic<bool> closed_{false};
};

// Gives a new session its number. Numbers are reused first in, first out: all other numbers are
// used before a used one comes again, so that a Device that outlived its session refers to another
// session only after a long time. Fails with `session-too-many`.
absl::Status AddSession(const Ref<SessionBase>& session);
// Fails with `session-closed` if no open session has the number or, by id, another session has it.
absl::StatusOr<Ref<SessionBase>> FindSession(int32_t number);
absl::StatusOr<Ref<SessionBase>> FindSession(const SessionId& id);

// A reference to the devices of one kind. Those of this process live until it ends, those of a
// session as long as this reference.
class DeviceRef {
 public:
  DeviceRef() = default;
  explicit DeviceRef(DeviceAPI* api, Ref<SessionBase> session = nullptr)
      : api_(api), session_(std::move(session)) {}

  DeviceAPI* get() const { return api_; }
  DeviceAPI* operator->() const { return api_; }
  // True if the session is closed: it has freed everything, and nothing may be freed again.
  bool closed() const { return session_ && session_->closed(); }

 private:
  DeviceAPI* api_ = nullptr;
  Ref<SessionBase> session_;
};

// For this process or any session. Fails with `session-closed` and as GetDeviceAPI does.
absl::StatusOr<DeviceRef> FindDevices(int32_t kind, int32_t session);
absl::StatusOr<DeviceRef> FindDevice(const Device& device);
// A reference to the device's session alone, which reserves its number; empty if the device is
// local or its session is not open.
DeviceRef KeepSession(const Device& device);

}  // namespace lathe::runtime
