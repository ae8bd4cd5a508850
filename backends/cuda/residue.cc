#include "backends/cuda/residue.h"

#include <numeric>

#include "ir/intrinsic_names.h"

namespace lathe::cuda {
namespace {

using namespace ir;  // NOLINT: the nodes' names, in this file only

constexpr int64_t kMost = int64_t{1} << 31;  // larger moduli are not tracked

int64_t FloorQuotient(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

Residue Make(int64_t modulus, int64_t rest) {
  if (modulus == 0) return rest > -kMost && rest < kMost ? Residue{0, rest} : Residue{};
  if (modulus < 0) modulus = -modulus;
  return {modulus, rest - FloorQuotient(rest, modulus) * modulus};
}

Residue Sum(const Residue& a, const Residue& b, int64_t sign) {
  return Make(std::gcd(a.modulus, b.modulus), a.rest + sign * b.rest);
}

Residue Product(const Residue& a, const Residue& b) {
  if (a.modulus > kMost || b.modulus > kMost) return {};
  return Make(std::gcd(a.modulus * b.modulus, std::gcd(a.modulus * b.rest, b.modulus * a.rest)),
              a.rest * b.rest);
}

Residue Quotient(const Residue& a, const Residue& b, bool rest) {
  if (b.modulus != 0 || b.rest <= 0) return {};
  const int64_t divisor = b.rest;
  if (a.modulus % divisor != 0) return {};
  const int64_t quotient = FloorQuotient(a.rest, divisor);
  return rest ? Make(0, a.rest - quotient * divisor) : Make(a.modulus / divisor, quotient);
}

}  // namespace

Residue ResidueOf(const Expr& e, const Residues& known) {
  if (const auto* constant = As<IntImm>(e)) return Make(0, constant->value);
  if (As<VarNode>(e) != nullptr) {
    const auto found = known.find(e.get());
    return found == known.end() ? Residue{} : found->second;
  }
  if (const auto* cast = As<Cast>(e)) {
    const bool integers = cast->dtype.is_integral() && cast->value->dtype.is_integral();
    return integers && cast->dtype.bits() >= 32 ? ResidueOf(cast->value, known) : Residue{};
  }
  if (const auto* sum = As<Add>(e))
    return Sum(ResidueOf(sum->a, known), ResidueOf(sum->b, known), 1);
  if (const auto* difference = As<Sub>(e))
    return Sum(ResidueOf(difference->a, known), ResidueOf(difference->b, known), -1);
  if (const auto* product = As<Mul>(e))
    return Product(ResidueOf(product->a, known), ResidueOf(product->b, known));
  if (const auto* quotient = As<FloorDiv>(e))
    return Quotient(ResidueOf(quotient->a, known), ResidueOf(quotient->b, known), false);
  if (const auto* rest = As<FloorMod>(e))
    return Quotient(ResidueOf(rest->a, known), ResidueOf(rest->b, known), true);
  const auto* call = As<Call>(e);
  if (call == nullptr || call->args.size() != 2 || !IsExpr(call->args[0].get()) ||
      !IsExpr(call->args[1].get()))
    return {};
  const Residue b = ResidueOf(RefExpr(call->args[1]), known);
  if (b.modulus != 0) return {};
  // By powers of two these are division and remainder.
  if (call->op == intrinsic::kShiftRight && b.rest >= 0 && b.rest < 31)
    return Quotient(ResidueOf(RefExpr(call->args[0]), known), {0, int64_t{1} << b.rest}, false);
  if (call->op == intrinsic::kBitwiseAnd && b.rest > 0 && (b.rest & (b.rest + 1)) == 0)
    return Quotient(ResidueOf(RefExpr(call->args[0]), known), {0, b.rest + 1}, true);
  return {};
}

bool IsResidue(const Residue& residue, int64_t modulus, int64_t rest) {
  return residue.modulus % modulus == 0 &&
         residue.rest - FloorQuotient(residue.rest, modulus) * modulus == rest;
}

}  // namespace lathe::cuda
