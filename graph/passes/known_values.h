// Which values of a function can be computed when it is compiled.
#pragma once

#include <unordered_set>

#include "graph/builder.h"

namespace lathe::graph {

// The bytes of a tensor whose extents are all numbers; -1 for others.
int64_t BytesOf(const ir::NodeRef& type);

// Constants, and calls of operators on known values, unless the result is much larger than what it
// is made of. FoldConstants computes the known calls.
class KnownValues {
 public:
  // Looks at `var = value`, in the order of the bindings. True if the value is known.
  bool Add(const ir::GraphVar& var, const ir::Node& value);
  bool Contains(const ir::GraphVar& var) const { return known_.contains(var.get()); }

 private:
  std::unordered_set<const ir::Node*> known_;
};

}  // namespace lathe::graph
