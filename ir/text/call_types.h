// The result types that the text form leaves out. Private to the text form.
#pragma once

#include <string_view>
#include <vector>

#include "ir/node.h"

namespace lathe::ir {

// The type of a call of `op` if the text does not give one: the result of the intrinsic's rule. If
// the rule leaves the type to the caller, a call that is a statement is void. False if the text
// must give the type.
bool InferCallType(std::string_view op, const std::vector<NodeRef>& args, bool statement,
                   DataType* type);

}  // namespace lathe::ir
