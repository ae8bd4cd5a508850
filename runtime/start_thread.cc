#include "runtime/start_thread.h"

#include <string>

#include "runtime/status.h"

namespace lathe::runtime {

absl::Status ThreadRefused(std::string_view what, const std::system_error& problem) {
  return MakeStatus(absl::StatusCode::kResourceExhausted, "thread-refused",
                    {"the system refuses a thread for ", what,
                     "\nexpected: room for one more thread\nfound: ", problem.code().message(),
                     "\nhelp: allow more threads (ulimit -u, or pids.max of the control group) or "
                     "more memory, or run fewer programs at once"});
}

}  // namespace lathe::runtime
