// Tells passes about the target that they compile for.
#pragma once

#include "lower/pass.h"
#include "target/target.h"

namespace lathe::driver {

// Returns `context` with the target's keys (its kind first), the features that its -mattr turns on,
// and the operations that machine.dtypes in its manifest supports (all if it lists none).
lower::PassContext ContextFor(const target::Target& target, lower::PassContext context);

}  // namespace lathe::driver
