// Constants that are computed part by part, so that not all of operand and result is in memory.
//
//   %t = transpose(%w)                    part i of the result: the same calls of some rows of %w,
//   %p = layout_transform(%t, ...)        which are a slice of %p along one dimension
//
// Different threads may do this with different constants at the same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/blob.h"
#include "base/dtype.h"
#include "graph/builder.h"
#include "graph/passes/pass.h"
#include "ir/constants.h"

namespace lathe::graph {

struct RowParts {
  DataType dtype;              // of the source
  std::vector<int64_t> shape;  // of the rows of a part; rows are indices of dimension 0
  int64_t parts = 0;
  size_t axis = 0;     // of the result: where its parts are side by side
  int64_t extent = 0;  // of a part, there
  // The first call reads the source alone, each other one the result of the one before. Kept here,
  // because the bindings that have them are replaced while other constants are computed.
  std::vector<Ref<const ir::GraphCall>> calls;
};

// How to compute the value of `calls` in parts of about `part_bytes` of the source. Nothing if the
// calls do not keep rows apart (a frame around them, an operator that mixes elements), or if no
// number of rows divides them.
std::optional<RowParts> FindRowParts(const ir::Constant& source,
                                     std::vector<Ref<const ir::GraphCall>> calls,
                                     const std::vector<ir::GraphVar>& results, int64_t part_bytes);

// The attributes of a call without the device where it would run: constants are computed here.
ir::Dict AttrsHere(const ir::GraphCall& call);

// The function of one part: rows of the source -> a tuple of the part.
GraphFuncRef FunctionOfPart(const RowParts& parts);

// Computes all parts. If nobody else has the source, its memory goes part by part. `result_bytes`
// is the size of the result.
Ref<const Blob> ComputeParts(const RowParts& parts, const Computation& computation,
                             Ref<const Blob> source, size_t result_bytes);

}  // namespace lathe::graph
