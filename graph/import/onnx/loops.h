// Loops of graphs, for Loop, Scan and recurrent networks.
#pragma once

#include <functional>
#include <vector>

#include "graph/import/onnx/importer.h"

namespace lathe::graph::onnx {

// `x` with one element, as a number of rank 0.
GraphVar Rank0(NodeContext& n, const GraphVar& x);

// What a loop of a graph is made of. `body` gets the number of the round and what is carried, and
// returns whether to go on (null: yes), what is carried on, and rows, which the loop collects in a
// tensor of as many rows as there are rounds. It is called twice.
struct Round {
  GraphVar goes_on;
  std::vector<GraphVar> carried, rows;
};
struct LoopParts {
  GraphVar count;   // int64; null: no limit
  Expr rounds;      // the same, for rows; null: not known
  GraphVar begins;  // bool; null: true
  std::vector<GraphVar> init;
  std::function<Round(const GraphVar& i, const GraphVar& goes_on,
                      const std::vector<GraphVar>& carried)>
      body;
  bool names_results = true;  // are the results, in their order, those of the node?
};
struct LoopResult {
  std::vector<GraphVar> carried, rows;
};
LoopResult MakeLoop(NodeContext& n, const LoopParts& parts);

// A loop with a round for each entry of the first dimension of `x`, without a body yet.
LoopParts LoopOverRows(NodeContext& n, const GraphVar& x);

}  // namespace lathe::graph::onnx
