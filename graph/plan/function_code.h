// The code of one function of a program. Internal to MakeProgram.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "graph/plan/plan_maker.h"
#include "graph/plan/program_maker.h"

namespace lathe::graph {

// What all functions of a program share.
class ProgramParts {
 public:
  ProgramParts(const ir::GraphModule& module, const PlanTargets& targets);

  // Numbers of functions. A closure gets a new one, and a name of its own.
  int32_t FunctionNumber(const std::string& name) const { return functions_.at(name); }
  int32_t AddFunction(std::string name);
  int32_t ConstructorNumber(const std::string& name) const { return constructors_.at(name); }
  int32_t TypeNumber(const std::string& constructor) const;
  // The position of a constructor within its type.
  size_t TagOf(const std::string& constructor) const;
  // Notes the groups (graph/passes/fuse.h) within a function.
  void AddGroups(const ir::GraphFunc& func);
  bool IsGroup(const ir::GraphVarNode& var) const { return groups_.contains(&var); }
  // The number of a new plan.
  int32_t AddPlan(const ir::GraphFunc& func);

  MadeProgram made;
  KernelTable kernels;

 private:
  std::unordered_map<std::string, int32_t> functions_, constructors_;
  std::unordered_set<const ir::Node*> groups_;
};

class FunctionCode {
 public:
  // Constants are known to closures within the function.
  using Constants = std::unordered_map<const ir::Node*, Ref<const ir::GraphBinding>>;
  FunctionCode(ProgramParts& parts, std::string name, Constants constants = {});

  // Sets function `number`: `kept` are the variables of the blocks around a closure, which come in
  // the first registers. `check`: arguments are compared with the types of the parameters.
  void Fill(int32_t number, const std::vector<ir::GraphVar>& kept, const ir::GraphFunc& func,
            bool check);

 private:
  using Op = runtime::vm::Instruction::Op;
  // Where a size is an extent: of a tensor, or of one within a tuple.
  struct Carrier {
    ir::GraphVar var;
    std::vector<int64_t> path;
  };
  // What a plan reads: a parameter for each tensor, their registers, and the bindings that the
  // plan's function begins with: constants, groups, tuples made of parameters.
  struct Inputs {
    std::vector<ir::GraphVar> params;
    std::vector<int32_t> args;
    List<ir::GraphBinding> inside;
  };

  int32_t NewRegister() { return registers_++; }
  int32_t Define(const ir::GraphVar& var);
  void AddCarriers(const ir::GraphVar& var);
  // The register of a variable; a constant is computed into a new one.
  int32_t Register(const ir::GraphVar& var);
  std::vector<int32_t> Registers(const std::vector<ir::GraphVar>& vars);
  int32_t FieldOf(int32_t value, const std::vector<int64_t>& path);
  // Returns the number of the instruction.
  size_t Emit(Op op, std::vector<int32_t> args, std::vector<int32_t> results, int32_t index = 0);
  // The first instruction of an arm, behind the jump `from`.
  size_t BeginArm(size_t from);
  int32_t Here() const { return static_cast<int32_t>(code_.size()); }

  // What has no code of its own: groups, and constants, which belong to the plans that read them.
  bool IsKept(const Ref<const ir::GraphBinding>& binding);
  // Emits a block. The register of its result; -1 for `tail`: the code has returned it.
  int32_t Block(const ir::GraphBlock& block, bool tail);
  // True if a plan can compute the binding.
  bool IsPlain(const ir::GraphBinding& binding) const;
  bool IsPlainBlock(const ir::GraphBlock& block) const;
  // `elsewhere`: the variables that others than these bindings read.
  void Plan(const std::vector<Ref<const ir::GraphBinding>>& bindings,
            const std::unordered_set<const ir::Node*>& elsewhere);
  void CheckArguments(const ir::GraphFunc& func);
  Inputs InputsOf(const std::vector<Ref<const ir::GraphBinding>>& bindings);
  // Parameters for the tensors of a variable. Returns what stands for the field at `path`.
  ir::GraphVar AddLeaves(const ir::GraphVar& var, const ir::NodeRef& type,
                         const std::vector<int64_t>& path, Inputs& inputs);
  // Registers of the results of a plan as the value of a variable.
  int32_t Collect(const ir::NodeRef& type, const std::vector<int32_t>& results, size_t& next);

  void Shell(const ir::GraphBinding& binding, bool tail);
  void Closure(const ir::GraphFunc& func, const ir::GraphVar& var);
  void If(const ir::GraphIf& node, const ir::GraphVar& var, bool tail);
  void Match(const ir::GraphMatch& match, const ir::GraphVar& var, bool tail);
  void Loop(const ir::GraphLoop& loop, const ir::GraphVar& var);
  // Emits an arm, whose result goes to `result`; returns the jump behind it, or -1 for `tail`.
  int64_t Arm(const ir::GraphBlock& block, int32_t result, bool tail);
  void FindDrops();

  ProgramParts& parts_;
  const std::string name_;
  Constants constants_;
  std::unordered_map<const ir::Node*, int32_t> variables_;  // their registers
  std::unordered_map<const ir::Node*, Carrier> carriers_;   // of sizes
  std::unordered_map<const ir::Node*, Ref<const ir::GraphBinding>> groups_;
  std::vector<runtime::vm::Instruction> code_;
  std::unordered_map<size_t, size_t> arms_;  // first instruction of an arm -> the jump to it
  int32_t registers_ = 0;
  int closures_ = 0;
};

}  // namespace lathe::graph
