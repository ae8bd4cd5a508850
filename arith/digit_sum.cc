#include "arith/digit_sum.h"

#include <algorithm>
#include <unordered_set>

#include "arith/context.h"
#include "ir/walk.h"

namespace lathe::arith {
namespace {

using ir::As;

// `expr` as operand (op) constant, with a constant > 0.
struct ByConstant {
  Expr operand;
  int64_t constant = 0;
};
template <class Node>
std::optional<ByConstant> MatchByConstant(const Expr& expr) {
  if (As<Node>(expr) == nullptr) return std::nullopt;
  const ir::Operands operands = ir::BinaryOperands(expr.get());
  const int64_t* constant = ir::AsConstInt(*operands.b);
  if (constant == nullptr || *constant <= 0) return std::nullopt;
  return ByConstant{*operands.a, *constant};
}

// var, var // d, var % m, (var // d) % m or (var % m) // d.
std::optional<Digit> MatchDigit(Expr atom, const Extents& loops) {
  Digit digit;
  if (const auto outer = MatchByConstant<ir::FloorDiv>(atom)) {
    digit.divisor = outer->constant;
    atom = outer->operand;
    if (const auto inner = MatchByConstant<ir::FloorMod>(atom)) {
      if (inner->constant % digit.divisor != 0) return std::nullopt;
      digit.modulus = inner->constant / digit.divisor;
      atom = inner->operand;
    }
  } else if (const auto rest = MatchByConstant<ir::FloorMod>(atom)) {
    digit.modulus = rest->constant;
    atom = rest->operand;
    if (const auto inner = MatchByConstant<ir::FloorDiv>(atom)) {
      digit.divisor = inner->constant;
      atom = inner->operand;
    }
  }
  digit.var = ir::RefAs<ir::VarNode>(atom);
  const auto loop = digit.var ? loops.find(digit.var.get()) : loops.end();
  if (loop == loops.end()) return std::nullopt;
  digit.extent = loop->second;
  if (digit.divisor == 1 && digit.modulus == 0) return digit;
  const int64_t* extent = ir::AsConstInt(digit.extent);
  if (extent == nullptr || *extent <= 0) return std::nullopt;
  int64_t values = (*extent - 1) / digit.divisor + 1;
  if (digit.modulus != 0) values = std::min(values, digit.modulus);
  digit.extent = ir::Const(values, digit.extent->dtype);
  return digit;
}

void SortByDivisor(std::vector<Digit>* digits) {
  std::sort(digits->begin(), digits->end(),
            [](const Digit& a, const Digit& b) { return a.divisor < b.divisor; });
}

}  // namespace

std::optional<DigitSum> SumOfDigits(const Expr& index, const Extents& loops, Analyzer* analyzer) {
  if (!internal::IsIndex(index->dtype)) return std::nullopt;
  internal::Context* context = analyzer->context();
  const internal::Linear sum = context->terms.LinearOf(analyzer->Simplify(index));
  if (!sum.known) return std::nullopt;
  std::unordered_set<const ir::Node*> vars;
  for (const auto& [var, extent] : loops) vars.insert(var);
  DigitSum out;
  internal::Linear base;
  base.constant = sum.constant;
  for (const internal::Term& term : sum.terms) {
    const Expr atom = context->terms.ToExpr(term.atom, index->dtype);
    if (!ir::UsesAnyVar(atom, vars)) {
      base.terms.push_back(term);
      continue;
    }
    std::optional<Digit> digit = MatchDigit(atom, loops);
    if (!digit || term.coeff <= 0) return std::nullopt;
    digit->weight = term.coeff;
    out.digits.push_back(std::move(*digit));
  }
  std::sort(out.digits.begin(), out.digits.end(),
            [](const Digit& a, const Digit& b) { return a.weight < b.weight; });
  out.base = analyzer->Simplify(context->Print(base, index->dtype));
  return out;
}

bool AreIndependent(std::vector<Digit> digits, const Expr& extent) {
  if (digits.size() == 1) return true;
  SortByDivisor(&digits);
  int64_t end = 1;  // of the lower digits: var % end is what they know; 0: the highest digit
  for (const Digit& digit : digits) {
    if (end == 0 || digit.divisor < end) return false;
    // What is below repeats after `end`. Only below the highest digit may a period be cut.
    if (&digit != &digits.back() && digit.divisor % end != 0) return false;
    if (digit.modulus > INT64_MAX / digit.divisor) return false;
    end = digit.divisor * digit.modulus;
  }
  // A part of a period at the end does not have all values of the lower digits.
  const int64_t* values = ir::AsConstInt(extent);
  return values != nullptr && *values % (end != 0 ? end : digits.back().divisor) == 0;
}

bool Determine(std::vector<Digit> digits, const Expr& extent) {
  SortByDivisor(&digits);
  const int64_t* values = ir::AsConstInt(extent);
  int64_t known = 1;  // var % known is known
  for (const Digit& digit : digits) {
    // Otherwise what is known of var does not say var % divisor.
    if (known % digit.divisor != 0) continue;
    if (digit.modulus == 0) return true;
    known =
        std::max(known, digit.modulus > INT64_MAX / digit.divisor ? INT64_MAX
                                                                  : digit.divisor * digit.modulus);
  }
  return values != nullptr && known >= *values;
}

}  // namespace lathe::arith
