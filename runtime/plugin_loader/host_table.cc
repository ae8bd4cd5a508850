#include "runtime/plugin_loader/host_table.h"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#include "base/error.h"
#include "base/poll.h"
#include "runtime/error_object.h"
#include "runtime/function.h"
#include "runtime/registry.h"
#include "runtime/thread_pool.h"
#include "runtime/value.h"

namespace lathe::runtime {
namespace {

using LogSink = std::function<void(int, std::string_view, std::string_view)>;

constexpr int kLinesPerSecond = 5;
constexpr size_t kMaxSites = 1000;

struct LogState {
  struct Site {
    std::chrono::steady_clock::time_point window;
    int lines = 0;
    int withheld = 0;
  };
  std::mutex mutex;
  LogSink sink;
  std::map<std::string, Site, std::less<>> sites;
};

LogState& Logs() {
  static LogState* state = new LogState;
  return *state;
}

int LowestShown() {
  const char* level = secure_getenv("LATHE_LOG");
  const std::string_view text = level == nullptr ? "" : level;
  if (text == "debug") return LATHE_LOG_DEBUG;
  if (text == "info") return LATHE_LOG_INFO;
  if (text == "error") return LATHE_LOG_ERROR;
  return LATHE_LOG_WARNING;
}

void WriteToStandardError(int severity, std::string_view site, std::string_view line) {
  static const int lowest = LowestShown();
  if (severity < lowest) return;
  constexpr const char* kNames[] = {"debug", "info", "warning", "error"};
  std::string text = std::string("lathe ") + kNames[severity] + " [" + std::string(site) + "] " +
                     std::string(line) + "\n";
  std::fwrite(text.data(), 1, text.size(), stderr);
}

// Wraps the body of a C entry: returns 0, or after an exception -1, with `*error` set if memory
// permits.
template <class Body>
int Guard(lathe_value* error, Body&& body) noexcept {
  try {
    body();
    return 0;
  } catch (...) {
    *error = internal::ObjectValue(ErrorFromCurrentException().release());
    return -1;
  }
}

struct LentFunction final : internal::FunctionObject {
  ~LentFunction() {
    if (drop_self != nullptr) drop_self(self);
  }
  void (*drop_self)(void* self) = nullptr;
};

bool IsPowerOfTwo(uint64_t n) { return n != 0 && (n & (n - 1)) == 0; }

std::atomic<int64_t> g_lent_bytes{0};
std::atomic<int64_t> g_lent_pieces{0};

void* Alloc(uint64_t bytes, uint64_t alignment) {
  if (bytes == 0 || !IsPowerOfTwo(alignment) || bytes > SIZE_MAX / 2) return nullptr;
  const auto align = std::align_val_t(static_cast<size_t>(alignment));
  void* data = ::operator new(static_cast<size_t>(bytes), align, std::nothrow);
  if (data == nullptr) return nullptr;
  g_lent_bytes += static_cast<int64_t>(bytes);
  g_lent_pieces += 1;
  return data;
}

void Free(void* data, uint64_t bytes, uint64_t alignment) {
  if (data == nullptr) return;
  ::operator delete(data, std::align_val_t(static_cast<size_t>(alignment)));
  g_lent_bytes -= static_cast<int64_t>(bytes);
  g_lent_pieces -= 1;
}

thread_local bool poll_failed = false;

const char* OrEmpty(const char* text) { return text == nullptr ? "" : text; }

int RaiseInto(int32_t code, const char* name, const char* message, const char* notes,
              const char* origin, lathe_value* error) noexcept {
  if (code <= LATHE_OK || code > LATHE_DATA_LOSS) code = LATHE_UNKNOWN;
  const int failed = Guard(error, [&] {
    ErrorRef object =
        MakeErrorObject(code, OrEmpty(name), OrEmpty(message), OrEmpty(notes), OrEmpty(origin));
    *error = internal::ObjectValue(object.release());
  });
  static_cast<void>(failed);  // *error has an error in both cases
  return -1;
}

int MakeString(const char* data, uint64_t size, lathe_value* result) noexcept {
  return Guard(result, [&] {
    const std::string_view text(data, size);
    *result = internal::ObjectValue(MakeStringObject(text).release());
  });
}

int MakeBytes(const void* data, uint64_t size, lathe_value* result) noexcept {
  return Guard(result, [&] {
    const std::string_view bytes(static_cast<const char*>(data), size);
    *result = internal::ObjectValue(MakeBytesObject(bytes).release());
  });
}

int MakeFunction(lathe_call call, void* self, void (*drop_self)(void*),
                 lathe_value* result) noexcept {
  return Guard(result, [&] {
    auto* function = MakeObject<LentFunction>();
    function->Retain();
    function->call = call;
    function->self = self;
    function->drop_self = drop_self;
    *result = internal::ObjectValue(function->c());
  });
}

// Looks up registered names only: more would load a plugin while another one is being loaded.
int GetFunction(const char* name, lathe_value* result) noexcept {
  return Guard(result, [&] { *result = internal::ObjectValue(FindGlobal(name).release()); });
}

int32_t Parallel(int32_t (*body)(void*, int64_t, int64_t), void* closure, int64_t extent) {
  return ParallelFor(body, closure, extent);
}

void LogLine(int32_t severity, const char* site, const char* message) noexcept {
  try {
    severity = severity < LATHE_LOG_DEBUG   ? LATHE_LOG_DEBUG
               : severity > LATHE_LOG_ERROR ? LATHE_LOG_ERROR
                                            : severity;
    const std::string_view name = OrEmpty(site);
    std::string line = OrEmpty(message);
    LogState& state = Logs();
    const auto now = std::chrono::steady_clock::now();
    std::unique_lock lock(state.mutex);
    if (state.sites.size() >= kMaxSites && !state.sites.contains(name)) state.sites.clear();
    LogState::Site& limit = state.sites[std::string(name)];
    if (now - limit.window > std::chrono::seconds(1)) {
      if (limit.withheld > 0)
        line += " (" + std::to_string(limit.withheld) + " lines withheld before)";
      limit = {now, 0, 0};
    }
    if (++limit.lines > kLinesPerSecond) {
      ++limit.withheld;
      return;
    }
    const LogSink sink = state.sink;
    lock.unlock();
    sink ? sink(severity, name, line) : WriteToStandardError(severity, name, line);
  } catch (...) {  // NOLINT(bugprone-empty-catch)
    // Out of memory: the log line is lost, which is better than failing.
  }
}

}  // namespace

bool TakePollFailed() { return std::exchange(poll_failed, false); }

const lathe_host* HostTable() {
  static const absl::Status registered =
      RegisterGlobal(kPollFunction, Function::From([](const Args&, Value*) {
                       try {
                         PollNow();
                       } catch (...) {
                         poll_failed = true;
                         throw;
                       }
                     }));
  LATHE_CHECK(registered.ok()) << registered.message();
  static constexpr lathe_host kHost = {
      sizeof(lathe_host),
      LATHE_ABI_MAJOR,
      LATHE_ABI_MINOR,
      LATHE_VERSION,
      Alloc,
      Free,
      RaiseInto,
      MakeString,
      MakeBytes,
      MakeFunction,
      GetFunction,
      Parallel,
      LogLine,
  };
  return &kHost;
}

LentMemory CurrentlyLent() { return {g_lent_bytes.load(), g_lent_pieces.load()}; }

void DropValue(lathe_value* value) {
  if (value->kind == LATHE_VALUE_OBJECT) ReleaseObject(value->v_object);
  *value = lathe_value{};
}

absl::Status TakePluginError(lathe_value* error, std::string_view origin) {
  const bool is_error = error->kind == LATHE_VALUE_OBJECT && error->v_object != nullptr &&
                        error->v_object->kind == LATHE_OBJECT_ERROR;
  if (!is_error) {
    DropValue(error);
    return StatusFromError(*MakeErrorObject(LATHE_INTERNAL, "plugin-silent-failure",
                                            "a call failed without saying why", {}, origin)
                                .get());
  }
  // Makes a new error object: a plugin's own object may lack required strings.
  const auto& said = *reinterpret_cast<const lathe_error*>(error->v_object);
  const std::string_view said_origin = OrEmpty(said.origin);
  const std::string_view said_name = OrEmpty(said.name);
  const ErrorRef object = MakeErrorObject(
      said.code, said_name.empty() ? "plugin-unnamed-error" : said_name, OrEmpty(said.message),
      OrEmpty(said.notes), said_origin.empty() ? origin : said_origin);
  DropValue(error);
  return StatusFromError(*object.get());
}

void SetPluginLogSink(LogSink sink) {
  LogState& state = Logs();
  std::lock_guard lock(state.mutex);
  state.sink = std::move(sink);
}

}  // namespace lathe::runtime
