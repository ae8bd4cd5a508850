// Scalar expressions with the greatest magnitude that they can have, so that every value of a
// random program is exact in its type.
#pragma once

#include <cstdint>

#include "ir/expr.h"
#include "tests/prove/random.h"

namespace lathe::prove {

constexpr double kUnknown = 1e300;  // a magnitude beyond every limit
constexpr double kInput = 4;        // magnitude of inputs

struct Value {
  ir::Expr expr;
  double bound = 0;
  DataType dtype() const { return expr->dtype; }
};

// The greatest magnitude up to which every integer is exact.
double Limit(DataType t);
bool Signed(DataType t);
DataType AnyType(Random& random);

// Returns `v` clamped to a magnitude of `bound`, if it may be larger.
Value Clamp(Value v, double bound);
// Returns `v` as an exact value of `dtype`.
Value Convert(Value v, DataType dtype);
// Returns `v` reduced so far that sums and products of such values are exact.
Value Tame(const Value& v);
// Returns `value` reduced so far that a sum of `count` such values is exact.
Value Addable(Value value, int64_t count);

Value RandomUnary(Random& random, Value v);
// The result has `a`'s type.
Value RandomBinary(Random& random, Value a, Value b);

}  // namespace lathe::prove
