// Values for vendors: errors, arguments and results of the calling convention, and the host's
// functions.
//
// C++20 and the C headers only; no C++ type is passed to the host. All functions are thread-safe.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "lathe/abi/plugin.h"

namespace lathe::sdk {

// The host's table; valid after the first query.
const lathe_host& Host();

// Logs a line; `site` names the place in the plugin, and the rate limit is per site.
void Log(lathe_log_severity severity, const char* site, const std::string& message);

// Throw it anywhere in a call from the host: the SDK turns it into an error object. `name` is
// stable, lower-case with hyphens: the plugin's own, or one of the host's ("device-out-of-memory",
// "device-lost").
class Error : public std::exception {
 public:
  Error(lathe_code code, std::string name, std::string message, std::string notes = "")
      : code_(code),
        name_(std::move(name)),
        message_(std::move(message)),
        notes_(std::move(notes)) {}
  lathe_code code() const { return code_; }
  const std::string& name() const { return name_; }
  const std::string& notes() const { return notes_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  lathe_code code_;
  std::string name_, message_, notes_;
};

// Call it where work takes long: some hundred nanoseconds. Throws where the call that this thread
// serves is to end (Ctrl-C, a time limit), what the entry then fails with. Nothing happens where
// the host is older than that, or the thread is one of the plugin's own.
void Poll();

// An owned value: nothing, a number, or an object. Move-only.
class Value {
 public:
  Value() = default;
  Value(int64_t value) : raw_{LATHE_VALUE_INT, 0, {.v_int = value}} {}        // NOLINT
  Value(int value) : Value(static_cast<int64_t>(value)) {}                    // NOLINT
  Value(bool value) : raw_{LATHE_VALUE_BOOL, 0, {.v_int = value ? 1 : 0}} {}  // NOLINT
  Value(double value) : raw_{LATHE_VALUE_FLOAT, 0, {.v_float = value}} {}     // NOLINT
  Value(std::string_view text);                                               // NOLINT
  Value(const char* text) : Value(std::string_view(text)) {}                  // NOLINT
  static Value Bytes(std::string_view bytes);

  Value(Value&& other) noexcept : raw_(std::exchange(other.raw_, lathe_value{})) {}
  Value& operator=(Value&& other) noexcept {
    std::swap(raw_, other.raw_);
    return *this;
  }
  ~Value();

  // Gives up the value; the receiver owns the object in it.
  lathe_value Release() { return std::exchange(raw_, lathe_value{}); }
  static Value Adopt(lathe_value raw) {
    Value value;
    value.raw_ = raw;
    return value;
  }
  bool is_none() const { return raw_.kind == LATHE_VALUE_NONE; }
  const lathe_value& raw() const { return raw_; }

 private:
  lathe_value raw_{};
};

// The arguments of a call, borrowed. Accessors throw `call-wrong-argument`, which names the
// position, the expected kind and the kind found. A stream as the last argument is removed: size()
// does not count it.
class Args {
 public:
  Args(const lathe_value* values, int32_t n);

  int32_t size() const { return size_; }
  // Throws `call-wrong-count` unless there are n arguments.
  void Expect(int32_t n) const;
  const lathe_value& operator[](int32_t i) const;
  int64_t Int(int32_t i) const;
  double Float(int32_t i) const;  // an int is accepted, too
  // Accepts tensors and tensor objects. Never NULL; the data may be on the device.
  const DLTensor& Tensor(int32_t i) const;
  // The same; the tensor must be compact, of this dtype and rank, in a device's memory.
  const DLTensor& DeviceTensor(int32_t i, DLDataType dtype, int64_t rank) const;
  std::string_view String(int32_t i) const;
  // The stream's handle; NULL is the default stream.
  void* stream() const { return stream_; }

 private:
  const lathe_value* values_;
  int32_t size_;
  void* stream_ = nullptr;
};

using Function = std::function<Value(const Args&)>;

// A function object that owns `function`.
Value MakeFunctionValue(Function function);

// Number of elements (1 for rank 0) and bytes of a tensor.
int64_t NumElements(const DLTensor& tensor);
uint64_t NumBytes(const DLTensor& tensor);
// True if the elements are contiguous, the last dimension fastest.
bool IsCompact(const DLTensor& tensor);
inline bool OnHost(const DLTensor& tensor) { return tensor.device.device_type == kDLCPU; }
inline char* DataOf(const DLTensor& tensor) {
  return static_cast<char*>(tensor.data) + tensor.byte_offset;
}

namespace internal {

void SetHost(const lathe_host* host);
// The origin in errors, "plugin acme 1.2"; must stay valid for ever.
void SetOrigin(const char* origin);
// Call it inside a catch block: makes an error object of the current exception in *error. Returns
// -1.
int RaiseCurrent(lathe_value* error) noexcept;

// Runs `body`; no exception leaves this function.
template <class Body>
int Guard(lathe_value* error, Body&& body) noexcept {
  try {
    body();
    return 0;
  } catch (...) {
    return RaiseCurrent(error);
  }
}

}  // namespace internal
}  // namespace lathe::sdk
