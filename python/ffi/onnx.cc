// Models of ONNX as graphs.
#include <string>
#include <vector>

#include "graph/import/onnx/import.h"
#include "python/ffi/ffi.h"
#include "python/ffi/models.h"
#include "python/ffi/traits.h"
#include "runtime/tensor.h"

namespace lathe::python {
namespace {

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

}  // namespace

void RegisterOnnx() {
  // [module, names of inputs, names of outputs, names of weights, weights].
  Def("onnx.import",
      [](const std::string& model, bool is_path, const std::vector<std::string>& names,
         const std::vector<Values>& shapes, const std::vector<std::string>& value_names,
         const std::vector<Tensor>& values, DataType dtype, int64_t opset,
         bool weights_are_inputs) {
        graph::onnx::ImportOptions options{
            .dtype = dtype, .opset = opset, .weights_are_inputs = weights_are_inputs};
        options.shapes = ShapesOf(names, shapes);
        for (size_t i = 0; i < value_names.size() && i < values.size(); ++i) {
          options.values.emplace(value_names[i], ConstantOf(values[i]));
        }
        const graph::onnx::LoadedModel loaded =
            is_path ? OrThrow(graph::onnx::LoadModel(model)) : graph::onnx::ParseModel(model);
        return ResultOf(graph::onnx::ImportModel(loaded, options));
      });
}

}  // namespace lathe::python
