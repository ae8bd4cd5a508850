#include "base/planted_graphs.h"
#include "graph/passes/pass.h"

namespace lathe::graph {

GraphFuncRef ExpandOperators(const GraphFuncRef& func, const ir::GraphModule& module,
                             const GraphPassContext&) {
  return Rewrite(
      *func, module,
      [](const ir::GraphBinding&, const ir::NodeRef& value, Builder& builder) -> ir::GraphVar {
        const auto* call = ir::As<ir::GraphCall>(value);
        if (call == nullptr) return nullptr;
        const OpDef& op = GetOp(call->op);
        if (!op.expand) return nullptr;
        const ir::Dict none;
        const bool defaults = Planted(PlantedGraphBug::kExpandIgnoresAttributes);
        return op.expand(builder, call->args, Attrs(op, defaults ? none : call->attrs));
      });
}

}  // namespace lathe::graph
