// Handles: what stands for memory, a stream or an event of a session at the side that may not touch
// it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace lathe::runtime {

// What one handle stands for. Freed when nobody uses it any more: work under way on another thread
// keeps it beyond a close.
struct Held {
  void* item = nullptr;
  uint64_t bytes = 0;  // of memory
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

// A handle is no address: code that takes it for one faults instead of reading what is not its own.
// On 64 bits its upper ones are no program's; on 32 bits it lies below the first page that programs
// get. It is odd, and used again only after all others were: an old one is found out.
class HandleTable {
 public:
  // Null where there are as many as can be, and once the table is closed.
  void* Add(std::shared_ptr<const Held> held) {
    std::lock_guard lock(mutex_);
    if (closed_ || held_.size() >= kNumbers - 1) return nullptr;
    do {
      last_ = (last_ + 1) % kNumbers;
    } while (last_ == 0 || held_.count(last_) != 0);
    held_.emplace(last_, std::move(held));
    return reinterpret_cast<void*>(kPattern | (last_ << 1) | 1);
  }
  // Null where the handle stands for nothing here.
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
  // Drops all, and takes no more: work under way must leave nothing behind.
  void Close() {
    std::map<uintptr_t, std::shared_ptr<const Held>> held;  // freed outside of the lock
    std::lock_guard lock(mutex_);
    closed_ = true;
    held.swap(held_);
  }
  size_t size() const {
    std::lock_guard lock(mutex_);
    return held_.size();
  }

 private:
  static constexpr bool kWide = sizeof(uintptr_t) == 8;
  static constexpr uintptr_t kPattern = kWide ? uintptr_t{0xdead} << (kWide ? 48 : 0) : 0;
  static constexpr uintptr_t kNumbers = uintptr_t{1} << (kWide ? 47 : 11);

  // 0, which is never one, for what has not the form of a handle.
  static uintptr_t NumberOf(const void* handle) {
    const uintptr_t number = (reinterpret_cast<uintptr_t>(handle) ^ kPattern) >> 1;
    const bool odd = (reinterpret_cast<uintptr_t>(handle) & 1) != 0;
    return odd && number < kNumbers ? number : 0;
  }

  mutable std::mutex mutex_;
  bool closed_ = false;
  uintptr_t last_ = 0;
  std::map<uintptr_t, std::shared_ptr<const Held>> held_;
};

}  // namespace lathe::runtime
