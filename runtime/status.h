// How the runtime spells an absl::Status, and the short forms for handing one on.
//
// A status has a stable name as a Diagnostic has. It stands in brackets before the message
// ("[device-lost] ..."), so that it survives every way a status travels, and StatusName reads it
// back.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace lathe::runtime {

// `name` is lower-case with hyphens. `code` is not kOk.
absl::Status MakeStatus(absl::StatusCode code, std::string_view name, std::string_view message);
// The same for a message in parts: a fraction of the code of `+` at each of the many places that
// fail.
absl::Status MakeStatus(absl::StatusCode code, std::string_view name,
                        std::initializer_list<std::string_view> message);
// "" where the status has none.
std::string_view StatusName(const absl::Status& status);
// The message without the bracketed name.
std::string_view StatusText(const absl::Status& status);

}  // namespace lathe::runtime

#define LATHE_STATUS_CONCAT_(a, b) a##b
#define LATHE_STATUS_CONCAT(a, b) LATHE_STATUS_CONCAT_(a, b)

// Returns from the function with the status unless it is OK.
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
