// A plain evaluator of integer, bool and float expressions at many points at once. Tests check the
// analysis against it, so it uses no code of the analysis. It recurses: use it for small
// expressions.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ir/expr.h"

namespace lathe::arith {

// The values of one expression at points 0 .. n-1; vectors have `lanes` values per point, one after
// the other.
struct TestValues {
  int lanes = 1;
  std::vector<int64_t> values;  // floats: std::bit_cast of a double
  std::vector<bool> invalid;    // no value at this point (division by zero)
  // int32 or int64 arithmetic overflowed on the way. Programs must not do that.
  std::vector<bool> overflow;
};

using TestPoints = std::unordered_map<const ir::Node*, TestValues>;

// `points` holds each variable's values. All integers wrap. Booleans are 0 or 1.
TestValues EvaluateForTest(const ir::Expr& expr, const TestPoints& points, size_t count);

}  // namespace lathe::arith
