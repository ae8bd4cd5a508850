#include "schedule/index_map.h"

#include <algorithm>
#include <set>

#include "arith/analyzer.h"
#include "arith/region.h"

namespace lathe::schedule {

using arith::Analyzer;
using ir::Expr;
using ir::NodeKind;
using ir::Var;

namespace {

constexpr int64_t kMaxTried = 4096;

// The operands of a binary node of that kind; otherwise null.
template <class T>
const T* Binary(const Expr& e) {
  return ir::As<T>(e);
}

// The range of an index's values, for whole tiles.
class Interval {
 public:
  Interval(const IndexMap& map, const std::vector<Expr>& shape) {
    for (size_t i = 0; i < map.vars.size(); ++i) {
      const DataType t = map.vars[i]->dtype;
      extents_[map.vars[i]] = ir::MakeCast(t, shape[i]);
      dom_[map.vars[i]] = arith::IntSet::Interval(ir::Const(0, t), extents_[map.vars[i]] - 1);
    }
  }

  struct Ends {
    Expr min, max;  // null: unbounded
  };
  Ends Of(const Expr& e) {
    if (Var var = ir::RefAs<ir::VarNode>(e); var && extents_.count(var) != 0)
      return {ir::Const(0, e->dtype), extents_.at(var) - 1};
    if (const auto* sum = Binary<ir::Add>(e)) {
      const Ends a = Of(sum->a), b = Of(sum->b);
      if (a.min && b.min && a.max && b.max) return {a.min + b.min, a.max + b.max};
    } else if (const auto* product = Binary<ir::Mul>(e)) {
      for (bool swap : {false, true}) {
        const Expr& scale = swap ? product->a : product->b;
        if (Varies(scale) || !analyzer_.CanProveGE(scale, 0)) continue;
        const Ends a = Of(swap ? product->b : product->a);
        if (a.min && a.max) return {a.min * scale, a.max * scale};
      }
    } else if (const auto* quotient = Binary<ir::FloorDiv>(e)) {
      if (!Varies(quotient->b) && analyzer_.CanProveGE(quotient->b, 1)) {
        const Ends a = Of(quotient->a);
        if (a.min && a.max)
          return {ir::FloorDivide(a.min, quotient->b), ir::FloorDivide(a.max, quotient->b)};
      }
    } else if (const auto* rest = Binary<ir::FloorMod>(e)) {
      if (!Varies(rest->b) && analyzer_.CanProveGE(rest->b, 1))
        return {ir::Const(0, e->dtype), rest->b - 1};
    }
    const arith::IntSet set = arith::EvalSet(e, dom_, &analyzer_);
    return {set.min, set.max};
  }
  bool Varies(const Expr& e) const {
    const std::vector<Var> free = ir::FreeVars(e);
    return std::any_of(free.begin(), free.end(),
                       [&](const Var& var) { return extents_.count(var) != 0; });
  }
  Analyzer& analyzer() { return analyzer_; }

 private:
  Analyzer analyzer_;
  ir::VarMap extents_;
  arith::DomMap dom_;
};

// floormod(floordiv(var, lower), extent): a digit of a variable. Without an extent: all higher
// digits.
struct Digit {
  size_t var;
  int64_t lower = 1;
  std::optional<int64_t> extent;
};

// One physical index as a sum of scaled digits.
struct Term {
  Digit digit;
  Expr scale;
};

class Digits {
 public:
  Digits(const IndexMap& map, const std::vector<Expr>& shape)
      : map_(map), shape_(shape), interval_(map, shape) {}

  bool Injective() {
    for (const Expr& index : map_.indices) {
      std::vector<Term> terms;
      if (!Collect(index, ir::Const(1, index->dtype), terms) || !Separate(terms)) return false;
      for (const Term& term : terms) digits_.push_back(term.digit);
    }
    for (size_t v = 0; v < map_.vars.size(); ++v) {
      if (!Complete(v)) return false;
    }
    return true;
  }

 private:
  Expr Extent(size_t var) const { return ir::MakeCast(map_.vars[var]->dtype, shape_[var]); }

  std::optional<Digit> DigitOf(const Expr& e) {
    for (size_t v = 0; v < map_.vars.size(); ++v) {
      if (map_.vars[v].same_as(ir::RefAs<ir::VarNode>(e))) return Digit{v, 1, std::nullopt};
    }
    if (const auto* quotient = Binary<ir::FloorDiv>(e)) {
      const int64_t* c = ir::AsConstInt(quotient->b);
      std::optional<Digit> digit = DigitOf(quotient->a);
      if (!digit || c == nullptr || *c <= 0 || *c > (int64_t{1} << 31)) return std::nullopt;
      if (digit->extent) {
        if (*digit->extent % *c != 0) return std::nullopt;
        digit->extent = *digit->extent / *c;
      }
      digit->lower *= *c;
      return digit->lower < (int64_t{1} << 31) ? digit : std::nullopt;
    }
    if (const auto* rest = Binary<ir::FloorMod>(e)) {
      const int64_t* c = ir::AsConstInt(rest->b);
      std::optional<Digit> digit = DigitOf(rest->a);
      if (!digit || c == nullptr || *c <= 0 || *c > (int64_t{1} << 31)) return std::nullopt;
      if (digit->extent && *digit->extent <= *c) return digit;
      if (digit->extent && *digit->extent % *c != 0) return std::nullopt;
      digit->extent = *c;
      return digit;
    }
    return std::nullopt;
  }

  bool Collect(const Expr& e, const Expr& scale, std::vector<Term>& terms) {
    if (!interval_.Varies(e)) return true;  // shifts all elements equally
    if (const auto* sum = Binary<ir::Add>(e))
      return Collect(sum->a, scale, terms) && Collect(sum->b, scale, terms);
    if (const auto* product = Binary<ir::Mul>(e)) {
      if (!interval_.Varies(product->b)) return Collect(product->a, scale * product->b, terms);
      if (!interval_.Varies(product->a)) return Collect(product->b, scale * product->a, terms);
      return false;
    }
    std::optional<Digit> digit = DigitOf(e);
    if (!digit) return false;
    terms.push_back({*digit, interval_.analyzer().Simplify(scale)});
    return true;
  }

  Expr Largest(const Digit& digit, DataType t) {
    if (digit.extent) return ir::Const(*digit.extent - 1, t);
    return ir::FloorDivide(ir::MakeCast(t, Extent(digit.var)) - 1, ir::Const(digit.lower, t));
  }

  // Each scale is larger than the sum of all smaller terms, so the sum determines the digits.
  bool Separate(std::vector<Term>& terms) {
    Analyzer& analyzer = interval_.analyzer();
    std::sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) {
      const int64_t* x = ir::AsConstInt(a.scale);
      const int64_t* y = ir::AsConstInt(b.scale);
      if (x != nullptr && y != nullptr) return *x < *y;
      return x != nullptr && y == nullptr;
    });
    // Symbolic scales: any order that can be proved; the smallest is tried first.
    std::vector<Term> ordered;
    Expr below;
    while (!terms.empty()) {
      bool found = false;
      for (size_t i = 0; i < terms.size() && !found; ++i) {
        const Expr& scale = terms[i].scale;
        const Expr bound = below ? below : ir::Const(0, scale->dtype);
        if (!analyzer.CanProve(scale > bound)) continue;
        below = analyzer.Simplify(bound + scale * Largest(terms[i].digit, scale->dtype));
        ordered.push_back(terms[i]);
        terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(i));
        found = true;
      }
      if (!found) return false;
    }
    terms = std::move(ordered);
    return true;
  }

  // True if the digits of the variable determine its value.
  bool Complete(size_t var) {
    Analyzer& analyzer = interval_.analyzer();
    const Expr extent = Extent(var);
    int64_t known = 1;  // the value is known modulo this
    for (bool more = true; more;) {
      if (analyzer.CanProve(extent <= ir::Const(known, extent->dtype))) return true;
      more = false;
      for (const Digit& digit : digits_) {
        if (digit.var != var || digit.lower > known) continue;
        if (!digit.extent) return true;
        if (digit.lower == known && *digit.extent > 1) {
          known *= *digit.extent;
          more = known < (int64_t{1} << 31);
          break;
        }
      }
    }
    return false;
  }

  const IndexMap& map_;
  const std::vector<Expr>& shape_;
  Interval interval_;
  std::vector<Digit> digits_;
};

// Tries all elements; no result if there are too many or their number is not known.
std::optional<bool> TryAll(const IndexMap& map, const std::vector<Expr>& shape) {
  std::vector<int64_t> extents;
  int64_t count = 1;
  for (const Expr& extent : shape) {
    const int64_t* value = ir::AsConstInt(extent);
    if (value == nullptr || *value > kMaxTried) return std::nullopt;
    extents.push_back(*value);
    count *= *value;
    if (count > kMaxTried) return std::nullopt;
  }
  Analyzer analyzer;
  std::set<std::vector<int64_t>> seen;
  for (int64_t n = 0; n < count; ++n) {
    std::vector<Expr> logical(shape.size());
    int64_t rest = n;
    for (size_t d = shape.size(); d-- > 0;) {
      logical[d] = ir::Const(rest % extents[d], map.vars[d]->dtype);
      rest /= extents[d];
    }
    std::vector<int64_t> place;
    for (const Expr& index : Apply(map, logical)) {
      const Expr simple = analyzer.Simplify(index);
      const int64_t* value = ir::AsConstInt(simple);
      if (value == nullptr) return std::nullopt;
      place.push_back(*value);
    }
    if (!seen.insert(std::move(place)).second) return false;
  }
  return true;
}

}  // namespace

std::vector<Expr> Apply(const IndexMap& map, const std::vector<Expr>& logical) {
  if (map.indices.empty()) return logical;
  ir::VarMap values;
  for (size_t d = 0; d < map.vars.size(); ++d)
    values[map.vars[d]] =
        logical[d]->dtype.is_scalar() ? ir::MakeCast(map.vars[d]->dtype, logical[d]) : logical[d];
  std::vector<Expr> out;
  for (const Expr& index : map.indices) out.push_back(ir::Substitute(index, values));
  return out;
}

IndexMap Compose(const IndexMap& first, const IndexMap& second) {
  IndexMap out = second;
  out.vars = first.vars;
  ir::VarMap values;
  for (size_t d = 0; d < second.vars.size(); ++d)
    values[second.vars[d]] = ir::MakeCast(second.vars[d]->dtype, first.indices[d]);
  for (Expr& index : out.indices) index = ir::Substitute(index, values);
  return out;
}

std::optional<std::vector<Expr>> PhysicalShape(const IndexMap& map,
                                               const std::vector<Expr>& shape) {
  Interval interval(map, shape);
  std::vector<Expr> out;
  for (const Expr& index : map.indices) {
    const Interval::Ends ends = interval.Of(index);
    if (!ends.min || !ends.max || !interval.analyzer().CanProveGE(ends.min, 0)) return std::nullopt;
    out.push_back(interval.analyzer().Simplify(ends.max + 1));
  }
  // All extents of a shape have the same integer type.
  const DataType t = ir::IndexType(out);
  for (Expr& extent : out) extent = ir::MakeCast(t, extent);
  return out;
}

bool IsInjective(const IndexMap& map, const std::vector<Expr>& shape) {
  if (std::optional<bool> tried = TryAll(map, shape)) return *tried;
  return Digits(map, shape).Injective();
}

}  // namespace lathe::schedule
