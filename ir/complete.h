// Whether a node has all its parts.
#pragma once

#include <string>

#include "ir/node.h"

namespace lathe::ir {

// Names the missing part ("its value is missing") if a field that must not be null is null; empty
// if the node is complete. Only nodes that were filled field by field, from outside, can be
// incomplete. CheckNode and all later code rely on complete nodes.
std::string MissingPart(const Node& node);

}  // namespace lathe::ir
