#include "arith/modular_set.h"

#include "arith/int_math.h"

namespace lathe::arith {

ModularSet ModularSet::Of(int64_t coeff, int64_t base) {
  if (coeff == INT64_MIN) return Everything();
  if (coeff < 0) coeff = -coeff;
  if (coeff == 0) return {0, base};
  return {coeff, FloorModInt(base, coeff)};
}

bool ModularSet::Contains(int64_t value) const {
  return coeff == 0 ? value == base : FloorModInt(value, coeff) == base;
}

bool ModularSet::DivisibleBy(int64_t divisor) const {
  return coeff % divisor == 0 && base % divisor == 0;
}

std::string ModularSet::ToString() const {
  return std::to_string(coeff) + "k + " + std::to_string(base);
}

ModularSet Union(ModularSet a, ModularSet b) {
  const auto difference = CheckedSub(a.base, b.base);
  if (!difference) return ModularSet::Everything();
  const int64_t coeff = GcdInt(GcdInt(a.coeff, b.coeff), *difference);
  return ModularSet::Of(coeff, a.base);
}

ModularSet Intersect(ModularSet a, ModularSet b, bool* empty) {
  if (empty != nullptr) *empty = false;
  auto contradiction = [&](const ModularSet& any) {
    if (empty != nullptr) *empty = true;
    return any;
  };
  if (a.coeff == 0) return b.Contains(a.base) ? a : contradiction(a);
  if (b.coeff == 0) return a.Contains(b.base) ? b : contradiction(b);
  const int64_t gcd = GcdInt(a.coeff, b.coeff);
  if (FloorModInt(a.base, gcd) != FloorModInt(b.base, gcd)) return contradiction(a);
  const ModularSet& larger = a.coeff >= b.coeff ? a : b;
  const ModularSet& smaller = a.coeff >= b.coeff ? b : a;
  const auto lcm = CheckedMul(a.coeff / gcd, b.coeff);
  if (!lcm || smaller.coeff / gcd > 4096) return larger;
  // The sets meet within smaller.coeff / gcd steps of the larger stride (Chinese remainder
  // theorem).
  int64_t value = larger.base;
  for (int64_t step = 0; step < smaller.coeff / gcd; ++step) {
    if (smaller.Contains(value)) return ModularSet::Of(*lcm, value);
    const auto next = CheckedAdd(value, larger.coeff);
    if (!next) return larger;
    value = *next;
  }
  return larger;
}

ModularSet operator+(ModularSet a, ModularSet b) {
  const auto base = CheckedAdd(a.base, b.base);
  return base ? ModularSet::Of(GcdInt(a.coeff, b.coeff), *base) : ModularSet::Everything();
}

ModularSet operator-(ModularSet a, ModularSet b) {
  const auto base = CheckedSub(a.base, b.base);
  return base ? ModularSet::Of(GcdInt(a.coeff, b.coeff), *base) : ModularSet::Everything();
}

ModularSet operator*(ModularSet a, ModularSet b) {
  // (p k + q)(r l + s) = pr kl + ps k + qr l + qs
  const auto pr = CheckedMul(a.coeff, b.coeff), ps = CheckedMul(a.coeff, b.base);
  const auto qr = CheckedMul(a.base, b.coeff), qs = CheckedMul(a.base, b.base);
  if (!pr || !ps || !qr || !qs) return ModularSet::Everything();
  return ModularSet::Of(GcdInt(*pr, GcdInt(*ps, *qr)), *qs);
}

ModularSet FloorDivOf(ModularSet a, int64_t divisor) {
  // (c k + b) // d = (c / d) k + b // d when d divides c.
  if (a.coeff % divisor != 0) return ModularSet::Everything();
  return ModularSet::Of(a.coeff / divisor, FloorDivInt(a.base, divisor));
}

ModularSet FloorModOf(ModularSet a, int64_t divisor) {
  // The remainder stays congruent modulo gcd(c, d). If d divides c, it is a single value.
  if (a.coeff % divisor == 0) return ModularSet::Point(FloorModInt(a.base, divisor));
  return ModularSet::Of(GcdInt(a.coeff, divisor), a.base);
}

}  // namespace lathe::arith
