// Runs programs: a ProgramExecutable, which all share, and a Machine for each caller.
//
//   auto executable = ProgramExecutable::Create(program, code).value();
//   Machine machine(executable);
//   Value y = machine.Invoke("main", arguments).value();
//
// Calls are in a list and not on the C++ stack. A call whose result is the caller's result takes
// the caller's place, so recursion at the end of a function needs no memory. Errors are statuses.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "runtime/graph/executor.h"
#include "runtime/graph/vm/program.h"
#include "runtime/graph/vm/values.h"
#include "runtime/module.h"
#include "runtime/value.h"

namespace lathe::runtime::vm {

// A program with its kernels and constants. Immutable, so thread-safe. It keeps the code alive.
class ProgramExecutable {
 public:
  // Fails as CheckProgram and graph::Executable::Create do.
  static absl::StatusOr<std::shared_ptr<const ProgramExecutable>> Create(Program program,
                                                                         const Module& code);
  const Program& program() const { return program_; }
  // The entry of a name; fails with `graph-function-unknown`, which lists the nearest names.
  absl::StatusOr<const ProgramEntry*> Entry(std::string_view name) const;

  const std::shared_ptr<const graph::Executable>& plan(size_t i) const { return plans_[i]; }
  const std::shared_ptr<const Constructor>& constructor(size_t i) const { return constructors_[i]; }
  // The number of the first constructor of a type.
  size_t first_constructor(size_t type) const { return first_[type]; }

 private:
  Program program_;
  std::vector<std::shared_ptr<const graph::Executable>> plans_;
  std::vector<std::shared_ptr<const Constructor>> constructors_;
  std::vector<size_t> first_;
};

// Called after each step of a plan; `function` is the program's function that runs the plan.
using ProgramObserver =
    std::function<void(std::string_view function, const graph::ObservedStep& step)>;

struct MachineOptions {
  int max_call_depth = 100000;      // calls that are open at the same time
  int64_t max_registers = 1 << 25;  // of all open calls
};

// One thread at a time uses a machine; machines of one executable run at the same time.
class Machine {
 public:
  explicit Machine(std::shared_ptr<const ProgramExecutable> executable,
                   MachineOptions options = {});

  const ProgramExecutable& executable() const { return *executable_; }

  // Calls an entry. Arguments are tensors, arrays of arguments for tuples, and values of data types
  // (values.h). Tensors are copied, so results never change with the caller's memory; tuples come
  // back as arrays. Fails with `graph-function-unknown`, `graph-argument-count`,
  // `graph-value-kind` (an argument, or a value of a damaged program, of another kind),
  // `graph-call-depth`, which names the function, `graph-context-busy` while another thread uses
  // the machine, and as graph::Context::Run does.
  absl::StatusOr<Value> Invoke(std::string_view name, std::span<const Value> args);
  // The same, with a report after each step. Plans then run in memory of their own, from which
  // their results are copied; the times of steps do not include these copies. `observer` is
  // borrowed for the call. If it throws, the call ends with its exception, and the machine can be
  // used again.
  absl::StatusOr<Value> InvokeObserved(std::string_view name, std::span<const Value> args,
                                       const ProgramObserver& observer);

  // Keeps the arguments of an entry, and calls it with them. Results of the last call are numbered:
  // one, or the fields of a tuple.
  absl::Status SetInputs(std::string_view name, std::span<const Value> args);
  absl::Status Run(std::string_view name);
  const std::vector<Value>& outputs() const { return outputs_; }

  absl::Status SetThreads(int threads);

 private:
  struct Frame {
    const ProgramFunction* function;
    size_t at = 0;      // the instruction
    size_t base = 0;    // its first register
    size_t result = 0;  // the register of the caller that gets the result
  };
  struct Inputs {
    std::string name;
    std::vector<Value> args;
  };

  absl::StatusOr<std::vector<Value>> TakeArguments(const ProgramEntry& entry,
                                                   std::span<const Value> args) const;
  absl::StatusOr<Value> RunEntry(const ProgramEntry& entry, std::vector<Value> args);
  absl::StatusOr<Value> RunFrames();
  // Opens a call with these arguments. `tail`: in the place of the last frame.
  absl::Status Push(size_t function, std::vector<Value> args, size_t result, bool tail);
  absl::Status Step(const Instruction& instruction, Frame& frame);
  absl::Status Call(const Instruction& instruction);
  absl::Status RunPlan(const Instruction& instruction);
  absl::StatusOr<std::vector<Tensor>> RunObserved(graph::Context& context,
                                                  std::span<const Tensor> inputs);
  absl::StatusOr<Tensor> TensorAt(int32_t reg) const;
  Value& At(int32_t reg) { return registers_[frames_.back().base + static_cast<size_t>(reg)]; }
  const Value& At(int32_t reg) const {
    return registers_[frames_.back().base + static_cast<size_t>(reg)];
  }
  absl::Status WrongKind(int32_t reg, std::string_view wanted) const;

  std::shared_ptr<const ProgramExecutable> executable_;
  const MachineOptions options_;
  const std::shared_ptr<const Constructor> tuple_ = std::make_shared<const Constructor>();
  std::vector<std::unique_ptr<graph::Context>> contexts_;  // of each plan; made when it runs first
  std::vector<Value> registers_;                           // of all open calls
  std::vector<Frame> frames_;
  std::vector<Inputs> inputs_;
  std::vector<Value> outputs_;
  int threads_ = 0;
  const ProgramObserver* observer_ = nullptr;  // of the call that runs
  std::atomic<bool> busy_{false};
};

}  // namespace lathe::runtime::vm
