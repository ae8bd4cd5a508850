#include "graph/import/tflite/coverage.h"

#include <algorithm>
#include <array>

#include "graph/import/tflite/operators.h"

namespace lathe::graph::tflite {
namespace {

// Whole numbers of 8 bits are computed as the reference kernels do, bit for bit. What only moves
// numbers is exact, too.
constexpr std::array kExact = {
    "ABS",
    "ADD",
    "AVERAGE_POOL_2D",
    "BATCH_MATMUL",
    "CONCATENATION",
    "CONV_2D",
    "DEPTHWISE_CONV_2D",
    "EXP",
    "FULLY_CONNECTED",
    "GELU",
    "HARD_SWISH",
    "LEAKY_RELU",
    "LOGISTIC",
    "MEAN",
    "MUL",
    "QUANTIZE",
    "RELU",
    "RELU6",
    "RELU_0_TO_1",
    "RELU_N1_TO_1",
    "RESIZE_BILINEAR",
    "SOFTMAX",
    "SQUARED_DIFFERENCE",
    "SUB",
    "TANH",
    "TRANSPOSE_CONV",
    "UNIDIRECTIONAL_SEQUENCE_LSTM",
};
// Real numbers are computed, and the result is rounded.
constexpr std::array kByReals = {
    "COS",  "DIV",         "ELU", "FLOOR_DIV",   "FLOOR_MOD", "L2_NORMALIZATION",
    "LOG",  "LOG_SOFTMAX", "POW", "REDUCE_PROD", "RSQRT",     "SIN",
    "SQRT", "SQUARE"};
// Computed with whole numbers, but not compared: TensorFlow's reference kernel of SUM is wrong, and
// no model of PRELU alone could be made.
constexpr std::array kNotCompared = {"PRELU", "SUM"};

}  // namespace

std::string CoverageTable() {
  const std::vector<std::string> supported = SupportedOperators();
  std::string table = "| number | operator | | int8 and uint8 |\n|---|---|---|---|\n";
  int number = 0;
  for (const std::string& name : AllOperators()) {
    const bool known = std::ranges::binary_search(supported, name);
    const bool exact = std::ranges::count(kExact, name) != 0;
    const bool by_reals = std::ranges::count(kByReals, name) != 0;
    const bool not_compared = std::ranges::count(kNotCompared, name) != 0;
    std::string row = "| " + std::to_string(number++) + " | " + name + " | ";
    if (known) {
      row += std::string("imported | ") + (exact          ? "exact"
                                           : by_reals     ? "real numbers"
                                           : not_compared ? "whole numbers, not compared"
                                                          : "");
    } else {
      const std::string_view reason = ReasonFor(name);
      row += "no" + (reason.empty() ? "" : ": " + std::string(reason)) + " |";
    }
    table += row + (known ? " |\n" : " |\n");
  }
  return table;
}

}  // namespace lathe::graph::tflite
