#include "schedule/safe_select.h"

#include <optional>
#include <vector>

#include "arith/analyzer.h"
#include "base/planted.h"
#include "ir/intrinsic_names.h"
#include "ir/rewrite.h"
#include "ir/walk.h"

namespace lathe::schedule {
namespace {

// The limit for parts of one arm that are examined, each under its own conditions.
constexpr size_t kMaxParts = 1 << 10;

// True if everything that `arm` loads exists for all values of the axes. The arms of if_then_else
// are evaluated only under its condition; that condition alone may not be enough, because an
// inlined body relies on the selection around it, too.
bool LoadsAreInBounds(const ir::Expr& arm, arith::Analyzer& analyzer) {
  struct Part {
    ir::Expr expr;
    std::vector<ir::Expr> conditions;
  };
  std::vector<Part> pending = {{arm, {}}};
  bool safe = true;
  size_t parts = 0;
  while (safe && !pending.empty()) {
    // Nested choices that share arms give too many parts.
    if (++parts > kMaxParts) return false;
    const Part part = pending.back();
    pending.pop_back();
    std::vector<arith::Analyzer::Scope> scopes;
    for (const ir::Expr& condition : part.conditions) scopes.push_back(analyzer.With(condition));
    ir::PreOrder(part.expr, [&](const ir::Node& node) {
      if (const auto* call = ir::As<ir::Call>(&node);
          call != nullptr && call->op == ir::intrinsic::kIfThenElse) {
        pending.push_back({call->arg(0), part.conditions});
        for (const size_t k : {size_t{1}, size_t{2}}) {
          pending.push_back({call->arg(k), part.conditions});
          pending.back().conditions.push_back(k == 1 ? call->arg(0) : ir::LogicalNot(call->arg(0)));
        }
        return false;
      }
      const auto* load = ir::As<ir::Load>(&node);
      const ir::Tensor tensor = load != nullptr ? ir::RefAs<ir::TensorNode>(load->source) : nullptr;
      if (!tensor) return safe;
      for (size_t d = 0; safe && d < load->indices.size(); ++d) {
        const ir::Expr& index = load->indices[d];
        safe = analyzer.CanProveGE(index, 0) && analyzer.CanProve(index < tensor->shape()[d]);
      }
      return safe;
    });
    while (!scopes.empty()) scopes.pop_back();
  }
  return safe;
}

}  // namespace

ir::Expr ShortCircuitUnsafeSelects(const ir::ComputeOp& op, const ir::Expr& value) {
  std::optional<arith::Analyzer> analyzer;
  return ir::Rewrite(value, [&](const ir::Select& select) -> ir::Expr {
    if (!select.condition->dtype.is_scalar()) return nullptr;
    if (Planted(PlantedBug::kSelectLoadsBoth)) return nullptr;
    if (!analyzer) {
      analyzer.emplace();
      for (const ir::IterVar& axis : op.axis) analyzer->Bind(axis->var, axis->domain);
      for (const ir::IterVar& axis : op.reduce_axis) analyzer->Bind(axis->var, axis->domain);
    }
    if (LoadsAreInBounds(select.true_value, *analyzer) &&
        LoadsAreInBounds(select.false_value, *analyzer))
      return nullptr;
    return ir::IfThenElse(select.condition, select.true_value, select.false_value);
  });
}

}  // namespace lathe::schedule
