#include "python/ffi/models.h"

namespace lathe::python {

using runtime::Tensor;
using runtime::Value;

Tensor TensorOf(const graph::TensorValue& value) {
  auto* owner = new Ref<const Blob>(value.data);
  return Tensor::Wrap(
      const_cast<char*>((*owner)->data()), 0, value.shape, {}, value.dtype, runtime::Device::Cpu(),
      [](void* context) { delete static_cast<Ref<const Blob>*>(context); }, owner,
      /*read_only=*/true);
}

std::map<std::string, std::vector<graph::Extent>, std::less<>> ShapesOf(
    const std::vector<std::string>& names, const std::vector<std::vector<Value>>& shapes) {
  std::map<std::string, std::vector<graph::Extent>, std::less<>> all;
  for (size_t i = 0; i < names.size() && i < shapes.size(); ++i) {
    std::vector<graph::Extent>& shape = all[names[i]];
    for (const Value& extent : shapes[i]) {
      if (extent.Is<std::string>()) {
        shape.emplace_back(extent.As<std::string>());
      } else {
        shape.emplace_back(extent.As<int64_t>());
      }
    }
  }
  return all;
}

}  // namespace lathe::python
