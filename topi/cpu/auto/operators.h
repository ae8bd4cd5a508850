// What the scheduler asks before it gives an operator to a template.
#pragma once

#include <string>
#include <vector>

#include "ir/tensor_op.h"
#include "topi/cpu/templates.h"

namespace lathe::topi::cpu {

inline bool Contains(const std::vector<ir::Op>& ops, const ir::Op& op) {
  for (const ir::Op& other : ops) {
    if (other.same_as(op)) return true;
  }
  return false;
}

// "" where all extents of the operations are constants above 0, else which is not.
std::string WhyNotConstant(const std::vector<ir::Op>& ops);
// The name of the anchor of the operator that gives `result`.
std::string AnchorName(const ir::Op& result);

}  // namespace lathe::topi::cpu
