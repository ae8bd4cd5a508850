#include "graph/plan/kernel_program.h"

#include <unordered_map>
#include <unordered_set>

#include "graph/sizes.h"
#include "ir/rewrite.h"
#include "ir/walk.h"
#include "topi/gpu/thread_schedule.h"

namespace lathe::graph {
namespace {

using ir::As;
using ir::GraphVar;
using ir::NodeRef;

constexpr size_t kMostNameBytes = 80;

// The sizes that a group's types and attributes mention, in order.
std::vector<ir::Var> SizesOf(const ir::GraphFunc& group) {
  std::vector<ir::Var> sizes;
  std::unordered_set<const ir::Node*> seen;
  const auto look = [&](const NodeRef& node) {
    for (const ir::Var& var : ir::FreeVars(node)) {
      if (seen.insert(var.get()).second) sizes.push_back(var);
    }
  };
  // What the group makes known is no argument of it.
  for (const Ref<const ir::GraphBinding>& binding : group.body->bindings) {
    for (const ir::Var& size : binding->sizes) seen.insert(size.get());
  }
  for (const GraphVar& param : group.params) look(param->type);
  for (const Ref<const ir::GraphBinding>& binding : group.body->bindings) {
    for (const auto& [key, attr] : static_cast<const ir::GraphCall&>(*binding->value).attrs) {
      look(attr);
    }
    look(binding->var->type);
  }
  return sizes;
}

std::string NameOf(const ir::GraphFunc& group) {
  std::string name;
  for (const Ref<const ir::GraphBinding>& binding : group.body->bindings) {
    if (!name.empty()) name += "_";
    name += static_cast<const ir::GraphCall&>(*binding->value).op;
    if (name.size() > kMostNameBytes) break;
  }
  name.resize(std::min(name.size(), kMostNameBytes));
  for (char& c : name) {
    if (c == '.') c = '_';
  }
  return name;
}

}  // namespace

Ref<const ir::GraphFunc> GroupOfCall(const ir::GraphBinding& binding) {
  const auto& before = static_cast<const ir::GraphCall&>(*binding.value);
  Ref<ir::GraphFunc> group = Make<ir::GraphFunc>();
  Ref<ir::GraphCall> call = CopyOf(before);
  for (GraphVar& arg : call->args) {
    arg = ir::MakeGraphVar(arg->name, arg->type);
    group->params.push_back(arg);
  }
  const GraphVar result = ir::MakeGraphVar(binding.var->name, binding.var->type);
  group->result_type = result->type;
  group->body = ir::MakeGraphBlock({ir::Bind(result, std::move(call), binding.sizes)}, result);
  return group;
}

KernelProgram ProgramOfGroup(const ir::GraphFunc& group) {
  KernelProgram program;
  program.name = NameOf(group);
  program.sizes = SizesOf(group);
  ir::VarMap narrow;
  for (const ir::Var& size : program.sizes) {
    // By position: groups that differ in the names of sizes only share a kernel.
    std::string name = "n" + std::to_string(program.args.size());
    const ir::Var var = ir::MakeSizeVar(name);
    narrow.emplace(size, ir::MakeCast(DataType::Int(64), var));
    program.args.push_back(var);
    program.size_names.push_back(std::move(name));
  }
  const auto in_sizes = [&](const ir::Expr& expr) { return Narrow(ir::Substitute(expr, narrow)); };
  std::unordered_map<const ir::Node*, te::Tensor> tensors;
  std::vector<te::Tensor> inputs_of_group;
  for (const GraphVar& param : group.params) {
    const auto& type = static_cast<const ir::TensorType&>(*param->type);
    te::Shape shape;
    for (const ir::Expr& extent : type.shape) shape.push_back(in_sizes(extent));
    inputs_of_group.push_back(te::Placeholder(std::move(shape), type.dtype,
                                              "p" + std::to_string(inputs_of_group.size())));
    tensors.emplace(param.get(), inputs_of_group.back());
  }
  for (const Ref<const ir::GraphBinding>& binding : group.body->bindings) {
    const auto& call = static_cast<const ir::GraphCall&>(*binding->value);
    std::vector<te::Tensor> inputs;
    for (const GraphVar& arg : call.args) inputs.push_back(tensors.at(arg.get()));
    ir::Dict attrs = call.attrs;
    for (auto& [key, attr] : attrs) {
      if (const ir::Expr expr = ir::RefExpr(attr)) attr = ir::Substitute(expr, narrow);
    }
    std::vector<te::Tensor> outputs = ComputeCall(GetOp(call.op), std::move(inputs), attrs);
    if (outputs.size() == 1) tensors.emplace(binding->var.get(), outputs[0]);
    if (binding->var.same_as(group.body->result)) program.outputs = std::move(outputs);
  }
  program.reads = AreRead(inputs_of_group, program.outputs);
  for (size_t i = 0; i < inputs_of_group.size(); ++i) {
    if (program.reads[i]) program.args.push_back(inputs_of_group[i]);
  }
  for (const te::Tensor& output : program.outputs) program.args.push_back(output);
  return program;
}

std::string WhyNoThreads(const ir::GraphCall& call, const ir::NodeRef& type) {
  Ref<ir::GraphFunc> group = Make<ir::GraphFunc>();
  Ref<ir::GraphCall> alone = CopyOf(call);
  for (GraphVar& arg : alone->args) {
    if (As<ir::TensorType>(arg->type) == nullptr) return "an argument is no tensor";
    group->params.push_back(ir::MakeGraphVar(arg->name, arg->type));
    arg = group->params.back();
  }
  const GraphVar result = ir::MakeGraphVar("result", type);
  group->body = ir::MakeGraphBlock({ir::Bind(result, std::move(alone))}, result);
  std::vector<ir::Op> outputs;
  for (const te::Tensor& output : ProgramOfGroup(*group).outputs) outputs.push_back(output->op);
  return topi::gpu::WhyNoThreads(outputs);
}

}  // namespace lathe::graph
