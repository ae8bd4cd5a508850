#include <atomic>
#include <utility>

#include "runtime/graph/context_state.h"
#include "runtime/graph/executor.h"
#include "runtime/status.h"

namespace lathe::runtime::graph {
namespace {

// Marks a context as used by one thread, for the duration of a method.
class Use {
 public:
  explicit Use(std::atomic<bool>& busy)
      : busy_(busy), mine_(!busy.exchange(true, std::memory_order_acquire)) {}
  ~Use() {
    if (mine_) busy_.store(false, std::memory_order_release);
  }
  absl::Status status() const {
    if (mine_) return absl::OkStatus();
    return MakeStatus(absl::StatusCode::kFailedPrecondition, "graph-context-busy",
                      "the context is running\nhelp: make a context for each thread; they share "
                      "the model's code and constants");
  }

 private:
  std::atomic<bool>& busy_;
  bool mine_;
};

}  // namespace

Context::Context(std::shared_ptr<const Executable> executable)
    : state_(std::make_unique<ContextState>(std::move(executable))) {}
Context::~Context() = default;

const Executable& Context::executable() const { return state_->executable(); }

absl::Status Context::SetInput(int index, const DLTensor& tensor) {
  const Use use(state_->busy);
  LATHE_RETURN_IF_ERROR(use.status());
  return state_->slots().CopyInput(index, tensor);
}
absl::Status Context::SetInput(std::string_view name, const Tensor& tensor) {
  LATHE_ASSIGN_OR_RETURN(const int index, executable().InputIndex(name));
  return SetInput(index, tensor.dl());
}
absl::Status Context::SetInputZeroCopy(int index, const Tensor& tensor) {
  const Use use(state_->busy);
  LATHE_RETURN_IF_ERROR(use.status());
  return state_->slots().ShareInput(index, tensor.dl(), tensor);
}
absl::Status Context::BorrowInput(int index, const DLTensor& tensor) {
  const Use use(state_->busy);
  LATHE_RETURN_IF_ERROR(use.status());
  return state_->slots().ShareInput(index, tensor, Tensor());
}
absl::StatusOr<Tensor> Context::GetInput(int index) {
  const Use use(state_->busy);
  LATHE_RETURN_IF_ERROR(use.status());
  return state_->slots().GetInput(index);
}

absl::Status Context::SetOutput(int index, const Tensor& tensor) {
  const Use use(state_->busy);
  LATHE_RETURN_IF_ERROR(use.status());
  return state_->slots().ShareOutput(index, tensor ? &tensor.dl() : nullptr, tensor);
}
absl::Status Context::BorrowOutput(int index, const DLTensor& tensor) {
  const Use use(state_->busy);
  LATHE_RETURN_IF_ERROR(use.status());
  return state_->slots().ShareOutput(index, &tensor, Tensor());
}
absl::StatusOr<Tensor> Context::GetOutput(int index) {
  const Use use(state_->busy);
  LATHE_RETURN_IF_ERROR(use.status());
  return state_->GetOutput(index);
}
absl::StatusOr<std::vector<int64_t>> Context::GetOutputShape(int index) {
  const Use use(state_->busy);
  LATHE_RETURN_IF_ERROR(use.status());
  return state_->GetOutputShape(index);
}

absl::StatusOr<Tensor> Context::GetConstant(int index) {
  const Use use(state_->busy);
  LATHE_RETURN_IF_ERROR(use.status());
  return state_->GetConstant(index);
}
absl::Status Context::SetConstant(int index, const Tensor& tensor) {
  const Use use(state_->busy);
  LATHE_RETURN_IF_ERROR(use.status());
  return state_->SetConstant(index, tensor);
}
absl::Status Context::SetConstant(std::string_view name, const Tensor& tensor) {
  LATHE_ASSIGN_OR_RETURN(const int index, executable().ConstantIndex(name));
  return SetConstant(index, tensor);
}

absl::Status Context::SetConstants(std::span<const NamedTensor> constants) {
  const Use use(state_->busy);
  LATHE_RETURN_IF_ERROR(use.status());
  return state_->SetConstants(constants);
}

absl::Status Context::SetThreads(int threads) {
  const Use use(state_->busy);
  LATHE_RETURN_IF_ERROR(use.status());
  return state_->SetThreads(threads);
}

absl::Status Context::Run() {
  const Use use(state_->busy);
  LATHE_RETURN_IF_ERROR(use.status());
  return state_->Run(nullptr);
}
absl::Status Context::RunObserved(const StepObserver& observer) {
  const Use use(state_->busy);
  LATHE_RETURN_IF_ERROR(use.status());
  return state_->Run(&observer);
}
absl::StatusOr<std::vector<Tensor>> Context::RunOnce(std::span<const Tensor> inputs) {
  const Use use(state_->busy);
  LATHE_RETURN_IF_ERROR(use.status());
  return state_->RunOnce(inputs);
}
absl::Status Context::Prepare() {
  const Use use(state_->busy);
  LATHE_RETURN_IF_ERROR(use.status());
  return state_->Prepare();
}

uint64_t Context::arena_bytes() const { return state_->arena_bytes(); }
uint64_t Context::arena_lower_bound() const { return state_->arena_lower_bound(); }

}  // namespace lathe::runtime::graph
