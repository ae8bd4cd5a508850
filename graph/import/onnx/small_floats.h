// Floats of 4 and 8 bits. Graphs have no such types: their bits are uint8 here, and they exist only
// where models store them: Cast, QuantizeLinear and DequantizeLinear make them of other floats, and
// the reverse.
#pragma once

#include <string>

#include "graph/import/onnx/importer.h"

namespace lathe::graph::onnx {

bool IsSmallFloat(int32_t type);

// The values of the bits `x`, of the floating type `dtype`.
GraphVar FromSmallFloat(const NodeContext& n, const GraphVar& x, int32_t type, DataType dtype);

// The bits of the nearest numbers, ties to even, as ONNX's Cast has it. With `saturate` what is too
// large becomes the largest number; without, infinity or NaN. Powers of two (FLOAT8E8M0) are
// rounded `up`, `down`, or to the `nearest`, halves up; negative numbers become NaN.
GraphVar ToSmallFloat(const NodeContext& n, const GraphVar& x, int32_t type, bool saturate,
                      const std::string& rounding = "up");

}  // namespace lathe::graph::onnx
