// The arithmetic in index expressions, which widen and narrow convert between widths.
#pragma once

#include "ir/expr.h"

namespace lathe::lower {

// Operations on scalars whose operands and result have the same width, so that the width of all can
// be changed together: in widen.h to 64 bits, in narrow.h to 32. Vectors of indices (Ramp,
// Broadcast) have it, too; they exist only after vectorization.
inline bool IsIndexArithmetic(ir::NodeKind kind) {
  switch (kind) {
    case ir::NodeKind::kAdd:
    case ir::NodeKind::kSub:
    case ir::NodeKind::kMul:
    case ir::NodeKind::kDiv:
    case ir::NodeKind::kMod:
    case ir::NodeKind::kFloorDiv:
    case ir::NodeKind::kFloorMod:
    case ir::NodeKind::kMin:
    case ir::NodeKind::kMax:
    case ir::NodeKind::kSelect:
      return true;
    default:
      return false;
  }
}

}  // namespace lathe::lower
