#include "driver/explain/polynomial.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "ir/text/printer.h"

namespace lathe::driver {
namespace {

using ir::Expr;

constexpr size_t kMostTerms = 32;

// A polynomial. The key of a term is the list of its factors as text, each as often as it occurs;
// the value is the coefficient. Terms are ordered by degree, the highest first, then by text.
struct Shorter {
  bool operator()(const std::vector<std::string>& a, const std::vector<std::string>& b) const {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  }
};
using Terms = std::map<std::vector<std::string>, int64_t, Shorter>;

class Multiplier {
 public:
  Terms Of(const Expr& e) {
    if (const int64_t* number = ir::AsConstInt(e)) return {{{}, *number}};
    if (const auto* sum = ir::As<ir::Add>(e)) return Sum(Of(sum->a), Of(sum->b), 1);
    if (const auto* difference = ir::As<ir::Sub>(e))
      return Sum(Of(difference->a), Of(difference->b), -1);
    if (const auto* product = ir::As<ir::Mul>(e)) return Product(Of(product->a), Of(product->b));
    if (const auto* cast = ir::As<ir::Cast>(e); cast != nullptr && cast->value->dtype.is_int())
      return Of(cast->value);
    const std::string text = ir::ToText(e);
    factors_.emplace(text, ir::MakeCast(DataType::Int(64), e));
    return {{{text}, 1}};
  }
  Expr Build(const Terms& terms) const {
    Expr out;
    for (const auto& [factors, coefficient] : terms) {
      if (coefficient == 0) continue;
      Expr term;
      for (const std::string& factor : factors) {
        const Expr& next = factors_.at(factor);
        term = term ? term * next : next;
      }
      const Expr number = ir::Int(coefficient, DataType::Int(64));
      if (!term)
        term = number;
      else if (coefficient != 1)
        term = term * number;
      out = out ? out + term : term;
    }
    return out ? out : ir::Int(0, DataType::Int(64));
  }
  bool too_many() const { return too_many_; }

 private:
  Terms Sum(Terms a, const Terms& b, int64_t sign) {
    for (const auto& [factors, coefficient] : b) a[factors] += sign * coefficient;
    too_many_ = too_many_ || a.size() > kMostTerms;
    return a;
  }
  Terms Product(const Terms& a, const Terms& b) {
    Terms out;
    if (a.size() * b.size() > kMostTerms) too_many_ = true;
    if (too_many_) return out;
    for (const auto& [left, x] : a) {
      for (const auto& [right, y] : b) {
        std::vector<std::string> factors = left;
        factors.insert(factors.end(), right.begin(), right.end());
        std::sort(factors.begin(), factors.end());
        out[factors] += x * y;
      }
    }
    return out;
  }

  std::map<std::string, Expr> factors_;
  bool too_many_ = false;
};

}  // namespace

Expr MultipliedOut(const Expr& value) {
  Multiplier multiplier;
  const Terms terms = multiplier.Of(value);
  return multiplier.too_many() ? value : multiplier.Build(terms);
}

std::optional<double> ConstantRatio(const Expr& a, const Expr& b) {
  Multiplier multiplier;
  const Terms over = multiplier.Of(a), under = multiplier.Of(b);
  if (multiplier.too_many() || over.size() != under.size()) return std::nullopt;
  std::optional<double> ratio;
  for (const auto& [factors, coefficient] : under) {
    const auto found = over.find(factors);
    if (found == over.end() || coefficient == 0) return std::nullopt;
    const double here = static_cast<double>(found->second) / static_cast<double>(coefficient);
    if (ratio && *ratio != here) return std::nullopt;
    ratio = here;
  }
  return ratio;
}

}  // namespace lathe::driver
