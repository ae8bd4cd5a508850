// What the entries of a function with checks and without them are both made of.
#pragma once

#include "ir/module.h"

namespace lathe::lower {

// Error "call-unbound-variable": nothing that a caller passes says what `var` is.
[[noreturn]] void ThrowUnbound(const ir::Func& func, const ir::Var& var);
// Does the body call packed functions?
bool CallsPacked(const ir::Func& func);
// In `body`, the parameter becomes a view of the memory bound to its data variable.
ir::Stmt ViewOf(const ir::Buffer& buffer, const ir::Stmt& body);

}  // namespace lathe::lower
