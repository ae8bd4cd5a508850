// A plan for inputs of given shapes: all sizes, the arena, and the arguments of every call, ready
// to run. Internal to the executor.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/graph/arena.h"
#include "runtime/graph/resolved.h"

namespace lathe::runtime::graph {

struct KernelCall {
  lathe_kernel_entry call = nullptr;
  void* const* buffers = nullptr;
  const int64_t* sizes = nullptr;
  void* workspace = nullptr;
};

// Not thread-safe; belongs to one context. Borrows the resolved plan.
class Binding {
 public:
  // `shapes` of the inputs, with the ranks of the plan. Fails with `graph-shape-mismatch`,
  // `graph-size-overflow`, `graph-size-range`, `graph-kernel-shape`.
  static absl::StatusOr<std::unique_ptr<Binding>> Create(
      const ResolvedPlan& plan, std::span<const std::span<const int64_t>> shapes, int threads);

  const ArenaUse& arena() const { return arena_; }
  int32_t threads() const { return threads_; }
  uint64_t bytes(int32_t tensor) const { return bytes_[static_cast<size_t>(tensor)]; }
  std::vector<int64_t> Shape(int32_t tensor) const;

  // Writes the addresses of all buffers into the calls: those in the arena, and `outside`, which
  // has the address of each other root that is in use.
  void Connect(char* arena, std::span<void* const> outside);
  // The address that Connect gave to a tensor that a step uses.
  void* AddressOf(int32_t tensor, char* arena, std::span<void* const> outside) const;
  std::span<const KernelCall> calls() const { return calls_; }

  // The context's count of address changes for which Connect was called last.
  uint64_t version = 0;

 private:
  explicit Binding(const ResolvedPlan& plan) : plan_(plan) {}
  absl::Status CheckInputs(std::span<const std::span<const int64_t>> shapes) const;
  absl::Status MeasureTensors();
  absl::Status FillSizes();
  absl::Status CheckKernelShapes(size_t step, std::span<const int64_t> values) const;
  absl::Status PlanArena();
  absl::Status SizeError(std::string_view name, std::string_view what) const;

  const ResolvedPlan& plan_;
  int32_t threads_ = 1;
  ArenaUse arena_;
  std::vector<int64_t> sizes_;        // of the plan
  std::vector<uint64_t> bytes_;       // of each tensor
  std::vector<uint64_t> offsets_;     // of each root in the arena, or kOutside
  std::vector<uint64_t> workspaces_;  // of each step: the offset of its workspace, or kOutside
  std::vector<int64_t> values_;       // sizes of all calls
  std::vector<void*> pointers_;       // buffers of all calls
  std::vector<KernelCall> calls_;
};

}  // namespace lathe::runtime::graph
