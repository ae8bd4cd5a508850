// Arithmetic that gives a position in memory: it never overflows (ir/expr.h), and code generators
// make use of that.
#pragma once

#include "ir/node.h"

namespace lathe::sdk {

// True if the operands of `parent`, which is index arithmetic, are index arithmetic, too.
inline bool KeepsIndexContext(const ir::Node* parent) {
  if (parent == nullptr) return false;
  switch (parent->node_kind()) {
    case ir::NodeKind::kAdd:
    case ir::NodeKind::kSub:
    case ir::NodeKind::kMul:
    case ir::NodeKind::kRamp:
    case ir::NodeKind::kBroadcast:
      return true;
    default:
      return false;
  }
}

}  // namespace lathe::sdk
