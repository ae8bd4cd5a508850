// What the runtime lends to plugins (lathe_host), and how what they give back is checked.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "lathe/abi/plugin.h"

namespace lathe::runtime {

// The table that every plugin gets; lives as long as the process.
const lathe_host* HostTable();

// The name of a function that plugins ask where a call takes long (sdk::Poll): it fails, with the
// error that the call is to fail with, where the work of the calling thread is to end (cancel.h).
inline constexpr const char* kPollFunction = "lathe.poll";
// Whether it failed on this thread since this was asked last: then a plugin's failure is that.
bool TakePollFailed();

// Bytes and pieces of host memory that plugins hold now (lathe_host.alloc).
struct LentMemory {
  int64_t bytes = 0;
  int64_t pieces = 0;
};
LentMemory CurrentlyLent();

// The failure that a plugin's call left in `*error`, which is dropped. `origin` ("plugin acme 1.2")
// is added to the message unless the error names one. A failure without an error object becomes
// `plugin-silent-failure`.
absl::Status TakePluginError(lathe_value* error, std::string_view origin);

// Drops the object in a value that a plugin gave, if any.
void DropValue(lathe_value* value);

// Where lines that plugins log go; NULL brings standard error back, which shows warnings and
// errors, and with LATHE_LOG=debug or info the rest. For tests and tools.
void SetPluginLogSink(
    std::function<void(int severity, std::string_view site, std::string_view line)> sink);

}  // namespace lathe::runtime
