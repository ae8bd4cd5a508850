// Helpers for the scheduler, used before it gives an operator to a template.
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

// "" if all operations are computes whose extents are constants above 0, else which one is not.
std::string WhyNotConstant(const std::vector<ir::Op>& ops);
// The name of the anchor of the operator whose result is `result`.
std::string AnchorName(const ir::Op& result);

}  // namespace lathe::topi::cpu
