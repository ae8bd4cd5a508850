// Rules for conditions.
#include "arith/rules.h"

namespace lathe::arith::internal {

void AddLogicRules(std::vector<Rule>* rules) {
  const auto& [x, y, z, s, t, c0, c1, p, q, lanes] = rule::vars();
  {
    const RuleList rewrite(Domain::kAny, rules);
    rewrite(p && p, p);
    rewrite(p || p, p);
    rewrite(p && !p, false);
    rewrite(p || !p, true);
    rewrite(!!p, p);
    rewrite(p && (p && q), p && q);
    rewrite(p || (p || q), p || q);
    rewrite(p && (p || q), p);
    rewrite(p || (p && q), p);
    rewrite(p && (!p || q), p && q);
    rewrite(p || (!p && q), p || q);
    rewrite(!(x == y), x != y);
    rewrite(!(x != y), x == y);
  }
  {
    const RuleList rewrite(Domain::kInteger, rules);
    rewrite(!(x < y), x >= y);
    rewrite(!(x <= y), x > y);
    rewrite(!(x > y), x <= y);
    rewrite(!(x >= y), x < y);
    rewrite(x <= y && y <= x, x == y);
    rewrite(x < y && y < x, false);
    rewrite(x < y && x >= y, false);
    rewrite(x < y || x >= y, true);
    rewrite(x <= y && x > y, false);
    rewrite(x <= y || x > y, true);
    rewrite(x == y && x != y, false);
    rewrite(x == y || x != y, true);
    rewrite(x < y && x != y, x < y);
    rewrite(x < y || x == y, x <= y);
    rewrite(x > y || x == y, x >= y);
    rewrite(x < c0 && x < c1, x < min(c0, c1));
    rewrite(x <= c0 && x <= c1, x <= min(c0, c1));
    rewrite(x > c0 && x > c1, x > max(c0, c1));
    rewrite(x >= c0 && x >= c1, x >= max(c0, c1));
    rewrite(x < c0 || x < c1, x < max(c0, c1));
    rewrite(x <= c0 || x <= c1, x <= max(c0, c1));
    rewrite(x > c0 || x > c1, x > min(c0, c1));
    rewrite(x >= c0 || x >= c1, x >= min(c0, c1));
    rewrite(x == c0 && x == c1, false, c0 != c1);
    rewrite(x == c0 && x != c1, x == c0, c0 != c1);
    rewrite(x != c0 || x != c1, true, c0 != c1);
  }
}

}  // namespace lathe::arith::internal
