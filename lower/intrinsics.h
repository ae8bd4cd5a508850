// Calls of intrinsics are replaced by code for the target, by rules that any program may register.
//
//   exp(x: float32x16)   -->   let m0 = ... in m7 * m8 * m9          rule ("exp", "cpu", 0)
//   tanh(h: float16)     -->   cast(float16, let m0 = cast(float32, h) in ...)
//
// A rule belongs to an intrinsic, to a key of a target ("cpu", "cuda", "default" for all) and to a
// level. For each call the target's keys are asked in order, then "default"; for one key the rule
// of the highest level comes first. The first rule that does not return null replaces the call; a
// call that no rule replaces goes to the code generator as it is.
//
// This runs on the host: a plugin is never called for it.
#pragma once

#include <functional>
#include <string>

#include "ir/expr.h"
#include "lower/pass.h"

namespace lathe::lower {

// Must be pure and callable from any thread. The call's arguments have been lowered already. The
// result must have the call's type and value; rules are not applied to it again. Null: the rule
// does not apply.
using IntrinsicRule = std::function<ir::Expr(const ir::Call& call)>;

// Lathe's own rules have level 0: a higher level overrides them. Thread-safe; a rule cannot be
// removed. Throws Error: "intrinsic-rule-exists" if there is a rule for the intrinsic, key and
// level; "unknown-intrinsic".
void RegisterIntrinsicRule(const std::string& intrinsic, const std::string& target_key, int level,
                           IntrinsicRule rule);

// True if somebody registered rules besides Lathe's own; their effect cannot be part of a cache
// key.
bool HasForeignRules();

// Applies the rules for context.target_keys. Throws Error "intrinsic-rule-type" if a rule returns a
// value of another type.
ir::Module LowerIntrinsics(const ir::Module& module, const PassContext& context);

}  // namespace lathe::lower
