#include "ir/graph.h"

namespace lathe::ir {

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
