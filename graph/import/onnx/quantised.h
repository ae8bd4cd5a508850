// Quantised numbers: ranges, zero points, scales.
#pragma once

#include <utility>

#include "base/dtype.h"
#include "graph/import/onnx/importer.h"

namespace lathe::graph::onnx {

// The least and the greatest number of an integer type, of `bits` bits if that is not 0.
std::pair<double, double> RangeOf(DataType type, int bits = 0);

// The nearest numbers of an integer type, of halves the even ones; beyond its range its end.
GraphVar Rounded(const NodeContext& n, const GraphVar& x, DataType type);

// A vector of one number as a number of rank 0; others as they are.
GraphVar Rank0IfOne(const NodeContext& n, const GraphVar& x);

// Input `input` without its zero point in `zero_input`, if there is one: int32. A zero point of
// several numbers belongs to dimension `axis`, counted from the end if it is negative.
GraphVar WithoutZero(const NodeContext& n, size_t input, size_t zero_input, int64_t axis);

// A parameter of one number or one for each place along `axis`, shaped so that it is broadcast with
// a tensor of `rank` dimensions.
GraphVar PerAxis(const NodeContext& n, const GraphVar& parameter, int64_t axis, int64_t rank);

}  // namespace lathe::graph::onnx
