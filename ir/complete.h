// Whether a node has all its parts.
#pragma once

#include <string>

#include "ir/node.h"

namespace lathe::ir {

// "its value is missing" where a field that needs a node has none (a node filled field by field,
// from outside); empty when complete. CheckNode and everything after it rely on complete nodes.
std::string MissingPart(const Node& node);

}  // namespace lathe::ir
