// The table of operators that can be imported.
//
// One file for each family, with a function that returns its rows;
// graph/import/tflite/operators.def lists the families, and
// builtin_operators.def all operators of the schema.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/import/tflite/importer.h"

namespace lathe::graph::tflite {

using Converter = std::function<Results(OpContext&)>;

struct Conversion {
  std::string name;          // "CONV_2D"
  int32_t options_type = 0;  // of the table with its options; 0: it has none
  Converter convert;
};

// Null if it cannot be imported.
const Conversion* FindConversion(const Operator& op);
// Why an operator that is known is refused, as a way out; "" if nothing is known of it.
std::string_view ReasonFor(std::string_view name);

#define LATHE_TFLITE_FAMILY(name) std::vector<Conversion> name();
#include "graph/import/tflite/operators.def"  // IWYU pragma: keep
#undef LATHE_TFLITE_FAMILY

}  // namespace lathe::graph::tflite
