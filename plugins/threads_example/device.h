// Two devices with memory of their own, which is mapped for nobody but while a call of theirs uses
// it. Everything runs on the calling thread, so streams are empty and events are times.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "plugins/sdk/sdk.h"

namespace lathe::threads_example {

inline constexpr int32_t kNumDevices = 2;
inline constexpr uint64_t kDeviceBytes = uint64_t{256} << 20;

class Device final : public sdk::DeviceAPI {
 public:
  int32_t Count() override { return kNumDevices; }
  sdk::Value Attribute(int32_t id, std::string_view key) override;
  void* Alloc(int32_t id, const lathe_alloc_request& request) override;
  void Free(int32_t id, std::string_view scope, void* data) override;
  sdk::MemoryInfo GetMemoryInfo(int32_t id, std::string_view scope) override;
  void Copy(const DLTensor& from, DLTensor& to, void* stream) override;
  void Fill(int32_t id, void* data, uint64_t offset, uint64_t bytes, uint64_t pattern,
            int32_t pattern_bytes, void* stream) override;
  void* NewStream(int32_t id, std::string_view kind) override;
  void FreeStream(int32_t id, void* stream) override;
  void* NewEvent(int32_t id) override;
  void FreeEvent(int32_t id, void* event) override;
  void RecordEvent(int32_t id, void* event, void* stream) override;
  void WaitEvent(int32_t id, void* event, void* stream) override;
  void SyncEvent(int32_t id, void* event) override;
  double ElapsedNanoseconds(int32_t id, void* start, void* end) override;
  void MakeCurrent(int32_t id) override;

  // The device that this thread's launches go to.
  static int32_t current();

  // Counts a launch on a stream of device `id`, NULL for its default stream: the attribute
  // "launches" tells how many that one had, "launches_on_streams" the others. Throws
  // `threads-wrong-device` for another device's.
  void CountLaunch(int32_t id, const void* stream);

  // An allocation of a device, while somebody looks at it.
  struct Memory {
    char* begin = nullptr;
    uint64_t bytes = 0;
    int32_t id = 0;
  };
  // Holds the devices: one call at a time has memory open. What `Open` gave is mapped until the
  // session ends.
  class Session {
   public:
    explicit Session(Device* device) : device_(device), lock_(device->busy_) {}
    ~Session();
    // The allocation that `pointer` lies in. Throws `threads-wild-pointer` where there is none.
    Memory Open(const void* pointer);

   private:
    Device* device_;
    std::unique_lock<std::mutex> lock_;
    std::vector<Memory> open_;
  };

 private:
  struct Event {
    bool recorded = false;
    std::chrono::steady_clock::time_point time;
  };
  static void CheckId(int32_t id);
  static Event& EventOf(void* event);

  std::mutex busy_;  // guards all below, and which memory is mapped
  std::map<const char*, Memory> memory_;
  uint64_t used_[kNumDevices] = {};
  std::atomic<int64_t> launches_[kNumDevices] = {}, launches_on_streams_[kNumDevices] = {};
};

}  // namespace lathe::threads_example
