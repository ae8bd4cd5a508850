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
  bool CombineRemainder(const Term& term, const ClassInfo& info, int64_t k) {
    const Id value = info.args[0];
    const auto wanted = CheckedMul(term.coeff, k);
    if (!wanted) return false;
    const Id div = table_.FindBinary(NodeKind::kFloorDiv, info.dtype, value, info.args[1]);
    if (div == kNoId) return false;
    if (linear_.CoeffOf(div) == *wanted) {
      linear_ = Replaced({term, {div, *wanted}}, table_.LinearOf(value), term.coeff);
      return true;
    }
    for (const Term& other : linear_.terms) {
      const ClassInfo& upper = table_.info(other.atom);
      int64_t c;
      if (other.coeff != *wanted || !IsDivOrMod(upper) || upper.kind != NodeKind::kFloorMod ||
          upper.args[0] != div || !table_.IsConstant(upper.args[1], &c) || c <= 0) {
        continue;
      }
      const auto period = CheckedMul(k, c);
      if (!period || !ConstBound::OfType(info.dtype).Contains(*period)) continue;
      const Term upper_term = other;
      linear_ =
          Replaced({term, upper_term}, Single(Remainder(value, *period, info.dtype)), term.coeff);
      return true;
    }
    return false;
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

Linear TermTable::Recombine(Linear linear) {
  const bool may_apply =
      linear.known && linear.terms.size() > 1 &&
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
