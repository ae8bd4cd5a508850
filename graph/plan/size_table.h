// Sizes of a graph as entries of a plan's table. Internal to graph/plan.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "ir/expr.h"
#include "runtime/graph/plan.h"

namespace lathe::graph {

// Each expression over sizes becomes one entry. Not thread-safe.
class SizeTable {
 public:
  // Appends to `out`, which is borrowed.
  explicit SizeTable(std::vector<runtime::graph::PlanSize>* out) : out_(*out) {}

  // From here on the size is this dimension of an input, unless it is one already.
  void BindExtent(const ir::Var& size, int32_t input, int32_t dim);
  // A size that a step binds. Returns its number.
  int32_t BindWhileRunning(const ir::Var& size);
  // The number of an expression over sizes that are bound. Throws Error "graph-plan-size".
  int32_t Number(const ir::Expr& expr);

 private:
  int32_t Add(const runtime::graph::PlanSize& size);

  std::vector<runtime::graph::PlanSize>& out_;
  std::unordered_map<const ir::Node*, int32_t> vars_;
  std::map<std::tuple<runtime::graph::PlanSize::Kind, int64_t, int32_t, int32_t>, int32_t> numbers_;
};

}  // namespace lathe::graph
