// Combines quotients and remainders in a sum.
#include <algorithm>

#include "arith/canonical.h"
#include "arith/const_bound.h"
#include "arith/int_math.h"

namespace lathe::arith::internal {
namespace {

bool IsDivOrMod(const ClassInfo& info) {
  return info.class_kind == ClassKind::kNode && IsIndex(info.dtype) &&
         (info.kind == NodeKind::kFloorDiv || info.kind == NodeKind::kFloorMod);
}

// True if `whole` has every term of scale * part with the same coefficient (constants are ignored).
bool ContainsTerms(const Linear& whole, const Linear& part, int64_t scale) {
  if (!part.known || part.terms.empty()) return false;
  return std::all_of(part.terms.begin(), part.terms.end(), [&](const Term& term) {
    const auto wanted = CheckedMul(term.coeff, scale);
    return wanted && whole.CoeffOf(term.atom) == *wanted;
  });
}

}  // namespace

bool TermTable::IsProductOf(const std::vector<Id>& args, Id factor, Id divisor) const {
  const ClassInfo& info = classes_[divisor];
  const bool is_product = info.class_kind == ClassKind::kProduct;
  if (args.size() != 1 + (is_product ? info.args.size() : 1)) return false;
  absl::InlinedVector<Id, 8> wanted{factor};
  if (is_product)
    wanted.insert(wanted.end(), info.args.begin(), info.args.end());
  else
    wanted.push_back(divisor);
  std::sort(wanted.begin(), wanted.end());
  return std::equal(wanted.begin(), wanted.end(), args.begin());
}

namespace {

Linear Single(Id atom) {
  Linear result;
  result.terms.push_back({atom, 1});
  return result;
}

// One sum, whose quotients and remainders are combined step by step.
class Recombination {
 public:
  Recombination(Linear linear, TermTable& table) : linear_(std::move(linear)), table_(table) {}

  Linear Run() {
    // Each step removes a term, so there are at most as many steps as terms. After a step the
    // search restarts, because the step may have made others possible.
    while (linear_.known && linear_.terms.size() > 1 && Step()) {
    }
    return std::move(linear_);
  }

 private:
  bool Step() {
    for (size_t i = 0; i < linear_.terms.size(); ++i) {
      const Term term = linear_.terms[i];
      const ClassInfo& info = table_.info(term.atom);
      if (info.class_kind == ClassKind::kProduct) {
        if (CombineProduct(term, info)) return true;
        continue;
      }
      int64_t k;
      if (!IsDivOrMod(info) || !table_.IsConstant(info.args[1], &k) || k <= 0) continue;
      if (info.kind == NodeKind::kFloorMod ? CombineRemainder(term, info, k)
                                           : CombineQuotient(term, info, k)) {
        return true;
      }
    }
    return false;
  }

  // m*(x//m) + x%m  -->  x  and  m*(x//m) - x  -->  -(x%m), for a divisor m that is not a constant.
  bool CombineProduct(const Term& term, const ClassInfo& product) {
    for (Id factor : product.args) {
      const ClassInfo& quotient = table_.info(factor);
      if (!IsDivOrMod(quotient) || quotient.kind != NodeKind::kFloorDiv) continue;
      const Id value = quotient.args[0], divisor = quotient.args[1];
      if (!table_.IsProductOf(product.args, factor, divisor)) continue;
      const DataType dtype = quotient.dtype;
      const Id mod = table_.FindBinary(NodeKind::kFloorMod, dtype, value, divisor);
      const int64_t mod_coeff = mod == kNoId ? 0 : linear_.CoeffOf(mod);
      const Linear x = table_.LinearOf(value);
      if (mod_coeff == term.coeff) {
        linear_ = Replaced({term, {mod, mod_coeff}}, x, term.coeff);
        return true;
      }
      if (term.coeff == INT64_MIN || !ContainsTerms(linear_, x, -term.coeff)) return false;
      const Id fresh = table_.IdOf(ir::MakeBinary(NodeKind::kFloorMod, table_.ToExpr(value, dtype),
                                                  table_.ToExpr(divisor, dtype)));
      const Linear next = Replaced({term}, Single(fresh), -term.coeff);
      linear_ = Combine(next, 1, x, term.coeff);
      return true;
    }
    return false;
  }

  // k*(x//k) + x%k  -->  x  and  k*((x//k)%c) + x%k  -->  x%(k*c), for the remainder `info` by k.
  // Instead of x%k it may be y%k if x - y is a multiple of k: simplifying x%k drops such parts.
  bool CombineRemainder(const Term& term, const ClassInfo& info, int64_t k) {
    const Id value = info.args[0];
    const auto wanted = CheckedMul(term.coeff, k);
    if (!wanted) return false;
    for (const Term& other : linear_.terms) {
      if (other.coeff != *wanted || !IsDivOrMod(table_.info(other.atom))) continue;
      const ClassInfo* quotient = &table_.info(other.atom);
      int64_t c = 0;  // of (x//k)%c
      if (quotient->kind == NodeKind::kFloorMod) {
        if (!table_.IsConstant(quotient->args[1], &c) || c <= 0) continue;
        quotient = &table_.info(quotient->args[0]);
      }
      if (!IsQuotientBy(*quotient, k, info.dtype) || !DifferByMultiple(quotient->args[0], value, k))
        continue;
      const Term upper = other;
      const Id x = quotient->args[0];
      if (c == 0) {
        linear_ = Replaced({term, upper}, table_.LinearOf(x), term.coeff);
        return true;
      }
      const auto period = CheckedMul(k, c);
      if (!period || !ConstBound::OfType(info.dtype).Contains(*period)) continue;
      linear_ = Replaced({term, upper}, Single(Remainder(x, *period, info.dtype)), term.coeff);
      return true;
    }
    return false;
  }

  bool IsQuotientBy(const ClassInfo& info, int64_t k, DataType dtype) const {
    int64_t divisor;
    return IsDivOrMod(info) && info.kind == NodeKind::kFloorDiv && info.dtype == dtype &&
           table_.IsConstant(info.args[1], &divisor) && divisor == k;
  }
  bool DifferByMultiple(Id x, Id y, int64_t k) const {
    const Linear difference = Combine(table_.LinearOf(x), 1, table_.LinearOf(y), -1);
    return difference.known && difference.constant % k == 0 &&
           std::all_of(difference.terms.begin(), difference.terms.end(),
                       [k](const Term& term) { return term.coeff % k == 0; });
  }

  // x - k*(x//k)  -->  x%k  and  x//c - (k/c)*(x//k)  -->  (x//c)%(k/c), for the quotient `info` by
  // k.
  bool CombineQuotient(const Term& term, const ClassInfo& info, int64_t k) {
    if (term.coeff == INT64_MIN) return false;
    const Id value = info.args[0];
    const int64_t scale = -(term.coeff / k);
    if (const Linear x = table_.LinearOf(value);
        term.coeff % k == 0 && ContainsTerms(linear_, x, scale)) {
      const Id mod = Remainder(value, k, info.dtype);
      linear_ = Combine(Replaced({term}, Single(mod), scale), 1, x, -scale);
      return true;
    }
    for (const Term& other : linear_.terms) {
      const ClassInfo& finer = table_.info(other.atom);
      int64_t c;
      if (!IsDivOrMod(finer) || finer.kind != NodeKind::kFloorDiv || finer.args[0] != value ||
          finer.dtype != info.dtype || !table_.IsConstant(finer.args[1], &c) || c <= 0 || c == k ||
          k % c != 0 || CheckedMul(other.coeff, k / c) != -term.coeff) {
        continue;
      }
      const Term finer_term = other;
      linear_ = Replaced({term, finer_term}, Single(Remainder(finer_term.atom, k / c, info.dtype)),
                         finer_term.coeff);
      return true;
    }
    return false;
  }

  // The sum without the terms `out`, plus scale * in.
  Linear Replaced(std::initializer_list<Term> out, const Linear& in, int64_t scale) const {
    LinearBuilder builder;
    builder.Add(linear_);
    for (const Term& term : out) builder.AddTerm(term.atom, -term.coeff);
    builder.Add(in, scale);
    return builder.Take();
  }

  Id Remainder(Id value, int64_t divisor, DataType dtype) {
    return table_.IdOf(
        ir::MakeBinary(NodeKind::kFloorMod, table_.ToExpr(value, dtype), ir::Int(divisor, dtype)));
  }

  Linear linear_;
  TermTable& table_;
};

}  // namespace

size_t TermTable::QuotientsIn(const Linear& linear) const {
  return static_cast<size_t>(std::ranges::count_if(
      linear.terms, [&](const Term& term) { return IsDivOrMod(classes_[term.atom]); }));
}

Linear TermTable::Recombine(Linear linear) {
  // Each quotient looks at all terms for its partner. Indices have few terms; in a sum of thousands
  // nothing is looked for, because that would take quadratic time.
  constexpr size_t kMostTerms = 256;
  const bool may_apply =
      linear.known && linear.terms.size() > 1 && linear.terms.size() <= kMostTerms &&
      std::any_of(linear.terms.begin(), linear.terms.end(), [&](const Term& term) {
        const ClassInfo& info = classes_[term.atom];
        if (info.class_kind != ClassKind::kProduct) return IsDivOrMod(info);
        return std::any_of(info.args.begin(), info.args.end(),
                           [&](Id factor) { return IsDivOrMod(classes_[factor]); });
      });
  if (!may_apply) return linear;
  return Recombination(std::move(linear), *this).Run();
}

}  // namespace lathe::arith::internal
