// Tensors: making, copying, views.
#include <string>
#include <vector>

#include "python/ffi/ffi.h"
#include "python/ffi/traits.h"
#include "runtime/tensor.h"

namespace lathe::python {

using runtime::Device;
using runtime::Tensor;
using runtime::Value;

void RegisterTensors() {
  Def("tensor.empty",
      [](const std::vector<int64_t>& shape, DataType type, const Device& device,
         const std::string& scope) { return OrThrow(Tensor::Empty(shape, type, device, scope)); });
  Def("tensor.copy",
      [](const Tensor& from, const Tensor& to) { runtime::ThrowIfError(to.CopyFrom(from)); });
  Def("tensor.to",
      [](const Tensor& tensor, const Device& device) { return OrThrow(tensor.To(device)); });
  Def("tensor.clone", [](const Tensor& tensor) { return OrThrow(tensor.Clone()); });
  Def("tensor.slice", [](const Tensor& tensor, int axis, int64_t begin, int64_t end, int64_t step) {
    return tensor.Slice(axis, begin, end, step);
  });
  Def("tensor.select",
      [](const Tensor& tensor, int axis, int64_t index) { return tensor.Select(axis, index); });
  Def("tensor.reshape", [](const Tensor& tensor, const std::vector<int64_t>& shape) {
    return tensor.Reshape(shape);
  });
  Def("tensor.transpose",
      [](const Tensor& tensor, const std::vector<int>& axes) { return tensor.Transpose(axes); });
  Def("tensor.text", [](const Tensor& tensor) { return tensor.ToString(); });
  Def("tensor.num_bytes",
      [](const Tensor& tensor) { return static_cast<int64_t>(tensor.num_bytes()); });
  Def("tensor.to_bytes", [](const Tensor& tensor) {
    std::string bytes(tensor.num_bytes(), '\0');
    runtime::ThrowIfError(tensor.CopyToHost(bytes.data(), bytes.size()));
    return Value::Bytes(bytes);
  });
  Def("tensor.from_bytes", [](const Tensor& tensor, const std::string& bytes) {
    runtime::ThrowIfError(tensor.CopyFromHost(bytes.data(), bytes.size()));
  });
  // The same elements as another type of the same size: for types that NumPy does not have.
  Def("tensor.view_as", [](const Tensor& tensor, DataType type) {
    if (type.bytes() != tensor.dtype().bytes()) {
      throw Error(Diagnostic{.name = "tensor-view-size",
                             .message = "elements of " + tensor.dtype().ToString() +
                                        " cannot be seen as " + type.ToString(),
                             .expected = "a type of the same size"});
    }
    std::vector<int64_t> strides;
    for (int i = 0; i < tensor.rank(); ++i) strides.push_back(tensor.stride(i));
    auto* keep = new Tensor(tensor);
    return Tensor::Wrap(
        tensor.dl().data, tensor.dl().byte_offset, tensor.shape(), strides, type, tensor.device(),
        [](void* context) { delete static_cast<Tensor*>(context); }, keep, tensor.read_only());
  });
}

}  // namespace lathe::python
