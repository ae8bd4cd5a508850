// An index as a sum of digits of loop variables, as split and fused loops have it:
//
//   f // 56 * 4 + x          the high digit of f with weight 4, and x (all of it) with weight 1
//
// Such a sum counts like a number: it tells whether loops reach every place, and whether two
// iterations can meet at one place.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "arith/analyzer.h"

namespace lathe::arith {

// (var // divisor) % modulus; modulus 0: no remainder is taken.
struct Digit {
  Var var;
  int64_t divisor = 1, modulus = 0;
  int64_t weight = 1;  // what one more of it adds to the index, > 0
  Expr extent;         // how many values it takes, from 0 on
  friend bool operator==(const Digit& a, const Digit& b) {
    return a.var.same_as(b.var) && a.divisor == b.divisor && a.modulus == b.modulus &&
           a.weight == b.weight;
  }
};

// index == base + sum(weight * digit); digits by weight, the smallest first. `base` uses no
// variable of a loop.
struct DigitSum {
  std::vector<Digit> digits;
  Expr base;
};

// The extents of loops, each of which counts from 0, by variable.
using Extents = std::unordered_map<const ir::Node*, Expr>;

// Nullopt if the index is no such sum with constant weights > 0. Of a variable whose extent is no
// constant, only the whole is a digit.
std::optional<DigitSum> SumOfDigits(const Expr& index, const Extents& loops, Analyzer* analyzer);

// Both take digits of one variable, which counts from 0 to `extent` (no constant: any number).
// False means that it was not proved.
//
// Do the digits take all combinations of their values?
bool AreIndependent(std::vector<Digit> digits, const Expr& extent);
// Do the digits together say the variable's value?
bool Determine(std::vector<Digit> digits, const Expr& extent);

}  // namespace lathe::arith
