#include "runtime/graph/graph_functions.h"

#include <string>
#include <utility>
#include <vector>

#include "runtime/graph/plan_module.h"
#include "runtime/registry.h"
#include "runtime/status.h"

namespace lathe::runtime::graph {
namespace {

// A context as a module. Its functions keep it, and it keeps none of them.
class ContextModule : public ModuleNode {
 public:
  explicit ContextModule(std::shared_ptr<const Executable> executable)
      : context_(std::move(executable)) {}

  std::string_view kind() const override { return "graph_context"; }
  Function GetFunction(std::string_view name) override;
  std::vector<std::string> FunctionNames() const override;
  Context& context() { return context_; }

 private:
  Context context_;
};

// An input by name or number.
int InputAt(const Context& context, const ArgView& key) {
  int index = 0;
  if (ValueTraits<int>::Get(key.c(), &index) == Conversion::kOk) return index;
  const absl::StatusOr<int> found = context.executable().InputIndex(key.As<std::string_view>());
  ThrowIfError(found.status());
  return *found;
}

[[noreturn]] void NoEntry(const char* what, int index, size_t count) {
  ThrowStatus(MakeStatus(absl::StatusCode::kInvalidArgument, "graph-index",
                         {"there is no ", what, " ", std::to_string(index),
                          "\nexpected: less than ", std::to_string(count)}));
}

template <class T>
Value NameAt(const std::vector<T>& list, int index, const char* what) {
  if (index < 0 || static_cast<size_t>(index) >= list.size()) NoEntry(what, index, list.size());
  return Value(list[static_cast<size_t>(index)].name);
}

template <class T>
T OrThrow(absl::StatusOr<T> result) {
  ThrowIfError(result.status());
  return *std::move(result);
}

// Each function of a context gets the context, the arguments of the call, and the place of the
// result.
void SetInput(Context& context, const Args& args, Value*) {
  args.CheckCount(2);
  ThrowIfError(context.SetInput(InputAt(context, args[0]), *args[1].As<const DLTensor*>()));
}
void SetInputZeroCopy(Context& context, const Args& args, Value*) {
  args.CheckCount(2);
  ThrowIfError(context.SetInputZeroCopy(InputAt(context, args[0]), args[1].As<Tensor>()));
}
void SetOutputZeroCopy(Context& context, const Args& args, Value*) {
  args.CheckCount(2);
  ThrowIfError(
      context.SetOutput(args[0].As<int>(), args[1].is_none() ? Tensor() : args[1].As<Tensor>()));
}
void GetInput(Context& context, const Args& args, Value* result) {
  args.CheckCount(1);
  *result = OrThrow(context.GetInput(InputAt(context, args[0])));
}
void GetOutput(Context& context, const Args& args, Value* result) {
  if (args.size() != 2) args.CheckCount(1);
  const Tensor output = OrThrow(context.GetOutput(args[0].As<int>()));
  if (args.size() == 1) {
    *result = output;
  } else {
    ThrowIfError(CopyTensor(output.dl(), *args[1].As<const DLTensor*>()));
  }
}
void GetNumInputs(Context& context, const Args& args, Value* result) {
  args.CheckCount(0);
  *result = context.plan().inputs.size();
}
void GetNumOutputs(Context& context, const Args& args, Value* result) {
  args.CheckCount(0);
  *result = context.plan().outputs.size();
}
void GetNumParams(Context& context, const Args& args, Value* result) {
  args.CheckCount(0);
  *result = context.plan().constants.size();
}
void GetInputName(Context& context, const Args& args, Value* result) {
  args.CheckCount(1);
  *result = NameAt(context.plan().inputs, args[0].As<int>(), "input");
}
void GetParamName(Context& context, const Args& args, Value* result) {
  args.CheckCount(1);
  *result = NameAt(context.plan().constants, args[0].As<int>(), "parameter");
}
// A parameter by number; none if it is not set.
void GetParam(Context& context, const Args& args, Value* result) {
  args.CheckCount(1);
  const Tensor tensor = OrThrow(context.GetConstant(args[0].As<int>()));
  if (tensor) *result = tensor;
}
void SetParam(Context& context, const Args& args, Value*) {
  args.CheckCount(2);
  ThrowIfError(context.SetConstant(args[0].As<std::string_view>(), args[1].As<Tensor>()));
}
// [element type, extents...] of an input; extents that callers choose are -1.
void GetInputType(Context& context, const Args& args, Value* result) {
  args.CheckCount(1);
  const Plan& plan = context.plan();
  const int index = InputAt(context, args[0]);
  NameAt(plan.inputs, index, "input");
  const PlanTensor& tensor =
      plan.tensors[static_cast<size_t>(plan.inputs[static_cast<size_t>(index)].tensor)];
  std::vector<Value> type;
  type.emplace_back(tensor.dtype.ToString());
  for (const int32_t number : tensor.shape) {
    const PlanSize& size = plan.sizes[static_cast<size_t>(number)];
    type.emplace_back(size.kind == PlanSize::Kind::kConstant ? size.value : int64_t{-1});
  }
  *result = Value(std::move(type));
}
void GetInputIndex(Context& context, const Args& args, Value* result) {
  args.CheckCount(1);
  *result = OrThrow(context.executable().InputIndex(args[0].As<std::string_view>()));
}
void GetOutputShape(Context& context, const Args& args, Value* result) {
  args.CheckCount(1);
  std::vector<Value> shape;
  for (const int64_t extent : OrThrow(context.GetOutputShape(args[0].As<int>())))
    shape.emplace_back(extent);
  *result = Value(std::move(shape));
}
Value DeviceOfTensor(const Context& context, int32_t tensor) {
  const int32_t number = context.plan().tensors[static_cast<size_t>(tensor)].device;
  return Value(context.executable().devices()[static_cast<size_t>(number)]);
}
void GetInputDevice(Context& context, const Args& args, Value* result) {
  args.CheckCount(1);
  const int index = InputAt(context, args[0]);
  NameAt(context.plan().inputs, index, "input");
  *result = DeviceOfTensor(context, context.plan().inputs[static_cast<size_t>(index)].tensor);
}
void GetOutputDevice(Context& context, const Args& args, Value* result) {
  args.CheckCount(1);
  const int index = args[0].As<int>();
  const std::vector<int32_t>& outputs = context.plan().outputs;
  if (index < 0 || static_cast<size_t>(index) >= outputs.size())
    NoEntry("output", index, outputs.size());
  *result = DeviceOfTensor(context, outputs[static_cast<size_t>(index)]);
}
void LoadParams(Context& context, const Args& args, Value*) {
  args.CheckCount(1);
  const std::vector<NamedTensor> tensors = OrThrow(DecodeParams(args[0].As<std::string_view>()));
  ThrowIfError(context.SetConstants(tensors));
}
void ShareParams(Context& context, const Args& args, Value*) {
  args.CheckCount(1);
  const Module module = args[0].As<Module>();
  auto* other = dynamic_cast<ContextModule*>(module.get());
  if (other == nullptr)
    ThrowStatus(MakeStatus(absl::StatusCode::kInvalidArgument, "graph-no-context",
                           "parameters are shared with what graph.context_create returned"));
  if (&other->context() == &context) return;
  std::vector<NamedTensor> shared;
  const std::vector<PlanConstant>& constants = other->context().plan().constants;
  for (size_t i = 0; i < constants.size(); ++i) {
    const std::string& name = constants[i].name;
    if (name.empty() || !context.executable().ConstantIndex(name).ok()) continue;
    Tensor tensor = OrThrow(other->context().GetConstant(static_cast<int>(i)));
    if (tensor) shared.push_back({name, std::move(tensor)});
  }
  ThrowIfError(context.SetConstants(shared));
}
void Run(Context& context, const Args& args, Value*) {
  args.CheckCount(0);
  ThrowIfError(context.Run());
}
void RunObserved(Context& context, const Args& args, Value*) {
  args.CheckCount(1);
  const Function report = args[0].As<Function>();
  ThrowIfError(context.RunObserved([&](const ObservedStep& step) {
    std::vector<Value> tensors;
    for (const Tensor& tensor : step.outputs) tensors.emplace_back(tensor);
    report(step.index, step.step->location, step.step->kernel, step.nanoseconds, tensors);
  }));
}
void SetThreads(Context& context, const Args& args, Value*) {
  args.CheckCount(1);
  ThrowIfError(context.SetThreads(args[0].As<int>()));
}
void ArenaBytes(Context& context, const Args& args, Value* result) {
  args.CheckCount(0);
  *result = context.arena_bytes();
}

struct ContextFunction {
  std::string_view name;
  void (*call)(Context& context, const Args& args, Value* result);
};
constexpr ContextFunction kFunctions[] = {
    {"set_input", SetInput},
    {"set_input_zero_copy", SetInputZeroCopy},
    {"set_output_zero_copy", SetOutputZeroCopy},
    {"get_input", GetInput},
    {"get_output", GetOutput},
    {"get_num_inputs", GetNumInputs},
    {"get_num_outputs", GetNumOutputs},
    {"get_input_name", GetInputName},
    {"get_input_index", GetInputIndex},
    {"get_output_shape", GetOutputShape},
    {"get_input_device", GetInputDevice},
    {"get_output_device", GetOutputDevice},
    {"load_params", LoadParams},
    {"share_params", ShareParams},
    {"get_num_params", GetNumParams},
    {"get_param_name", GetParamName},
    {"get_param", GetParam},
    {"set_param", SetParam},
    {"get_input_type", GetInputType},
    {"run", Run},
    {"run_observed", RunObserved},
    {"set_threads", SetThreads},
    {"arena_bytes", ArenaBytes},
};

Function ContextModule::GetFunction(std::string_view name) {
  for (const ContextFunction& function : kFunctions) {
    if (function.name != name) continue;
    return Function::From(
        [self = Ref<ContextModule>(this), call = function.call](const Args& args, Value* result) {
          call(self->context(), args, result);
        },
        std::string(name));
  }
  return Function();
}

std::vector<std::string> ContextModule::FunctionNames() const {
  std::vector<std::string> names;
  for (const ContextFunction& function : kFunctions) names.emplace_back(function.name);
  return names;
}

// module, name, devices...
void CreateContext(const Args& args, Value* result) {
  if (args.size() < 2) args.CheckCount(2);
  std::vector<Device> devices;
  for (int32_t i = 2; i < args.size(); ++i) devices.push_back(args[i].As<Device>());
  *result = Value(MakeContextModule(
      OrThrow(FindExecutable(args[0].As<Module>(), args[1].As<std::string_view>(), devices))));
}

void Encode(const Args& args, Value* result) {
  std::vector<NamedTensor> tensors;
  for (int32_t i = 0; i < args.size(); i += 2)
    tensors.push_back({args[i].As<std::string>(), args[i + 1].As<Tensor>()});
  const absl::StatusOr<std::string> bytes = EncodeParams(tensors);
  ThrowIfError(bytes.status());
  *result = Value::Bytes(*bytes);
}

absl::StatusOr<std::vector<Value>> Decode(std::string_view bytes) {
  LATHE_ASSIGN_OR_RETURN(std::vector<NamedTensor> tensors, DecodeParams(bytes));
  std::vector<Value> out;
  for (NamedTensor& named : tensors) {
    out.emplace_back(named.name);
    out.emplace_back(std::move(named.tensor));
  }
  return out;
}

}  // namespace

Module MakeContextModule(std::shared_ptr<const Executable> executable) {
  return Module(Make<ContextModule>(std::move(executable)));
}

absl::Status RegisterGraphFunctions() {
  // Safe for any arguments, so that a session may create contexts.
  LATHE_RETURN_IF_ERROR(RegisterGlobal("graph.context_create", Function::From(CreateContext),
                                       Override::kRefuse, Exported::kYes));
  LATHE_RETURN_IF_ERROR(RegisterGlobal("graph.plan_names", Function::From([](const Module& module) {
                                         std::vector<Value> names;
                                         for (const std::string& name : PlanNames(module))
                                           names.emplace_back(name);
                                         return names;
                                       }),
                                       Override::kRefuse, Exported::kYes));
  LATHE_RETURN_IF_ERROR(RegisterGlobal("graph.encode_params", Function::From(Encode)));
  return RegisterGlobal("graph.decode_params", Function::From(Decode));
}

}  // namespace lathe::runtime::graph
