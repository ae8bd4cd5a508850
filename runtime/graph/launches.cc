#include "runtime/graph/launches.h"

#include <bit>

namespace lathe::runtime::graph {

Launches::Launches(const ResolvedPlan& plan) : plan_(plan), places_(plan.steps.size()) {
  if (plan.devices.size() == 1) return;
  size_t values = 0, tensors = 0, extents = 0;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    if (plan.steps[i].kernel < 0) continue;
    const ResolvedKernel& kernel = plan.kernels[static_cast<size_t>(plan.steps[i].kernel)];
    if (!kernel.launch) continue;
    places_[i] = {static_cast<int64_t>(values), tensors, extents};
    values += kernel.arguments.size();
    tensors += plan.plan.steps[i].buffers.size();
    for (const int32_t buffer : plan.plan.steps[i].buffers)
      extents += plan.plan.tensors[static_cast<size_t>(buffer)].shape.size();
  }
  values_.resize(values);
  tensors_.resize(tensors);
  extents_.resize(extents);
}

void Launches::Fill(size_t step, std::span<const int64_t> sizes, std::span<const int64_t> values,
                    std::span<void* const> addresses) {
  const Place place = places_[step];
  const ResolvedKernel& kernel = plan_.kernels[static_cast<size_t>(plan_.steps[step].kernel)];
  const std::vector<int32_t>& buffers = plan_.plan.steps[step].buffers;
  size_t buffer = 0, extent = place.extents;
  for (size_t i = 0; i < kernel.arguments.size(); ++i) {
    const LaunchArgument& argument = kernel.arguments[i];
    lathe_value& value = values_[static_cast<size_t>(place.values) + i];
    value = {};
    if (argument.size >= 0) {
      const int64_t number = values[static_cast<size_t>(argument.size)];
      value.kind = argument.kind;
      if (argument.kind == LATHE_VALUE_FLOAT) {
        value.v_float = std::bit_cast<double>(number);
      } else {
        value.v_int = number;
      }
      continue;
    }
    const int32_t number = buffers[buffer];
    const PlanTensor& of = plan_.plan.tensors[static_cast<size_t>(number)];
    DLTensor& tensor = tensors_[place.tensors + buffer++];
    tensor = {};
    tensor.data = addresses[static_cast<size_t>(plan_.roots[static_cast<size_t>(number)])];
    tensor.device = DeviceOf(plan_, number).packed();
    tensor.ndim = static_cast<int32_t>(of.shape.size());
    tensor.dtype = of.dtype.dl();
    tensor.shape = extents_.data() + extent;
    for (const int32_t size : of.shape) extents_[extent++] = sizes[static_cast<size_t>(size)];
    value = ValueTraits<const DLTensor*>::Borrow(&tensor);
  }
}

absl::Status Launches::Run(size_t step) {
  const ResolvedKernel& kernel = plan_.kernels[static_cast<size_t>(plan_.steps[step].kernel)];
  return kernel.launch
      .TryCallPacked(values_.data() + places_[step].values,
                     static_cast<int32_t>(kernel.arguments.size()))
      .status();
}

}  // namespace lathe::runtime::graph
