// Questions about the graph of operations that schedules and tools are built on.
//
// All work on operations as they are; for a scheduled program take them from the stages
// (Stage::op), which primitives rewrite. Pure functions; results are in a fixed order. The loops
// around a stage are AttachPath (normalize.h), the regions it computes ComputedRegions
// (loop_nest.h).
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/tensor_op.h"

namespace lathe::schedule {

// All operations that `outputs` need, themselves included, each after what it reads; in the order
// of a depth-first walk over inputs.
std::vector<ir::Op> PostOrder(const std::vector<ir::Op>& outputs);

// Who reads what: the operations in post order, each with its inputs.
using ReadGraph = std::vector<std::pair<ir::Op, std::vector<ir::Tensor>>>;
ReadGraph MakeReadGraph(const std::vector<ir::Op>& outputs);

// The other way round: what feeds whom. Tensors that nothing reads have no entry; readers are in
// the read graph's order.
using FeedGraph =
    std::unordered_map<ir::Tensor, std::vector<ir::Op>, ir::TensorHash, ir::TensorEqual>;
FeedGraph MakeFeedGraph(const ReadGraph& graph);

// The operations of a scan's step: those that lie on a way from a state to an update, and the
// updates, in post order. Placeholders do not count.
std::vector<ir::Op> ScanBody(const ir::ScanOp& scan);

// Which spatial axes of a scan stay fixed: element j of the axis at one step depends on element j
// of the axis at earlier steps alone, however many steps go by (S49). Then a part of the axis can
// be computed by itself.
//
// Axes that depend on each other at equal index are of one class: what is computed of one has to be
// computed of all. A fix-point over the states: an axis that reads along one that is not fixed is
// not fixed itself.
struct FixedAxes {
  // Per spatial axis, in order: the number of its class, -1 where it does not stay fixed.
  std::vector<int> classes;
  // Per operation of the scan's body and dimension of its outputs: the class at whose index alone
  // it is read, -1 where there is none.
  std::unordered_map<const ir::Node*, std::vector<int>> body;
};
FixedAxes ScanFixPoint(const ir::ScanOp& scan);

}  // namespace lathe::schedule
