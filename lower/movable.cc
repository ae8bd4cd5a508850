#include "lower/movable.h"

#include "ir/intrinsic.h"
#include "ir/walk.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

bool MayDivideByZero(const Expr& e) {
  bool found = false;
  PostOrder(e, [&](const Node& node) {
    switch (node.node_kind()) {
      case NodeKind::kDiv:
      case NodeKind::kMod:
      case NodeKind::kFloorDiv:
      case NodeKind::kFloorMod: {
        const int64_t* divisor = AsConstInt(*BinaryOperands(static_cast<const ExprNode*>(&node)).b);
        found = found || divisor == nullptr || *divisor == 0;
        break;
      }
      default:
        break;
    }
  });
  return found;
}

}  // namespace

bool IsMovable(const Expr& e) { return EffectOf(e) == CallEffect::kPure && !MayDivideByZero(e); }

}  // namespace lathe::lower
