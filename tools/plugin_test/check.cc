#include "tools/plugin_test/check.h"

#include <mutex>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/thread.h"
#include "runtime/start_thread.h"
#include "runtime/status.h"

namespace lathe::kit {

absl::Status NotApplicable(const std::string& why) {
  return runtime::MakeStatus(absl::StatusCode::kCancelled, "check-not-applicable", why);
}
bool IsNotApplicable(const absl::Status& status) {
  return runtime::StatusName(status) == "check-not-applicable";
}
absl::Status Failed(const std::string& what) {
  return runtime::MakeStatus(absl::StatusCode::kInternal, "check-failed", what);
}
absl::Status Measured(const std::string& what) {
  return runtime::MakeStatus(absl::StatusCode::kCancelled, "check-measured", what);
}
bool IsMeasured(const absl::Status& status) {
  return runtime::StatusName(status) == "check-measured";
}
absl::Status Require(bool holds, const std::string& what) {
  return holds ? absl::OkStatus() : Failed(what);
}
absl::Status OnThreads(const std::function<absl::Status()>& body) {
  constexpr int kThreads = 4;
  std::mutex mutex;
  absl::Status first;
  const auto keep = [&](const absl::Status& status) {
    const std::lock_guard lock(mutex);
    if (first.ok()) first = status;
  };
  std::vector<Thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    auto started = runtime::StartThread("a check of a plugin", [&] { keep(body()); });
    if (started.ok())
      threads.push_back(*std::move(started));
    else
      keep(started.status());
  }
  for (Thread& thread : threads) thread.join();
  return first;
}

}  // namespace lathe::kit
