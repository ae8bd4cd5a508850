// Function: a packed function of the calling convention, callable from C++ and made from C++.
//
//   Function add = Function::From([](int64_t a, int64_t b) { return a + b; });
//   int64_t sum = add(1, 2).As<int64_t>();
//
// Parameters of a lambda are converted and checked (value.h). Its exceptions and statuses become
// error objects. The caller's operator() throws these as CallError; TryCall returns them as a
// status. Calling a Function is thread-safe if its code is.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "absl/status/statusor.h"
#include "runtime/error_object.h"
#include "runtime/value.h"

namespace lathe::runtime {

namespace internal {

// The layout of a lathe_function made by this class.
struct FunctionObject : Object {
  FunctionObject() : Object(LATHE_OBJECT_FUNCTION) {}
  lathe_call call = nullptr;
  void* self = nullptr;
  lathe_function* c() {
    return reinterpret_cast<lathe_function*>(static_cast<lathe_object*>(this));
  }
};
static_assert(sizeof(FunctionObject) == sizeof(lathe_function));

template <class F>
struct Callable : FunctionObject {
  template <class G>
  Callable(G&& body, std::string function_name)
      : body(std::forward<G>(body)), name(std::move(function_name)) {}
  F body;
  std::string name;
};

// One argument of an outgoing call, for the duration of the call.
template <class T>
struct Outgoing {
  explicit Outgoing(const T& item) : value(ValueTraits<T>::Borrow(item)) {}
  lathe_value value;
};
template <class T>
  requires(std::same_as<T, std::string> || std::same_as<T, std::string_view> ||
           std::same_as<T, std::vector<Value>>)
struct Outgoing<T> {
  explicit Outgoing(const T& item)
      : owner(Value::Adopt(ValueTraits<T>::Own(item))), value(owner.c()) {}
  Value owner;
  lathe_value value;
};
template <>
struct Outgoing<std::nullptr_t> {
  explicit Outgoing(std::nullptr_t) {}
  lathe_value value{};
};
template <>
struct Outgoing<char*> : Outgoing<const char*> {
  explicit Outgoing(char* item) : Outgoing<const char*>(item) {}
};
template <>
struct Outgoing<DLTensor*> : Outgoing<const DLTensor*> {
  explicit Outgoing(DLTensor* item) : Outgoing<const DLTensor*>(item) {}
};

// The parameter and return types of a lambda, function pointer or functor.
template <class F>
struct Signature : Signature<decltype(&F::operator())> {};
template <class R, class... P>
struct Signature<R (*)(P...)> {
  using Return = R;
  using Parameters = std::tuple<P...>;
};
template <class C, class R, class... P>
struct Signature<R (C::*)(P...) const> : Signature<R (*)(P...)> {};
template <class C, class R, class... P>
struct Signature<R (C::*)(P...)> : Signature<R (*)(P...)> {};

template <class T>
struct IsStatusOr : std::false_type {};
template <class T>
struct IsStatusOr<absl::StatusOr<T>> : std::true_type {};

int ReturnStatus(const absl::Status& status, lathe_value* ret);

template <class F, size_t... I>
int CallTyped(F& body, const Args& args, lathe_value* ret, std::index_sequence<I...>) {
  using S = Signature<F>;
  using R = typename S::Return;
  args.CheckCount(sizeof...(I));
  if constexpr (std::is_void_v<R>) {
    body(args[I].template As<std::decay_t<std::tuple_element_t<I, typename S::Parameters>>>()...);
  } else {
    R result = body(
        args[I].template As<std::decay_t<std::tuple_element_t<I, typename S::Parameters>>>()...);
    if constexpr (std::same_as<R, absl::Status>) {
      return ReturnStatus(result, ret);
    } else if constexpr (IsStatusOr<R>::value) {
      if (!result.ok()) return ReturnStatus(result.status(), ret);
      *ret = Value(*std::move(result)).release();
    } else {
      *ret = Value(std::move(result)).release();
    }
  }
  return 0;
}

template <class F>
int Trampoline(void* self, const lathe_value* values, int32_t n, lathe_value* ret) noexcept {
  auto* callable = static_cast<Callable<F>*>(self);
  try {
    const Args args(values, n, callable->name.c_str());
    if constexpr (std::is_invocable_v<F&, const Args&, Value*>) {
      Value result;
      callable->body(args, &result);
      *ret = result.release();
      return 0;
    } else {
      constexpr size_t kCount = std::tuple_size_v<typename Signature<F>::Parameters>;
      return CallTyped(callable->body, args, ret, std::make_index_sequence<kCount>());
    }
  } catch (...) {
    *ret = ObjectValue(ErrorFromCurrentException().release());
    return -1;
  }
}

}  // namespace internal

// A shared, thread-safe handle; null by default.
class Function : public ObjectRef<lathe_function> {
 public:
  Function() = default;
  Function(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)
  explicit Function(lathe_function* function) : ObjectRef(function) {}
  explicit Function(ObjectRef<lathe_function> ref) : ObjectRef(std::move(ref)) {}
  static Function Adopt(lathe_function* function) {
    return Function(ObjectRef<lathe_function>::Adopt(function));
  }

  // Makes a function from a callable: either `void (const Args&, Value* result)`, or any signature
  // of convertible types whose result is void, a convertible type, absl::Status or absl::StatusOr
  // of one. `name` is used in diagnostics only.
  template <class F>
  static Function From(F&& body, std::string name = {}) {
    using Body = std::decay_t<F>;
    auto* object = MakeObject<internal::Callable<Body>>(std::forward<F>(body), std::move(name));
    object->Retain();
    object->call = &internal::Trampoline<Body>;
    object->self = object;
    return Adopt(object->c());
  }

  // Throws CallError if the function fails, Error `call-null-function` if this is null.
  template <class... A>
  Value operator()(const A&... items) const {
    const std::tuple<internal::Outgoing<std::decay_t<const A&>>...> outgoing{
        internal::Outgoing<std::decay_t<const A&>>(items)...};
    return std::apply(
        [this](const auto&... one) {
          const lathe_value values[sizeof...(one) + 1] = {one.value..., lathe_value{}};
          return CallPacked(values, static_cast<int32_t>(sizeof...(one)));
        },
        outgoing);
  }
  // The same for packed values.
  Value CallPacked(const lathe_value* values, int32_t n) const {
    lathe_value ret{};
    if (get() == nullptr) ThrowNull();
    if (get()->call(get()->self, values, n, &ret) != 0) [[unlikely]]
      ThrowReturned(ret);
    return Value::Adopt(ret);
  }
  // Does not throw for a failed call: returns a status (StatusFromError).
  template <class... A>
  absl::StatusOr<Value> TryCall(const A&... items) const {
    const std::tuple<internal::Outgoing<std::decay_t<const A&>>...> outgoing{
        internal::Outgoing<std::decay_t<const A&>>(items)...};
    return std::apply(
        [this](const auto&... one) {
          const lathe_value values[sizeof...(one) + 1] = {one.value..., lathe_value{}};
          return TryCallPacked(values, static_cast<int32_t>(sizeof...(one)));
        },
        outgoing);
  }
  absl::StatusOr<Value> TryCallPacked(const lathe_value* values, int32_t n) const;

 private:
  [[noreturn]] static void ThrowNull();
  [[noreturn]] static void ThrowReturned(lathe_value ret);
};

template <>
struct ValueTraits<Function> {
  static std::string Name() { return "function"; }
  static Conversion Get(const lathe_value& value, Function* out) {
    if (value.kind != LATHE_VALUE_OBJECT || value.v_object == nullptr ||
        value.v_object->kind != LATHE_OBJECT_FUNCTION)
      return Conversion::kWrongKind;
    *out = Function(reinterpret_cast<lathe_function*>(value.v_object));
    return Conversion::kOk;
  }
  // A null function becomes NONE.
  static lathe_value Borrow(const Function& item) { return internal::ObjectValue(item.get()); }
  static lathe_value Own(Function item) { return internal::ObjectValue(item.release()); }
};

}  // namespace lathe::runtime
