// Rules for selections. Both arms are evaluated. So an arm may be dropped, but its operands may not
// be simplified with what the condition says.
#include "arith/rules.h"

namespace lathe::arith::internal {

void AddSelectRules(std::vector<Rule>* rules) {
  const auto& [x, y, z, s, t, c0, c1, p, q, lanes] = rule::vars();
  {
    const RuleList rewrite(Domain::kAny, rules);
    rewrite(select(p, x, x), x);
    rewrite(select(!p, x, y), select(p, y, x));
    rewrite(select(p, select(p, x, y), z), select(p, x, z));
    rewrite(select(p, x, select(p, y, z)), select(p, x, z));
    rewrite(select(p, select(q, x, y), y), select(p && q, x, y));
    rewrite(select(p, x, select(q, x, y)), select(p || q, x, y));
    rewrite(select(p, true, false), p);
    rewrite(select(p, false, true), !p);
    rewrite(select(p, q, false), p && q);
    rewrite(select(p, true, q), p || q);
  }
  {
    const RuleList rewrite(Domain::kInteger, rules);
    rewrite(select(x < y, x, y), min(x, y));
    rewrite(select(x <= y, x, y), min(x, y));
    rewrite(select(x > y, x, y), max(x, y));
    rewrite(select(x >= y, x, y), max(x, y));
    rewrite(select(x < y, y, x), max(x, y));
    rewrite(select(x <= y, y, x), max(x, y));
    rewrite(select(x > y, y, x), min(x, y));
    rewrite(select(x >= y, y, x), min(x, y));
    rewrite(select(x == y, x, y), y);
    rewrite(select(x != y, x, y), x);
  }
}

}  // namespace lathe::arith::internal
