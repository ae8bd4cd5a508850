// The log of a server, a tracker or a proxy.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace lathe::runtime::rpc {

using LogWriter = std::function<void(std::string_view line)>;

// Appends each line with the time (UTC) to the file, which is opened by its name for each line: it
// may be rotated. A line that cannot be written goes to standard error. Fails with `rpc-log-file`
// if the file cannot be opened now. The writer may be called by any thread.
absl::StatusOr<LogWriter> LogToFile(const std::string& path);

}  // namespace lathe::runtime::rpc
