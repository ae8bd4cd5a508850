#include "arith/analyzer.h"

#include "arith/context.h"

namespace lathe::arith {

using internal::Context;

Analyzer::Analyzer() : context_(std::make_unique<Context>()) {}
Analyzer::~Analyzer() = default;

Analyzer::Scope::Scope(Context* context) : context_(context) { context->OpenScope(); }
Analyzer::Scope::Scope(Scope&& other) noexcept : context_(other.context_) {
  other.context_ = nullptr;
}
Analyzer::Scope::~Scope() {
  if (context_ != nullptr) context_->CloseScope();
}

Analyzer::Scope Analyzer::OpenScope() { return Scope(context_.get()); }

Analyzer::Scope Analyzer::With(const Expr& condition) {
  Scope scope(context_.get());
  context_->Assume(condition);
  return scope;
}

void Analyzer::Bind(const Var& var, const Range& range) { context_->BindRange(var, range); }
void Analyzer::Bind(const Var& var, const Expr& value) { context_->BindValue(var, value); }
void Analyzer::Assume(const Expr& condition) { context_->Assume(condition); }

Expr Analyzer::Simplify(const Expr& expr) { return context_->Simplify(expr); }

bool Analyzer::CanProve(const Expr& condition) {
  return context_->Prove(condition, internal::kThoroughProof);
}

namespace {

// expr - bound as a linear form. Unknown if `expr` is not of an index type.
internal::Linear Difference(Context* context, const Expr& expr, int64_t bound) {
  internal::Linear unknown;
  unknown.known = false;
  if (!internal::IsIndex(expr->dtype)) return unknown;
  const Expr simple = context->Simplify(expr);
  const internal::Id id = context->terms.IdOf(simple);
  if (context->terms.info(id).opaque || bound == INT64_MIN) return unknown;
  return internal::AddConstant(context->terms.LinearOf(id), -bound);
}

}  // namespace

bool Analyzer::CanProveGE(const Expr& expr, int64_t bound) {
  if (!internal::IsIndex(expr->dtype)) return expr->dtype.is_integral() && Bound(expr).min >= bound;
  return context_->ProveNonNegative(Difference(context_.get(), expr, bound),
                                    internal::kThoroughProof);
}

bool Analyzer::CanProveLT(const Expr& expr, int64_t bound) {
  if (!internal::IsIndex(expr->dtype)) {
    const ConstBound range = Bound(expr);
    return expr->dtype.is_integral() && range.has_max() && range.max < bound;
  }
  // bound - expr - 1 >= 0
  internal::Linear d = Difference(context_.get(), expr, bound);
  if (!d.known) return false;
  d = internal::Combine(internal::Linear(), 1, d, -1);
  return context_->ProveNonNegative(internal::AddConstant(std::move(d), -1),
                                    internal::kThoroughProof);
}

bool Analyzer::CanProveEqual(const Expr& a, const Expr& b) {
  if (a.same_as(b)) return true;
  if (a->dtype != b->dtype && !(internal::IsIndex(a->dtype) && internal::IsIndex(b->dtype))) {
    return false;
  }
  const Expr x = context_->Simplify(a), y = context_->Simplify(b);
  const internal::Id x_id = context_->terms.IdOf(x), y_id = context_->terms.IdOf(y);
  if (context_->terms.info(x_id).opaque || context_->terms.info(y_id).opaque) return false;
  if (x_id == y_id) return true;
  if (!internal::IsIndex(a->dtype)) return false;
  const internal::Linear d =
      internal::Combine(context_->terms.LinearOf(x_id), 1, context_->terms.LinearOf(y_id), -1);
  return context_->Decide(ir::NodeKind::kEQ, d, internal::kThoroughProof) == true;
}

ConstBound Analyzer::Bound(const Expr& expr) {
  return context_->FactsOf(context_->terms.IdOf(context_->Simplify(expr))).bound;
}

ModularSet Analyzer::Modular(const Expr& expr) {
  return context_->FactsOf(context_->terms.IdOf(context_->Simplify(expr))).modular;
}

}  // namespace lathe::arith
