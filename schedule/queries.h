// Questions about the graph of operations, for schedules and tools.
//
// All work on the operations given. For a scheduled program take the operations from the stages
// (Stage::op), because primitives rewrite them. Pure functions; results have a fixed order. For the
// loops around a stage see AttachPath (normalize.h), for the regions it computes ComputedRegions
// (loop_nest.h).
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/tensor_op.h"

namespace lathe::schedule {

// All operations that `outputs` need, including `outputs`, each after the operations that it reads;
// in the order of a depth-first walk over inputs.
std::vector<ir::Op> PostOrder(const std::vector<ir::Op>& outputs);

// The operations in post order, each with its inputs.
using ReadGraph = std::vector<std::pair<ir::Op, std::vector<ir::Tensor>>>;
ReadGraph MakeReadGraph(const std::vector<ir::Op>& outputs);

// The reverse: the readers of each tensor. Tensors without readers have no entry; readers are in
// the read graph's order.
using FeedGraph =
    std::unordered_map<ir::Tensor, std::vector<ir::Op>, ir::TensorHash, ir::TensorEqual>;
FeedGraph MakeFeedGraph(const ReadGraph& graph);

// The operations of a scan's step: those on a path from a state to an update, and the updates, in
// post order. Placeholders are left out.
std::vector<ir::Op> ScanBody(const ir::ScanOp& scan);

// The spatial axes of a scan that stay fixed: element j of the axis at one step depends only on
// element j of the axis at earlier steps, for any number of steps (S49). Then a part of the axis
// can be computed alone.
//
// Axes that depend on each other at equal index form a class: the same part of all of them must be
// computed. Found by a fixed-point iteration over the states: an axis that reads along an axis that
// is not fixed is not fixed itself.
struct FixedAxes {
  // For each spatial axis, in order: the number of its class; -1 if it does not stay fixed.
  std::vector<int> classes;
  // For each operation of the scan's body and each dimension of its outputs: the class by whose
  // index alone it is read; -1 if there is none.
  std::unordered_map<const ir::Node*, std::vector<int>> body;
};
FixedAxes ScanFixPoint(const ir::ScanOp& scan);

}  // namespace lathe::schedule
