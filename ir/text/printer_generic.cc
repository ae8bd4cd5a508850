// The generic text form, which every node has: its kind and its fields by name. Also the text of
// definitions.

#include "ir/text/printer_impl.h"

namespace lathe::ir::internal {

using syntax::QuoteName;
using syntax::QuoteString;

void Printer::Value(const Node* node) {
  if (node == nullptr) {
    out_ += "null";
    return;
  }
  const NodeKind kind = node->node_kind();
  if (IsExpr(kind)) return PrintExpr(node, syntax::kLowest);
  if (IsStmt(kind)) {
    Text("stmt ");
    Put(What::kBlock, node);
    return;
  }
  if (kind == NodeKind::kRangeNode && IsSound(*node)) {
    const auto& range = static_cast<const RangeNode&>(*node);
    return Bounds(range.min, range.extent);
  }
  if (const auto* tensor = As<TensorNode>(node)) {
    out_ += TensorName(*tensor);
    return;
  }
  // What a block's bindings define is visible in the block, which only its own form shows.
  if (kind == NodeKind::kGraphBlock) return PrintGraphBlock(static_cast<const GraphBlock*>(node));
  if (kind == NodeKind::kGraphVarNode) {
    out_ += "%" + syntax::QuoteGraphName(std::string_view(NameOf(node)).substr(1));
    return;
  }
  if (HasIdentity(kind)) {
    if (kind == NodeKind::kIterVarNode) out_ += "iter ";
    if (kind == NodeKind::kTensorIntrinNode) out_ += "intrin ";
    if (IsOp(kind)) out_ += "op ";
    out_ += QuoteName(NameOf(node));
    return;
  }
  Generic(*node);
}

void Printer::Generic(const Node& node, std::string_view skip) {
  Put(What::kOpenScope);
  Text(std::string(NodeKindName(node.node_kind())) + "(");
  const Ref<Node> fresh = NewNode(node.node_kind());
  bool first = true;
  for (const FieldInfo& field : FieldsOf(node.node_kind())) {
    if (field.name == skip) continue;
    bool is_default = false;
    switch (field.type) {
      case FieldType::kNode:
        is_default = field.node(node) == nullptr && field.nullable;
        break;
      case FieldType::kList:
        is_default = field.list_size(node) == 0;
        break;
      case FieldType::kDict:
        is_default = field.dict(node).empty();
        break;
      case FieldType::kString:
        // The name of an operation is left out only if its definition gives it.
        is_default = field.string(node).empty() &&
                     !(HasIdentity(node.node_kind()) && field.name == std::string_view("name"));
        break;
      case FieldType::kInt:
        is_default = field.integer(node) == field.integer(*fresh);
        break;
      case FieldType::kFloat:
        break;
      case FieldType::kBool:
        is_default = field.boolean(node) == field.boolean(*fresh);
        break;
      case FieldType::kDType:
        is_default = field.dtype(node) == field.dtype(*fresh);
        break;
      case FieldType::kEnum:
        is_default = field.enumerator(node) == field.enumerator(*fresh);
        break;
      case FieldType::kBlob:
        is_default = !field.blob(node);
        break;
    }
    if (is_default) continue;
    if (!first) Text(", ");
    first = false;
    Text(std::string(field.name) + "=");
    GenericField(node, field);
  }
  Text(")");
  Put(What::kCloseScope);
}

void Printer::GenericField(const Node& node, const FieldInfo& field) {
  const What what = field.role == FieldRole::kDefine ? What::kDefine : What::kValue;
  switch (field.type) {
    case FieldType::kNode:
      Put(what, field.node(node));
      break;
    case FieldType::kList:
      Text("[");
      for (size_t i = 0, n = field.list_size(node); i < n; ++i) {
        if (i != 0) Text(", ");
        Put(what, field.list_at(node, i));
      }
      Text("]");
      break;
    case FieldType::kDict:
      Dictionary(field.dict(node));
      break;
    case FieldType::kString:
      Text(QuoteString(field.string(node)));
      break;
    case FieldType::kInt:
      Text(std::to_string(field.integer(node)));
      break;
    case FieldType::kFloat:
      Text(syntax::FormatFloat(field.number(node), DataType::Float(64)));
      break;
    case FieldType::kBool:
      Text(field.boolean(node) ? "true" : "false");
      break;
    case FieldType::kDType:
      Text(field.dtype(node).ToString());
      break;
    case FieldType::kEnum:
      Text(field.enum_names[static_cast<size_t>(field.enumerator(node))]);
      break;
    case FieldType::kBlob:
      Text(field.blob(node) ? QuoteString(field.blob(node)->digest().ToString()) : "null");
      break;
  }
}

void Printer::Dictionary(const Dict& dict) {
  Text("{");
  bool first = true;
  for (const auto& [key, value] : dict) {
    if (!first) Text(", ");
    first = false;
    Text((syntax::IsWord(key) ? key : QuoteString(key)) + " = ");
    Put(What::kValue, value.get());
  }
  Text("}");
}

void Printer::With(const Dict& dict) {
  if (dict.empty()) return;
  Text(" with ");
  Dictionary(dict);
}

// range(extent) if `min` is a zero of the extent's type, else range(min, extent=extent).
void Printer::Bounds(const Expr& min, const Expr& extent) {
  const auto* zero = As<IntImm>(min);
  const bool from_zero =
      zero != nullptr && zero->value == 0 && extent && zero->dtype == extent->dtype;
  Text("range(");
  if (!from_zero) {
    Expression(min.get());
    Text(", extent=");
  }
  Expression(extent.get());
  Text(")");
}

void Printer::Define(const Node& node, int level) {
  if (const auto* var = As<GraphVarNode>(&node)) return DefineGraphVar(*var);
  if (const auto* buffer = As<BufferNode>(&node); buffer != nullptr && IsSound(node)) {
    return DefineBuffer(*buffer);
  }
  if (const auto* iter = As<IterVarNode>(&node);
      iter != nullptr && IsSound(node) && !IsNamed(iter->var.get())) {
    return DefineIterVar(*iter, level == 2 ? IterKind::kReduce : IterKind::kData);
  }
  if (parameters_ && IsNamed(&node)) return Text(QuoteName(NameOf(&node)));  // known from a shape
  Text(QuoteName(Bind(&node, WantedName(node))));
  if (const auto* var = As<VarNode>(&node)) {
    if (options_.short_form) return;
    const bool plain = !var->is_size && var->dtype == DataType::Int(32);
    if (level == 1 && plain) return;
    if (var->is_size)
      Text(var->dtype == DataType::Int(32) ? ": size" : ": size ");
    else
      Text(": ");
    if (!var->is_size || var->dtype != DataType::Int(32)) Text(var->dtype.ToString());
    return;
  }
  Text(" = ");
  Generic(node);
}

void Printer::DefineBuffer(const BufferNode& buffer) {
  const std::string name = Bind(&buffer, buffer.name);
  Text(QuoteName(name) + ": " + buffer.dtype.ToString() + "[");
  Expressions(buffer.shape);
  Text("]");
  bool first = true;
  auto option = [&](std::string_view key) {
    Text(std::string(first ? "(" : ", ") + std::string(key) + "=");
    first = false;
  };
  if (name != buffer.name) {
    option("name");
    Text(QuoteString(buffer.name));
  }
  const VarNode& data = *buffer.data;
  if (IsNamed(&data)) {
    option("data");
    Text(QuoteName(NameOf(&data)));
  } else if (const std::string usual = name + ".data";
             data.name == buffer.name && !data.is_size && !live_.contains(usual)) {
    Bind(&data, usual);
  } else {
    option("data");
    Put(What::kDefine, &data);
  }
  if (!buffer.strides.empty()) {
    option("strides");
    Text("[");
    Expressions(buffer.strides);
    Text("]");
  }
  if (buffer.elem_offset) {
    option("offset");
    Expression(buffer.elem_offset.get());
  }
  if (!buffer.scope.empty()) {
    option("scope");
    Text(QuoteString(buffer.scope));
  }
  if (buffer.alignment != 0) {
    option("align");
    Text(std::to_string(buffer.alignment));
  }
  if (buffer.offset_factor != 0) {
    option("offset_factor");
    Text(std::to_string(buffer.offset_factor));
  }
  if (!buffer.axis_separators.empty()) {
    option("separators");
    Text("[");
    Expressions(buffer.axis_separators);
    Text("]");
  }
  if (!first) Text(")");
}

void Printer::DefineIterVar(const IterVarNode& iter, IterKind usual) {
  const VarNode& var = *iter.var;
  // Both share one name: in an expression it means the variable, "iter NAME" means the iteration
  // variable.
  const std::string name = Bind(&var, var.name);
  Text(QuoteName(name));
  const bool plain = !var.is_size && (iter.domain || var.dtype == DataType::Int(32));
  if (!plain && !options_.short_form) {
    Text(std::string(": ") + (var.is_size ? "size " : "") + var.dtype.ToString());
  }
  Text(" in ");
  Put(What::kValue, iter.domain.get());  // "null" if there is none
  if (iter.iter_kind != usual) {
    Text(std::string(" ") + IterVarNode::kIterKindNames[static_cast<size_t>(iter.iter_kind)]);
  }
  if (!iter.thread_tag.empty()) Text(" " + QuoteString(iter.thread_tag));
  // Steps of a schedule use the own names of the axes' variables.
  if (name != var.name && !options_.short_form) Text(" named " + QuoteString(var.name));
}

}  // namespace lathe::ir::internal
