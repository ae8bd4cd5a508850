#include "graph/plan/plan_maker.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "base/poll.h"
#include "graph/passes/fuse.h"
#include "ir/text/printer.h"
#include "te/workload_key.h"

namespace lathe::graph {
namespace {

using ir::As;
using ir::GraphVar;
using ir::NodeRef;
using runtime::graph::PlanSize;
using runtime::graph::PlanStep;
using runtime::graph::PlanTensor;

[[noreturn]] void FailUnsupported(const std::string& what, const GraphVar& var) {
  throw Error(Diagnostic{.name = "graph-plan-unsupported",
                         .message = "the plan cannot hold " + what + " (`%" + var->name + "`)",
                         .expected = "tensors, tuples, calls of operators, ifs and loops",
                         .found = what,
                         .help = "Interpret (graph/interpreter) evaluates such functions"});
}

// Sizes as entries of the plan's table, each expression once.
class SizeTable {
 public:
  explicit SizeTable(std::vector<PlanSize>* out) : out_(*out) {}

  void BindExtent(const ir::Var& size, int32_t input, int32_t dim) {
    if (vars_.contains(size.get())) return;
    vars_.emplace(size.get(), Add({PlanSize::Kind::kExtent, 0, input, dim}));
  }
  int32_t Number(const ir::Expr& expr) {
    std::vector<int32_t> done;
    std::vector<std::pair<const ir::ExprNode*, bool>> work{{expr.get(), false}};
    while (!work.empty()) {
      const auto [node, operands_done] = work.back();
      work.pop_back();
      if (const auto* imm = As<ir::IntImm>(node)) {
        done.push_back(Add({PlanSize::Kind::kConstant, imm->value, 0, 0}));
      } else if (const auto* cast = As<ir::Cast>(node)) {
        work.emplace_back(cast->value.get(), false);
      } else if (As<ir::VarNode>(node) != nullptr) {
        const auto at = vars_.find(node);
        if (at == vars_.end()) FailSize(*node, "a size that an input's shape has");
        done.push_back(at->second);
      } else {
        const ir::Operands operands = ir::BinaryOperands(node);
        const PlanSize::Kind kind = KindOf(*node);
        if (!operands_done) {
          work.emplace_back(node, true);
          work.emplace_back(operands.b->get(), false);
          work.emplace_back(operands.a->get(), false);
          continue;
        }
        const int32_t b = done.back();
        done.pop_back();
        done.back() = Add({kind, 0, done.back(), b});
      }
    }
    return done.back();
  }

 private:
  [[noreturn]] static void FailSize(const ir::Node& node, std::string expected) {
    throw Error(Diagnostic{.name = "graph-plan-size",
                           .message = "an extent is not known when the graph runs",
                           .expected = std::move(expected),
                           .found = ir::ToText(node),
                           .help = "name each size as an extent of an input"});
  }
  static PlanSize::Kind KindOf(const ir::ExprNode& node) {
    switch (node.node_kind()) {
      case ir::NodeKind::kAdd:
        return PlanSize::Kind::kAdd;
      case ir::NodeKind::kSub:
        return PlanSize::Kind::kSub;
      case ir::NodeKind::kMul:
        return PlanSize::Kind::kMul;
      case ir::NodeKind::kFloorDiv:
        return PlanSize::Kind::kFloorDiv;
      case ir::NodeKind::kFloorMod:
        return PlanSize::Kind::kFloorMod;
      case ir::NodeKind::kMin:
        return PlanSize::Kind::kMin;
      case ir::NodeKind::kMax:
        return PlanSize::Kind::kMax;
      default:
        FailSize(node, "sums, products, quotients, minima and maxima of sizes");
    }
  }
  int32_t Add(const PlanSize& size) {
    const auto key = std::tuple(size.kind, size.value, size.a, size.b);
    const auto [at, is_new] = numbers_.try_emplace(key, static_cast<int32_t>(out_.size()));
    if (is_new) out_.push_back(size);
    return at->second;
  }

  std::vector<PlanSize>& out_;
  std::unordered_map<const ir::Node*, int32_t> vars_;
  std::map<std::tuple<PlanSize::Kind, int64_t, int32_t, int32_t>, int32_t> numbers_;
};

class PlanMaker {
 public:
  PlanMaker(const ir::GraphFunc& func, const std::string& target)
      : func_(func), target_(target), sizes_(&made_.plan.sizes) {}

  MadePlan Run() {
    made_.plan.name = func_.name;
    for (const GraphVar& param : func_.params) Input(param);
    made_.plan.outputs = Block(*func_.body);
    return std::move(made_);
  }

 private:
  int32_t AddTensor(const GraphVar& var, const NodeRef& type, PlanTensor::Memory memory,
                    int32_t index) {
    const auto& tensor_type = static_cast<const ir::TensorType&>(*type);
    PlanTensor tensor{
        .name = var->name, .dtype = tensor_type.dtype, .memory = memory, .index = index};
    for (const ir::Expr& extent : tensor_type.shape) tensor.shape.push_back(sizes_.Number(extent));
    made_.plan.tensors.push_back(std::move(tensor));
    return static_cast<int32_t>(made_.plan.tensors.size() - 1);
  }

  void Input(const GraphVar& param) {
    const auto* type = As<ir::TensorType>(param->type);
    if (type == nullptr) FailUnsupported("an input that is no tensor", param);
    const auto number = static_cast<int32_t>(made_.plan.inputs.size());
    for (size_t d = 0; d < type->shape.size(); ++d) {
      if (const ir::Var size = ir::RefAs<ir::VarNode>(type->shape[d])) {
        sizes_.BindExtent(size, number, static_cast<int32_t>(d));
      }
    }
    inputs_with_sizes_.push_back(param);
    made_.plan.inputs.push_back({param->name, 0});
    if (made_.plan.inputs.size() < func_.params.size()) return;
    // All sizes are bound now.
    for (size_t i = 0; i < inputs_with_sizes_.size(); ++i) {
      const GraphVar& var = inputs_with_sizes_[i];
      const int32_t tensor =
          AddTensor(var, var->type, PlanTensor::Memory::kInput, static_cast<int32_t>(i));
      made_.plan.inputs[i].tensor = tensor;
      values_[var.get()] = {tensor};
    }
  }

  const std::vector<int32_t>& TensorsOf(const GraphVar& var) const {
    const auto at = values_.find(var.get());
    if (at == values_.end()) FailUnsupported("a function as a value", var);
    return at->second;
  }

  // Adds the steps of a block; returns the tensors of its result.
  std::vector<int32_t> Block(const ir::GraphBlock& block) {
    for (const Ref<const ir::GraphBinding>& binding : block.bindings) {
      Poll();
      Bind(*binding);
    }
    return TensorsOf(block.result);
  }

  size_t AddStep(PlanStep::Kind kind, std::vector<int32_t> buffers, std::string location) {
    PlanStep step;
    step.kind = kind;
    step.writes.assign(buffers.size(), 0);
    if (kind == PlanStep::Kind::kCopy) step.writes[1] = 1;
    step.buffers = std::move(buffers);
    step.location = std::move(location);
    made_.plan.steps.push_back(std::move(step));
    return made_.plan.steps.size() - 1;
  }
  void Copy(const std::vector<int32_t>& from, const std::vector<int32_t>& to) {
    for (size_t i = 0; i < from.size(); ++i) {
      AddStep(PlanStep::Kind::kCopy, {from[i], to[i]}, "copy");
    }
  }
  // A tensor in the arena for each tensor of a type.
  std::vector<int32_t> NewTensors(const GraphVar& var, const NodeRef& type) {
    if (const auto* tuple = As<ir::TupleType>(type)) {
      std::vector<int32_t> all;
      for (const NodeRef& field : tuple->fields) {
        const std::vector<int32_t> of = NewTensors(var, field);
        all.insert(all.end(), of.begin(), of.end());
      }
      return all;
    }
    if (As<ir::TensorType>(type) == nullptr) FailUnsupported("a function as a value", var);
    return {AddTensor(var, type, PlanTensor::Memory::kArena, 0)};
  }
  int32_t Steps() const { return static_cast<int32_t>(made_.plan.steps.size()); }

  // Both arms copy their results to the same place.
  void If(const ir::GraphIf& node, const GraphVar& var) {
    const std::vector<int32_t> results = NewTensors(var, var->type);
    const size_t step = AddStep(PlanStep::Kind::kIf, {TensorsOf(node.condition)[0]}, "if");
    const int32_t begin = Steps();
    Copy(Block(*node.then_block), results);
    const int32_t middle = Steps();
    Copy(Block(*node.else_block), results);
    made_.plan.steps[step].first = middle - begin;
    made_.plan.steps[step].second = Steps() - middle;
    values_[var.get()] = results;
  }

  // The memory that a view is of.
  int32_t RootOf(int32_t tensor) const {
    const PlanTensor& of = made_.plan.tensors[static_cast<size_t>(tensor)];
    return of.memory == PlanTensor::Memory::kAlias ? RootOf(of.index) : tensor;
  }

  // Carried values have memory of their own, which each round writes at its end.
  void Loop(const ir::GraphLoop& loop, const GraphVar& var) {
    std::vector<int32_t> carried;
    for (size_t i = 0; i < loop.carried.size(); ++i) {
      const std::vector<int32_t> tensors = NewTensors(loop.carried[i], loop.carried[i]->type);
      Copy(TensorsOf(loop.init[i]), tensors);
      values_[loop.carried[i].get()] = tensors;
      carried.insert(carried.end(), tensors.begin(), tensors.end());
    }
    const size_t step = AddStep(PlanStep::Kind::kLoop, {0}, "loop");
    const int32_t begin = Steps();
    const int32_t condition = Block(*loop.condition)[0];
    const int32_t middle = Steps();
    std::vector<int32_t> next = Block(*loop.body);
    for (size_t i = 0; i < next.size(); ++i) {
      // What another copy overwrites is saved first.
      const int32_t root = RootOf(next[i]);
      const bool moves = root != carried[i] && std::ranges::count(carried, root) > 0;
      if (!moves) continue;
      PlanTensor saved = made_.plan.tensors[static_cast<size_t>(next[i])];
      saved.memory = PlanTensor::Memory::kArena;
      saved.index = 0;
      made_.plan.tensors.push_back(std::move(saved));
      const auto place = static_cast<int32_t>(made_.plan.tensors.size() - 1);
      Copy({next[i]}, {place});
      next[i] = place;
    }
    for (size_t i = 0; i < next.size(); ++i) {
      if (RootOf(next[i]) != carried[i]) Copy({next[i]}, {carried[i]});
    }
    made_.plan.steps[step].buffers[0] = condition;
    made_.plan.steps[step].first = middle - begin;
    made_.plan.steps[step].second = Steps() - middle;
    values_[var.get()] = carried;
  }

  void Bind(const ir::GraphBinding& binding) {
    const GraphVar& var = binding.var;
    if (!binding.sizes.empty()) FailUnsupported("a size that only a run knows", var);
    switch (binding.value->node_kind()) {
      case ir::NodeKind::kConstant: {
        const auto& constant = static_cast<const ir::Constant&>(*binding.value);
        const int32_t tensor = AddTensor(var, var->type, PlanTensor::Memory::kConstant,
                                         static_cast<int32_t>(made_.plan.constants.size()));
        // A parameter may be in the plan twice, in two layouts: only one of them has its name.
        const bool is_new = constant_names_.insert(var->name).second;
        made_.plan.constants.push_back({is_new ? var->name : "", tensor, constant.data->digest()});
        made_.constants.push_back(constant.data);
        values_[var.get()] = {tensor};
        return;
      }
      case ir::NodeKind::kGraphTuple: {
        std::vector<int32_t> tensors;
        for (const GraphVar& field : static_cast<const ir::GraphTuple&>(*binding.value).fields) {
          const std::vector<int32_t>& of = TensorsOf(field);
          tensors.insert(tensors.end(), of.begin(), of.end());
        }
        values_[var.get()] = std::move(tensors);
        return;
      }
      case ir::NodeKind::kGraphTupleGet: {
        const auto& get = static_cast<const ir::GraphTupleGet&>(*binding.value);
        const auto& type = static_cast<const ir::TupleType&>(*get.tuple->type);
        size_t first = 0;
        const auto index = static_cast<size_t>(get.index);
        for (size_t i = 0; i < index; ++i) first += NumTensors(type.fields[i]);
        const std::vector<int32_t>& all = TensorsOf(get.tuple);
        const auto begin = all.begin() + static_cast<ptrdiff_t>(first);
        values_[var.get()] = {begin,
                              begin + static_cast<ptrdiff_t>(NumTensors(type.fields[index]))};
        return;
      }
      case ir::NodeKind::kGraphFunc: {
        const auto& group = static_cast<const ir::GraphFunc&>(*binding.value);
        if (!IsPrimitive(group)) FailUnsupported("a function as a value", var);
        groups_.emplace(var.get(), &group);
        return;
      }
      case ir::NodeKind::kGraphCall: {
        const auto& call = static_cast<const ir::GraphCall&>(*binding.value);
        if (!GetOp(call.op).is_view) FailUnsupported("a call that is in no group", var);
        AddConditions(call);
        values_[var.get()] = {
            AddTensor(var, var->type, PlanTensor::Memory::kAlias, TensorsOf(call.args[0])[0])};
        return;
      }
      case ir::NodeKind::kGraphInvoke: {
        const auto& invoke = static_cast<const ir::GraphInvoke&>(*binding.value);
        const auto group = groups_.find(invoke.callee.get());
        if (!invoke.callee || group == groups_.end()) FailUnsupported("a call of a function", var);
        return Step(*group->second, invoke, var);
      }
      case ir::NodeKind::kGraphIf:
        return If(static_cast<const ir::GraphIf&>(*binding.value), var);
      case ir::NodeKind::kGraphLoop:
        return Loop(static_cast<const ir::GraphLoop&>(*binding.value), var);
      default:
        FailUnsupported("values of data types", var);
    }
  }

  static size_t NumTensors(const NodeRef& type) {
    size_t count = 0;
    std::vector<const ir::Node*> work{type.get()};
    while (!work.empty()) {
      const ir::Node* node = work.back();
      work.pop_back();
      if (const auto* tuple = As<ir::TupleType>(node)) {
        for (const NodeRef& field : tuple->fields) work.push_back(field.get());
      } else {
        ++count;
      }
    }
    return count;
  }

  // What the call's type relies on is checked when sizes are bound.
  void AddConditions(const ir::GraphCall& call) {
    std::vector<NodeRef> types;
    for (const GraphVar& arg : call.args) types.push_back(arg->type);
    for (SizeAssumption& assumption :
         TypeOfCall(GetOp(call.op), std::move(types), call.attrs).assumptions) {
      using runtime::graph::PlanCondition;
      PlanCondition condition{
          assumption.kind == SizeAssumption::Kind::kEqual ? PlanCondition::Kind::kEqual
                                                          : PlanCondition::Kind::kAtMost,
          sizes_.Number(assumption.a), sizes_.Number(assumption.b), std::move(assumption.what)};
      if (conditions_.emplace(condition.kind, condition.a, condition.b).second) {
        made_.plan.conditions.push_back(std::move(condition));
      }
    }
  }

  void Step(const ir::GraphFunc& group, const ir::GraphInvoke& invoke, const GraphVar& var) {
    for (const Ref<const ir::GraphBinding>& binding : group.body->bindings) {
      AddConditions(static_cast<const ir::GraphCall&>(*binding->value));
    }
    KernelProgram program = ProgramOfGroup(group);
    PlanStep step;
    step.location = program.name;
    step.size_names = program.size_names;
    for (const ir::Var& size : program.sizes) step.sizes.push_back(sizes_.Number(size));
    for (size_t i = 0; i < invoke.args.size(); ++i) {
      if (!program.reads[i]) continue;
      step.buffers.push_back(TensorsOf(invoke.args[i])[0]);
      step.writes.push_back(0);
    }
    std::vector<NodeRef> results{var->type};
    if (const auto* tuple = As<ir::TupleType>(var->type)) results = tuple->fields;
    std::vector<int32_t>& outputs = values_[var.get()];
    for (const NodeRef& type : results) {
      outputs.push_back(AddTensor(var, type, PlanTensor::Memory::kArena, 0));
      step.buffers.push_back(outputs.back());
      step.writes.push_back(1);
    }
    step.kernel = KernelOf(std::move(program));
    made_.plan.steps.push_back(std::move(step));
  }

  // The name of the kernel for this program; the same for equal programs.
  std::string KernelOf(KernelProgram program) {
    const std::string key = te::WorkloadKey(program.args, target_).ToString();
    const auto known = kernels_.find(key);
    if (known != kernels_.end()) return known->second;
    std::string name = program.name;
    for (int i = 1; !names_.insert(name).second; ++i) name = program.name + "_" + std::to_string(i);
    program.name = name;
    kernels_.emplace(key, name);
    made_.kernels.push_back(std::move(program));
    return name;
  }

  const ir::GraphFunc& func_;
  const std::string& target_;
  MadePlan made_;
  SizeTable sizes_;
  std::vector<GraphVar> inputs_with_sizes_;
  std::unordered_map<const ir::Node*, std::vector<int32_t>> values_;  // tuples are flat
  std::unordered_map<const ir::Node*, const ir::GraphFunc*> groups_;
  std::unordered_map<std::string, std::string> kernels_;  // workload key -> name
  std::unordered_set<std::string> names_;
  std::unordered_set<std::string> constant_names_;
  std::set<std::tuple<runtime::graph::PlanCondition::Kind, int32_t, int32_t>> conditions_;
};

}  // namespace

MadePlan MakePlan(const ir::GraphFunc& func, const std::string& target) {
  return PlanMaker(func, target).Run();
}

}  // namespace lathe::graph
