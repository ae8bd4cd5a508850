// The pending error of a thread. Compiled code and parallel bodies return only a number; they store
// the error here.
#pragma once

#include <cstdint>
#include <string_view>

#include "lathe/abi/value.h"
#include "runtime/error_object.h"

namespace lathe::runtime {

// Stores an error for this thread, unless one is pending already, and returns -1. `format` may
// contain places for the values (base/message.h). It is split into the message and lines "expected:
// ...", "found: ...", "help: ...", which become notes.
int32_t Raise(std::string_view name, std::string_view format, const lathe_value* values, int32_t n);
int32_t RaiseError(ErrorRef error);
// Removes and returns the pending error; if there is none, an error that says so
// (`unknown-failure`).
ErrorRef TakePendingError();
bool HasPendingError();

}  // namespace lathe::runtime
