// Rules for sums, products and quotients that the canonical linear form of index types does not
// cover.
#include "arith/rules.h"

namespace lathe::arith::internal {

void AddArithmeticRules(std::vector<Rule>* rules) {
  const auto& [x, y, z, s, t, c0, c1, p, q, lanes] = rule::vars();
  {
    const RuleList rewrite(Domain::kInteger, rules);
    rewrite(x + 0, x);
    rewrite(x - 0, x);
    rewrite(x - x, 0);
    rewrite(x * 1, x);
    rewrite(x * 0, 0);
    rewrite((x + c0) + c1, x + (c0 + c1));
    rewrite((x - c0) + c1, x + (c1 - c0));
    rewrite((x + c0) - c1, x + (c0 - c1));
    rewrite((x * c0) * c1, x * (c0 * c1));
    rewrite((x + y) - y, x);
    rewrite((x - y) + y, x);
    rewrite(x / 1, x);
    rewrite(x % 1, 0);
    rewrite(truncdiv(x, 1), x);
    rewrite(truncmod(x, 1), 0);
  }
  {
    const RuleList rewrite(Domain::kIndex, rules);
    rewrite(truncdiv(x * c0, c0), x, c0 != 0);
    rewrite(truncmod(x * c0, c0), 0, c0 != 0);
    rewrite(truncdiv(truncdiv(x, c0), c1), truncdiv(x, c0 * c1), c0 > 0 && c1 > 0);
    rewrite(truncmod(truncmod(x, c0), c1), truncmod(x, c1), c0 > 0 && c1 > 0 && c0 % c1 == 0);
    rewrite(x / -1, 0 - x);
    // The rest of a tile: its end minus its start.
    rewrite(min(x + z, y) - x, min(z, y - x));
    rewrite(max(x + z, y) - x, max(z, y - x));
    rewrite(min(x, y) - x, min(0, y - x));
    rewrite(max(x, y) - x, max(0, y - x));
    rewrite(x - min(x, y), max(0, x - y));
    rewrite(x - max(x, y), min(0, x - y));
    rewrite(min(x, y) + max(x, y), x + y);
    rewrite(min(x - y, z) + y, min(x, z + y));
    rewrite(max(x - y, z) + y, max(x, z + y));
  }
}

}  // namespace lathe::arith::internal
