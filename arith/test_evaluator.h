// A plain evaluator of integer, bool and float expressions over many points at once, for tests. It
// shares no code with the analysis, which is checked against it. Recursive, so only for small
// expressions.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ir/expr.h"

namespace lathe::arith {

// The values of one expression at points 0 .. n-1. Vectors have `lanes` values for each point, one
// after the other.
struct TestValues {
  int lanes = 1;
  std::vector<int64_t> values;  // floats: by std::bit_cast from double
  std::vector<bool> invalid;    // no value at this point: a division by zero
  std::vector<bool>
      overflow;  // int32 or int64 arithmetic left its type on the way, which programs do not do
};

using TestPoints = std::unordered_map<const ir::Node*, TestValues>;

// `points` holds each variable's values. All integers wrap. Booleans are 0 or 1.
TestValues EvaluateForTest(const ir::Expr& expr, const TestPoints& points, size_t count);

}  // namespace lathe::arith
