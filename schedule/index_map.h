// Maps from a tensor's indices to those of the memory it lies in.
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
  // Positions in `indices` where flattening starts a new dimension of memory: increasing, each > 0
  // and below their number. None: all become one.
  std::vector<int64_t> separators;
};

// `map` at given logical indices.
std::vector<ir::Expr> Apply(const IndexMap& map, const std::vector<ir::Expr>& logical);

// First `first`, then `second`, whose vars stand for the indices of `first`.
IndexMap Compose(const IndexMap& first, const IndexMap& second);

// The extents of memory that hold every element of a tensor of `shape`: of `x % c` always c,
// whatever x is, so that tiles are whole. Nothing where an index may be negative or has no bound.
std::optional<std::vector<ir::Expr>> PhysicalShape(const IndexMap& map,
                                                   const std::vector<ir::Expr>& shape);

// Do different elements of a tensor of `shape` lie at different places? Proved over mixed radices
// (each physical index a sum of digits of the logical ones, scaled so that they do not overlap, and
// the digits of each logical index complete), or by trying all of at most 4096 elements; false
// where neither can tell.
bool IsInjective(const IndexMap& map, const std::vector<ir::Expr>& shape);

}  // namespace lathe::schedule
