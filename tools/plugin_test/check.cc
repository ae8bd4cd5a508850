#include "tools/plugin_test/check.h"

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

}  // namespace lathe::kit
