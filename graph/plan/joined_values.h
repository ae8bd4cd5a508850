// Concatenations that cost nothing: what they join is written into their result. Internal to
// graph/plan.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ir/graph.h"

namespace lathe::graph {

struct JoinedValues {
  struct Part {
    ir::GraphVar value;
    uint64_t offset;  // in bytes
  };
  // By the result of each such concatenation: what lies in it, in order.
  std::unordered_map<const ir::Node*, std::vector<Part>> parts;
  // By each of these parts: the result in which it lies.
  std::unordered_map<const ir::Node*, ir::GraphVar> whole_of;
};

// Finds the concatenations of `func`, which is fused and has one device, the host, whose operands
// lie one behind the other in the result (the dimensions before the axis are 1), at known places
// that are aligned, and are each the one result of a kernel in the function's own block. No operand
// is needed twice in this way, and nothing of it is a result of the function, whose memory is the
// caller's. An operand may be another such concatenation.
JoinedValues FindJoinedValues(const ir::GraphFunc& func);

// The one call of a group that only concatenates; null for other groups.
const ir::GraphCall* OnlyConcatenates(const ir::GraphFunc& group);

}  // namespace lathe::graph
