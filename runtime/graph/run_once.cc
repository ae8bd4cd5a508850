// Runs a plan for a caller that keeps the results.
#include <utility>

#include "runtime/graph/context_state.h"
#include "runtime/status.h"
#include "runtime/thread_pool.h"

namespace lathe::runtime::graph {

absl::StatusOr<std::vector<Tensor>> ContextState::RunOnce(std::span<const Tensor> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto index = static_cast<int>(i);
    absl::Status status = slots_.ShareInput(index, inputs[i].dl(), Tensor());
    if (StatusName(status) == "graph-input-layout")
      status = slots_.CopyInput(index, inputs[i].dl());
    LATHE_RETURN_IF_ERROR(status);
  }
  absl::StatusOr<std::vector<Tensor>> outputs = RunIntoNew();
  // The next run gets other tensors.
  for (size_t i = 0; i < resolved_.outputs.size(); ++i)
    LATHE_RETURN_IF_ERROR(slots_.ShareOutput(static_cast<int>(i), nullptr, Tensor()));
  return outputs;
}

absl::StatusOr<std::vector<Tensor>> ContextState::RunIntoNew() {
  const int threads = threads_ == 0 ? NumThreads() : threads_;
  if (slots_.shapes_changed || binding_ == nullptr || binding_->threads() != threads)
    LATHE_RETURN_IF_ERROR(Bind(threads));
  std::vector<Tensor> outputs(resolved_.outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto tensor = static_cast<size_t>(resolved_.outputs[i].tensor);
    // Shapes that only the run knows get memory then.
    if (resolved_.tensor_groups[tensor] != 0) continue;
    LATHE_ASSIGN_OR_RETURN(outputs[i], Tensor::Empty(binding_->Shape(resolved_.outputs[i].tensor),
                                                     resolved_.plan.tensors[tensor].dtype));
    LATHE_RETURN_IF_ERROR(slots_.ShareOutput(static_cast<int>(i), &outputs[i].dl(), outputs[i]));
  }
  LATHE_RETURN_IF_ERROR(Run(nullptr));
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i]) continue;
    LATHE_ASSIGN_OR_RETURN(outputs[i], slots_.output(i).Clone());
  }
  return outputs;
}

}  // namespace lathe::runtime::graph
