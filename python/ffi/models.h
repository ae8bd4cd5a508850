// What the functions that import models of several formats have in common.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "graph/import/values.h"
#include "ir/graph.h"
#include "python/ffi/ffi.h"
#include "python/ffi/traits.h"
#include "runtime/tensor.h"

namespace lathe::python {

// The data stays where it is: a weight is a view of the model's file.
runtime::Tensor TensorOf(const graph::TensorValue& value);

// names[i] has the extents shapes[i]: numbers and names of sizes.
std::map<std::string, std::vector<graph::Extent>, std::less<>> ShapesOf(
    const std::vector<std::string>& names, const std::vector<std::vector<runtime::Value>>& shapes);

// [module, names of inputs, names of outputs, names of weights, weights].
template <class ImportedModel>
std::vector<runtime::Value> ResultOf(const ImportedModel& made) {
  std::vector<runtime::Value> weights;
  std::vector<std::string> weight_names;
  for (const auto& [name, value] : made.weights) {
    weight_names.push_back(name);
    weights.emplace_back(TensorOf(value));
  }
  std::vector<runtime::Value> result;
  result.emplace_back(made.module);
  result.emplace_back(made.inputs);
  result.emplace_back(made.outputs);
  result.emplace_back(weight_names);
  result.emplace_back(weights);
  return result;
}

}  // namespace lathe::python
