#include "plugins/sdk/value.h"

#include <atomic>
#include <memory>
#include <new>

#include "base/error.h"

namespace lathe::sdk {
namespace {

std::atomic<const lathe_host*> g_host{nullptr};
// "plugin acme 1.2"; init sets it once, and it never changes again.
std::atomic<const char*> g_origin{""};

const char* KindName(const lathe_value& value) {
  switch (value.kind) {
    case LATHE_VALUE_NONE:
      return "nothing";
    case LATHE_VALUE_INT:
      return "an int";
    case LATHE_VALUE_BOOL:
      return "a bool";
    case LATHE_VALUE_FLOAT:
      return "a float";
    case LATHE_VALUE_DLTENSOR:
      return "a tensor";
    case LATHE_VALUE_STRING:
      return "a string";
    case LATHE_VALUE_BYTES:
      return "bytes";
    case LATHE_VALUE_OBJECT:
      switch (value.v_object == nullptr ? 0 : value.v_object->kind) {
        case LATHE_OBJECT_STRING:
          return "a string";
        case LATHE_OBJECT_TENSOR:
          return "a tensor";
        case LATHE_OBJECT_FUNCTION:
          return "a function";
        case LATHE_OBJECT_STREAM:
          return "a stream";
        default:
          return "another object";
      }
    default:
      return "another kind of value";
  }
}

bool IsObject(const lathe_value& value, uint32_t kind) {
  return value.kind == LATHE_VALUE_OBJECT && value.v_object != nullptr &&
         value.v_object->kind == kind;
}

[[noreturn]] void WrongArgument(int32_t i, const char* wanted, const lathe_value& value) {
  throw Error(LATHE_INVALID_ARGUMENT, "call-wrong-argument",
              "argument " + std::to_string(i) + " must be " + wanted + ", not " + KindName(value));
}

// An error of the host's on its way back to it.
struct HostError {
  explicit HostError(Value said) : error(std::move(said)) {}
  Value error;
};

int CallFunction(void* self, const lathe_value* args, int32_t n, lathe_value* ret) {
  return internal::Guard(ret,
                         [&] { *ret = (*static_cast<Function*>(self))(Args(args, n)).Release(); });
}

}  // namespace

const lathe_host& Host() { return *g_host.load(std::memory_order_acquire); }

void Log(lathe_log_severity severity, const char* site, const std::string& message) {
  Host().log(severity, site, message.c_str());
}

namespace {

// The host is out of memory; its error about that is dropped.
[[noreturn]] void NoMemory(lathe_value left) {
  Value::Adopt(left);
  throw std::bad_alloc();
}

}  // namespace

void Poll() {
  // Kept for good: tables live as long as the process.
  static const lathe_function* const poll = [] {
    lathe_value found{};
    const bool is_there =
        Host().get_function("lathe.poll", &found) == 0 && IsObject(found, LATHE_OBJECT_FUNCTION);
    if (!is_there) Value::Adopt(found);
    return is_there ? reinterpret_cast<const lathe_function*>(found.v_object) : nullptr;
  }();
  if (poll == nullptr) return;
  lathe_value result{};
  if (poll->call(poll->self, nullptr, 0, &result) != 0) throw HostError(Value::Adopt(result));
}

Value::Value(std::string_view text) {
  lathe_value raw{};
  if (Host().make_string(text.data(), text.size(), &raw) != 0) NoMemory(raw);
  raw_ = raw;
}

Value Value::Bytes(std::string_view bytes) {
  Value value;
  lathe_value raw{};
  if (Host().make_bytes(bytes.data(), bytes.size(), &raw) != 0) NoMemory(raw);
  value.raw_ = raw;
  return value;
}

Value::~Value() {
  if (raw_.kind != LATHE_VALUE_OBJECT || raw_.v_object == nullptr) return;
  std::atomic_ref<uint32_t> refs(raw_.v_object->refs);
  if (refs.fetch_sub(1, std::memory_order_acq_rel) == 1) raw_.v_object->drop(raw_.v_object);
}

Args::Args(const lathe_value* values, int32_t n) : values_(values), size_(n) {
  if (n > 0 && IsObject(values[n - 1], LATHE_OBJECT_STREAM)) {
    stream_ = reinterpret_cast<const lathe_stream*>(values[n - 1].v_object)->handle;
    --size_;
  }
}

void Args::Expect(int32_t n) const {
  if (size_ == n) return;
  throw Error(
      LATHE_INVALID_ARGUMENT, "call-wrong-count",
      "the function takes " + std::to_string(n) + " arguments, not " + std::to_string(size_));
}

const lathe_value& Args::operator[](int32_t i) const {
  if (i < 0 || i >= size_) {
    throw Error(
        LATHE_INVALID_ARGUMENT, "call-wrong-count",
        "argument " + std::to_string(i) + " is missing: there are " + std::to_string(size_));
  }
  return values_[i];
}

int64_t Args::Int(int32_t i) const {
  const lathe_value& value = (*this)[i];
  if (value.kind != LATHE_VALUE_INT && value.kind != LATHE_VALUE_BOOL)
    WrongArgument(i, "an int", value);
  return value.v_int;
}

double Args::Float(int32_t i) const {
  const lathe_value& value = (*this)[i];
  if (value.kind == LATHE_VALUE_FLOAT) return value.v_float;
  if (value.kind == LATHE_VALUE_INT) return static_cast<double>(value.v_int);
  WrongArgument(i, "a float", value);
}

const DLTensor& Args::Tensor(int32_t i) const {
  const lathe_value& value = (*this)[i];
  if (value.kind == LATHE_VALUE_DLTENSOR && value.v_dltensor != nullptr) return *value.v_dltensor;
  if (!IsObject(value, LATHE_OBJECT_TENSOR)) WrongArgument(i, "a tensor", value);
  return reinterpret_cast<const lathe_tensor*>(value.v_object)->dl;
}

const DLTensor& Args::DeviceTensor(int32_t i, DLDataType dtype, int64_t rank) const {
  const DLTensor& tensor = Tensor(i);
  const char* wrong = tensor.ndim != rank                 ? "rank"
                      : tensor.dtype.code != dtype.code   ? "dtype"
                      : tensor.dtype.bits != dtype.bits   ? "dtype"
                      : tensor.dtype.lanes != dtype.lanes ? "dtype"
                      : OnHost(tensor)                    ? "device: it is in host memory"
                      : IsCompact(tensor)                 ? nullptr
                                                          : "layout: it is not compact";
  if (wrong == nullptr) return tensor;
  throw Error(LATHE_INVALID_ARGUMENT, "call-wrong-argument",
              "argument " + std::to_string(i) + " has a wrong " + wrong);
}

std::string_view Args::String(int32_t i) const {
  const lathe_value& value = (*this)[i];
  if (value.kind == LATHE_VALUE_STRING && value.v_string != nullptr) return value.v_string;
  if (!IsObject(value, LATHE_OBJECT_STRING)) WrongArgument(i, "a string", value);
  const auto* string = reinterpret_cast<const lathe_string*>(value.v_object);
  return {string->data, string->size};
}

Value MakeFunctionValue(Function function) {
  auto owned = std::make_unique<Function>(std::move(function));
  lathe_value raw{};
  if (Host().make_function(
          CallFunction, owned.get(), [](void* self) { delete static_cast<Function*>(self); },
          &raw) != 0) {
    NoMemory(raw);
  }
  owned.release();
  return Value::Adopt(raw);
}

int64_t NumElements(const DLTensor& tensor) {
  int64_t count = 1;
  for (int32_t i = 0; i < tensor.ndim; ++i) count *= tensor.shape[i];
  return count;
}

uint64_t NumBytes(const DLTensor& tensor) {
  const uint64_t bits = static_cast<uint64_t>(tensor.dtype.bits) * tensor.dtype.lanes;
  return static_cast<uint64_t>(NumElements(tensor)) * ((bits + 7) / 8);
}

bool IsCompact(const DLTensor& tensor) {
  if (tensor.strides == nullptr || NumElements(tensor) == 0) return true;
  int64_t expected = 1;
  for (int32_t i = tensor.ndim - 1; i >= 0; --i) {
    if (tensor.shape[i] != 1 && tensor.strides[i] != expected) return false;
    expected *= tensor.shape[i];
  }
  return true;
}

namespace internal {

void SetHost(const lathe_host* host) { g_host.store(host, std::memory_order_release); }

void SetOrigin(const char* origin) { g_origin.store(origin, std::memory_order_release); }

namespace {

// The notes of a diagnostic, in the form that error objects have.
std::string NotesOf(const Diagnostic& diagnostic) {
  std::string notes;
  const auto add = [&notes](const char* label, const std::string& text) {
    if (text.empty()) return;
    if (!notes.empty()) notes += '\n';
    notes += label + text;
  };
  if (diagnostic.where.line > 0)
    add("at: ", diagnostic.where.file + ":" + std::to_string(diagnostic.where.line) + ":" +
                    std::to_string(diagnostic.where.column));
  add("expected: ", diagnostic.expected);
  add("found: ", diagnostic.found);
  for (const std::string& note : diagnostic.notes) add("", note);
  add("help: ", diagnostic.help);
  return notes;
}

}  // namespace

int RaiseCurrent(lathe_value* error) noexcept {
  const lathe_host& host = Host();
  const char* const origin = g_origin.load(std::memory_order_acquire);
  try {
    throw;
  } catch (HostError& e) {
    *error = e.error.Release();
    return -1;
  } catch (const Error& e) {
    return host.raise(e.code(), e.name().c_str(), e.what(), e.notes().c_str(), origin, error);
  } catch (const lathe::Error& e) {
    const Diagnostic& said = e.diagnostic();
    return host.raise(LATHE_INVALID_ARGUMENT, said.name.c_str(), said.message.c_str(),
                      NotesOf(said).c_str(), origin, error);
  } catch (const std::bad_alloc&) {
    return host.raise(LATHE_RESOURCE_EXHAUSTED, "out-of-memory", "the host is out of memory",
                      nullptr, origin, error);
  } catch (const std::exception& e) {
    return host.raise(LATHE_UNKNOWN, "plugin-exception", e.what(), nullptr, origin, error);
  } catch (...) {
    return host.raise(LATHE_UNKNOWN, "plugin-exception", "an exception of unknown type", nullptr,
                      origin, error);
  }
}

}  // namespace internal
}  // namespace lathe::sdk
