#include "lower/device/thread_access.h"

#include "arith/linear.h"
#include "ir/intrinsic.h"
#include "ir/rewrite.h"
#include "ir/structural.h"
#include "ir/thread_scopes.h"

namespace lathe::lower {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

// Views of one allocation overlap, unless their byte ranges are constant and disjoint.
bool MayOverlap(const BufferNode& a, const BufferNode& b) {
  if (&a == &b) return true;
  if (a.data.get() != b.data.get()) return false;
  struct Bytes {
    int64_t begin = 0, end = 0;
    bool known = false;
  };
  auto bytes_of = [](const BufferNode& buffer) {
    Bytes out;
    int64_t elements = 1, offset = 0;
    if (!buffer.strides.empty()) return out;
    for (const Expr& extent : buffer.shape) {
      const int64_t* value = AsConstInt(extent);
      if (value == nullptr) return out;
      elements *= *value;
    }
    if (buffer.elem_offset) {
      const int64_t* value = AsConstInt(buffer.elem_offset);
      if (value == nullptr) return out;
      offset = *value;
    }
    const int64_t size = buffer.dtype.bytes();
    return Bytes{offset * size, (offset + elements) * size, true};
  };
  const Bytes x = bytes_of(a), y = bytes_of(b);
  return !x.known || !y.known || (x.begin < y.end && y.begin < x.end);
}

bool SameIndices(const ThreadAccess& a, const ThreadAccess& b) {
  if (a.indices.size() != b.indices.size()) return false;
  for (size_t d = 0; d < a.indices.size(); ++d) {
    if (!StructuralEqual(a.indices[d], b.indices[d])) return false;
  }
  return true;
}

bool Varies(const ThreadAccess& access, const AccessContext& context) {
  for (const Expr& index : access.indices) {
    if (UsesAnyVar(index, *context.varying)) return true;
  }
  return false;
}

// quotient + offset: the terms that are added to a quotient, each (subtracted, expression).
using Offset = std::vector<std::pair<bool, Expr>>;
const FloorDiv* QuotientOf(const Expr& index, Offset* offset) {
  const FloorDiv* quotient = nullptr;
  std::vector<std::pair<bool, Expr>> rest = {{false, index}};
  while (!rest.empty()) {
    const auto [minus, term] = rest.back();
    rest.pop_back();
    if (const auto* sum = As<Add>(term)) {
      rest.emplace_back(minus, sum->b);
      rest.emplace_back(minus, sum->a);
    } else if (const auto* difference = As<Sub>(term)) {
      rest.emplace_back(!minus, difference->b);
      rest.emplace_back(minus, difference->a);
    } else if (const auto* divided = As<FloorDiv>(term);
               divided != nullptr && !minus && quotient == nullptr) {
      quotient = divided;
    } else {
      offset->emplace_back(minus, term);
    }
  }
  return quotient;
}

// A value that the place of an element determines: one of its indices, or a number whose quotient
// and remainder by `divisor` two indices are.
struct Told {
  Expr value;
  int64_t divisor = 0;
  size_t quotient = 0, rest = 0;
  Offset offset;  // was added to the quotient
};

std::vector<Told> AllTold(const std::vector<Expr>& indices) {
  std::vector<Told> told;
  for (const Expr& index : indices) told.push_back({index, 0, 0, 0, {}});
  for (size_t i = 0; i < told.size() && told.size() < 16; ++i) {
    const Expr at = told[i].value;
    Offset offset;
    const auto* quotient = QuotientOf(at, &offset);
    const int64_t* divisor = quotient == nullptr ? nullptr : AsConstInt(quotient->b);
    if (divisor == nullptr || *divisor < 1) continue;
    for (size_t j = 0; j < told.size(); ++j) {
      const auto* rest = As<FloorMod>(told[j].value);
      const int64_t* modulus = rest == nullptr ? nullptr : AsConstInt(rest->b);
      if (modulus == nullptr || *modulus < 1) continue;
      // x // 6 and (x // 2) % 3 together determine x // 2.
      const auto* within = As<FloorDiv>(rest->a);
      const int64_t* step = within == nullptr ? nullptr : AsConstInt(within->b);
      const bool whole = *modulus == *divisor && StructuralEqual(quotient->a, rest->a);
      const bool part = step != nullptr && *step > 0 && *divisor % *step == 0 &&
                        *divisor / *step == *modulus && StructuralEqual(quotient->a, within->a);
      if (!whole && !part) continue;
      told.push_back({rest->a, *modulus, i, j, offset});
      break;
    }
  }
  return told;
}

// True if equal places mean equal values in both accesses.
bool ToldAlike(const Told& a, const Told& b, const AccessContext& context) {
  if (a.divisor != b.divisor || a.quotient != b.quotient || a.rest != b.rest ||
      a.offset.size() != b.offset.size())
    return false;
  for (size_t i = 0; i < a.offset.size(); ++i) {
    const Expr& term = a.offset[i].second;
    if (a.offset[i].first != b.offset[i].first || !StructuralEqual(term, b.offset[i].second) ||
        UsesAnyVar(term, *context.varying) || EffectOf(term) != CallEffect::kPure)
      return false;
    for (const ThreadIndex& thread : *context.threads) {
      if (!thread.single && UsesVar(term, thread.var)) return false;
    }
  }
  return true;
}

// True if the place determines the thread's index `var`, in the same way in both accesses.
bool TellsIndex(const ThreadAccess& a, const ThreadAccess& b, const Var& var,
                const AccessContext& context) {
  const std::vector<Told> at_a = AllTold(a.indices), at_b = AllTold(b.indices);
  const arith::ConstBound threads = context.analyzer->Bound(var);
  for (size_t d = 0; d < at_a.size() && d < at_b.size(); ++d) {
    // Further values depend on the earlier ones, which must correspond, too.
    if (!ToldAlike(at_a[d], at_b[d], context)) break;
    const auto x = arith::DetectLinear(at_a[d].value, {var}, context.analyzer);
    const auto y = arith::DetectLinear(at_b[d].value, {var}, context.analyzer);
    if (!x || !y) continue;
    const int64_t* p = AsConstInt(x->coefficients[0]);
    const int64_t* q = AsConstInt(y->coefficients[0]);
    if (p == nullptr || q == nullptr || *p != *q || *p == 0) continue;
    auto is_within = [&](const Expr& base) {
      return *p > 0 && context.analyzer->CanProveGE(base, 0) &&
             context.analyzer->CanProveLT(base, *p);
    };
    if (is_within(x->base) && is_within(y->base)) return true;
    // Modulo the number of threads: rest * 32 + tx.
    if (*p > 0 && threads.min == 0 && threads.max < (int64_t{1} << 20) && *p < (1 << 20)) {
      const int64_t all = *p * (threads.max + 1);
      auto is_rest = [&](const Expr& base) {
        const arith::ModularSet set = context.analyzer->Modular(base);
        return set.coeff % all == 0 && set.base % all >= 0 && set.base % all < *p;
      };
      if (is_rest(x->base) && is_rest(y->base) && x->base->dtype == y->base->dtype) return true;
    }
    // The distance is the same for all threads, in both accesses.
    bool same = StructuralEqual(x->base, y->base) && !UsesAnyVar(x->base, *context.varying);
    for (const ThreadIndex& thread : *context.threads)
      same = same && (thread.single || !UsesVar(x->base, thread.var));
    if (same) return true;
  }
  return false;
}

bool Pinned(const ThreadAccess& a, const ThreadAccess& b, const Var& var) {
  if (a.pins == nullptr || b.pins == nullptr) return false;
  auto x = a.pins->find(var.get()), y = b.pins->find(var.get());
  return x != a.pins->end() && y != b.pins->end() && StructuralEqual(x->second, y->second);
}

// True if `b` runs only on threads on which `a` may run.
bool IsWithin(const ThreadAccess& b, const ThreadAccess& a) {
  if (a.guards == nullptr) return true;
  for (const Expr& wanted : *a.guards) {
    bool found = false;
    for (size_t i = 0; b.guards != nullptr && i < b.guards->size(); ++i)
      found = found || StructuralEqual(wanted, (*b.guards)[i]);
    if (!found) return false;
  }
  return true;
}

// True if both are remainders of one division, and no multiple lies between the dividends:
//   k % 2 and (k + 1) % 2
bool DifferModulo(const Expr& a, const Expr& b, arith::Analyzer* analyzer) {
  const auto* x = As<FloorMod>(a);
  const auto* y = As<FloorMod>(b);
  if (x == nullptr || y == nullptr || !StructuralEqual(x->b, y->b)) return false;
  const int64_t* divisor = AsConstInt(x->b);
  const Expr difference = analyzer->Simplify(x->a - y->a);
  const int64_t* distance = AsConstInt(difference);
  return divisor != nullptr && *divisor > 0 && distance != nullptr && *distance % *divisor != 0;
}

// True if the elements differ for any two threads.
bool Disjoint(const ThreadAccess& a, const ThreadAccess& b, const AccessContext& context) {
  for (size_t d = 0; d < a.indices.size() && d < b.indices.size(); ++d) {
    bool uniform = true;
    for (const ThreadIndex& thread : *context.threads) {
      uniform = uniform && (thread.single || (!UsesVar(a.indices[d], thread.var) &&
                                              !UsesVar(b.indices[d], thread.var)));
    }
    uniform = uniform && !UsesAnyVar(a.indices[d], *context.varying) &&
              !UsesAnyVar(b.indices[d], *context.varying);
    if (uniform && a.indices[d]->dtype == b.indices[d]->dtype &&
        (DifferModulo(a.indices[d], b.indices[d], context.analyzer) ||
         context.analyzer->CanProve(NotEqual(a.indices[d], b.indices[d]))))
      return true;
  }
  return false;
}

}  // namespace

Conflict ConflictOf(const ThreadAccess& a, const ThreadAccess& b, const AccessContext& context) {
  if (!a.write && !b.write) return Conflict::kNone;
  if (a.atomic && b.atomic) return Conflict::kNone;
  if (a.async && b.async && a.write && b.write) return Conflict::kNone;
  if (!MayOverlap(*a.buffer, *b.buffer)) return Conflict::kNone;
  const bool global = ScopeRank(a.buffer->scope) == 0;
  const bool comparable = a.buffer.same_as(b.buffer) && !a.vague && !b.vague && !a.indices.empty();
  // If a statement stores twice to one element, it stores the same value.
  if (a.write && b.write && a.origin == b.origin && a.buffer.same_as(b.buffer) && !a.vague)
    return Conflict::kNone;
  if (comparable) {
    if (Disjoint(a, b, context)) return Conflict::kNone;
    // Each element of a store belongs to one thread; otherwise the store alone would be a race. The
    // thread of the other access must be one of those that store.
    const bool one_writer = (a.write && IsWithin(b, a)) || (b.write && IsWithin(a, b));
    if (one_writer && SameIndices(a, b) && !Varies(a, context)) return Conflict::kNone;
  }
  bool same_thread = true, same_block = true;
  for (const ThreadIndex& thread : *context.threads) {
    if (thread.single) continue;
    if (thread.block && !global) continue;  // every block has its own
    if (Pinned(a, b, thread.var)) continue;
    if (comparable && TellsIndex(a, b, thread.var, context)) continue;
    same_thread = false;
    if (thread.block) same_block = false;
  }
  if (same_thread) return Conflict::kNone;
  return same_block ? Conflict::kBlock : Conflict::kGrid;
}

}  // namespace lathe::lower
