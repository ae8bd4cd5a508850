#include "ir/graph.h"

namespace lathe::ir {

Var MakeGraphSize(std::string name) { return MakeSizeVar(std::move(name), DataType::Int(64)); }

bool IsGraphType(const Node* node) {
  if (node == nullptr) return false;
  const NodeKind kind = node->node_kind();
  return kind == NodeKind::kTensorType || kind == NodeKind::kTupleType ||
         kind == NodeKind::kFuncType || kind == NodeKind::kTypeRef;
}

bool IsGraphValue(const Node* node) {
  if (node == nullptr) return false;
  switch (node->node_kind()) {
    case NodeKind::kConstant:
    case NodeKind::kGraphCall:
    case NodeKind::kGraphTuple:
    case NodeKind::kGraphTupleGet:
    case NodeKind::kGraphFunc:
    case NodeKind::kGraphInvoke:
    case NodeKind::kGraphIf:
    case NodeKind::kGraphLoop:
    case NodeKind::kGraphConstruct:
    case NodeKind::kGraphMatch:
      return true;
    default:
      return false;
  }
}

std::pair<std::string_view, std::string_view> SplitConstructor(std::string_view constructor) {
  const size_t dot = constructor.rfind('.');
  if (dot == std::string_view::npos) return {{}, constructor};
  return {constructor.substr(0, dot), constructor.substr(dot + 1)};
}

Ref<const TensorType> MakeTensorType(DataType dtype, std::vector<Expr> shape) {
  Ref<TensorType> type = Make<TensorType>();
  type->dtype = dtype;
  for (Expr& extent : shape) extent = MakeCast(DataType::Int(64), std::move(extent));
  type->shape = std::move(shape);
  return type;
}

GraphVar MakeGraphVar(std::string name, NodeRef type) {
  Ref<GraphVarNode> var = Make<GraphVarNode>();
  var->name = std::move(name);
  var->type = std::move(type);
  return var;
}

Ref<const GraphBinding> Bind(GraphVar var, NodeRef value, std::vector<Var> sizes) {
  Ref<GraphBinding> binding = Make<GraphBinding>();
  binding->value = std::move(value);
  binding->sizes = std::move(sizes);
  binding->var = std::move(var);
  return binding;
}

Ref<const GraphBlock> MakeGraphBlock(List<GraphBinding> bindings, GraphVar result) {
  Ref<GraphBlock> block = Make<GraphBlock>();
  block->bindings = std::move(bindings);
  block->result = std::move(result);
  return block;
}

}  // namespace lathe::ir
