// Which products of bfloat16 are made of the target's dot products. KeepWide leaves these narrow,
// and PackWeights puts their right operands into panels.
#pragma once

#include <cstdint>
#include <string>

#include "graph/passes/pass.h"

namespace lathe::graph {

// Is it the name of a product of matrices?
bool IsMatrixProduct(const std::string& op);

// Columns of a panel: two vectors, as wide as register tiles are.
inline int64_t PanelColumns(const GraphPassContext& context) { return 2 * context.vector_lanes; }
// Columns of zeros behind n columns, so that they fill whole panels; -1 if that would waste more
// than a fifth of them.
int64_t PanelWaste(int64_t n, const GraphPassContext& context);

// Is `call` a product of matrices of bfloat16, with sums in float32 and sizes that are known, which
// fits the panels? `known`: its right operand can be computed now. Another one is put into panels
// at run time, which some rows must pay for.
bool ByDotProducts(const ir::GraphCall& call, bool known, const GraphPassContext& context);

}  // namespace lathe::graph
