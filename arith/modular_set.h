// Modular sets: {coeff * k + base | k an integer}.
//
// A superset of the values of an expression. coeff == 0 is the single value `base`; otherwise coeff
// > 0 and 0 <= base < coeff; coeff == 1 is everything. Overflow makes the set larger, never wrong.
// Pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <string>

namespace lathe::arith {

struct ModularSet {
  int64_t coeff = 1;
  int64_t base = 0;

  static constexpr ModularSet Everything() { return {}; }
  static constexpr ModularSet Point(int64_t value) { return {0, value}; }
  // Normalizes coeff and base to the ranges above.
  static ModularSet Of(int64_t coeff, int64_t base);

  bool is_everything() const { return coeff == 1; }
  bool Contains(int64_t value) const;
  // True if every member is divisible by `divisor` (> 0).
  bool DivisibleBy(int64_t divisor) const;
  std::string ToString() const;  // "4k + 1"
  friend bool operator==(const ModularSet&, const ModularSet&) = default;
};

ModularSet Union(ModularSet a, ModularSet b);
// A superset of the intersection. `*empty` becomes true if the intersection is empty; `empty` may
// be null.
ModularSet Intersect(ModularSet a, ModularSet b, bool* empty = nullptr);
ModularSet operator+(ModularSet a, ModularSet b);
ModularSet operator-(ModularSet a, ModularSet b);
ModularSet operator*(ModularSet a, ModularSet b);
// Floor division and remainder by a constant > 0.
ModularSet FloorDivOf(ModularSet a, int64_t divisor);
ModularSet FloorModOf(ModularSet a, int64_t divisor);

}  // namespace lathe::arith
