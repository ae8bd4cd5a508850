#include "tools/plugin_test/kit_host.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace lathe::kit {
namespace {

std::mutex& Mutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}
std::map<void*, std::pair<uint64_t, uint64_t>>& Lent() {
  static auto& lent = *new std::map<void*, std::pair<uint64_t, uint64_t>>;
  return lent;
}
std::atomic<int64_t> g_objects{0}, g_calls{0}, g_fail_at{0}, g_wrong_frees{0};
std::atomic<bool> g_failed{false};

bool FailsNow() {
  if (++g_calls != g_fail_at.load()) return false;
  g_failed = true;
  return true;
}

void* Alloc(uint64_t bytes, uint64_t alignment) {
  if (bytes == 0 || FailsNow()) return nullptr;
  const uint64_t whole = (bytes + alignment - 1) / alignment * alignment;
  void* data = std::aligned_alloc(alignment < 16 ? 16 : alignment, whole < 16 ? 16 : whole);
  std::lock_guard lock(Mutex());
  if (data != nullptr) Lent()[data] = {bytes, alignment};
  return data;
}

void Free(void* data, uint64_t bytes, uint64_t alignment) {
  if (data == nullptr) return;
  std::lock_guard lock(Mutex());
  const auto found = Lent().find(data);
  if (found == Lent().end() || found->second != std::pair(bytes, alignment)) {
    ++g_wrong_frees;
    return;
  }
  Lent().erase(found);
  std::free(data);
}

struct OwnedText {
  lathe_string c;
  std::string text;
};
struct OwnedError {
  lathe_error c;
  std::string name, message, notes, origin;
};
struct OwnedFunction {
  lathe_function c;
  void* self;
  void (*drop_self)(void*);
};

template <class T>
void DropOwned(lathe_object* object) {
  --g_objects;
  delete reinterpret_cast<T*>(object);
}

void Put(lathe_value* result, lathe_object* object) {
  ++g_objects;
  *result = lathe_value{};
  result->kind = LATHE_VALUE_OBJECT;
  result->v_object = object;
}

int Raise(int32_t code, const char* name, const char* message, const char* notes,
          const char* origin, lathe_value* error) {
  auto text = [](const char* given) { return std::string(given == nullptr ? "" : given); };
  auto* made = new OwnedError{{}, text(name), text(message), text(notes), text(origin)};
  made->c = {{1, LATHE_OBJECT_ERROR, DropOwned<OwnedError>},
             code,
             made->name.c_str(),
             made->message.c_str(),
             made->notes.c_str(),
             made->origin.c_str()};
  Put(error, &made->c.object);
  return -1;
}

int OutOfMemory(lathe_value* result) {
  return Raise(LATHE_RESOURCE_EXHAUSTED, "kit-forced-failure", "by intent", nullptr, "kit", result);
}

int MakeText(const void* data, uint64_t size, uint32_t kind, lathe_value* result) {
  if (FailsNow()) return OutOfMemory(result);
  auto* made = new OwnedText{{}, std::string(static_cast<const char*>(data), size)};
  made->c = {{1, kind, DropOwned<OwnedText>}, made->text.c_str(), made->text.size()};
  Put(result, &made->c.object);
  return 0;
}
int MakeString(const char* data, uint64_t size, lathe_value* result) {
  return MakeText(data, size, LATHE_OBJECT_STRING, result);
}
int MakeBytes(const void* data, uint64_t size, lathe_value* result) {
  return MakeText(data, size, LATHE_OBJECT_BYTES, result);
}

void DropFunction(lathe_object* object) {
  auto* made = reinterpret_cast<OwnedFunction*>(object);
  if (made->drop_self != nullptr) made->drop_self(made->self);
  DropOwned<OwnedFunction>(object);
}
int MakeFunction(lathe_call call, void* self, void (*drop_self)(void* self), lathe_value* result) {
  if (FailsNow()) return OutOfMemory(result);
  auto* made =
      new OwnedFunction{{{1, LATHE_OBJECT_FUNCTION, DropFunction}, call, self}, self, drop_self};
  Put(result, &made->c.object);
  return 0;
}

int GetFunction(const char*, lathe_value* result) {
  if (FailsNow()) return OutOfMemory(result);
  *result = lathe_value{};  // nothing is registered here
  return 0;
}

int32_t Parallel(int32_t (*body)(void*, int64_t, int64_t), void* closure, int64_t extent) {
  if (FailsNow()) return -1;
  std::atomic<int32_t> failed{0};
  const int64_t half = extent / 2;
  std::thread other([&] {
    if (half > 0)
      if (const int32_t status = body(closure, 0, half)) failed = status;
  });
  if (half < extent)
    if (const int32_t status = body(closure, half, extent)) failed = status;
  other.join();
  return failed;
}

void Log(int32_t, const char*, const char*) {}

}  // namespace

const lathe_host* KitHost() {
  static const lathe_host host = {
      sizeof(lathe_host), LATHE_ABI_MAJOR, LATHE_ABI_MINOR, LATHE_VERSION, Alloc,    Free, Raise,
      MakeString,         MakeBytes,       MakeFunction,    GetFunction,   Parallel, Log};
  return &host;
}

HostCounters CurrentCounters() {
  HostCounters counters;
  std::lock_guard lock(Mutex());
  for (const auto& [data, size] : Lent()) {
    counters.bytes += static_cast<int64_t>(size.first);
    ++counters.pieces;
  }
  counters.objects = g_objects;
  counters.calls = g_calls;
  counters.wrong_frees = g_wrong_frees;
  return counters;
}

void FailCall(int64_t n) {
  g_failed = false;
  g_calls = 0;
  g_fail_at = n;
}
bool FailureHappened() { return g_failed; }

void Drop(lathe_value* value) {
  const lathe_value taken = std::exchange(*value, lathe_value{});
  if (taken.kind != LATHE_VALUE_OBJECT || taken.v_object == nullptr) return;
  std::atomic_ref<uint32_t> refs(taken.v_object->refs);
  if (refs.fetch_sub(1, std::memory_order_acq_rel) == 1) taken.v_object->drop(taken.v_object);
}

std::string TakeError(lathe_value* value) {
  std::string text;
  if (value->kind == LATHE_VALUE_OBJECT && value->v_object != nullptr &&
      value->v_object->kind == LATHE_OBJECT_ERROR) {
    const auto* error = reinterpret_cast<const lathe_error*>(value->v_object);
    text = std::string(error->name) + ": " + error->message;
  }
  Drop(value);
  return text;
}

std::string TextOf(const lathe_value& value) {
  if (value.kind != LATHE_VALUE_OBJECT || value.v_object == nullptr) return "";
  const uint32_t kind = value.v_object->kind;
  if (kind != LATHE_OBJECT_STRING && kind != LATHE_OBJECT_BYTES) return "";
  const auto* text = reinterpret_cast<const lathe_string*>(value.v_object);
  return {text->data, text->size};
}

}  // namespace lathe::kit
