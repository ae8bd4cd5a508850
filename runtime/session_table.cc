#include "runtime/session_table.h"

#include <mutex>
#include <string>
#include <vector>

#include "base/error.h"
#include "runtime/status.h"

namespace lathe::runtime {
namespace {

struct Slot {
  SessionBase* session = nullptr;  // not owned: its destructor removes it
  uint32_t generation = 0;
  int32_t next_free = 0;
};

// Slot 0 is this process and is not used. Free slots that were used before form a list.
struct Table {
  std::mutex mutex;
  std::vector<Slot> slots{1};
  int32_t first_free = 0, last_free = 0;
};
Table& Sessions() {
  static Table* table = new Table;
  return *table;
}

absl::Status NotOpen(int32_t number, std::string_view name) {
  std::string who = "session " + std::to_string(number);
  if (!name.empty()) who += " (" + std::string(name) + ")";
  return MakeStatus(absl::StatusCode::kFailedPrecondition, "session-closed",
                    {who,
                     " is not open in this process\nhelp: tensors, streams and devices of a "
                     "session are of use until it is closed; open another one"});
}

}  // namespace

SessionBase::SessionBase() : Object(0) {}

SessionBase::~SessionBase() {
  if (id_.number == 0) return;
  Table& table = Sessions();
  std::lock_guard lock(table.mutex);
  table.slots[static_cast<size_t>(id_.number)].session = nullptr;
  if (table.last_free != 0) {
    table.slots[static_cast<size_t>(table.last_free)].next_free = id_.number;
  } else {
    table.first_free = id_.number;
  }
  table.last_free = id_.number;
}

void SessionBase::Close() {
  if (!closed_.exchange(true, std::memory_order_acq_rel)) OnClose();
}

absl::Status SessionBase::CheckOpen() const {
  return closed() ? NotOpen(id_.number, name()) : absl::OkStatus();
}

absl::Status AddSession(const Ref<SessionBase>& session) {
  LATHE_CHECK(session->id_.number == 0) << "a session has one number";
  Table& table = Sessions();
  std::lock_guard lock(table.mutex);
  auto number = static_cast<int32_t>(table.slots.size());
  if (number <= kMaxSessions) {
    table.slots.emplace_back();
  } else if (table.first_free != 0) {
    number = table.first_free;
  } else {
    return MakeStatus(absl::StatusCode::kResourceExhausted, "session-too-many",
                      {"all ", std::to_string(kMaxSessions),
                       " numbers of sessions are in use\nhelp: close sessions that are not needed, "
                       "and drop their tensors"});
  }
  Slot& slot = table.slots[static_cast<size_t>(number)];
  if (number == table.first_free) {
    table.first_free = std::exchange(slot.next_free, 0);
    if (table.first_free == 0) table.last_free = 0;
  }
  slot.session = session.get();
  session->id_ = {number, ++slot.generation};
  return absl::OkStatus();
}

absl::StatusOr<Ref<SessionBase>> FindSession(int32_t number) {
  Table& table = Sessions();
  Ref<SessionBase> session;  // outlives the lock: dropping the last reference locks again
  {
    std::lock_guard lock(table.mutex);
    if (number > 0 && static_cast<size_t>(number) < table.slots.size()) {
      SessionBase* known = table.slots[static_cast<size_t>(number)].session;
      if (known != nullptr && known->RetainIfAlive()) session = Ref<SessionBase>::Adopt(known);
    }
  }
  if (!session) return NotOpen(number, "");
  LATHE_RETURN_IF_ERROR(session->CheckOpen());
  return session;
}

absl::StatusOr<Ref<SessionBase>> FindSession(const SessionId& id) {
  LATHE_ASSIGN_OR_RETURN(Ref<SessionBase> session, FindSession(id.number));
  if (session->id() != id) return NotOpen(id.number, "an earlier one of that number");
  return session;
}

absl::StatusOr<DeviceRef> FindDevices(int32_t kind, int32_t number) {
  if (number == 0) {
    LATHE_ASSIGN_OR_RETURN(DeviceAPI * api, GetDeviceAPI(kind));
    return DeviceRef(api);
  }
  LATHE_ASSIGN_OR_RETURN(Ref<SessionBase> session, FindSession(number));
  LATHE_ASSIGN_OR_RETURN(DeviceAPI * api, session->FindDeviceAPI(kind));
  return DeviceRef(api, std::move(session));
}

absl::StatusOr<DeviceRef> FindDevice(const Device& device) {
  LATHE_ASSIGN_OR_RETURN(DeviceRef found, FindDevices(device.kind, device.session));
  LATHE_ASSIGN_OR_RETURN(const int32_t count, found->Count());
  if (device.id < 0 || device.id >= count)
    return MakeStatus(absl::StatusCode::kNotFound, "device-no-such-id",
                      {"there is no device ", device.ToString(), "\nfound: ", std::to_string(count),
                       " of kind `", DeviceKindName(device.kind), "`"});
  return found;
}

DeviceRef KeepSession(const Device& device) {
  if (!device.is_remote()) return DeviceRef();
  absl::StatusOr<Ref<SessionBase>> session = FindSession(device.session);
  return session.ok() ? DeviceRef(nullptr, *std::move(session)) : DeviceRef();
}

absl::StatusOr<DeviceAPI*> GetDeviceAPI(const Device& device) {
  if (device.is_remote())
    return MakeStatus(
        absl::StatusCode::kInvalidArgument, "device-remote",
        {device.ToString(), " belongs to a remote session; this process cannot touch its memory"});
  LATHE_ASSIGN_OR_RETURN(const DeviceRef found, FindDevice(device));
  return found.get();
}

}  // namespace lathe::runtime
