// The form of an absl::Status in the runtime, and macros for returning one.
//
// A status has a stable name like a Diagnostic. It is in brackets before the message
// ("[device-lost] ..."), so that it is never lost on the way; StatusName reads it.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lathe::runtime {

// `name` is lower-case with hyphens. `code` must not be kOk.
absl::Status MakeStatus(absl::StatusCode code, std::string_view name, std::string_view message);
// The same for a message in parts: at each of the many call sites this needs a fraction of the code
// that `+` needs.
absl::Status MakeStatus(absl::StatusCode code, std::string_view name,
                        std::initializer_list<std::string_view> message);
// "" if the status has no name.
std::string_view StatusName(const absl::Status& status);
// The message without the name in brackets.
std::string_view StatusText(const absl::Status& status);

}  // namespace lathe::runtime

#define LATHE_STATUS_CONCAT_(a, b) a##b
#define LATHE_STATUS_CONCAT(a, b) LATHE_STATUS_CONCAT_(a, b)

// Returns from the function with the status, unless it is OK.
#define LATHE_RETURN_IF_ERROR(expression)                                                  \
  do {                                                                                     \
    if (absl::Status lathe_status = (expression); !lathe_status.ok()) return lathe_status; \
  } while (false)

// LATHE_ASSIGN_OR_RETURN(auto x, F()): x becomes the value, or the function returns F's status.
#define LATHE_ASSIGN_OR_RETURN(target, expression) \
  LATHE_ASSIGN_OR_RETURN_(LATHE_STATUS_CONCAT(lathe_or_, __LINE__), target, expression)
#define LATHE_ASSIGN_OR_RETURN_(temporary, target, expression) \
  auto temporary = (expression);                               \
  if (!temporary.ok()) return std::move(temporary).status();   \
  target = *std::move(temporary)
