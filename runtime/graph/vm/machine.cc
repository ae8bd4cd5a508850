#include "runtime/graph/vm/machine.h"

#include <utility>

#include "base/error.h"
#include "runtime/cancel.h"
#include "runtime/raise.h"
#include "runtime/status.h"

namespace lathe::runtime::vm {
namespace {

using Op = Instruction::Op;

constexpr size_t kNoResult = static_cast<size_t>(-1);

std::string KindOf(const Value& value) {
  if (const DataValue* data = DataIn(value))
    return data->is_tuple() ? "a tuple" : "a value of " + data->constructor->name;
  if (ClosureIn(value) != nullptr) return "a function";
  return value.is_none() ? "nothing" : value.ToString();
}

Value TupleValue(std::shared_ptr<const Constructor> constructor, std::vector<Value> fields) {
  Ref<DataValue> data = Make<DataValue>();
  data->constructor = std::move(constructor);
  data->fields = std::move(fields);
  return ValueOf(std::move(data));
}

// Tuples, also within each other, as arrays. The nesting of types is limited when programs are
// made; deeper tuples stay objects.
Value AsResult(const Value& value, int depth = 0) {
  const DataValue* data = DataIn(value);
  if (data == nullptr || !data->is_tuple() || depth > 200) return value;
  std::vector<Value> fields;
  for (const Value& field : data->fields) fields.push_back(AsResult(field, depth + 1));
  return Value(std::move(fields));
}

// A copy of the caller's tensor: compact, on the host, aligned.
absl::StatusOr<Value> TakeArgument(const std::shared_ptr<const Constructor>& tuple,
                                   const Value& value, int depth = 0) {
  if (DataIn(value) != nullptr || ClosureIn(value) != nullptr) return value;
  if (value.Is<std::vector<Value>>() && depth < 200) {
    std::vector<Value> fields;
    for (const Value& field : value.As<std::vector<Value>>()) {
      LATHE_ASSIGN_OR_RETURN(Value taken, TakeArgument(tuple, field, depth + 1));
      fields.push_back(std::move(taken));
    }
    return TupleValue(tuple, std::move(fields));
  }
  if (!value.Is<Tensor>())
    return MakeStatus(absl::StatusCode::kInvalidArgument, "graph-value-kind",
                      {"an argument is neither a tensor, a tuple nor a value of a data type",
                       "\nfound: ", KindOf(value)});
  const auto tensor = value.As<Tensor>();
  LATHE_ASSIGN_OR_RETURN(Tensor copy, Tensor::Empty(tensor.shape(), tensor.dtype()));
  LATHE_RETURN_IF_ERROR(CopyTensor(tensor.dl(), copy.dl()));
  return Value(std::move(copy));
}

// A machine that another thread uses is left alone.
class Use {
 public:
  explicit Use(std::atomic<bool>& busy) : busy_(busy), mine_(!busy.exchange(true)) {}
  ~Use() {
    if (mine_) busy_.store(false);
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  absl::Status status() const {
    if (mine_) return absl::OkStatus();
    return MakeStatus(absl::StatusCode::kFailedPrecondition, "graph-context-busy",
                      "the machine is running\nhelp: make a machine for each thread; they share "
                      "the program and its code");
  }

 private:
  std::atomic<bool>& busy_;
  bool mine_;
};

}  // namespace

absl::StatusOr<std::shared_ptr<const ProgramExecutable>> ProgramExecutable::Create(
    Program program, const Module& code) {
  LATHE_RETURN_IF_ERROR(CheckProgram(program));
  auto out = std::make_shared<ProgramExecutable>();
  for (const graph::Plan& plan : program.plans) {
    LATHE_ASSIGN_OR_RETURN(std::shared_ptr<const graph::Executable> made,
                           graph::Executable::Create(plan, code));
    out->plans_.push_back(std::move(made));
  }
  for (const ProgramType& type : program.types) {
    out->first_.push_back(out->constructors_.size());
    int32_t tag = 0;
    for (const ProgramConstructor& constructor : type.constructors) {
      out->constructors_.push_back(std::make_shared<const Constructor>(Constructor{
          type.name + "." + constructor.name, tag++, static_cast<size_t>(constructor.fields)}));
    }
  }
  out->program_ = std::move(program);
  return std::shared_ptr<const ProgramExecutable>(std::move(out));
}

absl::StatusOr<const ProgramEntry*> ProgramExecutable::Entry(std::string_view name) const {
  std::vector<std::string> known;
  for (const ProgramEntry& entry : program_.entries) {
    const std::string& found = program_.functions[static_cast<size_t>(entry.function)].name;
    if (found == name) return &entry;
    known.push_back(found);
  }
  const std::vector<std::string> near = NearestNames(name, known);
  return MakeStatus(
      absl::StatusCode::kNotFound, "graph-function-unknown",
      {"`", program_.name, "` has no function `", name, "`\nexpected: ", QuotedList(known),
       near.empty() ? "" : "\nhelp: did you mean " + QuotedList(near) + "?"});
}

Machine::Machine(std::shared_ptr<const ProgramExecutable> executable, MachineOptions options)
    : executable_(std::move(executable)),
      options_(options),
      contexts_(executable_->program().plans.size()) {}

absl::StatusOr<std::vector<Value>> Machine::TakeArguments(const ProgramEntry& entry,
                                                          std::span<const Value> args) const {
  if (args.size() != entry.params.size())
    return MakeStatus(
        absl::StatusCode::kInvalidArgument, "graph-argument-count",
        {"`", executable_->program().functions[static_cast<size_t>(entry.function)].name,
         "` is called with the wrong number of arguments\nexpected: ",
         std::to_string(entry.params.size()), "\nfound: ", std::to_string(args.size())});
  std::vector<Value> taken;
  for (const Value& arg : args) {
    LATHE_ASSIGN_OR_RETURN(Value value, TakeArgument(tuple_, arg));
    taken.push_back(std::move(value));
  }
  return taken;
}

absl::StatusOr<Value> Machine::Invoke(std::string_view name, std::span<const Value> args) {
  const Use use(busy_);
  LATHE_RETURN_IF_ERROR(use.status());
  LATHE_ASSIGN_OR_RETURN(const ProgramEntry* entry, executable_->Entry(name));
  LATHE_ASSIGN_OR_RETURN(std::vector<Value> taken, TakeArguments(*entry, args));
  LATHE_ASSIGN_OR_RETURN(Value result, RunEntry(*entry, std::move(taken)));
  return AsResult(result);
}

absl::StatusOr<Value> Machine::InvokeObserved(std::string_view name, std::span<const Value> args,
                                              const ProgramObserver& observer) {
  const Use use(busy_);
  LATHE_RETURN_IF_ERROR(use.status());
  LATHE_ASSIGN_OR_RETURN(const ProgramEntry* entry, executable_->Entry(name));
  LATHE_ASSIGN_OR_RETURN(std::vector<Value> taken, TakeArguments(*entry, args));
  // The observer may throw.
  struct Watched {
    const ProgramObserver*& place;
    ~Watched() { place = nullptr; }
  } const watched{observer_};
  observer_ = &observer;
  LATHE_ASSIGN_OR_RETURN(Value result, RunEntry(*entry, std::move(taken)));
  return AsResult(result);
}

absl::Status Machine::SetInputs(std::string_view name, std::span<const Value> args) {
  const Use use(busy_);
  LATHE_RETURN_IF_ERROR(use.status());
  LATHE_ASSIGN_OR_RETURN(const ProgramEntry* entry, executable_->Entry(name));
  LATHE_ASSIGN_OR_RETURN(std::vector<Value> taken, TakeArguments(*entry, args));
  std::erase_if(inputs_, [&](const Inputs& inputs) { return inputs.name == name; });
  inputs_.push_back({std::string(name), std::move(taken)});
  return absl::OkStatus();
}

absl::Status Machine::Run(std::string_view name) {
  const Use use(busy_);
  LATHE_RETURN_IF_ERROR(use.status());
  LATHE_ASSIGN_OR_RETURN(const ProgramEntry* entry, executable_->Entry(name));
  std::vector<Value> args;
  bool found = entry->params.empty();
  for (const Inputs& inputs : inputs_) {
    if (inputs.name != name) continue;
    args = inputs.args;
    found = true;
  }
  if (!found)
    return MakeStatus(absl::StatusCode::kFailedPrecondition, "graph-input-missing",
                      {"the arguments of `", name, "` are not set\nexpected: set_input before"});
  outputs_.clear();
  LATHE_ASSIGN_OR_RETURN(const Value result, RunEntry(*entry, std::move(args)));
  const DataValue* data = DataIn(result);
  if (data == nullptr || !data->is_tuple()) {
    outputs_.push_back(result);
  } else {
    for (const Value& field : data->fields) outputs_.push_back(AsResult(field));
  }
  return absl::OkStatus();
}

absl::Status Machine::SetThreads(int threads) {
  const Use use(busy_);
  LATHE_RETURN_IF_ERROR(use.status());
  for (const auto& context : contexts_)
    if (context != nullptr) LATHE_RETURN_IF_ERROR(context->SetThreads(threads));
  threads_ = threads;
  return absl::OkStatus();
}

absl::StatusOr<Value> Machine::RunEntry(const ProgramEntry& entry, std::vector<Value> args) {
  frames_.clear();
  registers_.clear();
  const absl::Status pushed = Push(static_cast<size_t>(entry.function), std::move(args), kNoResult,
                                   /*tail=*/false);
  absl::StatusOr<Value> result = pushed.ok() ? RunFrames() : absl::StatusOr<Value>(pushed);
  if (!result.ok() && !frames_.empty()) {
    const std::string& name = frames_.back().function->name;
    result = absl::Status(result.status().code(), std::string(result.status().message()) +
                                                      "\nin: function `" + name + "` of `" +
                                                      executable_->program().name + "`");
  }
  frames_.clear();
  registers_.clear();
  return result;
}

absl::Status Machine::Push(size_t number, std::vector<Value> args, size_t result, bool tail) {
  const ProgramFunction& function = executable_->program().functions[number];
  if (args.size() != static_cast<size_t>(function.params))
    return MakeStatus(absl::StatusCode::kInvalidArgument, "graph-argument-count",
                      {"`", function.name, "` is called with the wrong number of arguments",
                       "\nexpected: ", std::to_string(function.params),
                       "\nfound: ", std::to_string(args.size())});
  if (tail) {
    result = frames_.back().result;
    registers_.resize(frames_.back().base);
    frames_.pop_back();
  }
  const auto wanted = static_cast<size_t>(function.registers);
  if (frames_.size() >= static_cast<size_t>(options_.max_call_depth) ||
      registers_.size() + wanted > static_cast<size_t>(options_.max_registers))
    return MakeStatus(absl::StatusCode::kResourceExhausted, "graph-call-depth",
                      {"the calls of functions nest too deep, in `@", function.name,
                       "`\nexpected: at most ", std::to_string(options_.max_call_depth),
                       " open calls\nhelp: check that the recursion ends; a call that is the last "
                       "thing a function does needs no depth"});
  const size_t base = registers_.size();
  registers_.resize(base + wanted);
  for (size_t i = 0; i < args.size(); ++i) registers_[base + i] = std::move(args[i]);
  frames_.push_back({&function, 0, base, result});
  return absl::OkStatus();
}

absl::StatusOr<Value> Machine::RunFrames() {
  CancelScope* const scope = CancelScope::Current();
  while (true) {
    Frame& frame = frames_.back();
    const Instruction& instruction = frame.function->code[frame.at];
    switch (instruction.op) {
      case Op::kCall:
      case Op::kInvoke:
        if (CancelScope::Look(scope) != 0) return StatusFromError(*TakePendingError().get());
        LATHE_RETURN_IF_ERROR(Call(instruction));
        break;
      case Op::kReturn: {
        Value value = At(instruction.args[0]);
        const size_t result = frame.result;
        registers_.resize(frame.base);
        frames_.pop_back();
        if (frames_.empty()) return value;
        registers_[result] = std::move(value);
        break;
      }
      default:
        // Loops jump backwards.
        if (instruction.op == Op::kJump && CancelScope::Look(scope) != 0)
          return StatusFromError(*TakePendingError().get());
        LATHE_RETURN_IF_ERROR(Step(instruction, frame));
        for (const int32_t reg : instruction.drops) At(reg) = Value();
    }
  }
}

absl::Status Machine::Call(const Instruction& instruction) {
  Frame& frame = frames_.back();
  auto function = static_cast<size_t>(instruction.index);
  std::vector<Value> args;
  size_t first = 0;
  if (instruction.op == Op::kInvoke) {
    const ClosureValue* closure = ClosureIn(At(instruction.args[0]));
    if (closure == nullptr || closure->owner != executable_)
      return WrongKind(instruction.args[0], "a function of this program");
    function = static_cast<size_t>(closure->function);
    args = closure->kept;
    first = 1;
  }
  for (size_t i = first; i < instruction.args.size(); ++i) args.push_back(At(instruction.args[i]));
  const int32_t result = instruction.results[0];
  const Instruction& next = frame.function->code[frame.at + 1];
  const bool tail = next.op == Op::kReturn && next.args[0] == result;
  const size_t place = frame.base + static_cast<size_t>(result);
  ++frame.at;
  // The result's register may be one of them, and gets its value later.
  if (!tail)
    for (const int32_t reg : instruction.drops) At(reg) = Value();
  return Push(function, std::move(args), place, tail);
}

absl::StatusOr<Tensor> Machine::TensorAt(int32_t reg) const {
  Tensor tensor;
  if (ValueTraits<Tensor>::Get(At(reg).c(), &tensor) != Conversion::kOk || !tensor)
    return WrongKind(reg, "a tensor");
  return tensor;
}

absl::Status Machine::WrongKind(int32_t reg, std::string_view wanted) const {
  return MakeStatus(
      absl::StatusCode::kInvalidArgument, "graph-value-kind",
      {"register ", std::to_string(reg), " of `", frames_.back().function->name,
       "` holds another kind of value\nexpected: ", wanted, "\nfound: ", KindOf(At(reg))});
}

absl::Status Machine::RunPlan(const Instruction& instruction) {
  const auto number = static_cast<size_t>(instruction.index);
  std::unique_ptr<graph::Context>& context = contexts_[number];
  if (context == nullptr) {
    context = std::make_unique<graph::Context>(executable_->plan(number));
    if (threads_ != 0) LATHE_RETURN_IF_ERROR(context->SetThreads(threads_));
  }
  std::vector<Tensor> inputs;
  for (const int32_t arg : instruction.args) {
    LATHE_ASSIGN_OR_RETURN(Tensor tensor, TensorAt(arg));
    inputs.push_back(std::move(tensor));
  }
  LATHE_ASSIGN_OR_RETURN(std::vector<Tensor> outputs, observer_ == nullptr
                                                          ? context->RunOnce(inputs)
                                                          : RunObserved(*context, inputs));
  for (size_t i = 0; i < outputs.size(); ++i)
    At(instruction.results[i]) = Value(std::move(outputs[i]));
  return absl::OkStatus();
}

absl::StatusOr<std::vector<Tensor>> Machine::RunObserved(graph::Context& context,
                                                         std::span<const Tensor> inputs) {
  for (size_t i = 0; i < inputs.size(); ++i)
    LATHE_RETURN_IF_ERROR(context.SetInput(static_cast<int>(i), inputs[i]));
  const std::string& function = frames_.back().function->name;
  LATHE_RETURN_IF_ERROR(
      context.RunObserved([&](const graph::ObservedStep& step) { (*observer_)(function, step); }));
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < context.plan().outputs.size(); ++i) {
    LATHE_ASSIGN_OR_RETURN(const Tensor output, context.GetOutput(static_cast<int>(i)));
    LATHE_ASSIGN_OR_RETURN(Tensor copy, output.Clone());
    outputs.push_back(std::move(copy));
  }
  return outputs;
}

// All but calls and returns.
absl::Status Machine::Step(const Instruction& instruction, Frame& frame) {
  const auto index = static_cast<size_t>(instruction.index);
  ++frame.at;
  switch (instruction.op) {
    case Op::kRun:
      return RunPlan(instruction);
    case Op::kTuple:
    case Op::kConstruct: {
      std::vector<Value> fields;
      fields.reserve(instruction.args.size());
      for (const int32_t arg : instruction.args) fields.push_back(At(arg));
      At(instruction.results[0]) =
          TupleValue(instruction.op == Op::kTuple ? tuple_ : executable_->constructor(index),
                     std::move(fields));
      return absl::OkStatus();
    }
    case Op::kField: {
      const DataValue* data = DataIn(At(instruction.args[0]));
      if (data == nullptr || index >= data->fields.size())
        return WrongKind(instruction.args[0],
                         "a value with more than " + std::to_string(index) + " fields");
      Value field = data->fields[index];
      At(instruction.results[0]) = std::move(field);
      return absl::OkStatus();
    }
    case Op::kClosure: {
      Ref<ClosureValue> closure = Make<ClosureValue>();
      closure->owner = executable_;
      closure->function = instruction.index;
      for (const int32_t arg : instruction.args) closure->kept.push_back(At(arg));
      At(instruction.results[0]) = ValueOf(std::move(closure));
      return absl::OkStatus();
    }
    case Op::kMove: {
      Value value = At(instruction.args[0]);
      At(instruction.results[0]) = std::move(value);
      return absl::OkStatus();
    }
    case Op::kBranch: {
      LATHE_ASSIGN_OR_RETURN(const Tensor tensor, TensorAt(instruction.args[0]));
      if (tensor.dtype() != DataType::Bool() || tensor.rank() != 0 || !tensor.device().is_host())
        return WrongKind(instruction.args[0], "a bool[]");
      const bool truth =
          *(static_cast<const uint8_t*>(tensor.dl().data) + tensor.dl().byte_offset) != 0;
      if (!truth) frame.at = static_cast<size_t>(instruction.targets[0]);
      return absl::OkStatus();
    }
    case Op::kSwitch: {
      const DataValue* data = DataIn(At(instruction.args[0]));
      const ProgramType& type = executable_->program().types[index];
      const size_t first = executable_->first_constructor(index);
      const int32_t tag = data == nullptr ? -1 : data->constructor->tag;
      const bool known = tag >= 0 && static_cast<size_t>(tag) < type.constructors.size();
      // Another program's value of the same type is welcome.
      const Constructor* own =
          known ? executable_->constructor(first + static_cast<size_t>(tag)).get() : nullptr;
      if (own == nullptr ||
          (own != data->constructor.get() &&
           (own->name != data->constructor->name || own->fields != data->constructor->fields)))
        return WrongKind(instruction.args[0], "a value of " + type.name);
      frame.at = static_cast<size_t>(instruction.targets[static_cast<size_t>(tag)]);
      return absl::OkStatus();
    }
    case Op::kJump:
      frame.at = static_cast<size_t>(instruction.targets[0]);
      return absl::OkStatus();
    case Op::kCall:
    case Op::kInvoke:
    case Op::kReturn:
    case Op::kNothing:
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

}  // namespace lathe::runtime::vm
