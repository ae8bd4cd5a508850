// The table of operators that can be imported.
//
// One file for each family, with a function that returns its rows; graph/import/onnx/operators.def
// lists the families.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/import/onnx/importer.h"

namespace lathe::graph::onnx {

using Converter = std::function<Results(NodeContext&)>;

struct Operator {
  std::string name;  // "Conv"; operators of other domains than ONNX's own: "com.microsoft.Gelu"
  Converter convert;
};

// "Conv" in ONNX's own domain, which is "" here; else "com.microsoft.Gelu".
std::string FullName(std::string_view domain, std::string_view name);

// Null if it cannot be imported. `domain` is "" for ONNX's own.
const Operator* FindOperator(std::string_view domain, std::string_view name);

// What ONNX's own operator `name` makes of `inputs`, with the attributes of the node and the rules
// of version `opset`: for operators of other domains that are the same, or have one inside.
Results ConvertAs(NodeContext& n, std::string_view name, int64_t opset, std::vector<Value> inputs);

// Why an operator that is known is refused, as a way out; "" if nothing is known of it.
std::string_view ReasonFor(std::string_view domain, std::string_view name);

#define LATHE_ONNX_FAMILY(name) std::vector<Operator> name();
#include "graph/import/onnx/operators.def"  // IWYU pragma: keep
#undef LATHE_ONNX_FAMILY

}  // namespace lathe::graph::onnx
