#include "graph/plan/plan_maker.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "base/planted_graphs.h"
#include "base/poll.h"
#include "graph/devices.h"
#include "graph/passes/fuse.h"
#include "graph/plan/joined_values.h"
#include "graph/plan/size_table.h"
#include "ir/rewrite.h"
#include "ir/structural.h"
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
                         .help = "compile it as a program (relay.vm.compile), or interpret it"});
}

class PlanMaker {
 public:
  PlanMaker(const ir::GraphFunc& func, KernelTable& kernels)
      : func_(func), kernels_(kernels), targets_(kernels.targets()), sizes_(&made_.plan.sizes) {}

  MadePlan Run() {
    made_.plan.name = func_.name;
    main_ = DeviceNumber(targets_.main);
    if (main_ != 0 || targets_.targets.size() > 1) {
      FindReaders(*func_.body);
    } else {
      joined_ = FindJoinedValues(func_);
    }
    for (const GraphVar& param : func_.params) Input(param);
    made_.plan.outputs = Block(*func_.body);
    NameCopies();
    return std::move(made_);
  }

 private:
  int32_t AddTensor(const GraphVar& var, const NodeRef& type, PlanTensor::Memory memory,
                    int32_t index, int32_t device) {
    const auto& tensor_type = static_cast<const ir::TensorType&>(*type);
    PlanTensor tensor{.name = var->name,
                      .dtype = tensor_type.dtype,
                      .memory = memory,
                      .index = index,
                      .device = device};
    for (const ir::Expr& extent : tensor_type.shape) tensor.shape.push_back(sizes_.Number(extent));
    made_.plan.tensors.push_back(std::move(tensor));
    return static_cast<int32_t>(made_.plan.tensors.size() - 1);
  }

  // -- Devices.

  int32_t DeviceNumber(const std::string& name) {
    const std::string kind(KindOfDevice(name));
    const int slot = SlotOfDevice(name);
    std::vector<runtime::graph::PlanDevice>& devices = made_.plan.devices;
    for (size_t i = 0; i < devices.size(); ++i)
      if (devices[i].kind == kind && devices[i].slot == slot) return static_cast<int32_t>(i);
    devices.push_back({kind, slot});
    return static_cast<int32_t>(devices.size() - 1);
  }
  int32_t DeviceOfCall(const ir::GraphCall& call) {
    const std::string name = DeviceAttrOf(call);
    return name.empty() ? main_ : DeviceNumber(name);
  }
  static const ir::GraphCall& FirstCall(const ir::GraphFunc& group) {
    return static_cast<const ir::GraphCall&>(*group.body->bindings[0]->value);
  }

  // On which device each value is read first. PlaceDevices has made sure that it is the only one.
  void FindReaders(const ir::GraphBlock& block) {
    std::unordered_map<const ir::Node*, const ir::GraphFunc*> groups;
    const auto read = [&](const std::vector<GraphVar>& args, int32_t device) {
      for (const GraphVar& arg : args) readers_.try_emplace(arg.get(), device);
    };
    for (const Ref<const ir::GraphBinding>& binding : block.bindings) {
      const ir::NodeRef& value = binding->value;
      if (const auto* call = As<ir::GraphCall>(value)) {
        read(call->args,
             call->op == kDeviceCopy ? CopyDevice(*call, "src_device") : DeviceOfCall(*call));
      } else if (const auto* func = As<ir::GraphFunc>(value); func != nullptr) {
        if (IsPrimitive(*func)) groups.emplace(binding->var.get(), func);
      } else if (const auto* invoke = As<ir::GraphInvoke>(value)) {
        const auto group = groups.find(invoke->callee.get());
        if (group != groups.end()) read(invoke->args, DeviceOfCall(FirstCall(*group->second)));
      } else if (const auto* node = As<ir::GraphIf>(value)) {
        FindReaders(*node->then_block);
        FindReaders(*node->else_block);
      } else if (const auto* loop = As<ir::GraphLoop>(value)) {
        FindReaders(*loop->condition);
        FindReaders(*loop->body);
      }
    }
  }

  static constexpr char kDeviceCopy[] = "device_copy";
  int32_t CopyDevice(const ir::GraphCall& call, const char* attr) {
    return DeviceNumber(Attrs(GetOp(call.op), call.attrs).String(attr));
  }

  // A constant is on each device that reads it.
  int32_t ConstantOn(const GraphVar& var, const ir::Constant& constant, int32_t device) {
    std::map<int32_t, int32_t>& copies = constant_copies_[var.get()];
    const auto [at, is_new] = copies.try_emplace(device, 0);
    if (!is_new) return at->second;
    const auto number = static_cast<int32_t>(made_.plan.constants.size());
    at->second = AddTensor(var, var->type, PlanTensor::Memory::kConstant, number, device);
    // A parameter may be in the plan twice, in two layouts: only one of them has its name.
    const bool named =
        copies.size() > 1 ? named_.contains(var.get()) : constant_names_.insert(var->name).second;
    if (named) named_.insert(var.get());
    made_.plan.constants.push_back({named ? var->name : "", at->second, constant.data->digest()});
    made_.constants.push_back(constant.data);
    if (Planted(PlantedGraphBug::kConstantOfSameSize)) {
      const auto same = [&](const Ref<const Blob>& other) {
        return other->size() == constant.data->size();
      };
      made_.constants.back() = *std::ranges::find_if(made_.constants, same);
      made_.plan.constants.back().digest = made_.constants.back()->digest();
    }
    return at->second;
  }
  // Copies of one constant: data for its name alone would leave the others as they are.
  void NameCopies() {
    for (const auto& [var, copies] : constant_copies_) {
      if (copies.size() < 2) continue;
      for (const auto& [device, tensor] : copies) {
        const int32_t index = made_.plan.tensors[static_cast<size_t>(tensor)].index;
        std::string& name = made_.plan.constants[static_cast<size_t>(index)].name;
        const runtime::graph::PlanDevice& of = made_.plan.devices[static_cast<size_t>(device)];
        if (name.empty()) continue;
        name += "@" + of.kind + (of.slot == 0 ? "" : ":" + std::to_string(of.slot));
      }
    }
  }
  // The tensor of a value that is read on a device.
  int32_t TensorOn(const GraphVar& var, int32_t device) {
    const auto constant = constants_.find(var.get());
    return constant == constants_.end() ? TensorsOf(var)[0]
                                        : ConstantOn(var, *constant->second, device);
  }
  int32_t DeviceOfTensor(int32_t tensor) const {
    return made_.plan.tensors[static_cast<size_t>(tensor)].device;
  }
  // The host decides where control flow goes.
  int32_t OnHost(int32_t tensor) {
    if (DeviceOfTensor(tensor) == 0) return tensor;
    PlanTensor copy = made_.plan.tensors[static_cast<size_t>(tensor)];
    copy.memory = PlanTensor::Memory::kArena;
    copy.index = 0;
    copy.device = 0;
    made_.plan.tensors.push_back(std::move(copy));
    const auto place = static_cast<int32_t>(made_.plan.tensors.size() - 1);
    Copy({tensor}, {place});
    return place;
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
      const auto reader = readers_.find(var.get());
      const int32_t tensor =
          AddTensor(var, var->type, PlanTensor::Memory::kInput, static_cast<int32_t>(i),
                    reader == readers_.end() ? main_ : reader->second);
      made_.plan.inputs[i].tensor = tensor;
      values_[var.get()] = {tensor};
    }
  }

  const std::vector<int32_t>& TensorsOf(const GraphVar& var) {
    const auto constant = constants_.find(var.get());
    if (constant != constants_.end())
      values_[var.get()] = {ConstantOn(var, *constant->second, main_)};
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
    return {AddTensor(var, type, PlanTensor::Memory::kArena, 0, main_)};
  }
  int32_t Steps() const { return static_cast<int32_t>(made_.plan.steps.size()); }

  void OpenBlocks(const GraphVar& var) {
    if (++open_ > runtime::graph::kMostNestedBlocks) {
      FailUnsupported("branches and loops within each other, more than " +
                          std::to_string(runtime::graph::kMostNestedBlocks) + " deep",
                      var);
    }
  }

  // Both arms copy their results to the same place.
  void If(const ir::GraphIf& node, const GraphVar& var) {
    OpenBlocks(var);
    const std::vector<int32_t> results = NewTensors(var, var->type);
    const int32_t condition = OnHost(TensorsOf(node.condition)[0]);
    const size_t step = AddStep(PlanStep::Kind::kIf, {condition}, "if");
    const int32_t begin = Steps();
    Copy(Block(*node.then_block), results);
    const int32_t middle = Steps();
    const std::vector<int32_t> others = Block(*node.else_block);
    const bool wrong = Planted(PlantedGraphBug::kArmsMerged) && others.size() > 1;
    Copy(wrong ? std::vector<int32_t>(others.size(), others[0]) : others, results);
    made_.plan.steps[step].first = middle - begin;
    made_.plan.steps[step].second = Steps() - middle;
    values_[var.get()] = results;
    --open_;
  }

  // The memory that a view is of.
  int32_t RootOf(int32_t tensor) const {
    const PlanTensor& of = made_.plan.tensors[static_cast<size_t>(tensor)];
    return of.memory == PlanTensor::Memory::kAlias ? RootOf(of.index) : tensor;
  }

  // Carried values have memory of their own, which each round writes at its end.
  void Loop(const ir::GraphLoop& loop, const GraphVar& var) {
    OpenBlocks(var);
    std::vector<int32_t> carried;
    for (size_t i = 0; i < loop.carried.size(); ++i) {
      const std::vector<int32_t> tensors = NewTensors(loop.carried[i], loop.carried[i]->type);
      Copy(TensorsOf(loop.init[i]), tensors);
      values_[loop.carried[i].get()] = tensors;
      carried.insert(carried.end(), tensors.begin(), tensors.end());
    }
    const size_t step = AddStep(PlanStep::Kind::kLoop, {0}, "loop");
    const int32_t begin = Steps();
    const int32_t condition = OnHost(Block(*loop.condition)[0]);
    const int32_t middle = Steps();
    std::vector<int32_t> next = Block(*loop.body);
    for (size_t i = 0; i < next.size(); ++i) {
      // What another copy overwrites is saved first.
      const int32_t root = RootOf(next[i]);
      const bool moves = root != carried[i] && std::ranges::count(carried, root) > 0 &&
                         !Planted(PlantedGraphBug::kCarriedNotSaved);
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
    --open_;
  }

  void Bind(const ir::GraphBinding& binding) {
    const GraphVar& var = binding.var;
    if (!binding.sizes.empty()) return StepWithSizes(binding);
    switch (binding.value->node_kind()) {
      case ir::NodeKind::kConstant: {
        const auto& constant = static_cast<const ir::Constant&>(*binding.value);
        constants_.emplace(var.get(), &constant);
        // With several devices its readers decide where it is.
        if (targets_.targets.size() == 1) ConstantOn(var, constant, main_);
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
        for (size_t i = 0; i < index; ++i) {
          first += Planted(PlantedGraphBug::kTupleNotFlat) ? 1 : NumTensors(type.fields[i]);
        }
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
        if (call.op == kDeviceCopy) return CopyBetween(call, var);
        const int32_t viewed = TensorOn(call.args[0], DeviceOfCall(call));
        values_[var.get()] = {
            AddTensor(var, var->type, PlanTensor::Memory::kAlias, viewed, DeviceOfTensor(viewed))};
        return;
      }
      case ir::NodeKind::kGraphInvoke: {
        const auto& invoke = static_cast<const ir::GraphInvoke&>(*binding.value);
        const auto group = groups_.find(invoke.callee.get());
        if (!invoke.callee || group == groups_.end()) FailUnsupported("a call of a function", var);
        if (joined_.parts.contains(var.get())) {
          AddConditions(*OnlyConcatenates(*group->second));
          PlaceOf(var);
          return;
        }
        std::vector<NodeRef> results{var->type};
        if (const auto* tuple = As<ir::TupleType>(var->type)) results = tuple->fields;
        values_[var.get()] = Step(*group->second, invoke.args, var, results);
        return;
      }
      case ir::NodeKind::kGraphIf:
        return If(static_cast<const ir::GraphIf&>(*binding.value), var);
      case ir::NodeKind::kGraphLoop:
        return Loop(static_cast<const ir::GraphLoop&>(*binding.value), var);
      default:
        FailUnsupported("values of data types", var);
    }
  }

  void CopyBetween(const ir::GraphCall& call, const GraphVar& var) {
    const int32_t to = CopyDevice(call, "dst_device");
    const int32_t from = TensorOn(call.args[0], to);
    values_[var.get()] = {from};
    if (DeviceOfTensor(from) == to) return;
    const int32_t copy = AddTensor(var, var->type, PlanTensor::Memory::kArena, 0, to);
    AddStep(PlanStep::Kind::kCopy, {from, copy}, "device_copy");
    values_[var.get()] = {copy};
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

  // What the call's type relies on is checked when sizes are known.
  void AddConditions(const ir::GraphCall& call) {
    if (Planted(PlantedGraphBug::kConditionDropped)) return;
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

  // A call that makes new sizes. Its results have room for the most elements; the sizes are bound
  // to what it computed, and then the values are the first rows.
  void StepWithSizes(const ir::GraphBinding& binding) {
    const GraphVar& var = binding.var;
    const auto* call = As<ir::GraphCall>(binding.value);
    if (call == nullptr) FailUnsupported("a size that only a run knows", var);
    std::vector<NodeRef> types;
    for (const GraphVar& arg : call->args) types.push_back(arg->type);
    const TypeResult bounded = TypeOfCall(GetOp(call->op), std::move(types), call->attrs);
    std::vector<NodeRef> values{var->type}, results{bounded.type};
    if (const auto* tuple = As<ir::TupleType>(var->type)) {
      values = tuple->fields;
      results = static_cast<const ir::TupleType&>(*bounded.type).fields;
    }
    ir::VarMap most;
    for (size_t i = 0; i < bounded.sizes.size(); ++i) {
      most.emplace(bounded.sizes[i], bounded.most[i]);
    }
    for (NodeRef& result : results) {
      result = ir::Rewrite(result, [&](const ir::VarNode& size) -> NodeRef {
        const auto at = most.find(ir::Var(&size));
        return at == most.end() ? NodeRef() : NodeRef(at->second);
      });
    }
    results.push_back(ir::MakeTensorType(
        DataType::Int(64), {ir::Int(static_cast<int64_t>(most.size()), DataType::Int(64))}));
    const std::vector<int32_t> all = Step(*GroupOfCall(binding), call->args, var, results);
    const int32_t counts = OnHost(all.back());
    for (size_t i = 0; i < binding.sizes.size(); ++i) {
      const int32_t size = sizes_.BindWhileRunning(binding.sizes[i]);
      PlanStep& step = made_.plan.steps[AddStep(PlanStep::Kind::kBindSize, {counts}, "size")];
      step.size_names = {""};
      step.sizes = {size};
      step.element = static_cast<int64_t>(i);
    }
    std::vector<int32_t>& tensors = values_[var.get()];
    for (size_t i = 0; i < values.size(); ++i) {
      const bool is_whole = ir::StructuralEqual(values[i], results[i]);
      tensors.push_back(is_whole ? all[i]
                                 : AddTensor(var, values[i], PlanTensor::Memory::kPrefix, all[i],
                                             DeviceOfTensor(all[i])));
    }
  }

  // The tensor of a value that lies in a concatenation or is the result of one, from the outermost
  // concatenation on. All parts of a tensor are made together: their order is that of their places.
  int32_t PlaceOf(const GraphVar& var) {
    std::vector<GraphVar> around{var};
    for (;;) {
      const auto whole = joined_.whole_of.find(around.back().get());
      if (values_.contains(around.back().get()) || whole == joined_.whole_of.end()) break;
      around.push_back(whole->second);
    }
    if (!values_.contains(around.back().get())) {
      values_[around.back().get()] = {
          AddTensor(around.back(), around.back()->type, PlanTensor::Memory::kArena, 0, 0)};
    }
    for (; around.size() > 1; around.pop_back()) {
      const int32_t of = values_.at(around.back().get())[0];
      for (const auto& [part, offset] : joined_.parts.at(around.back().get())) {
        values_[part.get()] = {AddTensor(part, part->type, PlanTensor::Memory::kPart, of, 0)};
        made_.plan.tensors.back().offset = offset;
      }
    }
    return values_.at(var.get())[0];
  }

  // The call of a group's kernel; returns the tensors of its results.
  std::vector<int32_t> Step(const ir::GraphFunc& group, const std::vector<GraphVar>& args,
                            const GraphVar& var, const std::vector<NodeRef>& results) {
    for (const Ref<const ir::GraphBinding>& binding : group.body->bindings) {
      AddConditions(static_cast<const ir::GraphCall&>(*binding->value));
    }
    KernelProgram program = ProgramOfGroup(group);
    const int32_t device = DeviceOfCall(FirstCall(group));
    program.device = made_.plan.devices[static_cast<size_t>(device)].kind;
    PlanStep step;
    step.location = program.name;
    step.size_names = program.size_names;
    for (const ir::Var& size : program.sizes) step.sizes.push_back(sizes_.Number(size));
    if (Planted(PlantedGraphBug::kGroupSizesReversed)) std::ranges::reverse(step.sizes);
    for (size_t i = 0; i < args.size(); ++i) {
      if (!program.reads[i]) continue;
      step.buffers.push_back(TensorOn(args[i], device));
      step.writes.push_back(0);
    }
    std::vector<int32_t> outputs;
    for (const NodeRef& type : results) {
      outputs.push_back(joined_.whole_of.contains(var.get())
                            ? PlaceOf(var)
                            : AddTensor(var, type, PlanTensor::Memory::kArena, 0, device));
      step.buffers.push_back(outputs.back());
      step.writes.push_back(1);
    }
    step.kernel = kernels_.NameOf(std::move(program));
    made_.plan.steps.push_back(std::move(step));
    return outputs;
  }

  const ir::GraphFunc& func_;
  KernelTable& kernels_;
  const PlanTargets& targets_;
  int32_t main_ = 0;  // number of the main device
  size_t open_ = 0;   // branches and loops around the present block
  MadePlan made_;
  SizeTable sizes_;
  std::vector<GraphVar> inputs_with_sizes_;
  std::unordered_map<const ir::Node*, std::vector<int32_t>> values_;  // tuples are flat
  std::unordered_map<const ir::Node*, const ir::GraphFunc*> groups_;
  JoinedValues joined_;
  std::unordered_set<std::string> constant_names_;
  std::unordered_set<const ir::Node*> named_;  // constants that have their name
  std::unordered_map<const ir::Node*, const ir::Constant*> constants_;
  std::unordered_map<const ir::Node*, std::map<int32_t, int32_t>> constant_copies_;
  std::unordered_map<const ir::Node*, int32_t> readers_;  // the device that reads a value first
  std::set<std::tuple<runtime::graph::PlanCondition::Kind, int32_t, int32_t>> conditions_;
};

}  // namespace

std::string KernelTable::NameOf(KernelProgram program) {
  std::string key = te::WorkloadKey(program.args, targets_.targets.at(program.device)).ToString();
  if (Planted(PlantedGraphBug::kKernelByName)) key = program.name;
  const auto known = names_by_key_.find(key);
  if (known != names_by_key_.end()) return known->second;
  std::string name = program.name;
  for (int i = 1; !names_.insert(name).second; ++i) name = program.name + "_" + std::to_string(i);
  program.name = name;
  names_by_key_.emplace(key, name);
  kernels_.push_back(std::move(program));
  return name;
}

MadePlan MakePlan(const ir::GraphFunc& func, KernelTable& kernels) {
  return PlanMaker(func, kernels).Run();
}

MadePlan MakePlan(const ir::GraphFunc& func, const PlanTargets& targets) {
  KernelTable kernels(targets);
  MadePlan made = MakePlan(func, kernels);
  made.kernels = kernels.Take();
  return made;
}

}  // namespace lathe::graph
