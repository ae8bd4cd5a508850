#include "runtime/graph/binding.h"

#include <algorithm>
#include <limits>
#include <string>

#include "runtime/graph/sizes.h"
#include "runtime/status.h"

namespace lathe::runtime::graph {
namespace {

using Memory = PlanTensor::Memory;

constexpr uint64_t kOutside = std::numeric_limits<uint64_t>::max();
constexpr uint64_t kMaxArena = uint64_t{1} << 62;

// What empty tensors point to: kernels take no null pointers.
alignas(kArenaAlignment) char nothing[kArenaAlignment];

std::string Number(int64_t number) { return std::to_string(number); }

}  // namespace

absl::Status Binding::SizeError(std::string_view name, std::string_view what) const {
  return MakeStatus(absl::StatusCode::kInvalidArgument, name, {"`", plan_.plan.name, "`: ", what});
}

absl::StatusOr<std::unique_ptr<Binding>> Binding::Create(
    const ResolvedPlan& plan, std::span<const std::span<const int64_t>> shapes, int threads) {
  std::unique_ptr<Binding> out(new Binding(plan));
  out->threads_ = threads;
  LATHE_RETURN_IF_ERROR(ComputeSizes(plan.plan, shapes, &out->sizes_));
  LATHE_RETURN_IF_ERROR(out->CheckInputs(shapes));
  LATHE_RETURN_IF_ERROR(out->CheckConditions(0));
  out->arenas_.resize(plan.groups.size());
  out->bases_.resize(plan.groups.size());
  out->bytes_.resize(plan.plan.tensors.size());
  out->offsets_.assign(plan.plan.tensors.size(), kOutside);
  out->allocations_.assign(plan.groups.size(),
                           std::vector<std::vector<uint64_t>>(plan.devices.size()));
  out->places_on_device_.assign(plan.plan.tensors.size(), -1);
  out->workspaces_.assign(plan.plan.steps.size(), kOutside);
  out->PlaceCalls();
  LATHE_RETURN_IF_ERROR(out->PlanGroup(0));
  return out;
}

absl::Status Binding::Bind(int32_t group, int64_t value) {
  const auto number = static_cast<size_t>(group);
  const PlanStep& step = plan_.plan.steps[static_cast<size_t>(plan_.groups[number].step)];
  sizes_[static_cast<size_t>(step.sizes[0])] = value;
  for (const int32_t size : plan_.groups[number].sizes)
    LATHE_RETURN_IF_ERROR(ComputeSize(plan_.plan, static_cast<size_t>(size), &sizes_));
  LATHE_RETURN_IF_ERROR(CheckConditions(number));
  return PlanGroup(number);
}

void Binding::Begin() {
  for (size_t group = 1; group < plan_.groups.size(); ++group) {
    arenas_[group] = ArenaUse();
    for (std::vector<uint64_t>& of : allocations_[group]) of.clear();
    for (const int32_t tensor : plan_.groups[group].tensors)
      bytes_[static_cast<size_t>(tensor)] = 0;
  }
}

ArenaUse Binding::arena() const {
  ArenaUse all;
  for (const ArenaUse& use : arenas_) {
    all.bytes += use.bytes;
    all.lower_bound += use.lower_bound;
  }
  for (const auto& group : allocations_)
    for (const std::vector<uint64_t>& device : group)
      for (const uint64_t bytes : device) {
        all.bytes += bytes;
        all.lower_bound += bytes;
      }
  return all;
}

// Lists never grow afterwards, so that calls may point into them.
void Binding::PlaceCalls() {
  const Plan& plan = plan_.plan;
  size_t values = 0, pointers = 0;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    places_.push_back({values, pointers, 0});
    values += plan_.steps[i].sizes.size();
    pointers += plan.steps[i].buffers.size();
  }
  values_.resize(values);
  pointers_.resize(pointers);
  calls_.resize(plan_.program.size());
  for (size_t i = 0; i < plan_.program.size(); ++i) {
    const auto step = static_cast<size_t>(plan_.program[i].step);
    if (plan_.program[i].op != Instruction::Op::kKernel) continue;
    places_[step].call = i;
    calls_[i] = {plan_.kernels[static_cast<size_t>(plan_.steps[step].kernel)].call,
                 pointers_.data() + places_[step].pointers, values_.data() + places_[step].values,
                 nullptr};
  }
}

std::span<int64_t> Binding::ValuesOf(size_t step) {
  return std::span(values_).subspan(places_[step].values, plan_.steps[step].sizes.size());
}
std::span<const int64_t> Binding::ValuesOf(size_t step) const {
  return std::span(values_).subspan(places_[step].values, plan_.steps[step].sizes.size());
}

absl::Status Binding::PlanGroup(size_t group) {
  const Plan& plan = plan_.plan;
  for (const int32_t tensor : plan_.groups[group].tensors) LATHE_RETURN_IF_ERROR(Measure(tensor));
  for (const int32_t number : plan_.groups[group].steps) {
    const auto step = static_cast<size_t>(number);
    const std::vector<int32_t>& buffers = plan.steps[step].buffers;
    if (plan.steps[step].kind == PlanStep::Kind::kKernel) {
      LATHE_RETURN_IF_ERROR(FillSizes(step));
    } else if (bytes(buffers[0]) != bytes(buffers[1])) {
      return SizeError("graph-shape-mismatch",
                       StepName(plan, step) + " copies " + TensorName(plan, buffers[0]) + " to " +
                           TensorName(plan, buffers[1]) + ", which has another number of bytes");
    }
  }
  return PlanArena(group);
}

std::vector<int64_t> Binding::Shape(int32_t tensor) const {
  std::vector<int64_t> shape;
  for (const int32_t size : plan_.plan.tensors[static_cast<size_t>(tensor)].shape)
    shape.push_back(sizes_[static_cast<size_t>(size)]);
  return shape;
}

absl::Status Binding::CheckInputs(std::span<const std::span<const int64_t>> shapes) const {
  const Plan& plan = plan_.plan;
  for (size_t i = 0; i < shapes.size(); ++i) {
    const std::vector<int32_t>& wanted =
        plan.tensors[static_cast<size_t>(plan.inputs[i].tensor)].shape;
    for (size_t axis = 0; axis < wanted.size(); ++axis) {
      const auto number = static_cast<size_t>(wanted[axis]);
      if (sizes_[number] == shapes[i][axis]) continue;
      const PlanSize& size = plan.sizes[number];
      const std::string reason = size.kind == PlanSize::Kind::kExtent
                                     ? ", as dimension " + Number(size.b) + " of `" +
                                           plan.inputs[static_cast<size_t>(size.a)].name + "`"
                                     : std::string();
      return SizeError("graph-shape-mismatch",
                       "dimension " + Number(static_cast<int64_t>(axis)) + " of the input `" +
                           plan.inputs[i].name + "` does not fit\nexpected: " +
                           Number(sizes_[number]) + reason + "\nfound: " + Number(shapes[i][axis]));
    }
  }
  return absl::OkStatus();
}

absl::Status Binding::CheckConditions(size_t group) const {
  for (const int32_t number : plan_.groups[group].conditions) {
    const PlanCondition& condition = plan_.plan.conditions[static_cast<size_t>(number)];
    const int64_t a = sizes_[static_cast<size_t>(condition.a)],
                  b = sizes_[static_cast<size_t>(condition.b)];
    const bool equal = condition.kind == PlanCondition::Kind::kEqual;
    if (equal ? a == b : a <= b) continue;
    return SizeError("graph-size-condition",
                     std::string(group == 0 ? "the inputs' shapes do not"
                                            : "a size that this run computed does not") +
                         " fit the graph: " + condition.what + "\nexpected: " +
                         (equal ? "" : "at most ") + Number(b) + "\nfound: " + Number(a) +
                         "\nhelp: give other inputs; the graph was compiled for sizes of which "
                         "this holds");
  }
  return absl::OkStatus();
}

absl::Status Binding::Measure(int32_t tensor) {
  const Plan& plan = plan_.plan;
  const auto number = static_cast<size_t>(tensor);
  const std::optional<uint64_t> bytes = BytesOf(plan.tensors[number].dtype, Shape(tensor));
  if (!bytes || *bytes >= kMaxArena)
    return SizeError("graph-size-overflow",
                     TensorName(plan, tensor) + " has a negative extent or too many bytes");
  bytes_[number] = *bytes;
  const int32_t root = plan_.roots[number];
  const uint64_t most = this->bytes(root);
  if (plan_.whole[number] != 0 ? *bytes == most : *bytes <= most) return absl::OkStatus();
  return SizeError("graph-shape-mismatch",
                   TensorName(plan, tensor) + " does not fit the memory of " +
                       TensorName(plan, root) +
                       ", which it has\nexpected: " + (plan_.whole[number] != 0 ? "" : "at most ") +
                       std::to_string(most) + " bytes\nfound: " + std::to_string(*bytes));
}

absl::Status Binding::FillSizes(size_t number) {
  const Plan& plan = plan_.plan;
  const ResolvedStep& step = plan_.steps[number];
  const ResolvedKernel& kernel = plan_.kernels[static_cast<size_t>(step.kernel)];
  const std::span<int64_t> values = ValuesOf(number);
  for (size_t k = 0; k < step.sizes.size(); ++k) {
    const int64_t value = sizes_[static_cast<size_t>(step.sizes[k])];
    if (kernel.wide[k] == 0 && value != static_cast<int32_t>(value))
      return SizeError(
          "graph-size-range",
          StepName(plan, number) + ": `" + kernel.size_names[k] +
              "` does not fit 32 bits\nexpected: at most 2147483647\nfound: " + Number(value) +
              "\nhelp: split the input, or compile the model with 64-bit sizes");
    values[k] = value;
  }
  return CheckKernelShapes(number);
}

absl::Status Binding::CheckKernelShapes(size_t step) const {
  const Plan& plan = plan_.plan;
  const ResolvedKernel& kernel = plan_.kernels[static_cast<size_t>(plan_.steps[step].kernel)];
  const std::span<const int64_t> values = ValuesOf(step);
  for (const StatedExtent& extent : kernel.extents) {
    const int32_t buffer = plan.steps[step].buffers[static_cast<size_t>(extent.buffer)];
    const int32_t size =
        plan.tensors[static_cast<size_t>(buffer)].shape[static_cast<size_t>(extent.axis)];
    const int64_t found = sizes_[static_cast<size_t>(size)];
    const std::optional<int64_t> wanted = extent.value.Evaluate(values);
    if (wanted == found) continue;
    return SizeError("graph-kernel-shape",
                     StepName(plan, step) + ": the kernel `" + plan.steps[step].kernel +
                         "` is for another shape of " + TensorName(plan, buffer) +
                         "\nexpected: dimension " + Number(extent.axis) + " of " +
                         (wanted ? Number(*wanted) : "a number that overflows") +
                         "\nfound: " + Number(found));
  }
  return absl::OkStatus();
}

absl::Status Binding::PlanArena(size_t group) {
  const Plan& plan = plan_.plan;
  std::vector<ArenaBlock> blocks;
  std::vector<uint64_t*> places;
  uint64_t total = 0;
  const auto add = [&](uint64_t bytes, int32_t first, int32_t last, uint64_t* place) {
    total += bytes;
    blocks.push_back({bytes, first, last, 0});
    places.push_back(place);
    return bytes < kMaxArena && total < kMaxArena;
  };
  constexpr std::string_view kTooLarge = "its memory has too many bytes";
  for (const int32_t tensor : plan_.groups[group].tensors) {
    const auto i = static_cast<size_t>(tensor);
    const Lifetime& life = plan_.lifetimes[i];
    if (plan.tensors[i].memory != Memory::kArena || life.first < 0 || plan_.direct[i] >= 0 ||
        plan.tensors[i].device != 0)
      continue;
    if (!add(bytes_[i], life.first, life.last, &offsets_[i]))
      return SizeError("graph-size-overflow", kTooLarge);
  }
  for (const int32_t step : plan_.groups[group].steps) {
    const auto i = static_cast<size_t>(step);
    workspaces_[i] = kOutside;
    if (plan.steps[i].kind != PlanStep::Kind::kKernel) continue;
    const ResolvedKernel& kernel = plan_.kernels[static_cast<size_t>(plan_.steps[i].kernel)];
    if (kernel.call == nullptr) continue;  // it takes workspace from its device
    const std::span<const int64_t> values = ValuesOf(i);
    const std::optional<int64_t> shared = kernel.workspace.Evaluate(values),
                                 own = kernel.thread_workspace.Evaluate(values);
    int64_t bytes = 0;
    if (!shared || !own || *shared < 0 || *own < 0 ||
        __builtin_mul_overflow(*own, int64_t{threads_}, &bytes) ||
        __builtin_add_overflow(bytes, *shared, &bytes))
      return SizeError("graph-size-overflow", kTooLarge);
    if (bytes == 0) continue;
    if (!add(static_cast<uint64_t>(bytes), step, step, &workspaces_[i]))
      return SizeError("graph-size-overflow", kTooLarge);
  }
  arenas_[group] = PlaceBlocks(blocks);
  for (size_t i = 0; i < blocks.size(); ++i) *places[i] = blocks[i].offset;
  PlanDevices(group);
  return absl::OkStatus();
}

// Kernels of devices take no addresses inside of a block, so blocks share whole allocations.
void Binding::PlanDevices(size_t group) {
  const Plan& plan = plan_.plan;
  for (size_t device = 1; device < plan.devices.size(); ++device) {
    std::vector<ArenaBlock> blocks;
    std::vector<size_t> roots;
    for (const int32_t tensor : plan_.groups[group].tensors) {
      const auto i = static_cast<size_t>(tensor);
      const Lifetime& life = plan_.lifetimes[i];
      if (plan.tensors[i].memory != Memory::kArena || life.first < 0 || plan_.direct[i] >= 0 ||
          static_cast<size_t>(plan.tensors[i].device) != device)
        continue;
      // No device has memory of no bytes.
      blocks.push_back({std::max<uint64_t>(bytes_[i], kArenaAlignment), life.first, life.last, 0});
      roots.push_back(i);
    }
    allocations_[group][device] = ShareAllocations(blocks);
    for (size_t i = 0; i < blocks.size(); ++i)
      places_on_device_[roots[i]] = static_cast<int32_t>(blocks[i].offset);
  }
}

void* Binding::AddressOf(int32_t tensor, std::span<void* const> outside) const {
  const auto root = static_cast<size_t>(plan_.roots[static_cast<size_t>(tensor)]);
  if (bytes_[root] == 0 && plan_.plan.tensors[root].device == 0) return nothing;
  if (offsets_[root] == kOutside) return outside[root];
  return bases_[static_cast<size_t>(plan_.tensor_groups[root])] + offsets_[root] +
         plan_.offsets[static_cast<size_t>(tensor)];
}

void Binding::Connect(int32_t group, char* arena, std::span<void* const> outside) {
  bases_[static_cast<size_t>(group)] = arena;
  for (const int32_t number : plan_.groups[static_cast<size_t>(group)].steps) {
    const auto step = static_cast<size_t>(number);
    if (plan_.steps[step].kernel < 0) continue;
    if (DeviceOfStep(plan_.plan, plan_.plan.steps[step]) != 0) {
      launches_.Fill(step, sizes_, ValuesOf(step), outside);
      continue;
    }
    size_t at = places_[step].pointers;
    for (const int32_t buffer : plan_.plan.steps[step].buffers)
      pointers_[at++] = AddressOf(buffer, outside);
    calls_[places_[step].call].workspace =
        workspaces_[step] == kOutside ? nullptr : arena + workspaces_[step];
  }
}

}  // namespace lathe::runtime::graph
