// Handles: they represent memory, a stream or an event of a session on the side that must not
// access it directly.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace lathe::runtime {

// The object of one handle. It is freed when its last user releases it: work that runs on another
// thread keeps it alive after the session is closed.
struct Held {
  void* item = nullptr;
  uint64_t bytes = 0;  // size of memory
  int32_t id = 0;      // of the device
  std::function<void()> free;

  Held(void* held, uint64_t size, int32_t device, std::function<void()> give_back)
      : item(held), bytes(size), id(device), free(std::move(give_back)) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    if (free) free();
  }
};

// A handle is not an address of data: code that uses it as one faults. With 64 bits its upper bits
// are not those of a user-space address; with 32 bits it lies in memory that is reserved and cannot
// be accessed. It is odd. A number is reused only after all others, so that old handles are
// detected.
class HandleTable {
 public:
  // Null if the table is full or closed, or (32 bits) no addresses are left for handles.
  void* Add(std::shared_ptr<const Held> held) {
    std::lock_guard lock(mutex_);
    if (closed_ || held_.size() >= kNumbers - 1 || Base() == 0) return nullptr;
    do {
      last_ = (last_ + 1) % kNumbers;
    } while (last_ == 0 || held_.count(last_) != 0);
    held_.emplace(last_, std::move(held));
    return HandleOf(last_);
  }
  // Null if the handle is not in this table.
  std::shared_ptr<const Held> Find(const void* handle) const {
    std::lock_guard lock(mutex_);
    const auto at = held_.find(NumberOf(handle));
    return at == held_.end() ? nullptr : at->second;
  }
  std::shared_ptr<const Held> Take(const void* handle) {
    std::lock_guard lock(mutex_);
    const auto at = held_.find(NumberOf(handle));
    if (at == held_.end()) return nullptr;
    auto held = std::move(at->second);
    held_.erase(at);
    return held;
  }
  // Drops all objects and accepts no more: work that still runs must not add any.
  void Close() {
    std::map<uintptr_t, std::shared_ptr<const Held>> held;  // freed after unlocking
    std::lock_guard lock(mutex_);
    closed_ = true;
    held.swap(held_);
  }
  size_t size() const {
    std::lock_guard lock(mutex_);
    return held_.size();
  }

  // A handle's number, which another process can be told. 0, which is never used, if the pointer
  // does not have the form of a handle.
  static uintptr_t NumberOf(const void* handle) {
    const uintptr_t from_base = reinterpret_cast<uintptr_t>(handle) - Base();
    return (from_base & 1) != 0 && from_base / 2 < kNumbers ? from_base / 2 : 0;
  }
  // The reverse; null for 0 and for numbers that are too large for a handle of this process.
  static void* HandleOf(uint64_t number) {
    if (number == 0 || number >= kNumbers) return nullptr;
    return reinterpret_cast<void*>(Base() + 2 * static_cast<uintptr_t>(number) + 1);
  }

 private:
  static constexpr bool kWide = sizeof(uintptr_t) == 8;
  static constexpr uintptr_t kNumbers = uintptr_t{1} << (kWide ? 47 : 20);

  static uintptr_t Base() {
    if constexpr (kWide) return uintptr_t{0xdead} << 48;
    static void* const reserved =
        mmap(nullptr, 2 * kNumbers, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return reserved == MAP_FAILED ? 0 : reinterpret_cast<uintptr_t>(reserved);
  }

  mutable std::mutex mutex_;
  bool closed_ = false;
  uintptr_t last_ = 0;
  std::map<uintptr_t, std::shared_ptr<const Held>> held_;
};

}  // namespace lathe::runtime
