// The printer's machine, names, and values that any node may hold. Expressions, statements and
// programs have their own files.

#include "ir/text/printer.h"

#include <algorithm>

#include "base/error.h"
#include "ir/constants.h"
#include "ir/text/printer_impl.h"
#include "ir/walk.h"

namespace lathe::ir {
namespace internal {

using syntax::QuoteName;
using syntax::QuoteString;

bool HasIdentity(NodeKind kind) {
  switch (kind) {
    case NodeKind::kVarNode:
    case NodeKind::kBufferNode:
    case NodeKind::kIterVarNode:
    case NodeKind::kTensorIntrinNode:
    case NodeKind::kGraphVarNode:
      return true;
    default:
      return IsOp(kind);
  }
}

bool IsSound(const Node& node) {
  for (const FieldInfo& field : FieldsOf(node.node_kind())) {
    if (field.type == FieldType::kNode && !field.nullable && field.node(node) == nullptr)
      return false;
    if (field.type == FieldType::kList) {
      for (size_t i = 0, n = field.list_size(node); i < n; ++i) {
        if (field.list_at(node, i) == nullptr) return false;
      }
    }
  }
  return CheckNode(node).empty();
}

namespace {

// Calls visit(field, child) for every child of a node, including references.
template <class F>
void EachChild(const Node& node, F visit) {
  for (const FieldInfo& field : FieldsOf(node.node_kind())) {
    if (field.type == FieldType::kNode) {
      if (const Node* child = field.node(node)) visit(field, *child);
    } else if (field.type == FieldType::kList) {
      for (size_t i = 0, n = field.list_size(node); i < n; ++i) {
        if (const Node* child = field.list_at(node, i)) visit(field, *child);
      }
    } else if (field.type == FieldType::kDict) {
      for (const auto& [key, child] : field.dict(node)) {
        if (child) visit(field, *child);
      }
    }
  }
}

// Marks the variables that the tensor parameters of a function introduce by using them.
void MarkShapeVars(const FuncNode& func, std::unordered_set<const Node*>& defined) {
  for (const NodeRef& param : func.params) {
    const auto* buffer = As<BufferNode>(param);
    if (buffer == nullptr) continue;
    auto mark = [&](const Expr& expr) {
      PostOrder(expr, [&](const Node& node) {
        if (As<VarNode>(&node) != nullptr) defined.insert(&node);
      });
    };
    for (const auto* list : {&buffer->shape, &buffer->strides}) {
      for (const Expr& expr : *list) mark(expr);
    }
    mark(buffer->elem_offset);
  }
}

// The data of the constants in a node, in the order of their first use.
std::vector<const Blob*> DataIn(const Node& root) {
  std::unordered_set<const void*> seen;
  std::vector<const Blob*> data;
  std::vector<const Node*> stack{&root};
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    if (!seen.insert(node).second) continue;
    if (const auto* constant = As<Constant>(node); constant != nullptr && constant->data) {
      if (seen.insert(constant->data.get()).second) data.push_back(constant->data.get());
      continue;
    }
    const size_t first = stack.size();
    EachChild(*node, [&](const FieldInfo&, const Node& child) { stack.push_back(&child); });
    std::reverse(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end());
  }
  return data;
}

}  // namespace

std::vector<const Node*> FreeDefinitions(const Node& root) {
  std::unordered_set<const Node*> seen, defined;
  std::vector<const Node*> order;
  std::vector<std::pair<const Node*, bool>> stack{{&root, false}};
  while (!stack.empty()) {
    const auto [node, done] = stack.back();
    stack.pop_back();
    if (done) {
      order.push_back(node);
      continue;
    }
    if (!seen.insert(node).second) continue;
    const bool identity = HasIdentity(node->node_kind());
    if (identity && (node != &root || IsExpr(node))) stack.emplace_back(node, true);
    if (const auto* func = As<FuncNode>(node)) MarkShapeVars(*func, defined);
    const size_t first = stack.size();
    EachChild(*node, [&](const FieldInfo& field, const Node& child) {
      if (field.role == FieldRole::kDefine) defined.insert(&child);
      stack.emplace_back(&child, false);
    });
    std::reverse(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end());
  }
  std::erase_if(order, [&](const Node* node) { return defined.contains(node); });
  return order;
}

// -- Names.

bool Printer::IsTaken(const std::string& name, int64_t outputs) const {
  if (live_.contains(name)) return true;
  for (int64_t i = 0; i < outputs; ++i) {
    if (live_.contains(name + ".v" + std::to_string(i))) return true;
  }
  return false;
}

const std::string& Printer::Bind(const Node* node, std::string_view wanted) {
  int64_t outputs = 0;
  std::string number;
  if (wanted == "%") {  // a variable of a graph that has no name
    do {
      number = "%" + std::to_string(next_number_++);
    } while (live_.contains(number));
    wanted = number;
  }
  if (IsOp(node) && IsSound(*node)) outputs = NumOutputs(static_cast<const OpNode&>(*node));
  if (outputs == 1) outputs = 0;
  std::string name(wanted.empty() ? "_" : wanted);
  if (IsTaken(name, outputs)) {
    // Try a few small numbers first, to reuse names that are out of scope. Then continue from the
    // last number.
    const std::string base = name + "_";
    size_t number = 1;
    do {
      if (number == 8) number = std::max<size_t>(8, last_suffix_[base]);
      name = base + std::to_string(number++);
    } while (IsTaken(name, outputs));
    if (number > 8) last_suffix_[base] = number;
  }
  live_.insert(name);
  for (int64_t i = 0; i < outputs; ++i) live_.insert(name + ".v" + std::to_string(i));
  std::string& slot = names_[node];
  if (!scopes_.empty()) scopes_.back().push_back({node, !slot.empty(), slot});
  slot = std::move(name);
  return slot;
}

void Printer::CloseScope() {
  std::vector<Shadow>& scope = scopes_.back();
  while (!scope.empty()) {
    Shadow shadow = std::move(scope.back());
    scope.pop_back();
    auto it = names_.find(shadow.node);
    live_.erase(it->second);
    if (shadow.had_name) {
      it->second = std::move(shadow.previous);
    } else {
      names_.erase(it);
    }
  }
  scopes_.pop_back();
}

std::string Printer::WantedName(const Node& node) {
  switch (node.node_kind()) {
    case NodeKind::kVarNode:
      return static_cast<const VarNode&>(node).name;
    case NodeKind::kBufferNode:
      return static_cast<const BufferNode&>(node).name;
    case NodeKind::kGraphVarNode:  // the sign keeps them apart from variables of expressions
      return "%" + static_cast<const GraphVarNode&>(node).name;
    case NodeKind::kTensorIntrinNode:
      return static_cast<const TensorIntrinNode&>(node).name;
    case NodeKind::kIterVarNode: {
      const auto& iter = static_cast<const IterVarNode&>(node);
      return iter.var ? iter.var->name : "";
    }
    default:
      return IsOp(&node) ? static_cast<const OpNode&>(node).name : "";
  }
}

// The name of a node that may be defined elsewhere or not at all.
const std::string& Printer::NameOf(const Node* node) {
  if (auto it = names_.find(node); it != names_.end()) return it->second;
  if (const auto* iter = As<IterVarNode>(node); iter != nullptr && iter->var) {
    if (auto it = names_.find(iter->var.get()); it != names_.end()) return it->second;
  }
  std::vector<std::vector<Shadow>> scopes;
  scopes.swap(scopes_);  // so that the name stays taken to the end
  const std::string& name = Bind(node, WantedName(*node));
  scopes.swap(scopes_);
  return name;
}

std::string Printer::TensorName(const TensorNode& tensor) {
  if (!tensor.op) return "null";
  std::string name = NameOf(tensor.op.get());
  if (tensor.value_index != 0 || !IsSound(*tensor.op) || NumOutputs(*tensor.op) != 1) {
    name += ".v" + std::to_string(tensor.value_index);
  }
  return QuoteName(name);
}

// -- The machine.

void Printer::Handle(const Item& item) {
  switch (item.what) {
    case What::kText:
      out_ += item.text;
      break;
    case What::kExpr:
      PrintExpr(item.node, item.level);
      break;
    case What::kValue:
      Value(item.node);
      break;
    case What::kDefine:
      if (item.node == nullptr)
        out_ += "null";
      else
        Define(*item.node, item.level);
      break;
    case What::kTupleReduce:
      PrintReduce(static_cast<const Reduce&>(*item.node), true);
      break;
    case What::kDefinition:
      Definition(*item.node);
      break;
    case What::kStmt:
      PrintStmt(item.node, item.level != 0);
      break;
    case What::kStmts:
      PrintStmts(item.node);
      break;
    case What::kBlock:
      Text("{");
      Put(What::kIndent);
      Put(What::kStmts, item.node);
      Put(What::kDedent);
      Put(What::kNewline);
      Text("}");
      break;
    case What::kGeneric:
      Generic(*item.node);
      break;
    case What::kFunc:
      PrintFunc(static_cast<const FuncNode&>(*item.node));
      break;
    case What::kNewline:
      if (!out_.empty() && out_.back() != '\n') out_ += '\n';
      out_.append(2 * static_cast<size_t>(std::min(depth_, 40)), ' ');
      break;
    case What::kBlankLine:
      out_ += '\n';
      break;
    case What::kIndent:
      ++depth_;
      break;
    case What::kDedent:
      --depth_;
      break;
    case What::kOpenScope:
      scopes_.emplace_back();
      break;
    case What::kCloseScope:
      CloseScope();
      break;
    case What::kParameters:
      parameters_ = item.level != 0;
      break;
    case What::kWide:
      wide_ += item.level;
      break;
    case What::kGraphType:
      PrintGraphType(item.node);
      break;
    case What::kGraphBlock:
      PrintGraphBlock(static_cast<const GraphBlock*>(item.node));
      break;
    case What::kGraphBinding:
      PrintGraphBinding(static_cast<const GraphBinding*>(item.node));
      break;
    case What::kGraphFunc:
      PrintGraphFunc(static_cast<const GraphFunc*>(item.node));
      break;
    case What::kNewSizes:
      PrintNewSizes(*item.node);
      break;
    case What::kGraphAttribute:
      PrintGraphAttribute(item.node);
      break;
  }
}

void Printer::GivenData(const Node& root) {
  if (options_.short_form) return;
  for (const Blob* blob : DataIn(root)) {
    if (blob->size() > options_.max_data) continue;
    out_ += "given data " + QuoteString(blob->digest().ToString()) + " " +
            QuoteString(syntax::HexOf(blob->bytes())) + "\n";
  }
}

void Printer::Begin(const Node& root) {
  switch (root.node_kind()) {
    case NodeKind::kModuleNode:
      PrintModule(static_cast<const ModuleNode&>(root));
      break;
    case NodeKind::kFuncNode:
      Put(What::kFunc, &root);
      break;
    case NodeKind::kProgramNode:
      PrintProgram(static_cast<const ProgramNode&>(root));
      break;
    case NodeKind::kStepNode:
      PrintStep(static_cast<const StepNode&>(root));
      break;
    case NodeKind::kGraphModuleNode:
      PrintGraphModule(static_cast<const GraphModuleNode&>(root));
      break;
    case NodeKind::kGraphFunc:
      Put(What::kGraphFunc, &root);
      break;
    case NodeKind::kGraphBlock:
      Put(What::kGraphBlock, &root);
      break;
    case NodeKind::kGraphBinding:
      Put(What::kGraphBinding, &root);
      break;
    case NodeKind::kGraphDataType:
      PrintDataType(static_cast<const GraphDataType&>(root));
      break;
    case NodeKind::kTensorType:
    case NodeKind::kTupleType:
    case NodeKind::kFuncType:
      Put(What::kGraphType, &root);
      break;
    case NodeKind::kGraphVarNode:
      Generic(root);
      break;
    default:
      if (IsStmt(&root))
        Put(What::kStmts, &root);
      else if (HasIdentity(root.node_kind()) && !IsExpr(&root))
        Put(What::kDefinition, &root);
      else
        Put(What::kValue, &root);
  }
}

std::string Printer::Run(const Node& root) {
  GivenData(root);
  const std::vector<const Node*> free = FreeDefinitions(root);
  if (options_.declare_free || As<ProgramNode>(&root) != nullptr) {
    for (const Node* node : free) {
      // FreeDefinitions leaves out the variable of a free IterVar and the data of a free buffer,
      // because their definitions contain them.
      Put(What::kNewline);
      Text("given ");
      Put(What::kDefinition, node);
    }
    if (!free.empty()) Put(What::kNewline);
  } else {
    for (const Node* node : free) {
      if (!IsNamed(node)) Bind(node, WantedName(*node));
    }
  }
  Begin(root);
  for (;;) {
    while (!pending_.empty()) {
      stack_.push_back(std::move(pending_.back()));
      pending_.pop_back();
    }
    if (stack_.empty()) break;
    if (out_.size() > options_.max_bytes) {
      throw Error(Diagnostic{
          .name = "text-too-large",
          .message =
              "the text of " + (within_.empty() ? "this node" : within_) + " is too large to print",
          .expected = "at most " + std::to_string(options_.max_bytes) + " bytes",
          .help = "print a part of it; nodes that are shared are printed at every use: "
                  "compute them in operations of their own, or define them by let "
                  "statements (the pass `cse`)"});
    }
    const Item item = std::move(stack_.back());
    stack_.pop_back();
    Handle(item);
  }
  if (IsStmt(&root) || out_.find('\n') != std::string::npos) out_ += '\n';
  return std::move(out_);
}

}  // namespace internal

std::string ToText(const NodeRef& node, const PrintOptions& options) {
  if (!node) return "null";
  std::string text = internal::Printer(options).Run(*node);
  return options.color ? Colorize(text) : text;
}

}  // namespace lathe::ir
