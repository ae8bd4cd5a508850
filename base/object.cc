#include "base/object.h"

#include <atomic>
#include <cstdint>

namespace lathe {
namespace {

using Drop = void (*)(lathe_object*);

// Numbers drop functions; there is one per type. While an object is pending, its member `drop`
// links it to the next object, and the number of its drop function is kept in `kind`. This is a
// hash table that only grows.
constexpr uint32_t kSlots = 4096, kKindBits = 20, kNone = UINT32_MAX;
std::atomic<Drop> g_drops[kSlots];

uint32_t NumberOf(Drop drop) {
  const uint64_t hash = reinterpret_cast<uintptr_t>(drop) * 0x9e3779b97f4a7c15u;
  for (uint32_t i = 0; i < kSlots; ++i) {
    const auto at = (static_cast<uint32_t>(hash >> 52) + i) % kSlots;
    Drop known = g_drops[at].load(std::memory_order_relaxed);
    if (known == nullptr &&
        g_drops[at].compare_exchange_strong(known, drop, std::memory_order_relaxed)) {
      return at;
    }
    if (known == drop) return at;
  }
  return kNone;
}

// Objects that wait for their drop, last in first out. The objects themselves form the linked list,
// so releasing never needs memory. The count of a pending object stays 0, because RetainIfAlive may
// read it.
class Pending {
 public:
  bool empty() const { return head_ == nullptr; }

  // Returns false if the object cannot be linked: there are more types than numbers, or its kind
  // has too many bits.
  bool Push(lathe_object* object) {
    const uint32_t number = NumberOf(object->drop);
    if (number == kNone || object->kind >> kKindBits != 0) return false;
    object->kind |= number << kKindBits;
    object->drop = reinterpret_cast<Drop>(head_);
    head_ = object;
    return true;
  }

  // Removes the last object, with its members as they were before Push.
  lathe_object* Pop() {
    lathe_object* object = head_;
    head_ = reinterpret_cast<lathe_object*>(object->drop);
    object->drop = g_drops[object->kind >> kKindBits].load(std::memory_order_relaxed);
    object->kind &= (1u << kKindBits) - 1;
    return object;
  }

 private:
  static_assert(kSlots <= 1u << (32 - kKindBits));
  static_assert(sizeof(Drop) == sizeof(lathe_object*));
  lathe_object* head_ = nullptr;
};

}  // namespace

void Object::DropLater(Object* object) {
  // A chain of a million nodes must not take a million stack frames. The thread_local has a trivial
  // destructor on purpose: the destructor of another thread_local may drop an object.
  thread_local Pending* pending = nullptr;
  if (pending != nullptr) {
    if (!pending->Push(object)) object->drop(object);
    return;
  }
  Pending mine;
  pending = &mine;
  object->drop(object);
  while (!mine.empty()) {
    lathe_object* next = mine.Pop();
    next->drop(next);
  }
  pending = nullptr;
}

}  // namespace lathe
