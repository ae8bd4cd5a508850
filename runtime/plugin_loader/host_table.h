// The functions that the runtime offers to plugins (lathe_host), and the checks of their results.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "lathe/abi/plugin.h"

namespace lathe::runtime {

// The table that every plugin gets; valid as long as the process.
const lathe_host* HostTable();

// The name of a function that plugins ask where a call takes long (sdk::Poll): it fails, with the
// error that the call is to fail with, where the work of the calling thread is to end (cancel.h).
inline constexpr const char* kPollFunction = "lathe.poll";
// Whether it failed on this thread since this was asked last: then a plugin's failure is that.
bool TakePollFailed();

// The bytes and blocks of host memory that plugins hold now (lathe_host.alloc).
struct LentMemory {
  int64_t bytes = 0;
  int64_t pieces = 0;
};
LentMemory CurrentlyLent();

// The failure that a plugin's call left in `*error`; the object is dropped. `origin` ("plugin acme
// 1.2") is added to the message unless the error has an origin. A failure without an error object
// becomes `plugin-silent-failure`.
absl::Status TakePluginError(lathe_value* error, std::string_view origin);

// Drops the object, if any, in a value from a plugin.
void DropValue(lathe_value* value);

// Where log lines of plugins go. NULL restores standard error, which shows warnings and errors, and
// with LATHE_LOG=debug or info the others. For tests and tools.
void SetPluginLogSink(
    std::function<void(int severity, std::string_view site, std::string_view line)> sink);

}  // namespace lathe::runtime
