// ObjectRef<C>: shared ownership of a C object of the calling convention, independent of its maker.
//
// `Ref<T>` (base/object.h) is for Lathe's own C++ classes. An ObjectRef may also hold an object
// from a plugin, another language or another copy of the runtime; only the C struct is known of it.
#pragma once

#include <type_traits>
#include <utility>

#include "base/object.h"
#include "lathe/abi/value.h"

namespace lathe::runtime {

// Adds or removes one reference; removing the last one calls the object's own `drop`. NULL is
// ignored. Thread-safe.
inline void RetainObject(lathe_object* object) {
  if (object != nullptr) static_cast<const Object*>(object)->Retain();
}
inline void ReleaseObject(lathe_object* object) {
  if (object != nullptr) static_cast<const Object*>(object)->Release();
}

// C is lathe_object or a struct that begins with `lathe_object object`. One pointer wide; null by
// default.
template <class C>
class ObjectRef {
 public:
  ObjectRef() = default;
  // Adds a reference to `object`; the owner keeps its own reference.
  explicit ObjectRef(C* object) : object_(object) { RetainObject(Head(object_)); }
  // Takes over a reference from the caller.
  static ObjectRef Adopt(C* object) {
    ObjectRef result;
    result.object_ = object;
    return result;
  }

  ObjectRef(const ObjectRef& other) : ObjectRef(other.object_) {}
  ObjectRef(ObjectRef&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  ObjectRef& operator=(ObjectRef other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~ObjectRef() { ReleaseObject(Head(object_)); }

  C* get() const { return object_; }
  lathe_object* object() const { return Head(object_); }
  explicit operator bool() const { return object_ != nullptr; }
  // Returns the pointer and gives up ownership, without removing the reference.
  C* release() { return std::exchange(object_, nullptr); }

 private:
  static lathe_object* Head(C* object) { return reinterpret_cast<lathe_object*>(object); }

  C* object_ = nullptr;
};

}  // namespace lathe::runtime
