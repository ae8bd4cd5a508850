// Calls of intrinsics become what the target has: by rules, which anybody may register.
//
//   exp(x: float32x16)   -->   let m0 = ... in m7 * m8 * m9        rule ("exp", "cpu", 0):
//   lower/math tanh(h: float16)     -->   cast(float16, let m0 = cast(float32, h) in ...)
//
// A rule belongs to an intrinsic, to a key of a target ("cpu", "cuda", "default" for all) and to a
// level. For each call the target's keys are asked in order, then "default"; for one key the rule
// of the highest level comes first. The first rule that does not return null replaces the call; a
// call that no rule replaces goes to the code generator as it is.
//
// This runs on the host, before the door: a plugin never calls back to have an intrinsic lowered.
#pragma once

#include <functional>
#include <string>

#include "ir/expr.h"
#include "lower/pass.h"

namespace lathe::lower {

// Must be pure and callable from any thread. Arguments of the call are lowered already; what is
// returned has the call's type, computes the call's value, and is not looked at again. Null: the
// rule does not serve this call.
using IntrinsicRule = std::function<ir::Expr(const ir::Call& call)>;

// Rules of Lathe are of level 0: a higher level overrides them. Thread-safe; rules never leave.
// Throws Error: "intrinsic-rule-exists" where intrinsic, key and level are taken;
// "unknown-intrinsic".
void RegisterIntrinsicRule(const std::string& intrinsic, const std::string& target_key, int level,
                           IntrinsicRule rule);

// Whether anybody registered rules beside Lathe's own. What they do no key of a cache can say.
bool HasForeignRules();

// For the keys context.target_keys. Throws Error "intrinsic-rule-type" where a rule returns a value
// of another type.
ir::Module LowerIntrinsics(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
