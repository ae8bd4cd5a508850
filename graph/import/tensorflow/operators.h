// The table of operators that can be imported.
//
// One file for each family, with a function that returns its rows;
// graph/import/tensorflow/operators.def lists the families.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/import/tensorflow/importer.h"

namespace lathe::graph::tensorflow {

using Converter = std::function<Results(NodeContext&)>;

struct Conversion {
  std::string name;  // "Conv2D"
  Converter convert;
  // The names of its results, if it has several that are no list: references within functions use
  // them.
  std::vector<std::string> results = {};
};

// Null if it cannot be imported.
const Conversion* FindConversion(Text op);
// Why an operator that is known is refused, as a way out; "" if nothing is known of it.
std::string_view ReasonFor(std::string_view op);

#define LATHE_TENSORFLOW_FAMILY(name) std::vector<Conversion> name();
#include "graph/import/tensorflow/operators.def"  // IWYU pragma: keep
#undef LATHE_TENSORFLOW_FAMILY

}  // namespace lathe::graph::tensorflow
