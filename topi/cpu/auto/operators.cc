#include "topi/cpu/auto/operators.h"

#include "topi/anchor.h"

namespace lathe::topi::cpu {

std::string WhyNotConstant(const std::vector<ir::Op>& ops) {
  for (const ir::Op& op : ops) {
    const auto* compute = ir::As<ir::ComputeOp>(op);
    if (compute == nullptr) return "`" + op->name + "` is no compute";
    for (const auto& axes : {compute->axis, compute->reduce_axis}) {
      for (const ir::IterVar& axis : axes) {
        const int64_t* extent = ir::AsConstInt(axis->domain->extent);
        if (extent == nullptr || *extent <= 0)
          return "`" + op->name + "` has an extent that is no number above 0";
      }
    }
  }
  return "";
}

std::string AnchorName(const ir::Op& result) {
  for (const ir::Op& op : OperatorOf(result)) {
    if (!AnchorOf(*op).empty()) return op->name;
  }
  return result->name;
}

}  // namespace lathe::topi::cpu
