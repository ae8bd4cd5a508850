// Values of graphs and patterns, to and from tagged values. Internal to graph.cc.
#pragma once

#include <utility>
#include <vector>

#include "graph/datatypes.h"
#include "graph/interpreter/interpreter.h"
#include "runtime/graph/vm/values.h"
#include "runtime/value.h"

namespace lathe::python {

using Values = std::vector<runtime::Value>;

template <class... T>
Values Row(T&&... items) {
  Values row;
  (row.emplace_back(std::forward<T>(items)), ...);
  return row;
}

// [0] anything, [1] a variable, [2, constructor, fields], [3, fields].
graph::Pattern PatternOf(const runtime::Value& value);
// ["clause", number, places], ["tuple", place, places, next], or ["switch", place,
// [[constructor, places, next]...]].
runtime::Value ValueOf(const graph::Decision& decision);

// Tensors are copied: a result may be a part of an argument, and must not change with the caller's
// memory.
graph::GraphValue GraphValueOf(const runtime::Value& value);
// A tensor, an array for a tuple, an object (runtime/graph/vm/values.h) for a value of a data type
// of the module. Throws Error "graph-result-function" for a function.
runtime::Value ResultOf(const graph::GraphValue& value, const ir::GraphModule& module);

}  // namespace lathe::python
