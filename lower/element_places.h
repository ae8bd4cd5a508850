// Whether the elements of a tensor with given strides have a place of their own each.
#pragma once

#include <cstddef>
#include <vector>

#include "ir/expr.h"

namespace lathe::lower {

// A step along one dimension must be longer than the distance that all dimensions with shorter
// steps reach together. If this holds for each dimension, no two elements share memory. Strides are
// not negative. Refuses some tensors whose elements are apart, interleaved in a way that no slice
// has: strides [3, 2] for extents [2, 3].
struct ElementsApart {
  ir::Expr condition;
  ir::Expr reach;  // the distance, in elements
};
// Of dimension `d`. All are int64; the condition also holds if the tensor has no elements.
ElementsApart ApartAlong(size_t d, const std::vector<ir::Expr>& extents,
                         const std::vector<ir::Expr>& strides);

}  // namespace lathe::lower
