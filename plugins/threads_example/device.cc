#include "plugins/threads_example/device.h"

#include <sys/mman.h>

#include <cstring>

#include "lathe/abi/names.h"

namespace lathe::threads_example {
namespace {

constexpr uint64_t kPage = 4096;
// Properties that other devices do not have.
constexpr char kLaunches[] = "launches";
constexpr char kLaunchesOnStreams[] = "launches_on_streams";
thread_local int32_t g_current = 0;

uint64_t WholePages(uint64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

}  // namespace

void Device::CheckId(int32_t id) {
  if (id >= 0 && id < kNumDevices) return;
  throw sdk::Error(LATHE_NOT_FOUND, "device-no-such-id",
                   "there is no device " + std::to_string(id) + " of this kind, only " +
                       std::to_string(kNumDevices));
}

sdk::Value Device::Attribute(int32_t id, std::string_view key) {
  CheckId(id);
  if (key == LATHE_PROPERTY_NAME)
    return sdk::Value(std::string_view("interpreter " + std::to_string(id)));
  if (key == LATHE_PROPERTY_MAX_THREADS_PER_BLOCK) return 256;
  if (key == LATHE_PROPERTY_MAX_SHARED_MEMORY_PER_BLOCK) return 49152;
  if (key == LATHE_PROPERTY_WARP_SIZE) return 32;
  if (key == LATHE_PROPERTY_TOTAL_MEMORY) return static_cast<int64_t>(kDeviceBytes);
  if (key == kLaunches) return launches_[id].load();
  if (key == kLaunchesOnStreams) return launches_on_streams_[id].load();
  return {};
}

void Device::CountLaunch(int32_t id, const void* stream) {
  if (stream != nullptr && *static_cast<const int32_t*>(stream) != id) {
    throw sdk::Error(LATHE_INVALID_ARGUMENT, "threads-wrong-device",
                     "a launch on device " + std::to_string(id) + " was given a stream of device " +
                         std::to_string(*static_cast<const int32_t*>(stream)));
  }
  ++(stream == nullptr ? launches_ : launches_on_streams_)[id];
}

void* Device::Alloc(int32_t id, const lathe_alloc_request& request) {
  CheckId(id);
  if (std::string_view(request.scope) != LATHE_SCOPE_GLOBAL) {
    throw sdk::Error(
        LATHE_INVALID_ARGUMENT, "device-no-such-scope",
        "the device has no memory scope `" + std::string(request.scope) + "` to allocate in");
  }
  std::lock_guard lock(busy_);
  // Pages are as aligned as anybody can ask for, within reason.
  if (request.bytes > kDeviceBytes - used_[id] || request.alignment > kPage) {
    throw sdk::Error(LATHE_RESOURCE_EXHAUSTED, "device-out-of-memory",
                     std::to_string(request.bytes) + " bytes are wanted, " +
                         std::to_string(kDeviceBytes - used_[id]) + " are free");
  }
  void* data =
      mmap(nullptr, WholePages(request.bytes), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED)
    throw sdk::Error(LATHE_RESOURCE_EXHAUSTED, "device-out-of-memory", "no address space is left");
  memory_[static_cast<char*>(data)] = {static_cast<char*>(data), request.bytes, id};
  used_[id] += request.bytes;
  return data;
}

void Device::Free(int32_t id, std::string_view, void* data) {
  CheckId(id);
  std::lock_guard lock(busy_);
  const auto found = memory_.find(static_cast<const char*>(data));
  if (found == memory_.end() || found->second.id != id)
    throw sdk::Error(LATHE_INVALID_ARGUMENT, "threads-wild-pointer",
                     "no such allocation on this device");
  used_[id] -= found->second.bytes;
  munmap(data, WholePages(found->second.bytes));
  memory_.erase(found);
}

sdk::MemoryInfo Device::GetMemoryInfo(int32_t id, std::string_view) {
  CheckId(id);
  std::lock_guard lock(busy_);
  return {kDeviceBytes - used_[id], kDeviceBytes};
}

Device::Memory Device::Session::Open(const void* pointer) {
  const char* wanted = static_cast<const char*>(pointer);
  auto after = device_->memory_.upper_bound(wanted);
  if (after != device_->memory_.begin()) {
    const Memory& memory = std::prev(after)->second;
    if (wanted < memory.begin + WholePages(memory.bytes)) {
      mprotect(memory.begin, WholePages(memory.bytes), PROT_READ | PROT_WRITE);
      open_.push_back(memory);
      return memory;
    }
  }
  throw sdk::Error(LATHE_INVALID_ARGUMENT, "threads-wild-pointer",
                   "a pointer does not lie in memory of the device");
}

Device::Session::~Session() {
  for (const Memory& memory : open_) mprotect(memory.begin, WholePages(memory.bytes), PROT_NONE);
}

void Device::Copy(const DLTensor& from, DLTensor& to, void*) {
  Session session(this);
  for (const DLTensor* side : {&from, static_cast<const DLTensor*>(&to)}) {
    if (sdk::OnHost(*side) || sdk::NumBytes(*side) == 0) continue;
    const Memory memory = session.Open(side->data);
    const uint64_t begin = static_cast<uint64_t>(sdk::DataOf(*side) - memory.begin);
    if (memory.id != side->device.device_id || begin > memory.bytes ||
        sdk::NumBytes(*side) > memory.bytes - begin) {
      throw sdk::Error(LATHE_INVALID_ARGUMENT, "threads-wild-pointer",
                       "a tensor is larger than its memory, or on another device than it says");
    }
  }
  if (sdk::NumBytes(from) != 0)
    std::memmove(sdk::DataOf(to), sdk::DataOf(from), sdk::NumBytes(from));
}

void Device::Fill(int32_t id, void* data, uint64_t offset, uint64_t bytes, uint64_t pattern,
                  int32_t pattern_bytes, void*) {
  CheckId(id);
  Session session(this);
  const Memory memory = session.Open(data);
  char* to = static_cast<char*>(data) + offset;
  const uint64_t begin = static_cast<uint64_t>(to - memory.begin);
  if (begin > memory.bytes || bytes > memory.bytes - begin)
    throw sdk::Error(LATHE_INVALID_ARGUMENT, "threads-wild-pointer", "a fill beyond its memory");
  for (uint64_t i = 0; i < bytes; ++i)
    to[i] = static_cast<char>(pattern >> (8 * (i % static_cast<uint64_t>(pattern_bytes))));
}

void* Device::NewStream(int32_t id, std::string_view) {
  CheckId(id);
  return new int32_t(id);
}
void Device::FreeStream(int32_t, void* stream) { delete static_cast<int32_t*>(stream); }

Device::Event& Device::EventOf(void* event) { return *static_cast<Event*>(event); }
void* Device::NewEvent(int32_t id) {
  CheckId(id);
  return new Event;
}
void Device::FreeEvent(int32_t, void* event) { delete &EventOf(event); }
void Device::RecordEvent(int32_t, void* event, void*) {
  EventOf(event) = {true, std::chrono::steady_clock::now()};
}
void Device::WaitEvent(int32_t, void*, void*) {}
void Device::SyncEvent(int32_t, void* event) {
  if (!EventOf(event).recorded)
    throw sdk::Error(LATHE_FAILED_PRECONDITION, "device-event-not-recorded",
                     "the event was never recorded");
}
double Device::ElapsedNanoseconds(int32_t id, void* start, void* end) {
  SyncEvent(id, start);
  SyncEvent(id, end);
  return std::chrono::duration<double, std::nano>(EventOf(end).time - EventOf(start).time).count();
}

void Device::MakeCurrent(int32_t id) {
  CheckId(id);
  g_current = id;
}
int32_t Device::current() { return g_current; }

}  // namespace lathe::threads_example
