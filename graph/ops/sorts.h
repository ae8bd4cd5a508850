// The order of a tensor's elements, for operators that need it.
#pragma once

#include "graph/ops/define.h"

namespace lathe::graph::ops {

// Does `a` come before `b`? NaN is greater than all numbers, and false comes before true.
Expr Less(const Expr& a, const Expr& b);
// The places along `axis` in the order of the elements; the shape of `x`. Equal elements stay in
// order. An extern operation that sorts by merging. Thread-safe.
Tensor OrderAlong(const Tensor& x, size_t axis, bool ascending);

}  // namespace lathe::graph::ops
