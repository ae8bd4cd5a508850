// Rules for minima and maxima. When they are applied, those that bounds or proofs decide are gone.
#include "arith/rules.h"

namespace lathe::arith::internal {

void AddMinMaxRules(std::vector<Rule>* rules) {
  const auto& [x, y, z, s, t, c0, c1, p, q, lanes] = rule::vars();
  {
    const RuleList rewrite(Domain::kAny, rules);
    rewrite(min(x, x), x);
    rewrite(max(x, x), x);
  }
  {
    const RuleList rewrite(Domain::kInteger, rules);
    rewrite(min(x, max(x, y)), x);
    rewrite(max(x, min(x, y)), x);
    rewrite(min(x, min(x, y)), min(x, y));
    rewrite(max(x, max(x, y)), max(x, y));
    rewrite(min(min(x, c0), c1), min(x, min(c0, c1)));
    rewrite(max(max(x, c0), c1), max(x, max(c0, c1)));
    rewrite(min(max(x, c0), c1), c1, c1 <= c0);
    rewrite(max(min(x, c0), c1), c1, c1 >= c0);
    rewrite(max(min(x, c0), c1), min(max(x, c1), c0), c1 < c0);
    rewrite(min(min(x, y), min(x, z)), min(min(x, y), z));
    rewrite(max(max(x, y), max(x, z)), max(max(x, y), z));
    rewrite(min(max(x, y), max(x, z)), max(x, min(y, z)));
    rewrite(max(min(x, y), min(x, z)), min(x, max(y, z)));
  }
  {
    const RuleList rewrite(Domain::kIndex, rules);
    rewrite(min(x + z, y + z), min(x, y) + z);
    rewrite(max(x + z, y + z), max(x, y) + z);
    rewrite(min(x - z, y - z), min(x, y) - z);
    rewrite(max(x - z, y - z), max(x, y) - z);
    rewrite(min(z - x, z - y), z - max(x, y));
    rewrite(max(z - x, z - y), z - min(x, y));
    rewrite(min(x * c0, y * c0), min(x, y) * c0, c0 > 0);
    rewrite(max(x * c0, y * c0), max(x, y) * c0, c0 > 0);
    rewrite(min(x * c0, c1), min(x, c1 / c0) * c0, c0 > 0 && c1 % c0 == 0);
    rewrite(max(x * c0, c1), max(x, c1 / c0) * c0, c0 > 0 && c1 % c0 == 0);
    rewrite(min(x / c0, y / c0), min(x, y) / c0, c0 > 0);
    rewrite(max(x / c0, y / c0), max(x, y) / c0, c0 > 0);
    rewrite(min(min(x, y + c0), y), min(x, y), c0 >= 0);
    rewrite(min(min(x, y), y + c0), min(x, y), c0 >= 0);
    rewrite(max(max(x, y + c0), y), max(x, y + c0), c0 >= 0);
    rewrite(max(max(x, y), y + c0), max(x, y + c0), c0 >= 0);
  }
}

}  // namespace lathe::arith::internal
