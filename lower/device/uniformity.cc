#include "lower/device/uniformity.h"

#include <algorithm>

#include "ir/intrinsic.h"

namespace lathe::lower {

using ir::As;

bool Uniformity::IsSame(const ir::Expr& value) const {
  return ir::EffectOf(value) == ir::CallEffect::kPure && !ir::UsesAnyVar(value, varying_);
}

void Uniformity::AddDerived(const ir::Var& var, std::initializer_list<ir::Expr> from) {
  if (!std::all_of(from.begin(), from.end(), [&](const ir::Expr& e) { return IsSame(e); }))
    AddVarying(var);
}

bool Uniformity::Diverges(const ir::Edge& edge) const {
  if (const auto* branch = As<ir::If>(edge.parent))
    return !edge.Is("condition") && !IsSame(branch->condition);
  if (const auto* loop = As<ir::For>(edge.parent))
    return edge.Is("body") && !(IsSame(loop->min) && IsSame(loop->extent));
  if (const auto* loop = As<ir::While>(edge.parent))
    return edge.Is("body") && !IsSame(loop->condition);
  return false;
}

void Uniformity::Enter(const ir::Edge& edge) {
  if (Diverges(edge)) divergent_.push_back(edge.parent);
}

void Uniformity::Leave(const ir::Edge& edge) {
  if (Diverges(edge)) divergent_.pop_back();
}

}  // namespace lathe::lower
