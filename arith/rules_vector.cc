// Rules for ramps and broadcasts. They move the arithmetic to the scalars.
#include "arith/rules.h"

namespace lathe::arith::internal {

void AddVectorRules(std::vector<Rule>* rules) {
  const auto& [x, y, z, s, t, c0, c1, p, q, lanes] = rule::vars();
  {
    const RuleList rewrite(Domain::kAny, rules);
    rewrite(broadcast(x) + broadcast(y), broadcast(x + y));
    rewrite(broadcast(x) - broadcast(y), broadcast(x - y));
    rewrite(broadcast(x) * broadcast(y), broadcast(x * y));
    rewrite(broadcast(x) / broadcast(y), broadcast(x / y));
    rewrite(truncdiv(broadcast(x), broadcast(y)), broadcast(truncdiv(x, y)));
    rewrite(min(broadcast(x), broadcast(y)), broadcast(min(x, y)));
    rewrite(max(broadcast(x), broadcast(y)), broadcast(max(x, y)));
    rewrite(broadcast(x) == broadcast(y), broadcast(x == y));
    rewrite(broadcast(x) != broadcast(y), broadcast(x != y));
    rewrite(broadcast(x) < broadcast(y), broadcast(x < y));
    rewrite(broadcast(x) <= broadcast(y), broadcast(x <= y));
    rewrite(broadcast(x) > broadcast(y), broadcast(x > y));
    rewrite(broadcast(x) >= broadcast(y), broadcast(x >= y));
    rewrite(broadcast(p) && broadcast(q), broadcast(p && q));
    rewrite(broadcast(p) || broadcast(q), broadcast(p || q));
    rewrite(!broadcast(p), broadcast(!p));
    rewrite(select(broadcast(p), x, y), select(p, x, y));
  }
  {
    const RuleList rewrite(Domain::kInteger, rules);
    rewrite(broadcast(x) % broadcast(y), broadcast(x % y));
    rewrite(truncmod(broadcast(x), broadcast(y)), broadcast(truncmod(x, y)));
    rewrite(ramp(x, 0), broadcast(x));
    rewrite(ramp(x, s) + broadcast(y), ramp(x + y, s));
    rewrite(ramp(x, s) - broadcast(y), ramp(x - y, s));
    rewrite(broadcast(y) - ramp(x, s), ramp(y - x, 0 - s));
    rewrite(ramp(x, s) + ramp(y, t), ramp(x + y, s + t));
    rewrite(ramp(x, s) - ramp(y, t), ramp(x - y, s - t));
    rewrite(ramp(x, s) * broadcast(y), ramp(x * y, s * y));
  }
  {
    const RuleList rewrite(Domain::kIndex, rules);
    rewrite(ramp(x, c0) / broadcast(c1), ramp(x / c1, c0 / c1), c1 > 0 && c0 % c1 == 0);
    rewrite(ramp(x, c0) % broadcast(c1), broadcast(x % c1), c1 > 0 && c0 % c1 == 0);
    // All lanes lie in one period of the divisor.
    rewrite(ramp(x, c0) / broadcast(c1), broadcast(x / c1),
            c0 >= 0 && c1 > 0 && x % c1 + (lanes - 1) * c0 < c1);
    rewrite(ramp(x, c0) % broadcast(c1), ramp(x % c1, c0),
            c0 >= 0 && c1 > 0 && x % c1 + (lanes - 1) * c0 < c1);
    rewrite(min(ramp(x, s), broadcast(y)), ramp(x, s), x <= y && x + (lanes - 1) * s <= y);
    rewrite(min(ramp(x, s), broadcast(y)), broadcast(y), x >= y && x + (lanes - 1) * s >= y);
    rewrite(max(ramp(x, s), broadcast(y)), ramp(x, s), x >= y && x + (lanes - 1) * s >= y);
    rewrite(max(ramp(x, s), broadcast(y)), broadcast(y), x <= y && x + (lanes - 1) * s <= y);
  }
}

}  // namespace lathe::arith::internal
