// What a context is made of. Internal to the executor.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/graph/binding.h"
#include "runtime/graph/executor.h"
#include "runtime/graph/resolved.h"
#include "runtime/graph/slots.h"
#include "runtime/tensor.h"

namespace lathe::runtime::graph {

// The methods of Context, without the check that one thread at a time uses it.
class ContextState {
 public:
  explicit ContextState(std::shared_ptr<const Executable> executable);

  const Executable& executable() const { return *executable_; }
  Slots& slots() { return slots_; }

  absl::Status CheckConstantIndex(int index) const;
  absl::StatusOr<Tensor> GetConstant(int index) const;
  absl::Status SetConstant(int index, const Tensor& tensor);
  absl::Status SetConstants(std::span<const NamedTensor> constants);
  absl::Status SetThreads(int threads);

  // Plans memory if the shapes are new, and gives the calls their addresses if any has changed.
  absl::Status Prepare();
  absl::Status Run(const StepObserver* observer);
  absl::StatusOr<std::vector<Tensor>> RunOnce(std::span<const Tensor> inputs);

  absl::StatusOr<Tensor> GetOutput(int index);
  absl::StatusOr<std::vector<int64_t>> GetOutputShape(int index);

  uint64_t arena_bytes() const { return binding_ == nullptr ? 0 : binding_->arena().bytes; }
  uint64_t arena_lower_bound() const;

  std::atomic<bool> busy{false};

 private:
  struct Kept {
    std::vector<int64_t> key;
    std::unique_ptr<Binding> binding;
  };

  absl::StatusOr<std::vector<Tensor>> RunIntoNew();
  // Makes binding_ the plan for the inputs' shapes.
  absl::Status Bind(int threads);
  // Gives memory and addresses to everything of group 0.
  absl::Status Connect();
  absl::Status ReserveArena(int32_t group);
  // The memory of a group on devices that are not the host.
  absl::Status ReserveOnDevices(int32_t group);

  // Gives memory to the outputs of a group.
  absl::Status ShapeOutputs(int32_t group);

  // Does an instruction that calls no kernel. Returns the number of the next one.
  absl::StatusOr<size_t> Control(size_t at);
  absl::Status BindWhileRunning(const PlanStep& step, int32_t group);

  // Steps write outputs before all inputs are read.
  absl::Status CheckOverlap() const;

  // The bytes of a tensor, without its shape.
  DLTensor BytesOf(int32_t tensor, void* data, int64_t* extent) const;
  // Copies a tensor to the memory of another, on whatever devices they are.
  absl::Status CopyBytes(int32_t from, void* from_data, int32_t to, void* to_data) const;
  // Waits for all devices but the host.
  absl::Status Wait() const;

  char* arena_data(int32_t group) const;
  void* AddressOf(int32_t tensor) const { return binding_->AddressOf(tensor, outside_); }

  absl::Status Failed(size_t at) const;
  // A failure with the step's name.
  absl::Status InStep(size_t at, const absl::Status& status) const;

  void Report(const StepObserver& observer, size_t number, int64_t nanoseconds);
  // What keeps the memory of a written tensor.
  Tensor MemoryOf(int32_t tensor) const;
  // Of a root in the memory that was reserved on a device that is not the host; else null.
  Tensor MemoryOnDevice(int32_t root) const;

  std::shared_ptr<const Executable> executable_;
  const ResolvedPlan& resolved_;
  Slots slots_;
  std::vector<Tensor> constants_;
  std::vector<Kept> kept_;
  Binding* binding_ = nullptr;  // of the current shapes; in kept_
  uint64_t version_ = 0;        // increases whenever an address changes
  std::vector<Tensor> arenas_;  // of each group, as bytes; they only grow
  // Of each group and device: allocations, as bytes; they only grow.
  std::vector<std::vector<std::vector<Tensor>>> device_arenas_;
  std::vector<void*> outside_;  // of each tensor that is not in the host's arena: its address
  int threads_ = 0;
  bool has_run_ = false;
};

}  // namespace lathe::runtime::graph
