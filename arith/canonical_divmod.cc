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
  // `linear` without the terms `out`, plus scale * in.
  auto replace = [&](std::initializer_list<Term> out, const Linear& in, int64_t scale) {
    LinearBuilder builder;
    builder.Add(linear);
    for (const Term& term : out) builder.AddTerm(term.atom, -term.coeff);
    builder.Add(in, scale);
    return builder.Take();
  };
  auto single = [](Id atom) {
    Linear result;
    result.terms.push_back({atom, 1});
    return result;
  };
  auto remainder = [&](Id value, int64_t divisor, DataType dtype) {
    return IdOf(ir::MakeBinary(NodeKind::kFloorMod, ToExpr(value, dtype), ir::Int(divisor, dtype)));
  };

  // Each step removes a term, so there are at most as many steps as terms. After a step the search
  // restarts, because the step may have made others possible.
  for (bool progress = true; progress && linear.known && linear.terms.size() > 1;) {
    progress = false;
    for (size_t i = 0; i < linear.terms.size() && !progress; ++i) {
      const Term term = linear.terms[i];
      const ClassInfo& info = classes_[term.atom];
      if (info.class_kind == ClassKind::kProduct) {
        // m*(x//m) - x --> -(x%m), for a divisor that is not a constant
        for (Id factor : info.args) {
          const ClassInfo& quotient = classes_[factor];
          if (!IsDivOrMod(quotient) || quotient.kind != NodeKind::kFloorDiv) continue;
          const Id value = quotient.args[0], divisor = quotient.args[1];
          if (!IsProductOf(info.args, factor, divisor)) continue;
          const Id mod = FindBinary(NodeKind::kFloorMod, quotient.dtype, value, divisor);
          const int64_t mod_coeff = mod == kNoId ? 0 : linear.CoeffOf(mod);
          if (mod_coeff == term.coeff) {
            linear = replace({term, {mod, mod_coeff}}, LinearOf(value), term.coeff);
            progress = true;
          } else if (term.coeff != INT64_MIN &&
                     ContainsTerms(linear, LinearOf(value), -term.coeff)) {
            const DataType dtype = quotient.dtype;
            const Id fresh = IdOf(
                ir::MakeBinary(NodeKind::kFloorMod, ToExpr(value, dtype), ToExpr(divisor, dtype)));
            Linear next = replace({term}, single(fresh), -term.coeff);
            linear = Combine(next, 1, LinearOf(value), term.coeff);
            progress = true;
          }
          break;
        }
        continue;
      }
      int64_t k;
      if (!IsDivOrMod(info) || !IsConstant(info.args[1], &k) || k <= 0) continue;
      const Id value = info.args[0];
      if (info.kind == NodeKind::kFloorMod) {
        const auto wanted = CheckedMul(term.coeff, k);
        if (!wanted) continue;
        const Id div = FindBinary(NodeKind::kFloorDiv, info.dtype, value, info.args[1]);
        if (div == kNoId) continue;
        if (linear.CoeffOf(div) == *wanted) {
          linear = replace({term, {div, *wanted}}, LinearOf(value), term.coeff);
          progress = true;
          continue;
        }
        // k*((x//k)%c) + x%k  -->  x%(k*c)
        for (const Term& other : linear.terms) {
          const ClassInfo& upper = classes_[other.atom];
          int64_t c;
          if (other.coeff != *wanted || !IsDivOrMod(upper) || upper.kind != NodeKind::kFloorMod ||
              upper.args[0] != div || !IsConstant(upper.args[1], &c) || c <= 0) {
            continue;
          }
          const auto period = CheckedMul(k, c);
          if (!period || !ConstBound::OfType(info.dtype).Contains(*period)) continue;
          const Term upper_term = other;
          linear = replace({term, upper_term}, single(remainder(value, *period, info.dtype)),
                           term.coeff);
          progress = true;
          break;
        }
        continue;
      }
      if (term.coeff == INT64_MIN) continue;
      // x - k*(x//k)  -->  x%k
      const int64_t scale = -(term.coeff / k);
      if (const Linear x = LinearOf(value);
          term.coeff % k == 0 && ContainsTerms(linear, x, scale)) {
        const Id mod = remainder(value, k, info.dtype);
        linear = Combine(replace({term}, single(mod), scale), 1, x, -scale);
        progress = true;
        continue;
      }
      // x//c - (k/c)*(x//k)  -->  (x//c)%(k/c)
      for (const Term& other : linear.terms) {
        const ClassInfo& finer = classes_[other.atom];
        int64_t c;
        if (!IsDivOrMod(finer) || finer.kind != NodeKind::kFloorDiv || finer.args[0] != value ||
            finer.dtype != info.dtype || !IsConstant(finer.args[1], &c) || c <= 0 || c == k ||
            k % c != 0 || CheckedMul(other.coeff, k / c) != -term.coeff) {
          continue;
        }
        const Term finer_term = other;
        linear = replace({term, finer_term}, single(remainder(other.atom, k / c, info.dtype)),
                         finer_term.coeff);
        progress = true;
        break;
      }
    }
  }
  return linear;
}

}  // namespace lathe::arith::internal
