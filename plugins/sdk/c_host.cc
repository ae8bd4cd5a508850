// Functions of hosts: their heads, handles, and the calls of the calling convention (abi/kernel.h).
#include <algorithm>

#include "base/error.h"
#include "ir/intrinsic.h"
#include "ir/intrinsic_names.h"
#include "ir/names.h"
#include "plugins/sdk/c_emitter.h"
#include "plugins/sdk/index_context.h"

namespace lathe::sdk::internal {

using ir::As;

CFunction DescribeFunction(const ir::FuncNode& function, std::string symbol) {
  CFunction out{.name = function.name, .symbol = std::move(symbol), .result = function.return_type};
  out.convention = ir::StringAttr(function.attrs, ir::func_attr::kCallingConvention);
  out.entry_of = ir::StringAttr(function.attrs, ir::func_attr::kEntryOf);
  for (const ir::NodeRef& param : function.params) {
    const auto* var = As<ir::VarNode>(param);
    out.parameters.push_back({.name = var == nullptr ? "" : var->name,
                              .dtype = var == nullptr ? DataType::Handle() : var->dtype,
                              .is_pointer = var == nullptr || var->dtype.is_handle()});
    if (out.parameters.back().is_pointer) out.parameters.back().dtype = DataType::Void();
  }
  return out;
}

bool IsKernel(const ir::FuncNode& function) {
  return ir::StringAttr(function.attrs, ir::func_attr::kCallingConvention) ==
         ir::convention::kKernel;
}

// Handles that a host function binds are addresses of their own: what is read and written through
// views of them decides whether the views are of constant elements.
void CEmitter::FindHandles(const ir::FuncNode& function) {
  ir::PreOrder(function.body, [&](const ir::Node& node) {
    if (const auto* let = As<ir::LetStmt>(&node); let != nullptr && let->var->dtype.is_handle())
      roots_[let->var.get()] = let->var.get();
    const auto* call = As<ir::Call>(&node);
    const auto* first =
        call == nullptr || call->args.empty() ? nullptr : As<ir::VarNode>(call->args[0]);
    if (first == nullptr || !first->dtype.is_handle()) return true;
    // These say what the handle points to.
    if (call->op == ir::intrinsic::kTensorField || call->op == ir::intrinsic::kShapeAt)
      used_by_[first] = call->op;
    used_by_.try_emplace(first, call->op);
    return true;
  });
  index_only_ = IndexOnlyVars(function.body);
}

// Memory whose address is stored or passed may be written.
void CEmitter::FindEscapes(const ir::FuncNode& function) {
  ir::ForEach<ir::Call>(function.body, [&](const ir::Call& call) {
    const ir::Intrinsic* known = ir::FindIntrinsic(call.op);
    if (known == nullptr || known->effect == ir::CallEffect::kPure ||
        known->effect == ir::CallEffect::kReads)
      return;
    for (const ir::NodeRef& arg : call.args) {
      const auto root = roots_.find(arg.get());
      if (root != roots_.end()) written_.insert(root->second);
    }
  });
}

bool CEmitter::BindsIndex(const ir::Edge& edge) const {
  if (!edge.Is("value")) return false;
  const auto* statement = As<ir::LetStmt>(edge.parent);
  const auto* let = As<ir::Let>(edge.parent);
  const ir::Node* var = statement != nullptr ? statement->var.get()
                        : let != nullptr     ? let->var.get()
                                             : nullptr;
  return var != nullptr && index_only_.count(var) != 0;
}

CFunction CEmitter::RunHost(const ir::FuncNode& function, CFunction described) {
  host_ = true;
  kernel_.name = function.name;
  if (!function.body) NotFlat("there is no body");
  TakeExternNames(function);
  for (size_t i = 0; i < function.params.size(); ++i) {
    const auto* var = As<ir::VarNode>(function.params[i]);
    if (var == nullptr) NotFlat("a parameter is still a buffer");
    CParameter& parameter = described.parameters[i];
    parameter.name = NewName(var->name);
    CValue value{.type = var->dtype, .parts = {parameter.name}};
    value.is_place = var->dtype.is_handle();
    value.scope = ir::memory_scope::kGlobal;
    vars_[var] = std::move(value);
  }
  FindHandles(function);
  FindUses(function);
  FindEscapes(function);
  d_.BeginFunction(described);
  out_.Open(d_.FunctionHead(described) + " {");
  Visit(function.body);
  LATHE_CHECK(stack_.empty()) << "a value is left over";
  out_.Close();
  return described;
}

void CEmitter::DefineHandle(const ir::VarNode& var, CValue value) {
  value.type = DataType::Handle();
  if (!value.is_place) {
    value.is_place = true;
    value.scope = ir::memory_scope::kGlobal;
  }
  if (!value.is_name) {
    // The view of this memory should have the buffer's name.
    const auto view = views_.find(&var);
    const bool taken = view != views_.end() && view->second->name == var.name;
    const std::string name = NewName(taken ? var.name + ".data" : var.name);
    const auto used = used_by_.find(&var);
    out_.Add(d_.HandleVariable(name, used == used_by_.end() ? "" : used->second) + " = " +
             Bare(value.parts.at(0)) + ";");
    value.parts[0] = name;
    value.depth = 0;
    value.is_name = true;
  }
  vars_[&var] = std::move(value);
}

std::vector<COperand> CEmitter::HostOperands(const ir::Call& call, std::vector<CValue>& args,
                                             size_t from) {
  std::vector<COperand> out;
  for (size_t i = from; i < args.size(); ++i) {
    COperand& operand = out.emplace_back();
    if (const auto* buffer = As<ir::BufferNode>(call.args[i])) {
      operand = {.text = MemoryOf(*buffer).name, .dtype = DataType::Handle()};
      continue;
    }
    if (!call.arg(i)) NotFlat("an argument of " + call.op + " has no value");
    operand.dtype = call.arg(i)->dtype;
    if (const auto* text = As<ir::StringImm>(call.args[i])) {
      operand.string = &text->value;
      if (const std::string* symbol = helpers_.SymbolOf(text->value)) operand.text = *symbol;
      continue;
    }
    Materialise(&args[i]);
    if (args[i].parts.size() != 1)
      CDialect::Unsupported("vector of " + args[i].type.ToString() + " to pass to " + call.op);
    operand.text = args[i].parts[0];
  }
  return out;
}

// A result that a statement takes at once needs no variable of its own.
void CEmitter::PushOnce(const ir::Call& call, const std::string& text) {
  if (call.dtype.is_void()) return out_.Add(text + ";");
  if (&call == evaluated_) {
    out_.Add(text + ";");
    return PushText(call.dtype, "0", 0);
  }
  PushText(call.dtype, &call == bound_ ? text : Named(call.dtype, text), &call == bound_ ? 1 : 0);
}

// Damaged bytes may contain calls with other arguments than the intrinsic takes.
void CEmitter::CheckArguments(const ir::Call& call, const ir::Intrinsic& known) const {
  bool fits = call.args.size() >= known.args.size();
  for (size_t i = 0; fits && i < known.args.size(); ++i)
    fits = known.args[i] != ir::ArgKind::kString || As<ir::StringImm>(call.args[i]) != nullptr;
  if (!fits) NotFlat("the arguments of " + call.op + " are others than it takes");
}

bool CEmitter::EmitHost(const ir::Call& call, std::vector<CValue>& args) {
  const std::string& op = call.op;
  const ir::Intrinsic* known = ir::FindIntrinsic(op);
  if (!host_ || known == nullptr) return false;
  CheckArguments(call, *known);
  if (op == ir::intrinsic::kStackSlots || op == ir::intrinsic::kStackValues ||
      op == ir::intrinsic::kStackTensor) {
    const std::string name = NewName(&call == bound_ ? bound_name_ : "t");
    out_.Add(d_.StackMemory(op, name, HostOperands(call, args, 0)));
    const bool array = op != ir::intrinsic::kStackTensor;
    CValue out{.type = DataType::Handle(), .parts = {array ? name : "&" + name}, .depth = 1};
    out.is_place = true;
    out.is_name = array;
    out.scope = ir::memory_scope::kLocal;
    return Push(std::move(out)), true;
  }
  const bool by_name = op == ir::intrinsic::kFunctionAddress || op == ir::intrinsic::kCallPlain;
  std::vector<COperand> operands = HostOperands(call, args, 0);
  if (op == ir::intrinsic::kReturn || op == ir::intrinsic::kRaise ||
      op == ir::intrinsic::kRuntimeCall) {
    for (COperand& operand : operands) operand.text = Bare(operand.text);
  }
  if (by_name && (operands.empty() || operands[0].text.empty()))
    NotFlat("a function is named that the module does not have");
  if (op == ir::intrinsic::kFunctionAddress) return PushText(call.dtype, operands[0].text, 0), true;
  if (op == ir::intrinsic::kCallPlain) {
    std::string text = operands[0].text + "(";
    for (size_t i = 1; i < operands.size(); ++i) text += (i == 1 ? "" : ", ") + operands[i].text;
    return PushOnce(call, text + ")"), true;
  }
  const std::string text = d_.HostCall(op, call.dtype, operands);
  if (text.empty()) return false;
  if (known->effect == ir::CallEffect::kOpaque || call.dtype.is_void())
    return PushOnce(call, text), true;
  int depth = 0;
  for (const CValue& arg : args) depth = std::max(depth, arg.depth);
  return PushText(call.dtype, text, depth + 1), true;
}

}  // namespace lathe::sdk::internal
