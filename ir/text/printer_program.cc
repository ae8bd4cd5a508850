// Functions, modules and program files as text.

#include <algorithm>
#include <charconv>

#include "ir/structural.h"
#include "ir/text/printer_impl.h"

namespace lathe::ir::internal {

using syntax::QuoteName;
using syntax::QuoteString;

namespace {

// True if the bodies are the values 0, 1, ... of one reduction.
bool IsTupleReduction(const std::vector<Expr>& body) {
  const auto* first = As<Reduce>(body[0]);
  if (first == nullptr || body.size() < 2 || first->sources.size() != body.size()) return false;
  for (size_t i = 0; i < body.size(); ++i) {
    const auto* reduce = As<Reduce>(body[i]);
    if (reduce == nullptr || reduce->value_index != static_cast<int64_t>(i)) return false;
    auto same = [](const auto& a, const auto& b) {
      return std::ranges::equal(a, b, [](const auto& x, const auto& y) { return x.same_as(y); });
    };
    const bool same_condition =
        reduce->condition.same_as(first->condition) ||
        (IsConstInt(reduce->condition, 1) && IsConstInt(first->condition, 1));
    if (!reduce->reducer.same_as(first->reducer) || !same(reduce->sources, first->sources) ||
        !same(reduce->axis, first->axis) || !same(reduce->init, first->init) || !same_condition ||
        !IsSound(*reduce)) {
      return false;
    }
  }
  return true;
}

}  // namespace

void Printer::PrintFunc(const FuncNode& func) {
  if (!IsSound(func)) return Generic(func);
  within_ = "function `" + func.name + "`";
  Put(What::kOpenScope);
  Text("func " + QuoteName(func.name) + "(");
  Put(What::kParameters, nullptr, 1);
  Definitions(func.params);
  Put(What::kParameters, nullptr, 0);
  Text(")");
  if (!func.return_type.is_void()) Text(" -> " + func.return_type.ToString());
  With(func.attrs);
  Text(" ");
  Put(What::kBlock, func.body.get());
  Put(What::kCloseScope);
}

void Printer::PrintModule(const ModuleNode& module) {
  Put(What::kNewline);
  Text("module");
  With(module.attrs);
  for (const Func& func : module.functions) {
    Put(What::kNewline);
    Put(What::kBlankLine);
    if (func)
      Put(What::kFunc, func.get());
    else
      Text("null");
  }
}

void Printer::TagAndAttrs(const OpNode& op) {
  if (!op.tag.empty()) Text(" tag " + QuoteString(op.tag));
  With(op.attrs);
}

// Prints the line that defines something outside a statement.
void Printer::Definition(const Node& node) {
  if (!IsSound(node)) return Generic(node);
  if (IsOp(&node)) within_ = "operation `" + static_cast<const OpNode&>(node).name + "`";
  if (const auto* op = As<PlaceholderOp>(&node)) {
    const std::string name = Bind(op, op->name);
    Text("placeholder " + QuoteName(name) + ": " + op->dtype.ToString() + "[");
    Expressions(op->shape);
    Text("]");
    if (name != op->name) Text(" named " + QuoteString(op->name));
    return TagAndAttrs(*op);
  }
  if (const auto* op = As<ComputeOp>(&node)) {
    bool derived = op->axis.size() == op->shape.size();
    for (size_t i = 0; derived && i < op->shape.size(); ++i) {
      derived = op->axis[i]->domain && StructuralEqual(op->axis[i]->domain->extent, op->shape[i]);
    }
    if (derived) {
      const std::string name = Bind(op, op->name);
      Put(What::kOpenScope);
      Text("compute " + QuoteName(name) + "[");
      Definitions(op->axis);
      Text("]");
      if (!op->reduce_axis.empty()) {
        Text(" over [");
        Definitions(op->reduce_axis, 2);
        Text("]");
      }
      if (name != op->name) Text(" named " + QuoteString(op->name));
      TagAndAttrs(*op);
      Text(" = ");
      if (IsTupleReduction(op->body))
        Put(What::kTupleReduce, op->body[0].get());
      else
        Expressions(op->body);
      Put(What::kCloseScope);
      return;
    }
  }
  switch (node.node_kind()) {
    case NodeKind::kVarNode:
      Text("var ");
      break;
    case NodeKind::kBufferNode:
      Text("buffer ");
      break;
    case NodeKind::kGraphVarNode:
      Text("value ");
      break;
    case NodeKind::kIterVarNode:
      Text("iter ");
      break;
    case NodeKind::kTensorIntrinNode: {
      const auto& intrin = static_cast<const TensorIntrinNode&>(node);
      const std::string name = Bind(&node, intrin.name);
      Text("intrin " + QuoteName(name) + " = ");
      return Generic(node, name == intrin.name ? "name" : "");
    }
    default: {
      const auto& op = static_cast<const OpNode&>(node);
      const std::string name = Bind(&node, op.name);
      Text("op " + QuoteName(name) + " = ");
      return Generic(node, name == op.name ? "name" : "");
    }
  }
  Put(What::kDefine, &node);
}

void Printer::PrintProgram(const ProgramNode& program) {
  Put(What::kNewline);
  Text("program " + QuoteName(program.name));
  With(program.attrs);
  Text(" {");
  Put(What::kIndent);
  for (const Var& var : program.vars) {
    Put(What::kNewline);
    Text("var ");
    Put(What::kDefine, var.get());
  }
  for (const Op& op : program.ops) {
    Put(What::kNewline);
    Put(What::kDefinition, op.get());
  }
  Put(What::kNewline);
  Text("args [");
  Expressions(program.args);
  Text("]");
  if (!program.trace.empty()) {
    Put(What::kNewline);
    Text("schedule {");
    Put(What::kIndent);
    for (const Ref<const StepNode>& step : program.trace) {
      Put(What::kNewline);
      PrintStep(*step);
    }
    Put(What::kDedent);
    Put(What::kNewline);
    Text("}");
  }
  Put(What::kDedent);
  Put(What::kNewline);
  Text("}");
}

// a, b = split(C.i, factor=32). Operands "0", "1", ... are positional. A name without quotes is a
// string.
void Printer::PrintStep(const StepNode& step) {
  // Reserved words are not quoted here, because `parallel` is a primitive.
  auto word = [](const std::string& name) { return syntax::IsWord(name) ? name : QuoteName(name); };
  for (size_t i = 0; i < step.results.size(); ++i) {
    if (i != 0) Text(", ");
    Text(word(step.results[i]->value));
  }
  if (!step.results.empty()) Text(" = ");
  Text(word(step.primitive) + "(");
  bool first = true;
  auto operand = [&](const std::string& key, const NodeRef& value, bool named) {
    if (!first) Text(", ");
    first = false;
    if (named) Text(word(key) + "=");
    if (const auto* string = As<StringImm>(value)) {
      Text(syntax::IsPlainName(string->value) ? string->value : QuoteString(string->value));
    } else if (As<IntImm>(value) != nullptr || As<FloatImm>(value) != nullptr) {
      Put(What::kValue, value.get());
    } else {
      Text("(");
      Put(What::kValue, value.get());
      Text(")");
    }
  };
  size_t positional = 0;
  for (;; ++positional) {
    auto it = step.operands.find(std::to_string(positional));
    if (it == step.operands.end()) break;
    operand(it->first, it->second, false);
  }
  for (const auto& [key, value] : step.operands) {
    size_t position = 0;
    const char* end = key.data() + key.size();
    const auto parsed = std::from_chars(key.data(), end, position);
    const bool by_position = parsed.ec == std::errc() && parsed.ptr == end &&
                             position < positional && std::to_string(position) == key;
    if (!by_position) operand(key, value, true);
  }
  Text(")");
}

}  // namespace lathe::ir::internal
