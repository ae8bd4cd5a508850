#include "graph/plan/program_maker.h"

#include "base/error.h"
#include "graph/datatypes.h"
#include "graph/passes/fuse.h"
#include "graph/plan/function_code.h"
#include "ir/walk.h"

namespace lathe::graph {

using ir::As;

ProgramParts::ProgramParts(const ir::GraphModule& module, const PlanTargets& targets)
    : kernels(targets) {
  int32_t number = 0;
  for (const Ref<const ir::GraphDataType>& type : module->datatypes) {
    runtime::vm::ProgramType out{type->name, {}};
    for (const Ref<const ir::GraphConstructor>& constructor : type->constructors) {
      constructors_.emplace(type->name + "." + constructor->name, number++);
      out.constructors.push_back(
          {constructor->name, static_cast<int32_t>(constructor->fields.size())});
    }
    made.program.types.push_back(std::move(out));
  }
}

void ProgramParts::AddGroups(const ir::GraphFunc& func) {
  ir::PreOrder(func.body, [&](const ir::Node& node) {
    const auto* binding = As<ir::GraphBinding>(&node);
    const auto* inner = binding == nullptr ? nullptr : As<ir::GraphFunc>(binding->value);
    if (inner != nullptr && IsPrimitive(*inner)) groups_.insert(binding->var.get());
    return As<ir::Constant>(&node) == nullptr;
  });
}

int32_t ProgramParts::AddFunction(std::string name) {
  while (functions_.contains(name)) name += "_";
  const auto number = static_cast<int32_t>(made.program.functions.size());
  made.program.functions.push_back({name, 0, 0, {}});
  functions_.emplace(name, number);
  return number;
}

int32_t ProgramParts::TypeNumber(const std::string& constructor) const {
  const std::string_view name = ir::SplitConstructor(constructor).first;
  for (size_t i = 0; i < made.program.types.size(); ++i) {
    if (made.program.types[i].name == name) return static_cast<int32_t>(i);
  }
  LATHE_CHECK(false) << "there is no data type for " << constructor;
  return -1;
}

size_t ProgramParts::TagOf(const std::string& constructor) const {
  const auto type = static_cast<size_t>(TypeNumber(constructor));
  const std::string_view name = ir::SplitConstructor(constructor).second;
  const std::vector<runtime::vm::ProgramConstructor>& all = made.program.types[type].constructors;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].name == name) return i;
  }
  LATHE_CHECK(false) << "there is no constructor " << constructor;
  return 0;
}

int32_t ProgramParts::AddPlan(const ir::GraphFunc& func) {
  MadePlan plan = MakePlan(func, kernels);
  const size_t number = made.program.plans.size();
  plan.plan.name = func.name + "#" + std::to_string(number);
  // Parameters may have any names; a plan's inputs have names of their own.
  for (size_t i = 0; i < plan.plan.inputs.size(); ++i)
    plan.plan.inputs[i].name += "#" + std::to_string(i);
  made.program.plans.push_back(std::move(plan.plan));
  made.constants.push_back(std::move(plan.constants));
  return static_cast<int32_t>(number);
}

MadeProgram MakeProgram(const List<ir::GraphFunc>& functions, const ir::GraphModule& module,
                        const PlanTargets& targets) {
  ProgramParts parts(module, targets);
  for (const GraphFuncRef& func : functions) {
    parts.AddFunction(func->name);
    parts.AddGroups(*func);
  }
  for (const GraphFuncRef& func : functions) {
    const int32_t number = parts.FunctionNumber(func->name);
    FunctionCode(parts, func->name).Fill(number, {}, *func, /*check=*/true);
    runtime::vm::ProgramEntry entry{number, {}};
    for (const ir::GraphVar& param : func->params)
      entry.params.push_back({param->name, TypeText(param->type)});
    parts.made.program.entries.push_back(std::move(entry));
  }
  parts.made.kernels = parts.kernels.Take();
  return std::move(parts.made);
}

}  // namespace lathe::graph
