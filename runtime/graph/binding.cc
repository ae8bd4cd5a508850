#include "runtime/graph/binding.h"

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
  LATHE_RETURN_IF_ERROR(out->MeasureTensors());
  LATHE_RETURN_IF_ERROR(out->FillSizes());
  LATHE_RETURN_IF_ERROR(out->PlanArena());
  return out;
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

absl::Status Binding::MeasureTensors() {
  const Plan& plan = plan_.plan;
  for (size_t i = 0; i < plan.tensors.size(); ++i) {
    const auto number = static_cast<int32_t>(i);
    const std::optional<uint64_t> bytes = BytesOf(plan.tensors[i].dtype, Shape(number));
    if (!bytes || *bytes >= kMaxArena)
      return SizeError("graph-size-overflow",
                       TensorName(plan, number) + " has a negative extent or too many bytes");
    bytes_.push_back(*bytes);
    if (plan.tensors[i].memory == Memory::kAlias &&
        *bytes != bytes_[static_cast<size_t>(plan.tensors[i].index)])
      return SizeError("graph-shape-mismatch",
                       TensorName(plan, number) + " has another number of bytes than " +
                           TensorName(plan, plan.tensors[i].index) +
                           ", whose memory it has\nexpected: " +
                           std::to_string(bytes_[static_cast<size_t>(plan.tensors[i].index)]) +
                           "\nfound: " + std::to_string(*bytes));
  }
  return absl::OkStatus();
}

absl::Status Binding::FillSizes() {
  const Plan& plan = plan_.plan;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const ResolvedStep& step = plan_.steps[i];
    const ResolvedKernel& kernel = plan_.kernels[static_cast<size_t>(step.kernel)];
    const size_t begin = values_.size();
    for (size_t k = 0; k < step.sizes.size(); ++k) {
      const int64_t value = sizes_[static_cast<size_t>(step.sizes[k])];
      if (kernel.wide[k] == 0 && value != static_cast<int32_t>(value))
        return SizeError(
            "graph-size-range",
            StepName(plan, i) + ": `" + kernel.size_names[k] +
                "` does not fit 32 bits\nexpected: at most 2147483647\nfound: " + Number(value) +
                "\nhelp: split the input, or compile the model with 64-bit sizes");
      values_.push_back(value);
    }
    LATHE_RETURN_IF_ERROR(CheckKernelShapes(i, std::span(values_).subspan(begin)));
  }
  return absl::OkStatus();
}

absl::Status Binding::CheckKernelShapes(size_t step, std::span<const int64_t> values) const {
  const Plan& plan = plan_.plan;
  const ResolvedKernel& kernel = plan_.kernels[static_cast<size_t>(plan_.steps[step].kernel)];
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

absl::Status Binding::PlanArena() {
  const Plan& plan = plan_.plan;
  std::vector<ArenaBlock> blocks;
  std::vector<uint64_t*> places;
  offsets_.assign(plan.tensors.size(), kOutside);
  workspaces_.assign(plan.steps.size(), kOutside);
  uint64_t total = 0;
  const auto add = [&](uint64_t bytes, int32_t first, int32_t last, uint64_t* place) {
    total += bytes;
    blocks.push_back({bytes, first, last, 0});
    places.push_back(place);
    return bytes < kMaxArena && total < kMaxArena;
  };
  const absl::Status too_large = SizeError("graph-size-overflow", "its memory has too many bytes");
  for (size_t i = 0; i < plan.tensors.size(); ++i) {
    const Lifetime& life = plan_.lifetimes[i];
    if (plan.tensors[i].memory != Memory::kArena || life.first < 0 || plan_.direct[i] >= 0)
      continue;
    if (!add(bytes_[i], life.first, life.last, &offsets_[i])) return too_large;
  }
  size_t at = 0;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const ResolvedStep& step = plan_.steps[i];
    const ResolvedKernel& kernel = plan_.kernels[static_cast<size_t>(step.kernel)];
    const auto values = std::span<const int64_t>(values_).subspan(at, step.sizes.size());
    at += step.sizes.size();
    const std::optional<int64_t> shared = kernel.workspace.Evaluate(values),
                                 own = kernel.thread_workspace.Evaluate(values);
    int64_t bytes = 0;
    if (!shared || !own || *shared < 0 || *own < 0 ||
        __builtin_mul_overflow(*own, int64_t{threads_}, &bytes) ||
        __builtin_add_overflow(bytes, *shared, &bytes))
      return too_large;
    if (bytes == 0) continue;
    const auto number = static_cast<int32_t>(i);
    if (!add(static_cast<uint64_t>(bytes), number, number, &workspaces_[i])) return too_large;
  }
  arena_ = PlaceBlocks(blocks);
  for (size_t i = 0; i < blocks.size(); ++i) *places[i] = blocks[i].offset;

  size_t buffers = 0;
  for (const PlanStep& step : plan.steps) buffers += step.buffers.size();
  pointers_.resize(buffers);
  calls_.resize(plan.steps.size());
  buffers = at = 0;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const ResolvedKernel& kernel = plan_.kernels[static_cast<size_t>(plan_.steps[i].kernel)];
    calls_[i] = {kernel.call, pointers_.data() + buffers, values_.data() + at, nullptr};
    buffers += plan.steps[i].buffers.size();
    at += plan_.steps[i].sizes.size();
  }
  return absl::OkStatus();
}

void* Binding::AddressOf(int32_t tensor, char* arena, std::span<void* const> outside) const {
  const auto root = static_cast<size_t>(plan_.roots[static_cast<size_t>(tensor)]);
  void* address = offsets_[root] == kOutside ? outside[root] : arena + offsets_[root];
  return bytes_[root] == 0 ? nothing : address;
}

void Binding::Connect(char* arena, std::span<void* const> outside) {
  size_t at = 0;
  for (size_t i = 0; i < calls_.size(); ++i) {
    for (const int32_t buffer : plan_.plan.steps[i].buffers)
      pointers_[at++] = AddressOf(buffer, arena, outside);
    calls_[i].workspace = workspaces_[i] == kOutside ? nullptr : arena + workspaces_[i];
  }
}

}  // namespace lathe::runtime::graph
