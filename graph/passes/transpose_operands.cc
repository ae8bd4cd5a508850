#include <unordered_set>

#include "graph/passes/pass.h"

namespace lathe::graph {

using ir::As;
using ir::GraphVar;

// nn.dense reads rows of the weight; products read rows of the right operand, side by side in
// vectors.
GraphFuncRef TransposeWeights(const GraphFuncRef& func, const ir::GraphModule& module,
                              const GraphPassContext&) {
  std::unordered_set<const ir::Node*> constants;
  return Rewrite(
      *func, module,
      [&](const ir::GraphBinding& before, const ir::NodeRef& value, Builder& builder) -> GraphVar {
        if (As<ir::Constant>(value) != nullptr) {
          const GraphVar var = builder.Emit(value, before.var->name);
          constants.insert(var.get());
          return var;
        }
        const auto* call = As<ir::GraphCall>(value);
        if (call == nullptr || call->op != "nn.dense" || !constants.contains(call->args[1].get())) {
          return nullptr;
        }
        const GraphVar transposed =
            builder.Call("transpose", {call->args[1]}, {}, call->args[1]->name);
        ir::Dict attrs;
        if (const auto at = call->attrs.find("out_dtype"); at != call->attrs.end()) {
          attrs.insert(*at);
        }
        return builder.Call("matmul", {call->args[0], transposed}, std::move(attrs),
                            before.var->name);
      });
}

}  // namespace lathe::graph
