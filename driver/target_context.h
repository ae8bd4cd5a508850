// What passes ask of the target that they compile for.
#pragma once

#include "lower/pass.h"
#include "target/target.h"

namespace lathe::driver {

// `context` with the target's keys (its kind first), the features that its -mattr turns on, and
// what its manifest's machine.dtypes say of operations (all of them where they are not given).
lower::PassContext ContextFor(const target::Target& target, lower::PassContext context);

}  // namespace lathe::driver
