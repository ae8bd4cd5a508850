// Runs plans: an Executable, which all share, and a Context for each caller.
//
//   std::shared_ptr<const Executable> model = Executable::Create(plan, module).value();
//   Context context(model);
//   context.SetInput("x", x);
//   context.Run();
//   Tensor y = context.GetOutput(0).value();
//
// Work on other devices than the host goes to the calling thread's current streams (stream.h), and
// is done when Run returns. Errors are statuses, because inputs come from outside of the program:
// wrong ones are named `graph-...` and say which input, what was expected and what was found.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/device.h"
#include "runtime/graph/params.h"
#include "runtime/graph/plan.h"
#include "runtime/module.h"
#include "runtime/tensor.h"

namespace lathe::runtime::graph {

// The data of a constant, which must never change; null if it is not there.
using ConstantSource = std::function<Tensor(const PlanConstant& constant)>;

// How a step is run: found once, when the executable is made. Internal to the executor.
struct ResolvedPlan;
class ContextState;

// A plan with its kernels and constants. Immutable, so thread-safe. It keeps the code alive.
class Executable {
 public:
  // Finds the kernels in `code` and in the modules that it imports; `code` may be null if there are
  // none. Each kernel must take the
  // plan's buffers and sizes: their number, element types, ranks, names. A constant is what
  // `constants` returns; if that is null, or there is no source, what the code has
  // (Plan::constants_entry); else the living blob with its digest (base/blob.h). A constant that is
  // not there can be set by its name. Constants are copied to the plan's devices here, once.
  // `devices` are those that the plan may use: its slot n of a kind is the n-th of that kind. If
  // none of the kind is given, it is the device n of the kind; the host need not be given. Fails as
  // CheckPlan does, with `entry-not-found`, `graph-kernel-mismatch`, `graph-constant-mismatch`,
  // `graph-device` (a device that is missing, or that the plan does not use), and with the errors
  // of a device.
  static absl::StatusOr<std::shared_ptr<const Executable>> Create(
      Plan plan, const Module& code, const ConstantSource& constants = {},
      std::span<const Device> devices = {});
  // The same executable with other data for some constants; the rest is shared. The tensors are
  // shared, too, if they are compact and on the constant's device, else copied. Fails with
  // `graph-constant-unknown`, which lists the nearest names, `graph-constant-mismatch`.
  absl::StatusOr<std::shared_ptr<const Executable>> WithConstants(
      std::span<const NamedTensor> constants) const;

  const Plan& plan() const;
  // Fails with `graph-input-unknown`, which lists the nearest names.
  absl::StatusOr<int> InputIndex(std::string_view name) const;
  // Fails with `graph-constant-unknown`.
  absl::StatusOr<int> ConstantIndex(std::string_view name) const;
  // Of each entry of plan().devices, the device that it stands for.
  std::span<const Device> devices() const;
  // Null if it is not set.
  const Tensor& constant(int index) const { return constants_[static_cast<size_t>(index)]; }
  const ResolvedPlan& resolved() const { return *resolved_; }

  // For Create and WithConstants only.
  Executable(std::shared_ptr<const ResolvedPlan> resolved, std::vector<Tensor> constants)
      : resolved_(std::move(resolved)), constants_(std::move(constants)) {}

 private:
  std::shared_ptr<const ResolvedPlan> resolved_;
  std::vector<Tensor> constants_;
};

// What RunObserved reports after a step. Valid during the call only: later steps use the memory
// again.
struct ObservedStep {
  int index = 0;
  const PlanStep* step = nullptr;
  int64_t nanoseconds = 0;
  // The tensors that the step wrote, and their numbers in the plan.
  std::span<const int32_t> numbers;
  std::span<const Tensor> outputs;
};
using StepObserver = std::function<void(const ObservedStep& step)>;

// Runs an executable with memory of its own. One thread at a time uses a context; contexts of one
// executable run at the same time. Methods that run or change a context fail with
// `graph-context-busy` while another thread runs it.
class Context {
 public:
  explicit Context(std::shared_ptr<const Executable> executable);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Executable& executable() const;
  const Plan& plan() const { return executable().plan(); }

  // Copies the elements, from any device and layout. Shapes are compared with each other when the
  // context runs, so they may be changed one input after another. All ways to set an input fail
  // with `graph-input-index`, `graph-input-mismatch` (element type, rank, an extent that the plan
  // fixes), and the by-name forms with `graph-input-unknown`.
  absl::Status SetInput(int index, const DLTensor& tensor);
  absl::Status SetInput(int index, const Tensor& tensor) { return SetInput(index, tensor.dl()); }
  absl::Status SetInput(std::string_view name, const Tensor& tensor);
  // Reads the caller's memory at each run, and keeps the tensor. Also fails with
  // `graph-input-layout`: the tensor must be compact, on the input's device, and aligned as the
  // kernels need.
  absl::Status SetInputZeroCopy(int index, const Tensor& tensor);
  // The same for memory that the caller keeps alive until another input is set.
  absl::Status BorrowInput(int index, const DLTensor& tensor);
  // The tensor that will be read; writing to it changes the input. An input that is not set gets
  // memory of the context, with zeros, if its shape does not depend on inputs; otherwise fails with
  // `graph-input-missing`.
  absl::StatusOr<Tensor> GetInput(int index);

  // The run writes to the caller's memory, and keeps the tensor; a null tensor undoes this. Fails
  // with `graph-output-index`, `graph-output-mismatch`, `graph-output-layout`; the shape is
  // compared when the context runs.
  absl::Status SetOutput(int index, const Tensor& tensor);
  absl::Status BorrowOutput(int index, const DLTensor& tensor);
  // The output of the last run, on its device: the caller's tensor, or memory of the context, which
  // the next run overwrites. Fails with `graph-not-run`, `graph-output-index`.
  absl::StatusOr<Tensor> GetOutput(int index);
  // Known when the inputs' shapes are; for shapes that only a run knows, that of the last run, or
  // `graph-not-run`.
  absl::StatusOr<std::vector<int64_t>> GetOutputShape(int index);

  // Null if it is not set. Fails with `graph-constant-unknown`.
  absl::StatusOr<Tensor> GetConstant(int index);
  // Other data for a constant, in this context only. Fails as WithConstants does.
  absl::Status SetConstant(int index, const Tensor& tensor);
  absl::Status SetConstant(std::string_view name, const Tensor& tensor);
  // All of them, or none if one fails.
  absl::Status SetConstants(std::span<const NamedTensor> constants);

  // The threads of a kernel's parallel loop; 0, the default: NumThreads() at each run.
  absl::Status SetThreads(int threads);

  // Runs all steps. Shapes that were not seen lately are planned first; then nothing is allocated,
  // except for tensors whose size a step binds and that are larger than in all runs before.
  // Fails with `graph-input-missing`, `graph-constant-missing`, `graph-shape-mismatch` (two inputs
  // disagree on a size), `graph-size-condition` (PlanCondition), `graph-size-overflow`,
  // `graph-size-range` (more than the kernels' 32-bit
  // sizes hold), `graph-size-element`, `graph-kernel-shape` (a kernel was compiled for other
  // shapes), `graph-overlap` (an output is in the memory of another output, an input or a
  // constant), the errors of devices, `cancelled`, `deadline-exceeded` (cancel.h, between steps and
  // within kernels), or with the error of a kernel, which names the step's location.
  absl::Status Run();
  // The same, with a report after each step.
  absl::Status RunObserved(const StepObserver& observer);
  // Runs once on these inputs, one for each input of the plan, and gives the outputs in memory of
  // their own. The inputs are read in place if their layout allows. Inputs and outputs that were
  // set before are forgotten. Fails as SetInput and Run do.
  absl::StatusOr<std::vector<Tensor>> RunOnce(std::span<const Tensor> inputs);
  // Does what the first run with these shapes would do beforehand.
  absl::Status Prepare();

  // Of the last shapes that were planned: the bytes of the arena, and the most bytes that are in
  // use at one step, which no placement can undercut.
  uint64_t arena_bytes() const;
  uint64_t arena_lower_bound() const;

 private:
  std::unique_ptr<ContextState> state_;
};

}  // namespace lathe::runtime::graph
