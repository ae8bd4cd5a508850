// Reading tensors at real places: between elements, and outside.
//
// Pure functions; thread-safe.
#pragma once

#include <functional>
#include <vector>

#include "graph/ops/define.h"

namespace lathe::graph::ops {

// An element that is read for a real place along one dimension.
struct Tap {
  Expr index;   // int32
  Expr weight;  // of the place's type
  Expr inside;  // is the element within the tensor?
};

// The type of places and of interpolation: float32, or float64 for float64.
DataType PlaceType(DataType data);
// The two elements around `x`, weighted by their distance, of a dimension with `extent`.
std::vector<Tap> LinearTaps(const Expr& x, const Expr& extent);
// The four elements around `x`, weighted as cubic interpolation does it [Keys, 1981].
std::vector<Tap> CubicTaps(const Expr& x, const Expr& extent, double alpha);
// The element at `x`, which is an integer.
std::vector<Tap> NearestTap(const Expr& x, const Expr& extent);

// The sum, over all combinations of the dimensions' taps, of `read` times the weights; an element
// outside counts as 0 and is not read. `read` gives an element of any type.
Expr SumOfTaps(const std::vector<std::vector<Tap>>& dimensions, DataType type,
               const std::function<Expr(const std::vector<Expr>& indices)>& read);

}  // namespace lathe::graph::ops
