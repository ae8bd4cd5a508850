#include "runtime/graph/vm/program_module.h"

#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "runtime/registry.h"
#include "runtime/status.h"

namespace lathe::runtime {

// Any value: the arguments of calls are checked by the machine.
template <>
struct ValueTraits<Ref<vm::DataValue>> {
  static std::string Name() { return "value of a data type"; }
  static Conversion Get(const lathe_value& value, Ref<vm::DataValue>* out) {
    if (value.kind != LATHE_VALUE_OBJECT || value.v_object == nullptr ||
        value.v_object->kind != vm::kDataObject)
      return Conversion::kWrongKind;
    *out = Ref<vm::DataValue>(static_cast<vm::DataValue*>(static_cast<Object*>(value.v_object)));
    return Conversion::kOk;
  }
};

namespace vm {
namespace {

template <class T>
T OrThrow(absl::StatusOr<T> result) {
  ThrowIfError(result.status());
  return *std::move(result);
}

class ProgramModule : public ModuleNode {
 public:
  explicit ProgramModule(Program program) : program_(std::move(program)) {}

  std::string_view kind() const override { return kProgramKind; }
  // Without the module that has the kernels it can do nothing.
  Function GetFunction(std::string_view) override { return Function(); }
  std::vector<std::string> FunctionNames() const override { return {}; }
  absl::StatusOr<std::string> Save() const override { return EncodeProgram(program_); }
  const Program& program() const { return program_; }

  absl::StatusOr<std::shared_ptr<const ProgramExecutable>> ExecutableIn(const Module& root) {
    std::lock_guard<std::mutex> lock(mutex_);
    std::erase_if(made_, [](const Made& made) { return made.executable.expired(); });
    for (const Made& made : made_) {
      // An executable keeps its code, so nothing else can be at this address while it lives.
      std::shared_ptr<const ProgramExecutable> executable = made.executable.lock();
      if (executable != nullptr && made.code == root.get()) return executable;
    }
    LATHE_ASSIGN_OR_RETURN(std::shared_ptr<const ProgramExecutable> executable,
                           ProgramExecutable::Create(program_, root));
    made_.push_back({root.get(), executable});
    return executable;
  }

 private:
  struct Made {
    const ModuleNode* code;
    std::weak_ptr<const ProgramExecutable> executable;
  };
  const Program program_;
  std::mutex mutex_;
  std::vector<Made> made_;
};

std::vector<std::string> ProgramNames(const Module& module) {
  std::vector<std::string> names;
  for (ModuleNode* node : ModulesOf(module))
    if (auto* found = dynamic_cast<ProgramModule*>(node)) names.push_back(found->program().name);
  return names;
}

absl::StatusOr<ProgramModule*> FindModule(const Module& module, std::string_view name) {
  for (ModuleNode* node : ModulesOf(module)) {
    auto* found = dynamic_cast<ProgramModule*>(node);
    if (found != nullptr && found->program().name == name) return found;
  }
  const std::vector<std::string> known = ProgramNames(module);
  const std::vector<std::string> near = NearestNames(name, known);
  return MakeStatus(absl::StatusCode::kNotFound, "graph-plan-unknown",
                    {"the module has no program `", name, "`\nfound: ", QuotedList(known),
                     near.empty() ? "" : "\nhelp: did you mean " + QuotedList(near) + "?"});
}

// A machine as a module. Its functions keep it, and it keeps none of them.
class MachineModule : public ModuleNode {
 public:
  explicit MachineModule(std::shared_ptr<const ProgramExecutable> executable)
      : machine_(std::move(executable)) {}
  std::string_view kind() const override { return "vm_machine"; }
  Function GetFunction(std::string_view name) override;
  std::vector<std::string> FunctionNames() const override;
  Machine& machine() { return machine_; }

 private:
  Machine machine_;
};

std::vector<Value> Rest(const Args& args, int32_t first = 1) {
  std::vector<Value> values;
  for (int32_t i = first; i < args.size(); ++i) {
    // A borrowed tensor is copied by the machine, but a Value must own it.
    if (args[i].kind() == LATHE_VALUE_DLTENSOR) {
      const auto* dl = args[i].As<const DLTensor*>();
      const std::span<const int64_t> shape(dl->shape, static_cast<size_t>(dl->ndim));
      Tensor copy = OrThrow(Tensor::Empty(shape, DataType(dl->dtype)));
      ThrowIfError(CopyTensor(*dl, copy.dl()));
      values.emplace_back(std::move(copy));
    } else {
      values.push_back(args[i].ToValue());
    }
  }
  return values;
}

void Invoke(Machine& machine, const Args& args, Value* result) {
  *result = OrThrow(machine.Invoke(args[0].As<std::string_view>(), Rest(args)));
}
void InvokeObserved(Machine& machine, const Args& args, Value* result) {
  if (args.size() < 2) args.CheckCount(2);
  const Function report = args[1].As<Function>();
  *result = OrThrow(
      machine.InvokeObserved(args[0].As<std::string_view>(), Rest(args, 2),
                             [&](std::string_view function, const graph::ObservedStep& step) {
                               std::vector<Value> tensors;
                               for (const Tensor& tensor : step.outputs)
                                 tensors.emplace_back(tensor);
                               report(std::string(function), step.index, step.step->location,
                                      step.step->kernel, step.nanoseconds, tensors);
                             }));
}
void SetInput(Machine& machine, const Args& args, Value*) {
  ThrowIfError(machine.SetInputs(args[0].As<std::string_view>(), Rest(args)));
}
void InvokeStateful(Machine& machine, const Args& args, Value*) {
  args.CheckCount(1);
  ThrowIfError(machine.Run(args[0].As<std::string_view>()));
}
void GetNumOutputs(Machine& machine, const Args& args, Value* result) {
  args.CheckCount(0);
  *result = machine.outputs().size();
}
void GetOutput(Machine& machine, const Args& args, Value* result) {
  args.CheckCount(1);
  const auto index = args[0].As<int64_t>();
  const size_t count = machine.outputs().size();
  if (index < 0 || static_cast<size_t>(index) >= count)
    ThrowStatus(MakeStatus(absl::StatusCode::kInvalidArgument, "graph-output-index",
                           {"there is no output ", std::to_string(index), "\nexpected: less than ",
                            std::to_string(count)}));
  *result = machine.outputs()[static_cast<size_t>(index)];
}
void SetThreads(Machine& machine, const Args& args, Value*) {
  args.CheckCount(1);
  ThrowIfError(machine.SetThreads(args[0].As<int>()));
}

struct MachineFunction {
  std::string_view name;
  void (*call)(Machine& machine, const Args& args, Value* result);
};
constexpr MachineFunction kFunctions[] = {
    {"invoke", Invoke},
    {"invoke_observed", InvokeObserved},
    {"set_input", SetInput},
    {"invoke_stateful", InvokeStateful},
    {"get_num_outputs", GetNumOutputs},
    {"get_output", GetOutput},
    {"set_threads", SetThreads},
};

Function MachineModule::GetFunction(std::string_view name) {
  for (const MachineFunction& function : kFunctions) {
    if (function.name != name) continue;
    return Function::From(
        [self = Ref<MachineModule>(this), call = function.call](const Args& args, Value* result) {
          call(self->machine(), args, result);
        },
        std::string(name));
  }
  return Function();
}

std::vector<std::string> MachineModule::FunctionNames() const {
  std::vector<std::string> names;
  for (const MachineFunction& function : kFunctions) names.emplace_back(function.name);
  return names;
}

absl::StatusOr<std::vector<Value>> Entries(const Module& module, const std::string& name) {
  LATHE_ASSIGN_OR_RETURN(const ProgramModule* found, FindModule(module, name));
  std::vector<Value> out;
  for (const ProgramEntry& entry : found->program().entries) {
    out.emplace_back(found->program().functions[static_cast<size_t>(entry.function)].name);
    std::vector<Value> params;
    for (const ProgramParam& param : entry.params) {
      params.emplace_back(param.name);
      params.emplace_back(param.type);
    }
    out.emplace_back(std::move(params));
  }
  return out;
}

absl::StatusOr<std::vector<Value>> Stats(const Module& module, const std::string& name) {
  LATHE_ASSIGN_OR_RETURN(const ProgramModule* found, FindModule(module, name));
  const Program& program = found->program();
  size_t instructions = 0, kernels = 0, constants = 0;
  for (const ProgramFunction& function : program.functions) instructions += function.code.size();
  for (const graph::Plan& plan : program.plans) {
    constants += plan.constants.size();
    for (const graph::PlanStep& step : plan.steps)
      kernels += step.kind == graph::PlanStep::Kind::kKernel ? 1 : 0;
  }
  std::vector<Value> out;
  for (const size_t number :
       {program.functions.size(), instructions, program.plans.size(), kernels, constants})
    out.emplace_back(static_cast<int64_t>(number));
  return out;
}

absl::StatusOr<std::vector<Value>> Kernels(const Module& module, const std::string& name) {
  LATHE_ASSIGN_OR_RETURN(const ProgramModule* found, FindModule(module, name));
  std::set<std::string> names;
  for (const graph::Plan& plan : found->program().plans) {
    for (const graph::PlanStep& step : plan.steps)
      if (step.kind == graph::PlanStep::Kind::kKernel) names.insert(step.kernel);
  }
  return std::vector<Value>(names.begin(), names.end());
}

absl::Status Register() {
  LATHE_RETURN_IF_ERROR(
      RegisterGlobal("module.load.vm_program",
                     Function::From([](std::string_view bytes) -> absl::StatusOr<Module> {
                       LATHE_ASSIGN_OR_RETURN(Program program, DecodeProgram(bytes));
                       return MakeProgramModule(std::move(program));
                     })));
  LATHE_RETURN_IF_ERROR(RegisterGlobal(
      "vm.create",
      Function::From([](const Module& module, const std::string& name) -> absl::StatusOr<Module> {
        LATHE_ASSIGN_OR_RETURN(std::shared_ptr<const ProgramExecutable> executable,
                               FindProgram(module, name));
        return Module(Make<MachineModule>(std::move(executable)));
      })));
  LATHE_RETURN_IF_ERROR(RegisterGlobal("vm.names", Function::From([](const Module& module) {
                                         std::vector<Value> names;
                                         for (const std::string& name : ProgramNames(module))
                                           names.emplace_back(name);
                                         return names;
                                       })));
  LATHE_RETURN_IF_ERROR(RegisterGlobal("vm.entries", Function::From(Entries)));
  LATHE_RETURN_IF_ERROR(RegisterGlobal("vm.stats", Function::From(Stats)));
  LATHE_RETURN_IF_ERROR(RegisterGlobal("vm.kernels", Function::From(Kernels)));
  LATHE_RETURN_IF_ERROR(RegisterGlobal(
      "vm.text", Function::From([](const Module& module,
                                   const std::string& name) -> absl::StatusOr<std::string> {
        LATHE_ASSIGN_OR_RETURN(const ProgramModule* found, FindModule(module, name));
        return ProgramText(found->program());
      })));
  LATHE_RETURN_IF_ERROR(RegisterGlobal(
      "vm.data_constructor",
      Function::From([](const Ref<DataValue>& value) { return value->constructor->name; })));
  LATHE_RETURN_IF_ERROR(
      RegisterGlobal("vm.data_tag", Function::From([](const Ref<DataValue>& value) {
                       return static_cast<int64_t>(value->constructor->tag);
                     })));
  return RegisterGlobal("vm.data_fields",
                        Function::From([](const Ref<DataValue>& value) { return value->fields; }));
}

}  // namespace

absl::StatusOr<Module> MakeProgramModule(Program program) {
  LATHE_RETURN_IF_ERROR(CheckProgram(program));
  return Module(Make<ProgramModule>(std::move(program)));
}

absl::StatusOr<std::shared_ptr<const ProgramExecutable>> FindProgram(const Module& module,
                                                                     std::string_view name) {
  LATHE_ASSIGN_OR_RETURN(ProgramModule * found, FindModule(module, name));
  return found->ExecutableIn(module);
}

absl::Status RegisterVm() {
  static const absl::Status* status = new absl::Status(Register());
  return *status;
}

}  // namespace vm
}  // namespace lathe::runtime
