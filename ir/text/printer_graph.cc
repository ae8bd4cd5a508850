// Graphs as text. Every block is a list of lines, so deep networks need no deep nesting.

#include <algorithm>

#include "ir/constants.h"
#include "ir/names.h"
#include "ir/text/printer_impl.h"
#include "ir/walk.h"

namespace lathe::ir::internal {

using syntax::QuoteName;
using syntax::QuoteString;

namespace {

// A list among attributes: [1, 1].
bool IsList(const Node& value) {
  const auto* call = As<Call>(&value);
  return call != nullptr && call->op == kListOperand && call->dtype.is_handle() &&
         call->attrs.empty() && IsSound(value);
}

bool IsPlainConstant(const Constant& constant) {
  for (const Expr& extent : constant.shape) {
    if (As<IntImm>(extent) == nullptr || extent->dtype != DataType::Int(64)) return false;
  }
  return true;
}

}  // namespace

void Printer::PrintGraphType(const Node* type) {
  if (type == nullptr) {
    out_ += "null";
    return;
  }
  if (!IsGraphType(type) || !IsSound(*type)) return Generic(*type);
  auto types = [&](const std::vector<NodeRef>& list) {
    for (size_t i = 0; i < list.size(); ++i) {
      if (i != 0) Text(", ");
      Put(What::kGraphType, list[i].get());
    }
  };
  if (const auto* tensor = As<TensorType>(type)) {
    Put(What::kWide, nullptr, 1);
    Text(tensor->dtype.ToString() + "[");
    Expressions(tensor->shape);
    Text("]");
    Put(What::kWide, nullptr, -1);
  } else if (const auto* tuple = As<TupleType>(type)) {
    Text("(");
    types(tuple->fields);
    Text(tuple->fields.size() == 1 ? ",)" : ")");
  } else if (const auto* function = As<FuncType>(type)) {
    Text("fn(");
    types(function->params);
    Text(") -> ");
    Put(What::kGraphType, function->result.get());
  } else {
    Text(QuoteName(static_cast<const TypeRef*>(type)->name));
  }
}

// -- Definitions.

void Printer::DefineGraphVar(const GraphVarNode& var) {
  Text("%" + syntax::QuoteGraphName(std::string_view(Bind(&var, "%" + var.name)).substr(1)));
  if (!IsSound(var)) {
    Text(" = ");
    Generic(var);
  } else if (var.type) {
    Text(": ");
    Put(What::kGraphType, var.type.get());
  }
}

// Names the sizes. The types that come next mention them.
void Printer::DefineSizes(const std::vector<Var>& sizes) {
  new_sizes_.clear();
  mentioned_sizes_.clear();
  for (const Var& size : sizes) {
    Bind(size.get(), size->name);
    new_sizes_.insert(size.get());
  }
}

// A mention of a size; the first one has its type, unless that is the usual one.
std::string Printer::SizeText(const VarNode& size) {
  std::string text = QuoteName(NameOf(&size));
  if (new_sizes_.erase(&size) == 0) return text;
  mentioned_sizes_.push_back(&size);
  if (size.is_size && size.dtype == DataType::Int(64)) return text;
  if (!size.is_size) return text + ": " + size.dtype.ToString();
  return text + (size.dtype == DataType::Int(32) ? ": size" : ": size " + size.dtype.ToString());
}

void Printer::PrintSizes(const std::vector<Var>& sizes) {
  out_ += " sizes [";
  for (size_t i = 0; i < sizes.size(); ++i) out_ += (i == 0 ? "" : ", ") + SizeText(*sizes[i]);
  out_ += "]";
}

// Sizes that are mentioned in this order by the types of a function's parameters are not listed.
void Printer::PrintNewSizes(const Node& owner) {
  if (const auto* binding = As<GraphBinding>(&owner)) {
    if (!binding->sizes.empty()) PrintSizes(binding->sizes);
    return;
  }
  const std::vector<Var>& sizes = static_cast<const GraphFunc&>(owner).sizes;
  bool implied = sizes.size() == mentioned_sizes_.size();
  for (size_t i = 0; implied && i < sizes.size(); ++i) {
    implied = sizes[i].get() == mentioned_sizes_[i];
  }
  if (!implied) PrintSizes(sizes);
}

// -- Functions, blocks, bindings.

namespace {

// Does a type mention a size that only a binding of the block makes known? Outside of the block it
// cannot be written; inference finds it again.
bool MentionsSizesOf(const NodeRef& type, const GraphBlock& block) {
  const std::vector<Var> mentioned = FreeVars(type);
  for (const Ref<const GraphBinding>& binding : block.bindings) {
    for (const Var& size : binding->sizes) {
      const bool found =
          std::ranges::any_of(mentioned, [&](const Var& var) { return var.same_as(size); });
      if (found) return true;
    }
  }
  return false;
}

}  // namespace

void Printer::PrintGraphFunc(const GraphFunc* func) {
  if (func == nullptr) {
    out_ += "null";
    return;
  }
  if (!IsSound(*func)) return Generic(*func);
  if (!func->name.empty()) within_ = "function `" + func->name + "`";
  if (scopes_.empty()) next_number_ = 0;
  scopes_.emplace_back();
  DefineSizes(func->sizes);
  Put(What::kWide, nullptr, 1);
  Text(func->name.empty() ? "graph(" : "graph " + QuoteName(func->name) + "(");
  Definitions(func->params);
  Text(")");
  Put(What::kNewSizes, func);
  if (func->result_type && !MentionsSizesOf(func->result_type, *func->body)) {
    Text(" -> ");
    Put(What::kGraphType, func->result_type.get());
  }
  With(func->attrs);
  Text(" ");
  Put(What::kGraphBlock, func->body.get());
  Put(What::kWide, nullptr, -1);
  Put(What::kCloseScope);
}

void Printer::PrintGraphBlock(const GraphBlock* block) {
  if (block == nullptr) {
    out_ += "null";
    return;
  }
  if (!IsSound(*block)) return Generic(*block);
  scopes_.emplace_back();
  Text("{");
  Put(What::kIndent);
  for (const Ref<const GraphBinding>& binding : block->bindings) {
    Put(What::kNewline);
    Put(What::kGraphBinding, binding.get());
  }
  Put(What::kNewline);
  Text("return ");
  Put(What::kValue, block->result.get());
  Put(What::kDedent);
  Put(What::kNewline);
  Text("}");
  Put(What::kCloseScope);
}

void Printer::PrintGraphBinding(const GraphBinding* binding) {
  if (binding == nullptr) {
    out_ += "null";
    return;
  }
  if (!IsSound(*binding)) return Generic(*binding);
  DefineSizes(binding->sizes);
  Put(What::kDefine, binding->var.get());
  Put(What::kNewSizes, binding);
  Text(" = ");
  PrintGraphValue(*binding->value);
}

// -- Values.

void Printer::PrintArgs(std::string open, const std::vector<GraphVar>& args) {
  Text(std::move(open) + "(");
  Expressions(args);
  Text(")");
}

void Printer::PrintGraphAttribute(const Node* value) {
  if (value == nullptr || !IsList(*value)) return Value(value);
  Text("[");
  const auto& items = static_cast<const Call*>(value)->args;
  for (size_t i = 0; i < items.size(); ++i) {
    if (i != 0) Text(", ");
    Put(What::kGraphAttribute, items[i].get());
  }
  Text("]");
}

void Printer::PrintGraphCall(const GraphCall& call) {
  Text(syntax::QuoteOperator(call.op) + "(");
  Expressions(call.args);
  bool first = call.args.empty();
  Put(What::kWide, nullptr, 1);
  for (const auto& [key, value] : call.attrs) {
    Text(std::string(first ? "" : ", ") + (syntax::IsWord(key) ? key : QuoteString(key)) + "=");
    first = false;
    Put(What::kGraphAttribute, value.get());
  }
  Put(What::kWide, nullptr, -1);
  Text(")");
}

void Printer::PrintGraphLoop(const GraphLoop& loop) {
  Put(What::kOpenScope);
  Text("loop (");
  for (size_t i = 0; i < loop.carried.size(); ++i) {
    if (i != 0) Text(", ");
    Put(What::kDefine, loop.carried[i].get());
    Text(" = ");
    Put(What::kValue, loop.init[i].get());
  }
  Text(") while ");
  Put(What::kGraphBlock, loop.condition.get());
  Text(" do ");
  Put(What::kGraphBlock, loop.body.get());
  Put(What::kCloseScope);
}

void Printer::PrintGraphMatch(const GraphMatch& match) {
  Text("match ");
  Put(What::kValue, match.value.get());
  Text(" {");
  Put(What::kIndent);
  for (const Ref<const GraphCase>& arm : match.cases) {
    Put(What::kNewline);
    if (!IsSound(*arm)) {
      Generic(*arm);
      continue;
    }
    Put(What::kOpenScope);
    Text(QuoteName(arm->constructor) + (arm->vars.empty() ? "" : "("));
    Definitions(arm->vars);
    Text(arm->vars.empty() ? " => " : ") => ");
    Put(What::kGraphBlock, arm->block.get());
    Put(What::kCloseScope);
  }
  Put(What::kDedent);
  Put(What::kNewline);
  Text("}");
}

void Printer::PrintGraphValue(const Node& value) {
  if (!IsSound(value)) return Generic(value);
  switch (value.node_kind()) {
    case NodeKind::kGraphCall:
      return PrintGraphCall(static_cast<const GraphCall&>(value));
    case NodeKind::kGraphTuple: {
      const auto& fields = static_cast<const GraphTuple&>(value).fields;
      Text("(");
      Expressions(fields);
      return Text(fields.size() == 1 ? ",)" : ")");
    }
    case NodeKind::kGraphTupleGet: {
      const auto& get = static_cast<const GraphTupleGet&>(value);
      Put(What::kValue, get.tuple.get());
      return Text("." + std::to_string(get.index));
    }
    case NodeKind::kGraphFunc:
      return Put(What::kGraphFunc, &value);
    case NodeKind::kGraphInvoke: {
      const auto& invoke = static_cast<const GraphInvoke&>(value);
      if (invoke.callee) {
        Put(What::kValue, invoke.callee.get());
        return PrintArgs("", invoke.args);
      }
      return PrintArgs("@" + QuoteName(invoke.global), invoke.args);
    }
    case NodeKind::kGraphIf: {
      const auto& branch = static_cast<const GraphIf&>(value);
      Text("if ");
      Put(What::kValue, branch.condition.get());
      Text(" ");
      Put(What::kGraphBlock, branch.then_block.get());
      Text(" else ");
      return Put(What::kGraphBlock, branch.else_block.get());
    }
    case NodeKind::kGraphLoop:
      return PrintGraphLoop(static_cast<const GraphLoop&>(value));
    case NodeKind::kGraphConstruct: {
      const auto& construct = static_cast<const GraphConstruct&>(value);
      return PrintArgs("new " + QuoteName(construct.constructor), construct.args);
    }
    case NodeKind::kGraphMatch:
      return PrintGraphMatch(static_cast<const GraphMatch&>(value));
    case NodeKind::kConstant: {
      const auto& constant = static_cast<const Constant&>(value);
      if (!IsPlainConstant(constant)) return Generic(value);
      Put(What::kWide, nullptr, 1);
      Text("constant " + constant.dtype.ToString() + "[");
      Expressions(constant.shape);
      Text("] " + QuoteString(constant.data->digest().ToString()));
      return Put(What::kWide, nullptr, -1);
    }
    default:
      return Generic(value);
  }
}

// -- Modules.

// type List { Nil, Cons(float32[3], List) }
void Printer::PrintDataType(const GraphDataType& type) {
  bool sound = IsSound(type);
  for (size_t i = 0; sound && i < type.constructors.size(); ++i) {
    sound = IsSound(*type.constructors[i]);
  }
  if (!sound) return Generic(type);
  Text("type " + QuoteName(type.name) + (type.constructors.empty() ? " {" : " { "));
  for (size_t i = 0; i < type.constructors.size(); ++i) {
    const GraphConstructor& constructor = *type.constructors[i];
    Text((i == 0 ? "" : ", ") + QuoteName(constructor.name));
    for (size_t k = 0; k < constructor.fields.size(); ++k) {
      Text(k == 0 ? "(" : ", ");
      Put(What::kGraphType, constructor.fields[k].get());
    }
    if (!constructor.fields.empty()) Text(")");
  }
  Text(type.constructors.empty() ? "}" : " }");
}

void Printer::PrintGraphModule(const GraphModuleNode& module) {
  Put(What::kNewline);
  Text("graph module");
  With(module.attrs);
  for (const Ref<const GraphDataType>& type : module.datatypes) {
    Put(What::kNewline);
    Put(What::kBlankLine);
    if (type)
      PrintDataType(*type);
    else
      Text("null");
  }
  for (const Ref<const GraphFunc>& func : module.functions) {
    Put(What::kNewline);
    Put(What::kBlankLine);
    Put(What::kGraphFunc, func.get());
  }
}

}  // namespace lathe::ir::internal
