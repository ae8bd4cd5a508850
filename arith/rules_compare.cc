// Rules for comparisons. When they are applied, common terms and factors are already cancelled, and
// comparisons that bounds or proofs decide are gone.
#include "arith/rules.h"

namespace lathe::arith::internal {

void AddCompareRules(std::vector<Rule>* rules) {
  const auto& [x, y, z, s, t, c0, c1, p, q, lanes] = rule::vars();
  {
    const RuleList rewrite(Domain::kInteger, rules);
    rewrite(x == x, true);
    rewrite(x != x, false);
    rewrite(x < x, false);
    rewrite(x <= x, true);
    rewrite(x > x, false);
    rewrite(x >= x, true);
    rewrite(min(x, y) < x, y < x);
    rewrite(min(x, y) <= x, true);
    rewrite(min(x, y) >= x, y >= x);
    rewrite(min(x, y) > x, false);
    rewrite(max(x, y) > x, y > x);
    rewrite(max(x, y) >= x, true);
    rewrite(max(x, y) <= x, y <= x);
    rewrite(max(x, y) < x, false);
    rewrite(min(x, y) == x, x <= y);
    rewrite(max(x, y) == x, x >= y);
    rewrite(min(x, c0) < c1, x < c1, c0 >= c1);
    rewrite(min(x, c0) <= c1, x <= c1, c0 > c1);
    rewrite(min(x, c0) >= c1, x >= c1, c0 >= c1);
    rewrite(min(x, c0) > c1, x > c1, c0 > c1);
    rewrite(max(x, c0) < c1, x < c1, c0 < c1);
    rewrite(max(x, c0) <= c1, x <= c1, c0 <= c1);
    rewrite(max(x, c0) >= c1, x >= c1, c0 < c1);
    rewrite(max(x, c0) > c1, x > c1, c0 <= c1);
    rewrite(x + y == x, y == 0);
    rewrite(x + y != x, y != 0);
    rewrite(x - y == 0, x == y);
    rewrite(x - y != 0, x != y);
  }
  {
    const RuleList rewrite(Domain::kIndex, rules);
    rewrite(x - y < 0, x < y);
    rewrite(x - y <= 0, x <= y);
    rewrite(x - y > 0, x > y);
    rewrite(x - y >= 0, x >= y);
    // A quotient compared with a constant becomes its numerator compared with a constant.
    rewrite(x / c0 < c1, x < c1 * c0, c0 > 0);
    rewrite(x / c0 <= c1, x < (c1 + 1) * c0, c0 > 0);
    rewrite(x / c0 > c1, x >= (c1 + 1) * c0, c0 > 0);
    rewrite(x / c0 >= c1, x >= c1 * c0, c0 > 0);
    rewrite(c1 < x / c0, x >= (c1 + 1) * c0, c0 > 0);
    rewrite(c1 <= x / c0, x >= c1 * c0, c0 > 0);
    rewrite(c1 > x / c0, x < c1 * c0, c0 > 0);
    rewrite(c1 >= x / c0, x < (c1 + 1) * c0, c0 > 0);
  }
}

}  // namespace lathe::arith::internal
