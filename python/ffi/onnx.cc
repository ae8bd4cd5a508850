// Models of ONNX as graphs.
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "graph/builder.h"
#include "graph/import/onnx/import.h"
#include "python/ffi/ffi.h"
#include "python/ffi/models.h"
#include "python/ffi/traits.h"
#include "runtime/tensor.h"

namespace lathe::python {
namespace {

using ir::GraphVar;
using runtime::Function;
using runtime::Tensor;
using runtime::Value;
using Values = std::vector<Value>;

graph::onnx::TensorValue ConstantOf(const Tensor& tensor) {
  const Tensor host = OrThrow(tensor.To(runtime::Device::Cpu()));
  const Tensor kept = host.is_compact() ? host : OrThrow(host.Clone());
  const DLTensor& dl = kept.dl();
  return {kept.dtype(),
          {kept.shape().begin(), kept.shape().end()},
          Blob::Copy({static_cast<const char*>(dl.data) + dl.byte_offset, kept.num_bytes()})};
}

template <class... T>
Values Row(T&&... items) {
  Values row;
  (row.emplace_back(std::forward<T>(items)), ...);
  return row;
}

// Texts are bytes: files may have any.
Value ValueOf(const graph::onnx::AttributeValue& attribute) {
  if (const auto* text = std::get_if<std::string>(&attribute)) return Value::Bytes(*text);
  if (const auto* tensor = std::get_if<graph::TensorValue>(&attribute)) return TensorOf(*tensor);
  if (const auto* texts = std::get_if<std::vector<std::string>>(&attribute)) {
    Values items;
    for (const std::string& text : *texts) items.push_back(Value::Bytes(text));
    return Value(std::move(items));
  }
  if (const auto* number = std::get_if<int64_t>(&attribute)) return Value(*number);
  if (const auto* number = std::get_if<double>(&attribute)) return Value(*number);
  if (const auto* numbers = std::get_if<std::vector<double>>(&attribute)) return Value(*numbers);
  return Value(std::get<std::vector<int64_t>>(attribute));
}

// A converter that is a function(title, name, inputs, attributes) of Python. An input is None, or
// [name, type, its value or None]; the result is a graph of the inputs that are there, without
// types.
graph::onnx::OwnConverter ConverterOf(const Function& function) {
  return [function](const graph::onnx::OwnNode& node) {
    Values inputs, attributes;
    std::vector<GraphVar> args;
    for (const GraphVar& input : node.inputs) {
      if (!input) {
        inputs.emplace_back();
        continue;
      }
      const std::optional<graph::TensorValue> known = node.values.ConstantOf(input);
      inputs.emplace_back(
          Row(input->name, ir::NodeRef(input->type), known ? Value(TensorOf(*known)) : Value()));
      args.push_back(input);
    }
    for (const auto& [name, value] : node.attributes) {
      attributes.emplace_back(Row(name, ValueOf(value)));
    }
    const auto func =
        function(node.title, node.make.name(), inputs, attributes).As<graph::GraphFuncRef>();
    LATHE_CHECK(func->params.size() == args.size()) << "a parameter for each input";
    graph::Builder& builder = node.values.b();
    const GraphVar result = graph::InlineCall(*func, args, {}, builder);
    const auto* tuple = ir::As<ir::TupleType>(result->type);
    if (tuple == nullptr) return std::vector<GraphVar>{result};
    std::vector<GraphVar> results;
    for (size_t i = 0; i < tuple->fields.size(); ++i) {
      results.push_back(node.make.Field(result, static_cast<int64_t>(i), node.make.name()));
    }
    return results;
  };
}

}  // namespace

void RegisterOnnx() {
  // [module, names of inputs, names of outputs, names of weights, weights].
  Def("onnx.import",
      [](const std::string& model, bool is_path, const std::vector<std::string>& names,
         const std::vector<Values>& shapes, const std::vector<std::string>& value_names,
         const std::vector<Tensor>& values, DataType dtype, int64_t opset, bool weights_are_inputs,
         const std::vector<std::string>& operators, const std::vector<Function>& converters) {
        graph::onnx::ImportOptions options{
            .dtype = dtype, .opset = opset, .weights_are_inputs = weights_are_inputs};
        options.shapes = ShapesOf(names, shapes);
        for (size_t i = 0; i < value_names.size() && i < values.size(); ++i) {
          options.values.emplace(value_names[i], ConstantOf(values[i]));
        }
        for (size_t i = 0; i < operators.size() && i < converters.size(); ++i) {
          options.converters.emplace(operators[i], ConverterOf(converters[i]));
        }
        const graph::onnx::LoadedModel loaded =
            is_path ? OrThrow(graph::onnx::LoadModel(model)) : graph::onnx::ParseModel(model);
        return ResultOf(graph::onnx::ImportModel(loaded, options));
      });
}

}  // namespace lathe::python
