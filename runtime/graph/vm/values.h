// Values of programs: what a register may hold beside a tensor. Reference-counted and immutable.
//
// A register is a runtime::Value: none, a Tensor, or one of these objects. They leave a program as
// results, and may come back as arguments of any program that has the data type.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/object.h"
#include "runtime/value.h"

namespace lathe::runtime::vm {

// The kinds of these objects in tagged values; beside python/ffi/traits.h. Never passed to a
// plugin.
inline constexpr uint32_t kDataObject = 1031, kClosureObject = 1032;

// A constructor of a data type. Values share it.
struct Constructor {
  std::string name;  // "List.Cons"; empty for tuples
  int32_t tag = -1;  // its number within its type
  size_t fields = 0;
};

// A value of a data type, or a tuple.
struct DataValue final : Object {
  DataValue() : Object(kDataObject) {}
  bool is_tuple() const { return constructor->tag < 0; }
  std::shared_ptr<const Constructor> constructor;
  std::vector<Value> fields;
};

// A function of a program with the values of its first parameters. It belongs to the executable
// that made it: only that calls it.
struct ClosureValue final : Object {
  ClosureValue() : Object(kClosureObject) {}
  std::shared_ptr<const void> owner;  // the executable
  int32_t function = 0;
  std::vector<Value> kept;
};

// The object in a value; null if it holds another kind. Borrowed.
template <class T>
const T* ObjectIn(const Value& value, uint32_t kind) {
  const lathe_value& c = value.c();
  if (c.kind != LATHE_VALUE_OBJECT || c.v_object == nullptr || c.v_object->kind != kind)
    return nullptr;
  return static_cast<const T*>(static_cast<const Object*>(c.v_object));
}
inline const DataValue* DataIn(const Value& value) {
  return ObjectIn<DataValue>(value, kDataObject);
}
inline const ClosureValue* ClosureIn(const Value& value) {
  return ObjectIn<ClosureValue>(value, kClosureObject);
}
template <class T>
Value ValueOf(Ref<T> object) {
  return Value::Adopt(internal::ObjectValue(static_cast<lathe_object*>(object.release())));
}

}  // namespace lathe::runtime::vm
