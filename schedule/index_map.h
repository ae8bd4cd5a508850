// Maps from a tensor's indices to the indices of its memory.
//
//   (i, j) -> (i // 16, j, i % 16)
//
// Pure data and pure functions; thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/buffer.h"
#include "ir/rewrite.h"

namespace lathe::schedule {

struct IndexMap {
  std::vector<ir::Var> vars;      // one per logical dimension
  std::vector<ir::Expr> indices;  // one per physical dimension
  // Positions in `indices` at which flattening starts a new dimension of memory: increasing, each >
  // 0 and below the number of indices. Empty: all indices become one dimension.
  std::vector<int64_t> separators;
};

// The physical indices for given logical indices.
std::vector<ir::Expr> Apply(const IndexMap& map, const std::vector<ir::Expr>& logical);

// First `first`, then `second`, whose vars are the indices of `first`.
IndexMap Compose(const IndexMap& first, const IndexMap& second);

// The extents of memory that has room for every element of a tensor of `shape`. `x % c` always
// counts as c values, so that tiles are whole. No result if an index may be negative or has no
// bound.
std::optional<std::vector<ir::Expr>> PhysicalShape(const IndexMap& map,
                                                   const std::vector<ir::Expr>& shape);

// True if different elements of a tensor of `shape` certainly have different places. Proved over
// mixed radices (each physical index is a sum of digits of logical indices, with scales such that
// they do not overlap, and the digits of each logical index are complete), or by trying all of at
// most 4096 elements; false if neither succeeds.
bool IsInjective(const IndexMap& map, const std::vector<ir::Expr>& shape);

}  // namespace lathe::schedule
