#include "lower/element_places.h"

#include "arith/analyzer.h"

namespace lathe::lower {

using namespace ir;  // NOLINT: the nodes' names, in this file only

ElementsApart ApartAlong(size_t d, const std::vector<Expr>& extents,
                         const std::vector<Expr>& strides) {
  const Expr zero = Int(0, DataType::Int(64)), one = Int(1, DataType::Int(64));
  Expr reach = zero, idle = extents[d] <= one;
  for (size_t other = 0; other < extents.size(); ++other) {
    if (other == d) continue;
    idle = LogicalOr(idle, Equal(extents[other], zero));
    const Expr steps = (extents[other] - one) * strides[other];
    reach = reach + IfThenElse(strides[other] <= strides[d], steps, zero);
  }
  arith::Analyzer analyzer;
  return {analyzer.Simplify(LogicalOr(idle, strides[d] > reach)), analyzer.Simplify(reach)};
}

}  // namespace lathe::lower
