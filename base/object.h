// Reference-counted objects: `Object`, the intrusive pointer `Ref<T>`, and `Make<T>(...)`.
//
// An object starts with the C header `lathe_object`, so any object can cross the plugin border as a
// tagged value. Reference counts are atomic. Objects are immutable unless their class says
// otherwise. Dropping the last reference to a deep structure does not recurse: each thread queues
// the pending drops, and the outermost drop works through the queue.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

#include "lathe/abi/value.h"

namespace lathe {

// Base of all objects. Create with Make<T>; never on the stack.
class Object : public lathe_object {
 public:
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  // Thread-safe.
  void Retain() const { Count().fetch_add(1, std::memory_order_relaxed); }
  void Release() const {
    if (Count().fetch_sub(1, std::memory_order_acq_rel) == 1) DropLater(const_cast<Object*>(this));
  }
  // Retains the object and returns true, unless its last reference is gone already. For tables that
  // find objects without owning them. The caller must make sure that the object's memory still
  // exists.
  bool RetainIfAlive() const {
    const std::atomic_ref<uint32_t> count = Count();
    uint32_t seen = count.load(std::memory_order_relaxed);
    while (seen != 0 && !count.compare_exchange_weak(seen, seen + 1, std::memory_order_acquire)) {
    }
    return seen != 0;
  }
  bool unique() const { return Count().load(std::memory_order_acquire) == 1; }

 protected:
  explicit Object(uint32_t object_kind) {
    refs = 0;
    kind = object_kind;
    drop = nullptr;  // set by MakeObject, which knows the complete type
  }
  ~Object() = default;

 private:
  template <class T, class... Args>
  friend auto MakeObject(Args&&... args) -> T*;

  std::atomic_ref<uint32_t> Count() const {
    return std::atomic_ref<uint32_t>(const_cast<uint32_t&>(refs));
  }
  static void DropLater(Object* object);
};

// Shared ownership of a T (an Object). As large as one pointer; null by default.
template <class T>
class Ref {
 public:
  using element_type = T;

  Ref() = default;
  Ref(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)
  explicit Ref(T* object) : object_(object) {
    if (object_ != nullptr) object_->Retain();
  }
  Ref(const Ref& other) : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <class U, class = std::enable_if_t<std::is_convertible_v<U*, T*>>>
  Ref(const Ref<U>& other) : Ref(static_cast<T*>(other.get())) {}  // NOLINT
  template <class U, class = std::enable_if_t<std::is_convertible_v<U*, T*>>>
  Ref(Ref<U>&& other) noexcept : object_(other.release()) {}  // NOLINT
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ != nullptr) object_->Release();
  }

  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }

  // Gives up the reference without dropping it; the caller then owns it.
  T* release() { return std::exchange(object_, nullptr); }
  // Takes over a reference that release() gave up, or that the caller owns otherwise.
  static Ref Adopt(T* object) {
    Ref result;
    result.object_ = object;
    return result;
  }

  // Compares identity, not structure.
  bool same_as(const Ref& other) const { return object_ == other.object_; }

 private:
  T* object_ = nullptr;
};

template <class T, class... Args>
auto MakeObject(Args&&... args) -> T* {
  using Plain = std::remove_const_t<T>;
  auto* object = new Plain(std::forward<Args>(args)...);
  object->drop = [](lathe_object* self) { delete static_cast<Plain*>(static_cast<Object*>(self)); };
  return object;
}

template <class T, class... Args>
Ref<T> Make(Args&&... args) {
  return Ref<T>(MakeObject<T>(std::forward<Args>(args)...));
}

// Hash and equality by identity, for maps keyed by object.
struct RefHash {
  template <class T>
  size_t operator()(const Ref<T>& ref) const {
    return std::hash<const void*>()(ref.get());
  }
};
struct RefEqual {
  template <class T>
  bool operator()(const Ref<T>& a, const Ref<T>& b) const {
    return a.get() == b.get();
  }
};

}  // namespace lathe
