// What tests of imports are written with: a model in, its results or its error out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/error.h"
#include "graph/builder.h"
#include "graph/import/tensorflow/import.h"
#include "graph/import/tensorflow/test_models.h"
#include "graph/interpreter/interpreter.h"
#include "runtime/tensor.h"

namespace lathe::graph::tensorflow {

inline ImportedModel Import(const std::string& bytes, const ImportOptions& options = {}) {
  return ImportModel(ParseModel(bytes), options);
}

// "" if there is none.
inline std::string ErrorOf(const std::string& bytes, const ImportOptions& options = {}) {
  try {
    Import(bytes, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

inline bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline runtime::Tensor FloatTensor(const std::vector<float>& values, std::vector<int64_t> shape) {
  return *runtime::Tensor::FromHost(values.data(), values.size() * sizeof(float), shape,
                                    DataType::Float(32));
}
inline runtime::Tensor Int32Tensor(const std::vector<int32_t>& values, std::vector<int64_t> shape) {
  return *runtime::Tensor::FromHost(values.data(), values.size() * sizeof(int32_t), shape,
                                    DataType::Int(32));
}

template <class T>
std::vector<T> ElementsOf(const runtime::Tensor& tensor) {
  const auto* data = static_cast<const T*>(tensor.dl().data);
  return {data, data + tensor.num_elements()};
}

// All results, and the elements of the only one, as the interpreter of graphs computes them.
inline std::vector<runtime::Tensor> ResultsOf(const ImportedModel& model,
                                              std::vector<GraphValue> inputs) {
  const GraphValue value = Interpret(model.module, "main", std::move(inputs));
  if (value.kind == GraphValue::Kind::kTensor) return {value.tensor};
  std::vector<runtime::Tensor> results;
  for (const GraphValue& field : value.fields) results.push_back(field.tensor);
  return results;
}
template <class T = float>
std::vector<T> ResultOf(const ImportedModel& model, std::vector<GraphValue> inputs) {
  return ElementsOf<T>(ResultsOf(model, std::move(inputs)).at(0));
}

inline std::string TypeOfResult(const ImportedModel& model) {
  return TypeText(model.module->functions[0]->result_type);
}

}  // namespace lathe::graph::tensorflow
