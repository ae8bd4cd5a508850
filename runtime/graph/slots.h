// The inputs and outputs of a context: which memory they have, and what they must look like.
// Internal to the executor.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/graph/resolved.h"
#include "runtime/tensor.h"

namespace lathe::runtime::graph {

// A tensor of this shape at `data`, which lies in `memory` and keeps it.
Tensor ViewOf(Tensor memory, void* data, std::span<const int64_t> shape, DataType dtype,
              const Device& device = Device::Cpu());

// Not thread-safe. Borrows the plan. Errors are those of the context's methods (executor.h).
class Slots {
 public:
  explicit Slots(const ResolvedPlan& plan)
      : plan_(plan), inputs_(plan.plan.inputs.size()), outputs_(plan.plan.outputs.size()) {}

  absl::Status CopyInput(int index, const DLTensor& tensor);
  // `owner` is kept; null if the caller keeps the memory.
  absl::Status ShareInput(int index, const DLTensor& tensor, Tensor owner);
  absl::StatusOr<Tensor> GetInput(int index);
  // `graph-input-missing`, unless the input is set.
  absl::Status CheckInputSet(size_t index) const;
  std::span<const int64_t> input_shape(size_t index) const { return inputs_[index].shape; }
  void* input_address(size_t index) const { return inputs_[index].data; }

  absl::Status CheckOutputIndex(int index) const;
  // Null `tensor`: the context's own memory.
  absl::Status ShareOutput(int index, const DLTensor* tensor, Tensor owner);
  // Makes sure that the output has memory for this shape.
  absl::Status ShapeOutput(size_t index, std::span<const int64_t> shape, uint64_t bytes);
  void* output_address(size_t index) const { return outputs_[index].data; }
  Tensor output(size_t index) const { return outputs_[index].tensor; }

  // Set here, and reset by the context after it took notice.
  bool shapes_changed = true, addresses_changed = true;

 private:
  struct Input {
    bool set = false;
    void* data = nullptr;
    std::vector<int64_t> shape;
    Tensor tensor;  // what GetInput returns; null for borrowed memory until it is asked for
    Tensor memory;  // of the context, as bytes; kept for the next copy
  };
  struct Output {
    bool given = false;  // by the caller
    void* data = nullptr;
    std::vector<int64_t> shape;
    Tensor tensor;  // what GetOutput returns
    Tensor memory;  // of the context, as bytes
  };

  int32_t InputNumber(size_t index) const;
  const PlanTensor& InputTensor(size_t index) const;
  const PlanTensor& OutputTensor(size_t index) const;
  std::string InputName(size_t index) const;
  absl::Status CheckInput(int index, const DLTensor& tensor) const;
  absl::Status CheckLayout(const char* status, const std::string& what, int32_t wanted,
                           const DLTensor& tensor) const;
  absl::Status UseOwnInput(size_t index, std::span<const int64_t> shape);
  void Shape(Input& input, std::span<const int64_t> shape);
  std::string Expected(const PlanTensor& tensor) const;

  const ResolvedPlan& plan_;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
};

}  // namespace lathe::runtime::graph
