// Scalar expressions together with the greatest magnitude that they can have, so that every value
// of a random program is exact in its type.
#pragma once

#include <cstdint>

#include "ir/expr.h"
#include "tests/prove/random.h"

namespace lathe::prove {

constexpr double kUnknown = 1e300;  // a magnitude beyond every limit
constexpr double kInput = 4;        // that of inputs

struct Value {
  ir::Expr expr;
  double bound = 0;
  DataType dtype() const { return expr->dtype; }
};

// The greatest magnitude up to which every integer is exact.
double Limit(DataType t);
bool Signed(DataType t);
DataType AnyType(Random& random);

// `v` cut to a magnitude of `bound`, where it may be larger.
Value Clamp(Value v, double bound);
// As a value of `dtype`, exactly.
Value Convert(Value v, DataType dtype);
// `v` small enough that adding and multiplying such values stays exact.
Value Tame(const Value& v);
// `value` such that `count` of them add up exactly.
Value Addable(Value value, int64_t count);

Value RandomUnary(Random& random, Value v);
// Of `a`'s type.
Value RandomBinary(Random& random, Value a, Value b);

}  // namespace lathe::prove
