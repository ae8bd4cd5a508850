#include "lower/widen.h"

#include "ir/rewrite.h"
#include "lower/index_arithmetic.h"

namespace lathe::lower {

using namespace ir;  // NOLINT: the nodes' names, in this file only

WideIndex Widen(const Expr& index) {
  class Widener final : public Mutator {
   public:
    Widener() : Mutator(Memo::kOn) {}
    std::vector<Expr> parts;

   protected:
    NodeRef Enter(const NodeRef& node) override {
      const Expr e = RefExpr(node);
      if (!e->dtype.is_int() || !e->dtype.is_scalar()) return node;  // a condition
      if (e->dtype.bits() == 32 && IsIndexArithmetic(e->node_kind())) return nullptr;
      return MakeCast(DataType::Int(64), e);
    }
    NodeRef Leave(const NodeRef& before, NodeRef after) override {
      if (const auto* select = As<Select>(after))
        return MakeSelect(select->condition, select->true_value, select->false_value);
      const NodeKind kind = before->node_kind();
      const Operands operands = BinaryOperands(static_cast<const ExprNode*>(after.get()));
      const Expr wide = MakeBinary(kind, *operands.a, *operands.b);
      if (kind == NodeKind::kAdd || kind == NodeKind::kSub || kind == NodeKind::kMul)
        parts.push_back(wide);
      return wide;
    }
  };
  WideIndex out;
  if (!index->dtype.is_int() || index->dtype.bits() > 32) {
    out.value = MakeCast(DataType::Int(64), index);
    return out;
  }
  Widener widener;
  out.value = widener.Run(index);
  out.parts = std::move(widener.parts);
  return out;
}

}  // namespace lathe::lower
