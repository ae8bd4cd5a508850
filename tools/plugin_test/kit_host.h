// The kit's own host. It provides what lathe_host promises, counts everything that it lends, and
// fails on demand.
//
// There is one per process, because the table's functions have no `self`. Checks use it that open a
// plugin without the runtime.
#pragma once

#include <cstdint>
#include <string>

#include "lathe/abi/plugin.h"

namespace lathe::kit {

struct HostCounters {
  int64_t bytes = 0, pieces = 0;  // of memory that is lent now
  int64_t objects = 0;            // strings, bytes, functions and errors that are alive
  int64_t calls = 0;              // of alloc, make_*, get_function, parallel, which can fail
  int64_t wrong_frees = 0;        // memory freed that was not lent, or with another size
};

// The kit's host table, with all of today's functions. Always the same table.
const lathe_host* KitHost();
HostCounters CurrentCounters();
// The n-th call from now on (counted from 1) of a function that can fail will fail; 0: none.
void FailCall(int64_t n);
// Has that failure happened?
bool FailureHappened();

// Takes the error out of a value and drops it. Returns "NAME: message", or "" if there is no error.
std::string TakeError(lathe_value* value);
// Drops the object in a value, if there is one, and makes the value NONE.
void Drop(lathe_value* value);
// The text of a string or bytes, as object or value; "" for other values.
std::string TextOf(const lathe_value& value);

}  // namespace lathe::kit
