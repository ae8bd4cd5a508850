// Errors at the border: exceptions and statuses become error objects of the calling convention, and
// the reverse.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "base/error.h"
#include "lathe/abi/value.h"
#include "runtime/object_ref.h"

namespace lathe::runtime {

// A call failed on the other side of the border. The diagnostic is the other side's; `code` says
// what a caller may branch on, `origin` who said it ("plugin acme 1.2" or "").
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

// Inside a catch block only: what is being handled, as an error object. Error -> INVALID_ARGUMENT
// under its own name; CallError -> as it came; InternalError -> INTERNAL `internal-error`;
// std::bad_alloc -> RESOURCE_EXHAUSTED `out-of-memory`; other exceptions -> UNKNOWN `exception`.
ErrorRef ErrorFromCurrentException() noexcept;

absl::Status StatusFromError(const lathe_error& error);
// Throws CallError. OK statuses and NULL objects are our bug.
[[noreturn]] void ThrowError(const lathe_error& error);
[[noreturn]] void ThrowStatus(const absl::Status& status);
inline void ThrowIfError(const absl::Status& status) {
  if (!status.ok()) ThrowStatus(status);
}

}  // namespace lathe::runtime
