#include "runtime/graph/slots.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "runtime/graph/sizes.h"
#include "runtime/status.h"

namespace lathe::runtime::graph {
namespace {

void* AddressIn(const DLTensor& tensor) {
  return static_cast<char*>(tensor.data) + tensor.byte_offset;
}

std::span<const int64_t> ShapeOf(const DLTensor& tensor) {
  return {tensor.shape, static_cast<size_t>(tensor.ndim)};
}

// Bytes of the context, at least as many as asked for.
absl::Status Reserve(uint64_t bytes, const Device& device, Tensor* memory) {
  if (*memory && memory->num_bytes() >= bytes) return absl::OkStatus();
  const auto extent = static_cast<int64_t>(std::max<uint64_t>(bytes, 1));
  *memory = Tensor();
  LATHE_ASSIGN_OR_RETURN(*memory, Tensor::Empty({extent}, DataType::UInt(8), device));
  return absl::OkStatus();
}

}  // namespace

Tensor ViewOf(Tensor memory, void* data, std::span<const int64_t> shape, DataType dtype,
              const Device& device) {
  return Tensor::Wrap(
      data, 0, shape, {}, dtype, device,
      [](void* context) { delete static_cast<Tensor*>(context); }, new Tensor(std::move(memory)));
}

int32_t Slots::InputNumber(size_t index) const { return plan_.plan.inputs[index].tensor; }
const PlanTensor& Slots::InputTensor(size_t index) const {
  return plan_.plan.tensors[static_cast<size_t>(InputNumber(index))];
}
const PlanTensor& Slots::OutputTensor(size_t index) const {
  return plan_.plan.tensors[static_cast<size_t>(plan_.plan.outputs[index])];
}
std::string Slots::InputName(size_t index) const {
  return "the input `" + plan_.plan.inputs[index].name + "` of `" + plan_.plan.name + "`";
}

// "float32[2, ?]"
std::string Slots::Expected(const PlanTensor& tensor) const {
  std::string text = tensor.dtype.ToString() + "[";
  for (size_t axis = 0; axis < tensor.shape.size(); ++axis) {
    const std::optional<int64_t> known = plan_.known[static_cast<size_t>(tensor.shape[axis])];
    text += (axis == 0 ? "" : ", ") + (known ? std::to_string(*known) : "?");
  }
  return text + "]";
}

namespace {

// Whether a tensor may be what the plan states, as far as that is known without other inputs.
bool Fits(const ResolvedPlan& plan, const PlanTensor& wanted, const DLTensor& tensor) {
  if (DataType(tensor.dtype) != wanted.dtype ||
      tensor.ndim != static_cast<int32_t>(wanted.shape.size()))
    return false;
  for (size_t axis = 0; axis < wanted.shape.size(); ++axis) {
    const std::optional<int64_t> known = plan.known[static_cast<size_t>(wanted.shape[axis])];
    if (tensor.shape[axis] < 0 || (known && *known != tensor.shape[axis])) return false;
  }
  return true;
}

}  // namespace

absl::Status Slots::CheckInput(int index, const DLTensor& tensor) const {
  if (index < 0 || static_cast<size_t>(index) >= inputs_.size())
    return MakeStatus(absl::StatusCode::kInvalidArgument, "graph-input-index",
                      {"`", plan_.plan.name, "` has no input ", std::to_string(index),
                       "\nexpected: less than ", std::to_string(inputs_.size())});
  const auto number = static_cast<size_t>(index);
  if (Fits(plan_, InputTensor(number), tensor)) return absl::OkStatus();
  return MakeStatus(absl::StatusCode::kInvalidArgument, "graph-input-mismatch",
                    {InputName(number), " is given another tensor\nexpected: ",
                     Expected(InputTensor(number)), "\nfound: ", DescribeTensor(tensor)});
}

absl::Status Slots::CheckLayout(const char* status, const std::string& what, int32_t wanted,
                                const DLTensor& tensor) const {
  const Device &device = DeviceOf(plan_, wanted), found = Device::FromPacked(tensor.device);
  const uint64_t alignment = AlignmentOf(plan_.plan.tensors[static_cast<size_t>(wanted)]);
  std::string problem;
  if (device.is_cpu() ? !found.is_host() : found != device) {
    problem = device.is_cpu() ? "it is not in the host's memory" : "it is on another device";
  } else if (!IsCompact(tensor)) {
    problem = "it has gaps or another order than row-major";
  } else if (device.is_cpu() && reinterpret_cast<uintptr_t>(AddressIn(tensor)) % alignment != 0) {
    problem = "its address is not a multiple of " + std::to_string(alignment);
  } else if (!device.is_cpu() && tensor.byte_offset != 0) {
    problem = "it does not begin where its memory begins";
  }
  if (problem.empty()) return absl::OkStatus();
  return MakeStatus(absl::StatusCode::kInvalidArgument, status,
                    {what, " cannot use this memory: ", problem, "\nexpected: memory of ",
                     device.ToString(), "\nfound: ", DescribeTensor(tensor), "\nhelp: copy it"});
}

void Slots::Shape(Input& input, std::span<const int64_t> shape) {
  if (!input.set ||
      !std::equal(shape.begin(), shape.end(), input.shape.begin(), input.shape.end())) {
    input.shape.assign(shape.begin(), shape.end());
    shapes_changed = true;
  }
}

absl::Status Slots::UseOwnInput(size_t index, std::span<const int64_t> shape) {
  Input& input = inputs_[index];
  const DataType dtype = InputTensor(index).dtype;
  const std::optional<uint64_t> bytes = BytesOf(dtype, shape);
  if (!bytes)
    return MakeStatus(absl::StatusCode::kInvalidArgument, "graph-size-overflow",
                      {InputName(index), " has too many bytes"});
  const void* before = input.data;
  const bool same = input.set && input.tensor && input.memory &&
                    input.data == input.memory.dl().data &&
                    std::equal(shape.begin(), shape.end(), input.shape.begin(), input.shape.end());
  if (same) return absl::OkStatus();
  const Device& device = DeviceOf(plan_, InputNumber(index));
  LATHE_RETURN_IF_ERROR(Reserve(*bytes, device, &input.memory));
  input.data = input.memory.dl().data;
  Shape(input, shape);
  input.tensor = ViewOf(input.memory, input.data, shape, dtype, device);
  input.set = true;
  addresses_changed = addresses_changed || input.data != before;
  return absl::OkStatus();
}

absl::Status Slots::CopyInput(int index, const DLTensor& tensor) {
  LATHE_RETURN_IF_ERROR(CheckInput(index, tensor));
  const auto number = static_cast<size_t>(index);
  LATHE_RETURN_IF_ERROR(UseOwnInput(number, ShapeOf(tensor)));
  return CopyTensor(tensor, inputs_[number].tensor.dl());
}

absl::Status Slots::ShareInput(int index, const DLTensor& tensor, Tensor owner) {
  LATHE_RETURN_IF_ERROR(CheckInput(index, tensor));
  const auto number = static_cast<size_t>(index);
  LATHE_RETURN_IF_ERROR(
      CheckLayout("graph-input-layout", InputName(number), InputNumber(number), tensor));
  Input& input = inputs_[number];
  addresses_changed = addresses_changed || input.data != AddressIn(tensor);
  Shape(input, ShapeOf(tensor));
  input.data = AddressIn(tensor);
  input.tensor = std::move(owner);
  input.set = true;
  return absl::OkStatus();
}

absl::StatusOr<Tensor> Slots::GetInput(int index) {
  if (index < 0 || static_cast<size_t>(index) >= inputs_.size())
    return MakeStatus(absl::StatusCode::kInvalidArgument, "graph-input-index",
                      {"`", plan_.plan.name, "` has no input ", std::to_string(index),
                       "\nexpected: less than ", std::to_string(inputs_.size())});
  const auto number = static_cast<size_t>(index);
  Input& input = inputs_[number];
  if (!input.set) {
    std::vector<int64_t> shape;
    for (const int32_t size : InputTensor(number).shape) {
      const std::optional<int64_t> known = plan_.known[static_cast<size_t>(size)];
      if (!known) return CheckInputSet(number);
      shape.push_back(*known);
    }
    LATHE_RETURN_IF_ERROR(UseOwnInput(number, shape));
    const std::vector<char> zeros(static_cast<size_t>(input.memory.num_bytes()));
    LATHE_RETURN_IF_ERROR(input.memory.CopyFromHost(zeros.data(), zeros.size()));
  }
  if (!input.tensor)
    input.tensor = ViewOf(Tensor(), input.data, input.shape, InputTensor(number).dtype,
                          DeviceOf(plan_, InputNumber(number)));
  return input.tensor;
}

absl::Status Slots::CheckInputSet(size_t index) const {
  if (inputs_[index].set) return absl::OkStatus();
  return MakeStatus(absl::StatusCode::kFailedPrecondition, "graph-input-missing",
                    {InputName(index), " is not set\nexpected: ", Expected(InputTensor(index))});
}

absl::Status Slots::CheckOutputIndex(int index) const {
  if (index >= 0 && static_cast<size_t>(index) < outputs_.size()) return absl::OkStatus();
  return MakeStatus(absl::StatusCode::kInvalidArgument, "graph-output-index",
                    {"`", plan_.plan.name, "` has no output ", std::to_string(index),
                     "\nexpected: less than ", std::to_string(outputs_.size())});
}

absl::Status Slots::ShareOutput(int index, const DLTensor* tensor, Tensor owner) {
  LATHE_RETURN_IF_ERROR(CheckOutputIndex(index));
  const auto number = static_cast<size_t>(index);
  Output& output = outputs_[number];
  addresses_changed = true;
  if (tensor == nullptr) {
    output = Output{false, nullptr, {}, Tensor(), std::move(output.memory)};
    return absl::OkStatus();
  }
  const PlanTensor& wanted = OutputTensor(number);
  const std::string name = "output " + std::to_string(index) + " of `" + plan_.plan.name + "`";
  if (!Fits(plan_, wanted, *tensor))
    return MakeStatus(absl::StatusCode::kInvalidArgument, "graph-output-mismatch",
                      {name, " is given another tensor\nexpected: ", Expected(wanted),
                       "\nfound: ", DescribeTensor(*tensor)});
  const int32_t tensor_number = plan_.plan.outputs[number];
  LATHE_RETURN_IF_ERROR(CheckLayout("graph-output-layout", name, tensor_number, *tensor));
  if (owner && owner.read_only())
    return MakeStatus(absl::StatusCode::kInvalidArgument, "graph-output-layout",
                      {name, " cannot use this memory: it is read-only"});
  const std::span<const int64_t> shape = ShapeOf(*tensor);
  output.given = true;
  output.data = AddressIn(*tensor);
  output.shape.assign(shape.begin(), shape.end());
  output.tensor =
      owner ? std::move(owner)
            : ViewOf(Tensor(), output.data, shape, wanted.dtype, DeviceOf(plan_, tensor_number));
  return absl::OkStatus();
}

absl::Status Slots::ShapeOutput(size_t index, std::span<const int64_t> shape, uint64_t bytes) {
  Output& output = outputs_[index];
  const bool same =
      std::equal(shape.begin(), shape.end(), output.shape.begin(), output.shape.end());
  if (output.given) {
    if (same) return absl::OkStatus();
    std::string expected;
    for (const int64_t extent : shape)
      expected += (expected.empty() ? "" : ", ") + std::to_string(extent);
    return MakeStatus(absl::StatusCode::kInvalidArgument, "graph-output-mismatch",
                      {"output ", std::to_string(index), " of `", plan_.plan.name,
                       "` has another shape than the tensor that it was given\nexpected: [",
                       expected, "]\nfound: ", output.tensor.ToString()});
  }
  if (output.tensor && same) return absl::OkStatus();
  const Device& device = DeviceOf(plan_, plan_.plan.outputs[index]);
  LATHE_RETURN_IF_ERROR(Reserve(bytes, device, &output.memory));
  output.data = output.memory.dl().data;
  output.shape.assign(shape.begin(), shape.end());
  output.tensor = ViewOf(output.memory, output.data, shape, OutputTensor(index).dtype, device);
  return absl::OkStatus();
}

}  // namespace lathe::runtime::graph
