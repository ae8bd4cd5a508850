// What a function does on its way to an error.
#pragma once

#include "ir/stmt.h"

namespace lathe::ir {

// Does the statement collect the values of a message and raise it (lower/lower_errors.h)? It runs
// once at most and ends the function: passes that make code faster leave it as it is.
bool IsErrorPath(const Node& stmt);

}  // namespace lathe::ir
