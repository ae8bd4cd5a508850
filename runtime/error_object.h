// Converts exceptions and statuses to error objects of the calling convention, and back.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "base/error.h"
#include "lathe/abi/value.h"
#include "runtime/object_ref.h"

namespace lathe::runtime {

// A call failed on the other side of the C interface. The diagnostic comes from that side; callers
// may branch on `code`; `origin` is the reporter ("plugin acme 1.2", or "").
class CallError : public Error {
 public:
  CallError(Diagnostic diagnostic, absl::StatusCode code, std::string origin)
      : Error(std::move(diagnostic)), code_(code), origin_(std::move(origin)) {}
  absl::StatusCode code() const { return code_; }
  const std::string& origin() const { return origin_; }

 private:
  absl::StatusCode code_;
  std::string origin_;
};

using ErrorRef = ObjectRef<lathe_error>;

ErrorRef MakeErrorObject(int32_t code, std::string_view name, std::string_view message,
                         std::string_view notes = {}, std::string_view origin = {});
ErrorRef MakeErrorObject(const Diagnostic& diagnostic, int32_t code = LATHE_INVALID_ARGUMENT,
                         std::string_view origin = {});
ErrorRef MakeErrorObject(const absl::Status& status);

// Call it inside a catch block only: converts the current exception to an error object. Error
// becomes INVALID_ARGUMENT with its own name; CallError is unchanged; InternalError becomes
// INTERNAL `internal-error`; std::bad_alloc becomes RESOURCE_EXHAUSTED `out-of-memory`; other
// exceptions become UNKNOWN `exception`.
ErrorRef ErrorFromCurrentException() noexcept;

absl::Status StatusFromError(const lathe_error& error);
// Throws CallError. An OK status or a NULL object is an internal error.
[[noreturn]] void ThrowError(const lathe_error& error);
[[noreturn]] void ThrowStatus(const absl::Status& status);
inline void ThrowIfError(const absl::Status& status) {
  if (!status.ok()) ThrowStatus(status);
}

}  // namespace lathe::runtime
