#include "graph/plan/function_code.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/poll.h"
#include "graph/datatypes.h"
#include "graph/passes/fuse.h"
#include "graph/uses.h"
#include "ir/walk.h"

namespace lathe::graph {

using ir::As;
using ir::GraphVar;
using ir::NodeRef;
using runtime::vm::Instruction;
using Op = Instruction::Op;
using BindingRef = Ref<const ir::GraphBinding>;

namespace {

// Tensors, and tuples of them.
bool IsFlat(const NodeRef& type) {
  if (const auto* tuple = As<ir::TupleType>(type))
    return std::ranges::all_of(tuple->fields, [](const NodeRef& field) { return IsFlat(field); });
  return As<ir::TensorType>(type) != nullptr;
}

bool IsTupleWork(const ir::GraphBinding& binding) {
  return As<ir::GraphTuple>(binding.value) != nullptr ||
         As<ir::GraphTupleGet>(binding.value) != nullptr;
}

// A block while it is divided: what its bindings need of each other.
struct Item {
  BindingRef binding;
  std::vector<size_t> needs;
  std::vector<size_t> users;
  bool plain = false, done = false;
};

std::vector<Item> ItemsOf(const ir::GraphBlock& block) {
  std::vector<Item> items(block.bindings.size());
  std::unordered_map<const ir::Node*, size_t> places;  // of variables and of new sizes
  for (size_t i = 0; i < items.size(); ++i) {
    items[i].binding = block.bindings[i];
    std::set<size_t> needs;
    const auto look = [&](const ir::Node* node) {
      const auto at = places.find(node);
      if (at != places.end()) needs.insert(at->second);
    };
    ForEachUse(*items[i].binding->value, [&](const ir::GraphVarNode& var) { look(&var); });
    if (!places.empty()) {
      for (const ir::Var& size : ir::FreeVars(items[i].binding)) look(size.get());
    }
    items[i].needs.assign(needs.begin(), needs.end());
    for (const size_t need : needs) items[need].users.push_back(i);
    places.emplace(items[i].binding->var.get(), i);
    for (const ir::Var& size : items[i].binding->sizes) places.emplace(size.get(), i);
  }
  return items;
}

}  // namespace

FunctionCode::FunctionCode(ProgramParts& parts, std::string name, Constants constants)
    : parts_(parts), name_(std::move(name)), constants_(std::move(constants)) {}

void FunctionCode::Fill(int32_t number, const std::vector<GraphVar>& kept,
                        const ir::GraphFunc& func, bool check) {
  for (const GraphVar& var : kept) Define(var);
  for (const GraphVar& param : func.params) Define(param);
  const int32_t params = registers_;
  if (check) CheckArguments(func);
  Block(*func.body, /*tail=*/true);
  FindDrops();
  runtime::vm::ProgramFunction& made = parts_.made.program.functions[static_cast<size_t>(number)];
  made.params = params;
  made.registers = registers_;
  made.code = std::move(code_);
}

int32_t FunctionCode::Define(const GraphVar& var) {
  const int32_t reg = NewRegister();
  variables_[var.get()] = reg;
  AddCarriers(var);
  return reg;
}

void FunctionCode::AddCarriers(const GraphVar& var) {
  std::vector<std::pair<NodeRef, std::vector<int64_t>>> work{{var->type, {}}};
  while (!work.empty()) {
    const auto [type, path] = std::move(work.back());
    work.pop_back();
    if (const auto* tuple = As<ir::TupleType>(type)) {
      for (size_t i = tuple->fields.size(); i-- > 0;) {
        std::vector<int64_t> inner = path;
        inner.push_back(static_cast<int64_t>(i));
        work.emplace_back(tuple->fields[i], std::move(inner));
      }
    }
    const auto* tensor = As<ir::TensorType>(type);
    if (tensor == nullptr) continue;
    for (const ir::Expr& extent : tensor->shape) {
      if (As<ir::VarNode>(extent) != nullptr)
        carriers_.try_emplace(extent.get(), Carrier{var, path});
    }
  }
}

size_t FunctionCode::Emit(Op op, std::vector<int32_t> args, std::vector<int32_t> results,
                          int32_t index) {
  Instruction instruction;
  instruction.op = op;
  instruction.index = index;
  instruction.args = std::move(args);
  instruction.results = std::move(results);
  code_.push_back(std::move(instruction));
  return code_.size() - 1;
}

size_t FunctionCode::BeginArm(size_t from) {
  const size_t at = Emit(Op::kNothing, {}, {});
  arms_.emplace(at, from);
  return at;
}

int32_t FunctionCode::FieldOf(int32_t value, const std::vector<int64_t>& path) {
  for (const int64_t index : path) {
    const int32_t field = NewRegister();
    Emit(Op::kField, {value}, {field}, static_cast<int32_t>(index));
    value = field;
  }
  return value;
}

int32_t FunctionCode::Register(const GraphVar& var) {
  const auto at = variables_.find(var.get());
  if (at != variables_.end()) return at->second;
  const auto constant = constants_.find(var.get());
  LATHE_CHECK(constant != constants_.end()) << "`%" << var->name << "` has no register";
  // A plan that gives the constant; only here, because other ways through the code pass by.
  Plan({constant->second}, {var.get()});
  const int32_t reg = variables_.at(var.get());
  variables_.erase(var.get());
  return reg;
}

std::vector<int32_t> FunctionCode::Registers(const std::vector<GraphVar>& vars) {
  std::vector<int32_t> registers;
  for (const GraphVar& var : vars) registers.push_back(Register(var));
  return registers;
}

// -- What plans compute.

bool FunctionCode::IsPlainBlock(const ir::GraphBlock& block) const {
  return std::ranges::all_of(block.bindings,
                             [&](const BindingRef& binding) { return IsPlain(*binding); });
}

bool FunctionCode::IsPlain(const ir::GraphBinding& binding) const {
  if (const auto* func = As<ir::GraphFunc>(binding.value)) return IsPrimitive(*func);
  if (!IsFlat(binding.var->type)) return false;
  switch (binding.value->node_kind()) {
    case ir::NodeKind::kConstant:
    case ir::NodeKind::kGraphCall:
    case ir::NodeKind::kGraphTuple:
      return true;
    case ir::NodeKind::kGraphTupleGet:
      return IsFlat(static_cast<const ir::GraphTupleGet&>(*binding.value).tuple->type);
    case ir::NodeKind::kGraphInvoke: {
      const auto& invoke = static_cast<const ir::GraphInvoke&>(*binding.value);
      return invoke.callee && parts_.IsGroup(*invoke.callee);
    }
    case ir::NodeKind::kGraphIf: {
      // A plan has one place for the results of both arms, so they must be of one size.
      if (!binding.sizes.empty()) return false;
      const auto& node = static_cast<const ir::GraphIf&>(*binding.value);
      return IsPlainBlock(*node.then_block) && IsPlainBlock(*node.else_block);
    }
    case ir::NodeKind::kGraphLoop: {
      const auto& loop = static_cast<const ir::GraphLoop&>(*binding.value);
      return IsPlainBlock(*loop.condition) && IsPlainBlock(*loop.body);
    }
    default:
      return false;
  }
}

GraphVar FunctionCode::AddLeaves(const GraphVar& var, const NodeRef& type,
                                 const std::vector<int64_t>& path, Inputs& inputs) {
  const auto* tuple = As<ir::TupleType>(type);
  if (tuple == nullptr) {
    inputs.args.push_back(FieldOf(variables_.at(var.get()), path));
    inputs.params.push_back(path.empty() ? var : ir::MakeGraphVar(var->name, type));
    return inputs.params.back();
  }
  Ref<ir::GraphTuple> value = Make<ir::GraphTuple>();
  for (size_t i = 0; i < tuple->fields.size(); ++i) {
    std::vector<int64_t> inner = path;
    inner.push_back(static_cast<int64_t>(i));
    value->fields.push_back(AddLeaves(var, tuple->fields[i], inner, inputs));
  }
  const GraphVar made = path.empty() ? var : ir::MakeGraphVar("", type);
  inputs.inside.push_back(ir::Bind(made, std::move(value)));
  return made;
}

FunctionCode::Inputs FunctionCode::InputsOf(const std::vector<BindingRef>& bindings) {
  Inputs inputs;
  std::unordered_set<const ir::Node*> seen, sizes_here;
  std::vector<ir::Var> wanted;
  const auto want = [&](const NodeRef& node) {
    for (const ir::Var& size : ir::FreeVars(node)) wanted.push_back(size);
  };
  for (const BindingRef& binding : bindings) {
    ForEachUse(*binding->value, [&](const ir::GraphVarNode& used) {
      if (!seen.insert(&used).second) return;
      if (const auto constant = constants_.find(&used); constant != constants_.end())
        inputs.inside.push_back(constant->second);
      if (const auto group = groups_.find(&used); group != groups_.end()) {
        inputs.inside.push_back(group->second);
        want(group->second);
      }
      if (variables_.contains(&used)) AddLeaves(GraphVar(&used), used.type, {}, inputs);
    });
    for (const ir::Var& size : binding->sizes) sizes_here.insert(size.get());
    want(binding);
  }
  for (const GraphVar& param : inputs.params) {
    want(param->type);
    for (const ir::Expr& extent : static_cast<const ir::TensorType&>(*param->type).shape)
      sizes_here.insert(extent.get());
  }
  // Sizes that no parameter has as an extent.
  for (const ir::Var& size : wanted) {
    const auto carrier = carriers_.find(size.get());
    if (carrier == carriers_.end() || !sizes_here.insert(size.get()).second) continue;
    const auto& [var, path] = carrier->second;
    NodeRef type = var->type;
    for (const int64_t index : path)
      type = static_cast<const ir::TupleType&>(*type).fields[static_cast<size_t>(index)];
    inputs.args.push_back(FieldOf(variables_.at(var.get()), path));
    inputs.params.push_back(ir::MakeGraphVar(var->name, std::move(type)));
  }
  return inputs;
}

namespace {

NodeRef TypeOfTuple(const std::vector<GraphVar>& fields) {
  Ref<ir::TupleType> type = Make<ir::TupleType>();
  for (const GraphVar& field : fields) type->fields.push_back(field->type);
  return type;
}

// The function of a plan: parameters are the leaves.
GraphFuncRef FunctionOf(std::string name, std::vector<GraphVar> params,
                        List<ir::GraphBinding> bindings, const std::vector<GraphVar>& outputs) {
  Ref<ir::GraphTuple> tuple = Make<ir::GraphTuple>();
  tuple->fields = outputs;
  const GraphVar result = ir::MakeGraphVar("", TypeOfTuple(outputs));
  bindings.push_back(ir::Bind(result, std::move(tuple)));
  Ref<ir::GraphFunc> func = Make<ir::GraphFunc>();
  func->name = std::move(name);
  func->params = std::move(params);
  func->result_type = result->type;
  func->body = ir::MakeGraphBlock(std::move(bindings), result);
  return func;
}

}  // namespace

void FunctionCode::Plan(const std::vector<BindingRef>& bindings,
                        const std::unordered_set<const ir::Node*>& elsewhere) {
  Inputs inputs = InputsOf(bindings);
  std::vector<GraphVar> outputs;
  for (const BindingRef& binding : bindings) {
    inputs.inside.push_back(binding);
    if (elsewhere.contains(binding->var.get()) || !binding->sizes.empty())
      outputs.push_back(binding->var);
  }
  const GraphFuncRef func =
      FunctionOf(name_, std::move(inputs.params), std::move(inputs.inside), outputs);
  const int32_t plan = parts_.AddPlan(*func);
  std::vector<int32_t> results;
  for (size_t i = 0; i < parts_.made.program.plans.back().outputs.size(); ++i)
    results.push_back(NewRegister());
  Emit(Op::kRun, std::move(inputs.args), results, plan);
  size_t next = 0;
  for (const GraphVar& output : outputs) {
    variables_[output.get()] = Collect(output->type, results, next);
    AddCarriers(output);
  }
}

int32_t FunctionCode::Collect(const NodeRef& type, const std::vector<int32_t>& results,
                              size_t& next) {
  const auto* tuple = As<ir::TupleType>(type);
  if (tuple == nullptr) return results[next++];
  std::vector<int32_t> fields;
  for (const NodeRef& field : tuple->fields) fields.push_back(Collect(field, results, next));
  const int32_t reg = NewRegister();
  Emit(Op::kTuple, std::move(fields), {reg});
  return reg;
}

// A plan without steps compares the arguments' types and sizes with each other.
void FunctionCode::CheckArguments(const ir::GraphFunc& func) {
  Inputs inputs;
  for (const GraphVar& param : func.params) {
    if (IsFlat(param->type)) AddLeaves(param, param->type, {}, inputs);
  }
  if (inputs.params.empty()) return;
  const GraphFuncRef check = FunctionOf(name_, std::move(inputs.params), {}, {});
  Emit(Op::kRun, std::move(inputs.args), {}, parts_.AddPlan(*check));
}

// -- Blocks.

bool FunctionCode::IsKept(const BindingRef& binding) {
  if (As<ir::Constant>(binding->value) != nullptr) {
    constants_.emplace(binding->var.get(), binding);
    return true;
  }
  const auto* func = As<ir::GraphFunc>(binding->value);
  if (func == nullptr || !IsPrimitive(*func)) return false;
  groups_.emplace(binding->var.get(), binding);
  return true;
}

int32_t FunctionCode::Block(const ir::GraphBlock& block, bool tail) {
  std::vector<Item> items = ItemsOf(block);
  std::vector<size_t> left;
  for (size_t i = 0; i < items.size(); ++i) {
    items[i].done = IsKept(items[i].binding);
    items[i].plain = IsPlain(*items[i].binding);
    if (!items[i].done) left.push_back(i);
  }
  while (!left.empty()) {
    Poll();
    const auto ready = [&](size_t i) {
      return std::ranges::all_of(items[i].needs, [&](size_t need) { return items[need].done; });
    };
    std::vector<size_t> piece;
    for (const size_t i : left) {
      if (!items[i].plain || !ready(i)) continue;
      items[i].done = true;
      piece.push_back(i);
    }
    std::vector<BindingRef> bindings;
    std::unordered_set<const ir::Node*> elsewhere{block.result.get()};
    bool computes = false;
    for (const size_t i : piece) {
      bindings.push_back(items[i].binding);
      computes |= !IsTupleWork(*items[i].binding);
      for (const size_t user : items[i].users) {
        if (!std::ranges::binary_search(piece, user)) elsewhere.insert(items[i].binding->var.get());
      }
    }
    if (computes) Plan(bindings, elsewhere);
    for (const BindingRef& binding : bindings) {
      if (!computes) Shell(*binding, false);
    }
    std::erase_if(left, [&](size_t i) { return items[i].done; });
    const std::vector<size_t> others = left;
    for (const size_t i : others) {
      if (items[i].plain || !ready(i)) continue;
      items[i].done = true;
      std::erase(left, i);
      const bool last = tail && left.empty() && items[i].binding->var.same_as(block.result);
      Shell(*items[i].binding, last);
      if (last && code_.back().op == Op::kReturn) return -1;
    }
  }
  const int32_t result = Register(block.result);
  if (!tail) return result;
  Emit(Op::kReturn, {result}, {});
  return -1;
}

// One value that is no plan's. `tail`: the function's result; ifs and matches return it.
void FunctionCode::Shell(const ir::GraphBinding& binding, bool tail) {
  const GraphVar& var = binding.var;
  switch (binding.value->node_kind()) {
    case ir::NodeKind::kGraphTuple: {
      const auto& tuple = static_cast<const ir::GraphTuple&>(*binding.value);
      std::vector<int32_t> fields = Registers(tuple.fields);
      Emit(Op::kTuple, std::move(fields), {Define(var)});
      return;
    }
    case ir::NodeKind::kGraphTupleGet: {
      const auto& get = static_cast<const ir::GraphTupleGet&>(*binding.value);
      const int32_t tuple = Register(get.tuple);
      Emit(Op::kField, {tuple}, {Define(var)}, static_cast<int32_t>(get.index));
      return;
    }
    case ir::NodeKind::kGraphFunc:
      return Closure(static_cast<const ir::GraphFunc&>(*binding.value), var);
    case ir::NodeKind::kGraphInvoke: {
      const auto& invoke = static_cast<const ir::GraphInvoke&>(*binding.value);
      std::vector<int32_t> args = Registers(invoke.args);
      if (!invoke.callee) {
        const int32_t function = parts_.FunctionNumber(invoke.global);
        Emit(Op::kCall, std::move(args), {Define(var)}, function);
      } else {
        args.insert(args.begin(), Register(invoke.callee));
        Emit(Op::kInvoke, std::move(args), {Define(var)});
      }
      return;
    }
    case ir::NodeKind::kGraphIf:
      return If(static_cast<const ir::GraphIf&>(*binding.value), var, tail);
    case ir::NodeKind::kGraphMatch:
      return Match(static_cast<const ir::GraphMatch&>(*binding.value), var, tail);
    case ir::NodeKind::kGraphLoop:
      return Loop(static_cast<const ir::GraphLoop&>(*binding.value), var);
    case ir::NodeKind::kGraphConstruct: {
      const auto& construct = static_cast<const ir::GraphConstruct&>(*binding.value);
      std::vector<int32_t> args = Registers(construct.args);
      Emit(Op::kConstruct, std::move(args), {Define(var)},
           parts_.ConstructorNumber(construct.constructor));
      return;
    }
    default:
      LATHE_CHECK(false) << "a " << ir::NodeKindName(binding.value->node_kind())
                         << " is no value that code makes";
  }
}

void FunctionCode::Closure(const ir::GraphFunc& func, const GraphVar& var) {
  std::vector<GraphVar> kept;
  std::unordered_set<const ir::Node*> seen, sizes_here;
  std::vector<ir::Var> wanted = ir::FreeVars(NodeRef(&func));
  const auto sizes_of = [&](const GraphVar& of) {
    ir::PreOrder(of->type, [&](const ir::Node& node) {
      const auto* tensor = As<ir::TensorType>(&node);
      for (size_t i = 0; tensor != nullptr && i < tensor->shape.size(); ++i)
        sizes_here.insert(tensor->shape[i].get());
      return As<ir::FuncType>(&node) == nullptr;
    });
  };
  for (const GraphVar& param : func.params) sizes_of(param);
  const auto keep = [&](const GraphVar& of) {
    if (!variables_.contains(of.get()) || !seen.insert(of.get()).second) return;
    kept.push_back(of);
    sizes_of(of);
    for (const ir::Var& size : ir::FreeVars(of->type)) wanted.push_back(size);
  };
  ForEachUse(func, [&](const ir::GraphVarNode& used) { keep(GraphVar(&used)); });
  for (size_t i = 0; i < wanted.size(); ++i) {
    const auto carrier = carriers_.find(wanted[i].get());
    if (!sizes_here.contains(wanted[i].get()) && carrier != carriers_.end())
      keep(carrier->second.var);
  }
  const std::string name = name_ + ".closure" + std::to_string(closures_++);
  const int32_t number = parts_.AddFunction(name);
  FunctionCode(parts_, name, constants_).Fill(number, kept, func, /*check=*/false);
  std::vector<int32_t> args = Registers(kept);
  Emit(Op::kClosure, std::move(args), {Define(var)}, number);
}

int64_t FunctionCode::Arm(const ir::GraphBlock& block, int32_t result, bool tail) {
  // A tensor of this arm does not exist on other ways through the code.
  std::unordered_map<const ir::Node*, Carrier> before = carriers_;
  const int32_t value = Block(block, tail);
  carriers_ = std::move(before);
  if (tail) return -1;
  Emit(Op::kMove, {value}, {result});
  return static_cast<int64_t>(Emit(Op::kJump, {}, {}));
}

void FunctionCode::If(const ir::GraphIf& node, const GraphVar& var, bool tail) {
  const int32_t condition = Register(node.condition);
  const size_t branch = Emit(Op::kBranch, {condition}, {});
  const int32_t result = tail ? -1 : NewRegister();
  BeginArm(branch);
  const int64_t first = Arm(*node.then_block, result, tail);
  code_[branch].targets = {Here()};
  BeginArm(branch);
  const int64_t second = Arm(*node.else_block, result, tail);
  if (tail) return;
  for (const int64_t jump : {first, second}) code_[static_cast<size_t>(jump)].targets = {Here()};
  variables_[var.get()] = result;
  AddCarriers(var);
}

void FunctionCode::Match(const ir::GraphMatch& match, const GraphVar& var, bool tail) {
  const int32_t value = Register(match.value);
  const size_t jump =
      Emit(Op::kSwitch, {value}, {}, parts_.TypeNumber(match.cases[0]->constructor));
  const int32_t result = tail ? -1 : NewRegister();
  std::vector<int64_t> ends;
  code_[jump].targets.resize(match.cases.size());
  for (const Ref<const ir::GraphCase>& arm : match.cases) {
    code_[jump].targets[parts_.TagOf(arm->constructor)] = Here();
    BeginArm(jump);
    std::unordered_set<const ir::Node*> used{arm->block->result.get()};
    ForEachUse(*arm->block, [&](const ir::GraphVarNode& of) { used.insert(&of); });
    for (size_t i = 0; i < arm->vars.size(); ++i) {
      if (!used.contains(arm->vars[i].get())) continue;
      Emit(Op::kField, {value}, {Define(arm->vars[i])}, static_cast<int32_t>(i));
    }
    ends.push_back(Arm(*arm->block, result, tail));
  }
  if (tail) return;
  for (const int64_t end : ends) code_[static_cast<size_t>(end)].targets = {Here()};
  variables_[var.get()] = result;
  AddCarriers(var);
}

void FunctionCode::Loop(const ir::GraphLoop& loop, const GraphVar& var) {
  const std::vector<int32_t> first = Registers(loop.init);
  std::vector<int32_t> carried;
  for (size_t i = 0; i < first.size(); ++i) {
    carried.push_back(Define(loop.carried[i]));
    Emit(Op::kMove, {first[i]}, {carried[i]});
  }
  const int32_t begin = Here();
  std::unordered_map<const ir::Node*, Carrier> before = carriers_;
  const int32_t condition = Block(*loop.condition, false);
  const size_t branch = Emit(Op::kBranch, {condition}, {});
  BeginArm(branch);
  const int32_t next = Block(*loop.body, false);
  carriers_ = std::move(before);
  for (size_t i = 0; i < carried.size(); ++i)
    Emit(Op::kField, {next}, {carried[i]}, static_cast<int32_t>(i));
  code_[Emit(Op::kJump, {}, {})].targets = {begin};
  code_[branch].targets = {Here()};
  BeginArm(branch);
  Emit(Op::kTuple, carried, {Define(var)});
}

}  // namespace lathe::graph
