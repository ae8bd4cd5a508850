// A plan for inputs of given shapes: all sizes, the arena, and the arguments of every call, ready
// to run. Internal to the executor.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/graph/arena.h"
#include "runtime/graph/launches.h"
#include "runtime/graph/resolved.h"

namespace lathe::runtime::graph {

// The arguments of an instruction; `call` is null if it calls no kernel on the host.
struct KernelCall {
  lathe_kernel_entry call = nullptr;
  void* const* buffers = nullptr;
  const int64_t* sizes = nullptr;
  void* workspace = nullptr;
};

// Not thread-safe; belongs to one context. Borrows the resolved plan.
class Binding {
 public:
  // Plans group 0. `shapes` of the inputs, with the ranks of the plan. Fails with
  // `graph-shape-mismatch`, `graph-size-condition`, `graph-size-overflow`,
  // `graph-size-range`, `graph-kernel-shape`.
  static absl::StatusOr<std::unique_ptr<Binding>> Create(
      const ResolvedPlan& plan, std::span<const std::span<const int64_t>> shapes, int threads);
  // Plans another group, whose size has this value from now on. Fails as Create does.
  absl::Status Bind(int32_t group, int64_t value);

  // Of all groups that are planned.
  ArenaUse arena() const;
  uint64_t arena_bytes(int32_t group) const { return arenas_[static_cast<size_t>(group)].bytes; }
  // The memory of a group on a device that is not the host: the bytes of each allocation, the
  // largest first.
  std::span<const uint64_t> allocations(int32_t group, int32_t device) const {
    return allocations_[static_cast<size_t>(group)][static_cast<size_t>(device)];
  }
  // The number of a root's allocation among those of its group and device; -1 if its memory is
  // elsewhere.
  int32_t AllocationOf(int32_t root) const { return places_on_device_[static_cast<size_t>(root)]; }
  int32_t threads() const { return threads_; }
  // Of a tensor whose group is not planned yet, 0.
  uint64_t bytes(int32_t tensor) const { return bytes_[static_cast<size_t>(tensor)]; }
  std::vector<int64_t> Shape(int32_t tensor) const;
  // Forgets all groups but 0.
  void Begin();

  // Writes the addresses of buffers into the calls of a group: those in its arena, and `outside`,
  // which has the address of each other root that is in use, those on other devices included.
  void Connect(int32_t group, char* arena, std::span<void* const> outside);
  // The address that Connect gave to a tensor that a step uses.
  void* AddressOf(int32_t tensor, std::span<void* const> outside) const;
  // Does a step whose kernel runs on another device than the host. The work may be queued.
  absl::Status Launch(size_t step) { return launches_.Run(step); }
  // One for each instruction of the program.
  std::span<const KernelCall> calls() const { return calls_; }

  // The context's count of address changes for which Connect was called last.
  uint64_t version = 0;

 private:
  explicit Binding(const ResolvedPlan& plan) : plan_(plan), launches_(plan) {}
  absl::Status CheckInputs(std::span<const std::span<const int64_t>> shapes) const;
  absl::Status CheckConditions(size_t group) const;
  void PlaceCalls();
  absl::Status PlanGroup(size_t group);
  absl::Status Measure(int32_t tensor);
  absl::Status FillSizes(size_t step);
  absl::Status CheckKernelShapes(size_t step) const;
  absl::Status PlanArena(size_t group);
  void PlanDevices(size_t group);
  // The values of the sizes of a step's kernel.
  std::span<int64_t> ValuesOf(size_t step);
  std::span<const int64_t> ValuesOf(size_t step) const;
  absl::Status SizeError(std::string_view name, std::string_view what) const;

  const ResolvedPlan& plan_;
  int32_t threads_ = 1;
  std::vector<ArenaUse> arenas_;   // of each group
  std::vector<char*> bases_;       // of each group
  std::vector<int64_t> sizes_;     // of the plan
  std::vector<uint64_t> bytes_;    // of each tensor
  std::vector<uint64_t> offsets_;  // of each root in its group's arena, or kOutside
  std::vector<std::vector<std::vector<uint64_t>>> allocations_;  // of each group and device
  std::vector<int32_t> places_on_device_;                        // of each root
  Launches launches_;
  std::vector<uint64_t> workspaces_;  // of each step: the offset of its workspace, or kOutside
  std::vector<int64_t> values_;       // sizes of all calls
  std::vector<void*> pointers_;       // buffers of all calls
  struct Place {
    size_t values = 0, pointers = 0, call = 0;  // where a step's part of each list begins
  };
  std::vector<Place> places_;  // of each step
  std::vector<KernelCall> calls_;
};

}  // namespace lathe::runtime::graph
