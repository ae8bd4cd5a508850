// Equations of einsum.
#pragma once

#include <string>
#include <vector>

namespace lathe::graph::ops {

// The labels of a tensor's dimensions: letters; or, for the dimensions of an ellipsis, numbers from
// kEllipsisLabel on, the same for dimensions that are aligned at the right.
using EinsumLabels = std::vector<int>;
inline constexpr int kEllipsisLabel = 256;

struct EinsumEquation {
  std::vector<EinsumLabels> operands;
  EinsumLabels result;
  std::string error;  // empty if the equation fits
};

// `text` for operands of these ranks.
EinsumEquation ReadEinsum(std::string text, const std::vector<int>& ranks);

}  // namespace lathe::graph::ops
