// Value (owning) and ArgView (borrowed): lathe_value in C++, with checked conversions in both
// directions.
//
// A conversion that does not fit throws lathe::Error: `value-wrong-kind` or `value-out-of-range`.
// For an argument of a call it throws `call-wrong-argument-kind` or `call-argument-out-of-range`,
// which name the argument.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/dtype.h"
#include "lathe/abi/value.h"
#include "runtime/device.h"
#include "runtime/object_ref.h"

namespace lathe::runtime {

class ArgView;
class Value;

enum class Conversion { kOk, kWrongKind, kOutOfRange };

// How a C++ type is converted. Specialised below and beside each handle (Tensor, Function, Module,
// Stream). A specialisation has:
//   static std::string Name()                           the name for diagnostics
//   static Conversion Get(const lathe_value&, T* out)   borrows or shares; never copies elements
//   static lathe_value Borrow(const T&)                 valid while the T lives
//   static lathe_value Own(T)                           one reference, which the receiver drops
template <class T>
struct ValueTraits;

template <class T>
concept Convertible =
    requires(const lathe_value& value, T* out) { ValueTraits<T>::Get(value, out); };

// "INT 3", "STRING \"abc\"", "TENSOR float32[2, 3] on cpu:0"; for diagnostics.
std::string DescribeValue(const lathe_value& value);
// "int", "string", "tensor"...
std::string KindName(const lathe_value& value);

// An owned copy of a string or of bytes, NUL-terminated.
ObjectRef<lathe_string> MakeStringObject(std::string_view text);
ObjectRef<lathe_string> MakeBytesObject(std::string_view bytes);

namespace internal {
[[noreturn]] void ThrowConversion(const lathe_value& value, Conversion conversion,
                                  const std::string& wanted, int32_t argument,
                                  const char* function);
// The value owns the reference, if there is one; NULL becomes NONE.
template <class C>
lathe_value ObjectValue(C* object) {
  lathe_value value{};
  if (object == nullptr) return value;
  value.kind = LATHE_VALUE_OBJECT;
  value.v_object = reinterpret_cast<lathe_object*>(object);
  return value;
}
inline lathe_value MakeInt(int64_t number, int32_t kind = LATHE_VALUE_INT) {
  lathe_value value{};
  value.kind = kind;
  value.v_int = number;
  return value;
}
}  // namespace internal

// Owns its value. 16 bytes; copying a Value shares the object. A Value is not thread-safe; the
// object that it refers to is.
class Value {
 public:
  Value() : value_{} {}
  Value(std::nullptr_t) : value_{} {}  // NOLINT(google-explicit-constructor)
  template <class T>
    requires(Convertible<std::decay_t<T>> && !std::same_as<std::decay_t<T>, Value> &&
             !std::same_as<std::decay_t<T>, ArgView>)
  Value(T&& item)  // NOLINT(google-explicit-constructor)
      : value_(ValueTraits<std::decay_t<T>>::Own(std::forward<T>(item))) {}

  Value(const Value& other) : value_(other.value_) { Retain(); }
  Value(Value&& other) noexcept : value_(std::exchange(other.value_, lathe_value{})) {}
  Value& operator=(Value other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Value() {
    if (value_.kind == LATHE_VALUE_OBJECT) ReleaseObject(value_.v_object);
  }

  // Takes ownership of a call's result.
  static Value Adopt(lathe_value value) {
    Value result;
    result.value_ = value;
    return result;
  }
  // Shares objects, and copies borrowed strings and bytes. A borrowed DLTensor cannot be kept:
  // throws Error `value-borrowed-tensor`.
  static Value CopyOf(const lathe_value& borrowed);
  static Value Bytes(std::string_view bytes);

  bool is_none() const { return value_.kind == LATHE_VALUE_NONE; }
  int32_t kind() const { return value_.kind; }
  // Borrowed; valid while this object lives.
  const lathe_value& c() const { return value_; }
  // Gives ownership to the caller.
  lathe_value release() { return std::exchange(value_, lathe_value{}); }

  // T is bool, an integer, float, double, std::string, std::string_view (valid while this object
  // lives), DataType, Device, void*, Tensor, Function, Module, Stream, std::vector<Value>, or
  // std::optional<T>.
  template <Convertible T>
  T As() const {
    T out{};
    if (Conversion c = ValueTraits<T>::Get(value_, &out); c != Conversion::kOk)
      internal::ThrowConversion(value_, c, ValueTraits<T>::Name(), -1, nullptr);
    return out;
  }
  template <Convertible T>
  bool Is() const {
    T out{};
    return ValueTraits<T>::Get(value_, &out) == Conversion::kOk;
  }
  std::string ToString() const { return DescribeValue(value_); }

 private:
  void Retain() const {
    if (value_.kind == LATHE_VALUE_OBJECT) RetainObject(value_.v_object);
  }
  lathe_value value_;
};
static_assert(sizeof(Value) == 16);

// One argument of a call, borrowed for the call. The function's name is used in diagnostics only.
class ArgView {
 public:
  ArgView(const lathe_value* value, int32_t index, const char* function)
      : value_(value), index_(index), function_(function) {}
  int32_t kind() const { return value_->kind; }
  bool is_none() const { return value_->kind == LATHE_VALUE_NONE; }
  const lathe_value& c() const { return *value_; }
  template <Convertible T>
  T As() const {
    T out{};
    if (Conversion c = ValueTraits<T>::Get(*value_, &out); c != Conversion::kOk)
      internal::ThrowConversion(*value_, c, ValueTraits<T>::Name(), index_, function_);
    return out;
  }
  Value ToValue() const { return Value::CopyOf(*value_); }

 private:
  const lathe_value* value_;
  int32_t index_;
  const char* function_;
};

// The arguments of a call.
class Args {
 public:
  Args(const lathe_value* values, int32_t size, const char* function = nullptr)
      : values_(values), size_(size), function_(function) {}
  int32_t size() const { return size_; }
  const lathe_value* data() const { return values_; }
  // Throws Error `call-wrong-argument-count` if there is no such argument.
  ArgView operator[](int32_t index) const {
    if (index < 0 || index >= size_) ThrowCount(index + 1);
    return ArgView(values_ + index, index, function_);
  }
  // Throws Error `call-wrong-argument-count` unless there are exactly `wanted`.
  void CheckCount(int32_t wanted) const {
    if (size_ != wanted) ThrowCount(wanted);
  }

 private:
  [[noreturn]] void ThrowCount(int32_t wanted) const;
  const lathe_value* values_;
  int32_t size_;
  const char* function_;
};

template <>
struct ValueTraits<bool> {
  static std::string Name() { return "bool"; }
  static Conversion Get(const lathe_value& value, bool* out) {
    if (value.kind == LATHE_VALUE_BOOL) {
      *out = value.v_int != 0;
      return Conversion::kOk;
    }
    if (value.kind != LATHE_VALUE_INT) return Conversion::kWrongKind;
    if (value.v_int != 0 && value.v_int != 1) return Conversion::kOutOfRange;
    *out = value.v_int == 1;
    return Conversion::kOk;
  }
  static lathe_value Borrow(bool item) { return internal::MakeInt(item ? 1 : 0, LATHE_VALUE_BOOL); }
  static lathe_value Own(bool item) { return Borrow(item); }
};

template <std::integral T>
struct ValueTraits<T> {
  static std::string Name() {
    return (std::is_signed_v<T> ? "int" : "uint") + std::to_string(sizeof(T) * 8);
  }
  static Conversion Get(const lathe_value& value, T* out) {
    if (value.kind != LATHE_VALUE_INT && value.kind != LATHE_VALUE_BOOL)
      return Conversion::kWrongKind;
    if (!std::in_range<T>(value.v_int)) return Conversion::kOutOfRange;
    *out = static_cast<T>(value.v_int);
    return Conversion::kOk;
  }
  // A uint64 of 2^63 or more does not fit a tagged value: Error `value-out-of-range`.
  static lathe_value Borrow(T item) {
    if constexpr (!std::is_signed_v<T> && sizeof(T) == 8) {
      if (item > static_cast<T>(std::numeric_limits<int64_t>::max()))
        internal::ThrowConversion(internal::MakeInt(static_cast<int64_t>(item)),
                                  Conversion::kOutOfRange, "int64", -1, nullptr);
    }
    return internal::MakeInt(static_cast<int64_t>(item));
  }
  static lathe_value Own(T item) { return Borrow(item); }
};

template <std::floating_point T>
struct ValueTraits<T> {
  static std::string Name() { return "float"; }
  static Conversion Get(const lathe_value& value, T* out) {
    if (value.kind == LATHE_VALUE_FLOAT) {
      *out = static_cast<T>(value.v_float);
    } else if (value.kind == LATHE_VALUE_INT || value.kind == LATHE_VALUE_BOOL) {
      *out = static_cast<T>(value.v_int);
    } else {
      return Conversion::kWrongKind;
    }
    return Conversion::kOk;
  }
  static lathe_value Borrow(T item) {
    lathe_value value{};
    value.kind = LATHE_VALUE_FLOAT;
    value.v_float = static_cast<double>(item);
    return value;
  }
  static lathe_value Own(T item) { return Borrow(item); }
};

// Accepts strings and bytes, borrowed or as objects. Valid while the value is.
template <>
struct ValueTraits<std::string_view> {
  static std::string Name() { return "string"; }
  static Conversion Get(const lathe_value& value, std::string_view* out);
  static lathe_value Own(std::string_view item);
};
template <>
struct ValueTraits<std::string> {
  static std::string Name() { return "string"; }
  static Conversion Get(const lathe_value& value, std::string* out);
  static lathe_value Own(std::string_view item) { return ValueTraits<std::string_view>::Own(item); }
};
template <>
struct ValueTraits<const char*> {
  static std::string Name() { return "string"; }
  static Conversion Get(const lathe_value& value, const char** out);
  static lathe_value Borrow(const char* item) {
    lathe_value value{};
    if (item == nullptr) return value;
    value.kind = LATHE_VALUE_STRING;
    value.v_string = item;
    return value;
  }
  static lathe_value Own(const char* item) {
    return item == nullptr ? lathe_value{} : ValueTraits<std::string_view>::Own(item);
  }
};

template <>
struct ValueTraits<DataType> {
  static std::string Name() { return "dtype"; }
  // Also accepts a string that names a type.
  static Conversion Get(const lathe_value& value, DataType* out);
  static lathe_value Borrow(DataType item) {
    lathe_value value{};
    value.kind = LATHE_VALUE_DTYPE;
    value.v_dtype = item.dl();
    return value;
  }
  static lathe_value Own(DataType item) { return Borrow(item); }
};

template <>
struct ValueTraits<Device> {
  static std::string Name() { return "device"; }
  static Conversion Get(const lathe_value& value, Device* out) {
    if (value.kind != LATHE_VALUE_DEVICE) return Conversion::kWrongKind;
    *out = Device::FromPacked(value.v_device);
    return Conversion::kOk;
  }
  static lathe_value Borrow(const Device& item) {
    lathe_value value{};
    value.kind = LATHE_VALUE_DEVICE;
    value.v_device = item.packed();
    return value;
  }
  static lathe_value Own(const Device& item) { return Borrow(item); }
};

template <>
struct ValueTraits<void*> {
  static std::string Name() { return "pointer"; }
  static Conversion Get(const lathe_value& value, void** out) {
    if (value.kind != LATHE_VALUE_POINTER && value.kind != LATHE_VALUE_NONE)
      return Conversion::kWrongKind;
    *out = value.kind == LATHE_VALUE_NONE ? nullptr : value.v_pointer;
    return Conversion::kOk;
  }
  static lathe_value Borrow(void* item) {
    lathe_value value{};
    value.kind = LATHE_VALUE_POINTER;
    value.v_pointer = item;
    return value;
  }
  static lathe_value Own(void* item) { return Borrow(item); }
};

// A tensor argument: a tensor object or a borrowed DLTensor. Never null.
template <>
struct ValueTraits<const DLTensor*> {
  static std::string Name() { return "tensor"; }
  static Conversion Get(const lathe_value& value, const DLTensor** out);
  static lathe_value Borrow(const DLTensor* item) {
    lathe_value value{};
    value.kind = LATHE_VALUE_DLTENSOR;
    value.v_dltensor = const_cast<DLTensor*>(item);
    return value;
  }
  static lathe_value Own(const DLTensor* item) = delete;
};

// Any value. From an argument it is an owned copy.
template <>
struct ValueTraits<Value> {
  static std::string Name() { return "value"; }
  static Conversion Get(const lathe_value& value, Value* out) {
    *out = Value::CopyOf(value);
    return Conversion::kOk;
  }
  static lathe_value Borrow(const Value& item) { return item.c(); }
  static lathe_value Own(Value item) { return item.release(); }
};
template <>
struct ValueTraits<ArgView> {
  static lathe_value Borrow(const ArgView& item) { return item.c(); }
};

// An empty optional is NONE.
template <class T>
struct ValueTraits<std::optional<T>> {
  static std::string Name() { return ValueTraits<T>::Name() + " or none"; }
  static Conversion Get(const lathe_value& value, std::optional<T>* out) {
    out->reset();
    if (value.kind == LATHE_VALUE_NONE) return Conversion::kOk;
    T item{};
    const Conversion conversion = ValueTraits<T>::Get(value, &item);
    if (conversion == Conversion::kOk) *out = std::move(item);
    return conversion;
  }
  static lathe_value Own(std::optional<T> item) {
    return item ? ValueTraits<T>::Own(*std::move(item)) : lathe_value{};
  }
};

// Arrays of values; an array object is immutable. Arrays are never passed to plugins.
template <>
struct ValueTraits<std::vector<Value>> {
  static std::string Name() { return "array"; }
  static Conversion Get(const lathe_value& value, std::vector<Value>* out);
  static lathe_value Own(std::vector<Value> items);
};
// The elements of an array value, borrowed; NULL if the value is not an array.
const std::vector<Value>* ArrayElements(const lathe_value& value);

}  // namespace lathe::runtime
