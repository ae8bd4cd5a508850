// Remote sessions in a C++ program, on the functions of remote_c_api.h. Header only; C++17.
//
//   lathe::remote::Session board = lathe::remote::Session::Connect("rk3399.lab", 9090);
//   board.Upload("add.tar", bytes);
//   lathe::remote::Function add = board.Load("add.tar").GetFunction("add");
//   const DLDevice cpu = board.device(kDLCPU);
//   auto a = lathe::remote::Tensor::From<float>({1, 2, 3}, {3}, cpu);
//   auto b = lathe::remote::Tensor::Empty({3}, {kDLFloat, 32, 1}, cpu);
//   add(a, b);
//   std::vector<float> sums = b.To<float>();
//
// Errors are thrown as lathe::remote::Error. Objects are shared handles: copying one is cheap, and
// they may be used from any thread. Those of a session are of no use after its end.
#ifndef LATHE_RUNTIME_RPC_REMOTE_H_
#define LATHE_RUNTIME_RPC_REMOTE_H_

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/rpc/remote_c_api.h"

namespace lathe::remote {

// what() is the whole text: name, message, expected, found, help.
class Error : public std::runtime_error {
 public:
  Error(std::string name, const std::string& text)
      : std::runtime_error(text), name_(std::move(name)) {}
  // The diagnostic's name, such as "rpc-unreachable".
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

// Throws the error that a function of the C API returned, if it is one.
inline void Check(lathe_error* error) {
  if (error == nullptr) return;
  std::string name = error->name, what = error->message;
  lathe_string* text = nullptr;
  if (lathe_error_text(error, &text) == nullptr) {
    what.assign(text->data, text->size);
    lathe_object_release(&text->object);
  }
  lathe_object_release(&error->object);
  throw Error(std::move(name), what);
}

// A share of an object; takes over the caller's.
inline std::shared_ptr<lathe_object> Share(lathe_object* object) {
  return std::shared_ptr<lathe_object>(object, lathe_object_release);
}

// An array whose memory is on a device of a session, or of this process.
class Tensor {
 public:
  explicit Tensor(lathe_tensor* owned) : object_(Share(&owned->object)) {}
  // Uninitialised.
  static Tensor Empty(const std::vector<int64_t>& shape, DLDataType dtype, DLDevice device) {
    lathe_tensor* made = nullptr;
    Check(lathe_tensor_empty(shape.data(), static_cast<int32_t>(shape.size()), dtype, device,
                             nullptr, &made));
    return Tensor(made);
  }
  // A copy of elements in row-major order.
  template <class T>
  static Tensor From(const std::vector<T>& data, const std::vector<int64_t>& shape,
                     DLDevice device) {
    Tensor made = Empty(shape, TypeOf<T>(), device);
    Check(lathe_tensor_copy_from_host(made.get(), data.data(), data.size() * sizeof(T)));
    return made;
  }
  // A copy, in row-major order. T must be the tensor's own type.
  template <class T>
  std::vector<T> To() const {
    const DLDataType own = get()->dl.dtype, asked = TypeOf<T>();
    if (own.code != asked.code || own.bits != asked.bits || own.lanes != 1)
      throw Error("tensor-wrong-dtype", "To<T>: the elements of the tensor are of another type");
    const uint64_t bytes = lathe_tensor_bytes(get());
    std::vector<T> data(static_cast<size_t>(bytes / sizeof(T)));
    Check(lathe_tensor_copy_to_host(get(), data.data(), bytes));
    return data;
  }
  // Of the C API; borrowed.
  lathe_tensor* get() const { return reinterpret_cast<lathe_tensor*>(object_.get()); }

  template <class T>
  static DLDataType TypeOf() {
    static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>);
    const auto code = std::is_floating_point_v<T> ? kDLFloat
                      : std::is_signed_v<T>       ? kDLInt
                                                  : kDLUInt;
    return {static_cast<uint8_t>(code), static_cast<uint8_t>(8 * sizeof(T)), 1};
  }

 private:
  std::shared_ptr<lathe_object> object_;
};

// What a function returned.
class Value {
 public:
  explicit Value(lathe_value owned)
      : value_(new lathe_value(owned), [](lathe_value* value) {
          lathe_value_release(value);
          delete value;
        }) {}
  bool is_none() const { return value_->kind == LATHE_VALUE_NONE; }
  int64_t AsInt() const {
    Expect(value_->kind == LATHE_VALUE_INT || value_->kind == LATHE_VALUE_BOOL, "a whole number");
    return value_->v_int;
  }
  double AsDouble() const {
    if (value_->kind == LATHE_VALUE_INT) return static_cast<double>(value_->v_int);
    Expect(value_->kind == LATHE_VALUE_FLOAT, "a number");
    return value_->v_float;
  }
  // Text or bytes.
  std::string AsString() const {
    Expect(IsObject(LATHE_OBJECT_STRING) || IsObject(LATHE_OBJECT_BYTES), "text or bytes");
    const auto* text = reinterpret_cast<const lathe_string*>(value_->v_object);
    return std::string(text->data, text->size);
  }
  DLDevice AsDevice() const {
    Expect(value_->kind == LATHE_VALUE_DEVICE, "a device");
    return value_->v_device;
  }
  Tensor AsTensor() const {
    return Tensor(reinterpret_cast<lathe_tensor*>(Object(LATHE_OBJECT_TENSOR, "a tensor")));
  }
  std::vector<Value> AsList() const {
    Expect(IsObject(LATHE_OBJECT_ARRAY), "a list");
    const lathe_value* items = nullptr;
    int64_t n = 0;
    Check(lathe_array_items(value_->v_object, &items, &n));
    std::vector<Value> list;
    for (int64_t i = 0; i < n; ++i) {
      if (items[i].kind == LATHE_VALUE_OBJECT) lathe_object_retain(items[i].v_object);
      list.emplace_back(items[i]);
    }
    return list;
  }
  // A new reference to an object of this kind, which the caller owns.
  lathe_object* Object(lathe_object_kind kind, const char* expected) const {
    Expect(IsObject(static_cast<uint32_t>(kind)), expected);
    lathe_object_retain(value_->v_object);
    return value_->v_object;
  }

 private:
  bool IsObject(uint32_t kind) const {
    return value_->kind == LATHE_VALUE_OBJECT && value_->v_object->kind == kind;
  }
  static void Expect(bool holds, const char* expected) {
    if (!holds)
      throw Error("value-wrong-kind",
                  std::string("the value is of another kind\nexpected: ") + expected);
  }
  std::shared_ptr<lathe_value> value_;
};

// Arguments are whole numbers, real ones, text, tensors and devices.
class Function {
 public:
  explicit Function(lathe_function* owned) : object_(Share(&owned->object)) {}
  // A function of this process's registry.
  static Function Global(const char* name) {
    lathe_function* found = nullptr;
    Check(lathe_global_find(name, &found));
    return Function(found);
  }
  template <class... Args>
  Value operator()(const Args&... args) const {
    return Call({Argument(args)...});
  }
  Value Call(const std::vector<lathe_value>& args) const {
    lathe_value result{};
    Check(lathe_function_call(get(), args.data(), static_cast<int32_t>(args.size()), &result));
    return Value(result);
  }
  lathe_function* get() const { return reinterpret_cast<lathe_function*>(object_.get()); }

  // Borrowed from `item`.
  template <class T>
  static lathe_value Argument(const T& item) {
    lathe_value value{};
    if constexpr (std::is_same_v<T, bool>) {
      value.kind = LATHE_VALUE_BOOL;
      value.v_int = item ? 1 : 0;
    } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      value.kind = LATHE_VALUE_INT;
      value.v_int = static_cast<int64_t>(item);
    } else if constexpr (std::is_floating_point_v<T>) {
      value.kind = LATHE_VALUE_FLOAT;
      value.v_float = item;
    } else if constexpr (std::is_same_v<T, DLDevice>) {
      value.kind = LATHE_VALUE_DEVICE;
      value.v_device = item;
    } else if constexpr (std::is_same_v<T, lathe_bytes>) {
      value.kind = LATHE_VALUE_BYTES;
      value.v_bytes = &item;
    } else if constexpr (std::is_same_v<T, std::string>) {
      value.kind = LATHE_VALUE_STRING;
      value.v_string = item.c_str();
    } else if constexpr (std::is_convertible_v<T, const char*>) {
      value.kind = LATHE_VALUE_STRING;
      value.v_string = item;
    } else if constexpr (std::is_same_v<T, lathe_object*>) {
      value.kind = LATHE_VALUE_OBJECT;
      value.v_object = item;
    } else {
      value.kind = LATHE_VALUE_OBJECT;
      value.v_object = reinterpret_cast<lathe_object*>(item.get());
    }
    return value;
  }

 private:
  std::shared_ptr<lathe_object> object_;
};

class Module {
 public:
  explicit Module(lathe_object* owned) : object_(Share(owned)) {}
  // `name` nullptr: the entry function.
  Function GetFunction(const char* name = nullptr) const {
    lathe_function* found = nullptr;
    Check(lathe_module_function(object_.get(), name, &found));
    return Function(found);
  }

 private:
  std::shared_ptr<lathe_object> object_;
};

// A function `rpc.*` of functions.h.
inline Function Rpc(const char* name) {
  Check(lathe_remote_init());
  return Function::Global(name);
}

// A session with a server. It ends with the last copy of this object.
class Session {
 public:
  // `session_timeout` in seconds, 0: none. `secret_file` "": as the environment says.
  static Session Connect(const std::string& host, int port, const std::string& key = "",
                         double session_timeout = 0, const std::string& secret_file = "") {
    return Session(Rpc("rpc.connect")(host, port, key, session_timeout, secret_file).AsInt());
  }
  // A device of this kind that a tracker lends.
  static Session Request(const std::string& tracker, int port, const std::string& key,
                         int64_t priority = 1, double session_timeout = 0,
                         const std::string& secret_file = "") {
    return Session(
        Rpc("rpc.request")(tracker, port, key, priority, session_timeout, secret_file).AsInt());
  }

  DLDevice device(DLDeviceType kind, int32_t id = 0) const {
    return Rpc("rpc.session.device")(number(), kind, id).AsDevice();
  }
  void Upload(const std::string& name, std::string_view bytes) const {
    Rpc("rpc.session.upload")(number(), name, lathe_bytes{bytes.data(), bytes.size()});
  }
  std::string Download(const std::string& name) const {
    return Rpc("rpc.session.download")(number(), name).AsString();
  }
  std::vector<std::string> Files() const {
    std::vector<std::string> names;
    for (const Value& name : Rpc("rpc.session.files")(number()).AsList())
      names.push_back(name.AsString());
    return names;
  }
  void Remove(const std::string& name) const { Rpc("rpc.session.remove")(number(), name); }
  // An uploaded file.
  Module Load(const std::string& name) const {
    return Module(Rpc("rpc.session.load")(number(), name).Object(LATHE_OBJECT_MODULE, "a module"));
  }
  // A function that the server's process exports.
  Function GetFunction(const std::string& name) const {
    lathe_object* const found =
        Rpc("rpc.session.function")(number(), name).Object(LATHE_OBJECT_FUNCTION, "a function");
    return Function(reinterpret_cast<lathe_function*>(found));
  }
  // Seconds per call, one for each repeat, by a clock of the device.
  template <class... Args>
  std::vector<double> Time(const Function& function, DLDevice on, int64_t calls, int64_t repeat,
                           const Args&... args) const {
    const std::vector<lathe_value> values = {Function::Argument(args)...};
    lathe_object* made = nullptr;
    Check(lathe_array_new(values.data(), static_cast<int64_t>(values.size()), &made));
    const std::shared_ptr<lathe_object> list = Share(made);
    std::vector<double> seconds;
    for (const Value& sample :
         Rpc("rpc.session.time")(number(), function, on, calls, repeat, 0.0, list.get()).AsList())
      seconds.push_back(sample.AsDouble());
    return seconds;
  }
  // Of rpc.connect.
  int64_t number() const { return *number_; }

 private:
  explicit Session(int64_t number)
      : number_(new int64_t(number), [](int64_t* held) {
          const lathe_value argument = Function::Argument(*held);
          lathe_value none{};
          lathe_function* close = nullptr;
          lathe_error* error = lathe_global_find("rpc.session.close", &close);
          if (error == nullptr) error = lathe_function_call(close, &argument, 1, &none);
          if (error != nullptr) lathe_object_release(&error->object);
          if (close != nullptr) lathe_object_release(&close->object);
          delete held;
        }) {}
  std::shared_ptr<int64_t> number_;
};

}  // namespace lathe::remote

#endif  // LATHE_RUNTIME_RPC_REMOTE_H_
