#include "runtime/graph/constants.h"

#include <algorithm>
#include <utility>

#include "base/blob.h"
#include "runtime/error_object.h"
#include "runtime/graph/sizes.h"
#include "runtime/raise.h"
#include "runtime/status.h"

namespace lathe::runtime::graph {
namespace {

std::string ConstantName(const Plan& plan, size_t index) {
  return plan.constants[index].name.empty() ? "constant " + std::to_string(index)
                                            : "`" + plan.constants[index].name + "`";
}

std::vector<int64_t> ConstantShape(const ResolvedPlan& resolved, size_t index) {
  const Plan& plan = resolved.plan;
  std::vector<int64_t> shape;
  for (const int32_t size : plan.tensors[static_cast<size_t>(plan.constants[index].tensor)].shape)
    shape.push_back(resolved.known[static_cast<size_t>(size)].value());
  return shape;
}

// Host memory that `owner` keeps.
template <class T>
Tensor Kept(Ref<T> owner, const void* data, const std::vector<int64_t>& shape, DataType dtype) {
  return Tensor::Wrap(
      const_cast<void*>(data), 0, shape, {}, dtype, Device::Cpu(),
      [](void* context) { delete static_cast<Ref<T>*>(context); }, new Ref<T>(std::move(owner)),
      /*read_only=*/true);
}

// What the code says; 0 for constants that it does not have.
absl::StatusOr<std::vector<int64_t>> AddressesInCode(const ResolvedPlan& resolved) {
  std::vector<int64_t> addresses(resolved.plan.constants.size());
  if (resolved.constants_entry == nullptr || addresses.empty()) return addresses;
  void* const buffers[] = {addresses.data()};
  if (resolved.constants_entry(buffers, nullptr, nullptr, 1) != 0)
    return StatusFromError(*TakePendingError().get());
  return addresses;
}

}  // namespace

absl::StatusOr<Tensor> AsConstant(const ResolvedPlan& resolved, int index, const Tensor& tensor) {
  const Plan& plan = resolved.plan;
  const auto number = static_cast<size_t>(index);
  const PlanTensor& wanted = plan.tensors[static_cast<size_t>(plan.constants[number].tensor)];
  const std::vector<int64_t> shape = ConstantShape(resolved, number);
  if (!tensor || tensor.dtype() != wanted.dtype ||
      !std::equal(shape.begin(), shape.end(), tensor.shape().begin(), tensor.shape().end())) {
    std::string expected;
    for (const int64_t extent : shape)
      expected += (expected.empty() ? "" : ", ") + std::to_string(extent);
    return MakeStatus(absl::StatusCode::kInvalidArgument, "graph-constant-mismatch",
                      {"the data for ", ConstantName(plan, number), " of `", plan.name,
                       "` do not fit it\nexpected: ", wanted.dtype.ToString(), "[", expected,
                       "]\nfound: ", tensor ? tensor.ToString() : "nothing"});
  }
  const uintptr_t address = reinterpret_cast<uintptr_t>(tensor.dl().data) + tensor.dl().byte_offset;
  const Device& device = DeviceOf(resolved, plan.constants[number].tensor);
  const bool placed =
      device.is_cpu() ? address % AlignmentOf(wanted) == 0 : tensor.dl().byte_offset == 0;
  if (tensor.device() == device && tensor.is_compact() && placed) return tensor;
  LATHE_ASSIGN_OR_RETURN(Tensor copy, Tensor::Empty(tensor.shape(), tensor.dtype(), device));
  LATHE_RETURN_IF_ERROR(copy.CopyFrom(tensor));
  return copy;
}

absl::StatusOr<std::vector<Tensor>> FindConstants(const ResolvedPlan& resolved,
                                                  const ConstantSource& source) {
  LATHE_ASSIGN_OR_RETURN(const std::vector<int64_t> in_code, AddressesInCode(resolved));
  std::vector<Tensor> data;
  for (size_t i = 0; i < resolved.plan.constants.size(); ++i) {
    const PlanConstant& constant = resolved.plan.constants[i];
    const DataType dtype = resolved.plan.tensors[static_cast<size_t>(constant.tensor)].dtype;
    const std::vector<int64_t> shape = ConstantShape(resolved, i);
    Tensor found = source ? source(constant) : Tensor();
    if (!found && in_code[i] != 0) {
      const Ref<ModuleNode> code = resolved.code.front();
      found = Kept(code, reinterpret_cast<const void*>(static_cast<uintptr_t>(in_code[i])), shape,
                   dtype);
    }
    if (!found) {
      Ref<const Blob> blob = Blob::Find(constant.digest);
      if (blob && BytesOf(dtype, shape) == blob->size()) {
        const void* bytes = blob->data();
        found = Kept(std::move(blob), bytes, shape, dtype);
      }
    }
    if (found) {
      LATHE_ASSIGN_OR_RETURN(found, AsConstant(resolved, static_cast<int>(i), found));
    }
    data.push_back(std::move(found));
  }
  return data;
}

}  // namespace lathe::runtime::graph
