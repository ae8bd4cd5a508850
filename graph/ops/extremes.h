// The greater and the smaller of numbers, where NaN stays NaN, as in NumPy, ONNX and PyTorch.
// (ir::Max and ir::Min return the other operand if one is NaN.)
//
// All functions are pure and thread-safe.
#pragma once

#include <vector>

#include "graph/ops/define.h"

namespace lathe::graph::ops {

// The greater, or smaller, of two numbers of one type. A constant operand costs nothing more than
// ir::Max.
Expr Greater(const Expr& a, const Expr& b);
Expr Smaller(const Expr& a, const Expr& b);
// min(max(x, low), high).
Expr Between(const Expr& x, double low, double high);

// Reductions, as te::Max and te::Min.
Expr Greatest(Expr value, std::vector<ir::IterVar> axis, Expr where = {}, Expr init = {});
Expr Least(Expr value, std::vector<ir::IterVar> axis, Expr where = {}, Expr init = {});
// {index, value}, as te::ArgMax and te::ArgMin. NaN counts as the greatest, or the smallest.
std::vector<Expr> PlaceOfGreatest(Expr index, Expr value, std::vector<ir::IterVar> axis,
                                  Expr where = {});
std::vector<Expr> PlaceOfLeast(Expr index, Expr value, std::vector<ir::IterVar> axis,
                               Expr where = {});

}  // namespace lathe::graph::ops
