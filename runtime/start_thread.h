// Threads that the system may refuse: a named error instead of an exception that nobody expects.
#pragma once

#include <string_view>
#include <system_error>
#include <utility>

#include "absl/status/statusor.h"
#include "base/thread.h"

namespace lathe::runtime {

// The error `thread-refused`: there is no thread for `what`.
absl::Status ThreadRefused(std::string_view what, const std::system_error& problem);

// A thread that runs `body`, or `thread-refused`. `what` says for people what it is for. Assign it
// to a member only if `body` does not use that member.
template <class Body>
absl::StatusOr<Thread> StartThread(std::string_view what, Body&& body) {
  try {
    return Thread(std::forward<Body>(body));
  } catch (const std::system_error& problem) {
    return ThreadRefused(what, problem);
  }
}

}  // namespace lathe::runtime
