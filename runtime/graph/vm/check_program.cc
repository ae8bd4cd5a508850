// The checks of a program. What they leave to the machine: which kind of value a register has.
#include <span>
#include <string>
#include <unordered_set>

#include "runtime/graph/vm/program.h"
#include "runtime/status.h"

namespace lathe::runtime::vm {
namespace {

using Op = Instruction::Op;

absl::Status Malformed(std::string_view where, std::string_view what) {
  return MakeStatus(absl::StatusCode::kInvalidArgument, "program-malformed",
                    {"the program is not sound: ", where, ": ", what});
}

bool IsBelow(int32_t number, size_t count) {
  return number >= 0 && static_cast<size_t>(number) < count;
}

class Checker {
 public:
  explicit Checker(const Program& program)
      : program_(program), constructors_(ConstructorsOf(program)) {}

  absl::Status Run() {
    for (const graph::Plan& plan : program_.plans) LATHE_RETURN_IF_ERROR(CheckPlan(plan));
    std::unordered_set<std::string_view> names;
    for (const ProgramType& type : program_.types) {
      if (type.name.empty() || !names.insert(type.name).second)
        return Malformed("data type `" + type.name + "`", "it has no name of its own");
      for (const ProgramConstructor& constructor : type.constructors)
        if (constructor.fields < 0)
          return Malformed("data type `" + type.name + "`", "a negative number of fields");
    }
    names.clear();
    for (const ProgramFunction& function : program_.functions) {
      if (!names.insert(function.name).second)
        return Malformed("function `" + function.name + "`", "another one has its name");
      LATHE_RETURN_IF_ERROR(CheckFunction(function));
    }
    return CheckEntries();
  }

 private:
  absl::Status CheckEntries() const {
    std::unordered_set<int32_t> known;
    for (size_t i = 0; i < program_.entries.size(); ++i) {
      const ProgramEntry& entry = program_.entries[i];
      const std::string where = "entry " + std::to_string(i);
      if (!IsBelow(entry.function, program_.functions.size()))
        return Malformed(where, "there is no such function");
      if (!known.insert(entry.function).second)
        return Malformed(where, "another entry has its function");
      const ProgramFunction& function = program_.functions[static_cast<size_t>(entry.function)];
      if (entry.params.size() != static_cast<size_t>(function.params))
        return Malformed(where, "it does not describe each parameter");
    }
    return absl::OkStatus();
  }

  absl::Status CheckFunction(const ProgramFunction& function) const {
    const std::string where = "function `" + function.name + "`";
    if (function.registers < 0 || function.registers > kMostRegisters || function.params < 0 ||
        function.params > function.registers)
      return Malformed(where, "its number of registers");
    if (function.code.empty()) return Malformed(where, "it has no code");
    for (size_t i = 0; i < function.code.size(); ++i) {
      const char* problem = CheckInstruction(function, function.code[i]);
      if (problem != nullptr)
        return Malformed(where + ", instruction " + std::to_string(i), problem);
    }
    const Op last = function.code.back().op;
    if (last != Op::kReturn && last != Op::kJump && last != Op::kSwitch)
      return Malformed(where, "its code goes on behind its end");
    return absl::OkStatus();
  }

  // What is wrong; null if nothing is.
  const char* CheckInstruction(const ProgramFunction& function,
                               const Instruction& instruction) const {
    const auto registers = static_cast<size_t>(function.registers);
    for (const std::span<const int32_t> list :
         {std::span(instruction.args), std::span(instruction.results),
          std::span(instruction.drops)}) {
      for (const int32_t number : list)
        if (!IsBelow(number, registers)) return "there is no such register";
    }
    for (const int32_t target : instruction.targets)
      if (!IsBelow(target, function.code.size())) return "there is no such instruction";
    const size_t args = instruction.args.size(), results = instruction.results.size(),
                 targets = instruction.targets.size();
    const int32_t index = instruction.index;
    const bool jumps = instruction.op == Op::kBranch || instruction.op == Op::kSwitch ||
                       instruction.op == Op::kJump;
    if (!jumps && targets != 0) return "it has targets, but does not jump";
    const bool gives = !jumps && instruction.op != Op::kReturn && instruction.op != Op::kNothing;
    if (instruction.op != Op::kRun && results != (gives ? 1 : 0))
      return "the number of its results";
    switch (instruction.op) {
      case Op::kRun: {
        if (!IsBelow(index, program_.plans.size())) return "there is no such plan";
        const graph::Plan& plan = program_.plans[static_cast<size_t>(index)];
        if (args != plan.inputs.size() || results != plan.outputs.size())
          return "the plan takes or gives another number of tensors";
        return nullptr;
      }
      case Op::kTuple:
        return nullptr;
      case Op::kConstruct: {
        if (!IsBelow(index, constructors_.size())) return "there is no such constructor";
        const ConstructorPlace place = constructors_[static_cast<size_t>(index)];
        const int32_t fields = program_.types[static_cast<size_t>(place.type)]
                                   .constructors[static_cast<size_t>(place.tag)]
                                   .fields;
        return args == static_cast<size_t>(fields) ? nullptr : "the number of fields";
      }
      case Op::kField:
        return index >= 0 && args == 1 ? nullptr : "it takes a field of one value";
      case Op::kClosure:
      case Op::kCall: {
        if (!IsBelow(index, program_.functions.size())) return "there is no such function";
        const auto params =
            static_cast<size_t>(program_.functions[static_cast<size_t>(index)].params);
        const bool fits = instruction.op == Op::kCall ? args == params : args <= params;
        return fits ? nullptr : "the number of arguments";
      }
      case Op::kInvoke:
        return args >= 1 ? nullptr : "it calls nothing";
      case Op::kMove:
      case Op::kReturn:
        return args == 1 ? nullptr : "it takes one register";
      case Op::kBranch:
        return args == 1 && targets == 1 ? nullptr : "it takes one condition and one target";
      case Op::kSwitch:
        if (!IsBelow(index, program_.types.size())) return "there is no such data type";
        return args == 1 &&
                       targets == program_.types[static_cast<size_t>(index)].constructors.size() &&
                       targets > 0
                   ? nullptr
                   : "it needs a target for each constructor";
      case Op::kJump:
        return args == 0 && targets == 1 ? nullptr : "it takes one target";
      case Op::kNothing:
        return args == 0 ? nullptr : "it takes no registers";
    }
    return "its operation is unknown";
  }

  const Program& program_;
  const std::vector<ConstructorPlace> constructors_;
};

}  // namespace

absl::Status CheckProgram(const Program& program) { return Checker(program).Run(); }

}  // namespace lathe::runtime::vm
