// A host of the kit's own: lends what lathe_host promises, counts all of it, and fails on demand.
//
// One per process (a table's functions have no `self`), used by checks that open a plugin without
// the runtime.
#pragma once

#include <cstdint>
#include <string>

#include "lathe/abi/plugin.h"

namespace lathe::kit {

struct HostCounters {
  int64_t bytes = 0, pieces = 0;  // of memory lent now
  int64_t objects = 0;            // strings, bytes, functions and errors alive
  int64_t calls = 0;              // of entries that can fail: alloc, make_*, get_function, parallel
  int64_t wrong_frees = 0;        // memory given back that was not lent, or with other sizes
};

// As large as today's. Always the same table.
const lathe_host* KitHost();
HostCounters CurrentCounters();
// From now on the n-th call (from 1) of an entry that can fail does; 0: none.
void FailCall(int64_t n);
// Has it happened?
bool FailureHappened();

// Takes the error out of a value and drops it: "NAME: message". "" for no error.
std::string TakeError(lathe_value* value);
// Drops the object in a value, if any, and makes it NONE.
void Drop(lathe_value* value);
// The text of a string or bytes object or value; "" for others.
std::string TextOf(const lathe_value& value);

}  // namespace lathe::kit
