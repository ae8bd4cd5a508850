// The pending error of a thread: how compiled code and parallel bodies, which return a bare number,
// say what went wrong.
#pragma once

#include <cstdint>
#include <string_view>

#include "lathe/abi/value.h"
#include "runtime/error_object.h"

namespace lathe::runtime {

// Stores an error for this thread (the first one stays) and returns -1. `format` may hold
// places for the values (base/message.h); it is cut into message, then lines "expected: ...",
// "found: ...", "help: ...", which become notes.
int32_t Raise(std::string_view name, std::string_view format, const lathe_value* values, int32_t n);
int32_t RaiseError(ErrorRef error);
// Takes the pending error away; where none is pending, one that says so (`unknown-failure`).
ErrorRef TakePendingError();
bool HasPendingError();

}  // namespace lathe::runtime
