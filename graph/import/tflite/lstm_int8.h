// An LSTM in whole numbers.
#pragma once

#include "graph/import/tflite/importer.h"

namespace lathe::graph::tflite {

// Over x [time, batch, features] of int8, with weights of int8, sums of int32, a memory of int16
// and an output of int8 [time, batch, hidden], which is the state, too; bit for bit as the
// reference kernel. The places of inputs are those of UNIDIRECTIONAL_SEQUENCE_LSTM. Throws
// "tflite-operator" for other types, and for scales that the format does not have.
GraphVar LstmOfInt8(const OpContext& n, const GraphVar& x);

}  // namespace lathe::graph::tflite
