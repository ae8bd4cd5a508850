// Recurrent networks, step by step.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "graph/import/onnx/importer.h"

namespace lathe::graph::onnx {

enum class Cell : uint8_t { kRnn, kGru, kLstm };

// A function of a cell, with its numbers.
struct CellFunction {
  std::string name;  // "Tanh"
  double alpha = 0, beta = 0;
};

// What a recurrent node has. Variables may be null if they are left out.
struct RecurrentParts {
  Cell cell = Cell::kRnn;
  std::string direction;
  GraphVar x;                           // [steps, n, features]
  GraphVar weight, recurrence, bias;    // [directions, ...]
  GraphVar lengths;                     // of the sequences [n]
  GraphVar state, memory;               // [directions, n, hidden]
  GraphVar peepholes;                   // [directions, 3 hidden]: i, o, f
  std::vector<CellFunction> functions;  // those of a direction after those of the one before
  double clip = 0;                      // of what goes into functions; 0: no limit
  bool resets_after_product = false;    // linear_before_reset of GRU
  bool couples_gates = false;           // input_forget of LSTM: f = 1 - i
};

// The functions of a cell when none are given, for each direction.
const std::vector<std::string>& DefaultFunctions(Cell cell);

// What functions there are, which numbers they take, and those that are used if none are given.
// ONNX says none for some: there, neither 0 nor 1 would be what the exporter meant for sure.
enum class CellNumbers : uint8_t { kNone, kAlpha, kBoth };
inline constexpr double kMustBeGiven = std::numeric_limits<double>::quiet_NaN();
struct CellFunctionKind {
  std::string_view name;
  CellNumbers numbers = CellNumbers::kNone;
  double alpha = 0, beta = 0;
};
const CellFunctionKind* FindCellFunction(std::string_view name);  // null: there is none
std::string CellFunctionNames();

// The states of all steps, the last state, and for LSTM the last memory, made by a loop over time
// for each direction. The operators nn.lstm, nn.gru and nn.rnn are faster, but have neither limits,
// nor peepholes, nor sequences of several lengths.
std::vector<GraphVar> RecurrentSteps(NodeContext& n, const RecurrentParts& parts);

}  // namespace lathe::graph::onnx
