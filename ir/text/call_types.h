// The result types that the text form leaves out. Private to the text form.
#pragma once

#include <string_view>
#include <vector>

#include "ir/node.h"

namespace lathe::ir {

// The type that a call of `op` has when the text does not say: what the intrinsic's rule gives, and
// void for a call that is a statement where the rule leaves it to the caller. False where the text
// must say.
bool InferCallType(std::string_view op, const std::vector<NodeRef>& args, bool statement,
                   DataType* type);

}  // namespace lathe::ir
