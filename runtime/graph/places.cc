#include "runtime/graph/places.h"

#include "runtime/graph/binding.h"
#include "runtime/graph/resolved.h"
#include "runtime/status.h"

namespace lathe::runtime::graph {

absl::StatusOr<Places> PlacesOf(const Executable& executable,
                                std::span<const std::vector<int64_t>> shapes) {
  const ResolvedPlan& resolved = executable.resolved();
  const Plan& plan = resolved.plan;
  const std::vector<std::span<const int64_t>> spans(shapes.begin(), shapes.end());
  LATHE_ASSIGN_OR_RETURN(const std::unique_ptr<Binding> binding,
                         Binding::Create(resolved, spans, /*threads=*/1));
  // An address to count from: nothing is read or written.
  static char base[1];
  const std::vector<void*> outside(plan.tensors.size(), nullptr);
  binding->Connect(0, base, outside);
  Places out{.arena_bytes = binding->arena().bytes,
             .arena_lower_bound = binding->arena().lower_bound};
  for (size_t i = 0; i < plan.tensors.size(); ++i) {
    TensorPlace place{.root = resolved.roots[i]};
    const auto root = static_cast<size_t>(place.root);
    const PlanTensor& memory = plan.tensors[root];
    const bool known = resolved.tensor_groups[i] == 0;
    if (known) place.shape = binding->Shape(static_cast<int32_t>(i));
    place.index = memory.index;
    if (memory.memory == PlanTensor::Memory::kInput) {
      place.memory = TensorPlace::Memory::kInput;
    } else if (memory.memory == PlanTensor::Memory::kConstant) {
      place.memory = TensorPlace::Memory::kConstant;
    } else if (resolved.direct[root] >= 0) {
      place.memory = TensorPlace::Memory::kOutput;
      place.index = resolved.direct[root];
    } else if (known) {
      place.bytes = binding->bytes(place.root);
      place.first = resolved.lifetimes[root].first;
      place.last = resolved.lifetimes[root].last;
      if (place.bytes > 0 && place.first >= 0 && memory.device == 0) {
        place.offset = static_cast<uint64_t>(
            static_cast<const char*>(binding->AddressOf(place.root, outside)) - base);
      }
    }
    out.tensors.push_back(std::move(place));
  }
  return out;
}

}  // namespace lathe::runtime::graph
