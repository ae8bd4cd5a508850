#include <unordered_map>
#include <unordered_set>

#include "graph/passes/fuse.h"
#include "graph/passes/pass.h"

namespace lathe::graph {
namespace {

using ir::As;
using ir::GraphVar;

// One function after another, until no call that can be replaced is left. A function that calls
// itself is replaced once in each round, so rounds are bounded.
constexpr int kMostRounds = 8;

// One round: replaces calls of closures that are defined in the function, and of functions of the
// module. `*found` tells whether there was one.
GraphFuncRef Round(const GraphFuncRef& func, const ir::GraphModule& module, bool* found) {
  std::unordered_map<const ir::Node*, Ref<const ir::GraphFunc>> closures;
  return Rewrite(
      *func, module,
      [&](const ir::GraphBinding& before, const ir::NodeRef& value, Builder& builder) -> GraphVar {
        if (const auto closure = ir::RefAs<ir::GraphFunc>(value)) {
          const GraphVar var = builder.Emit(value, before.var->name);
          if (!IsPrimitive(*closure)) closures.emplace(var.get(), closure);
          return var;
        }
        const auto* invoke = As<ir::GraphInvoke>(value);
        if (invoke == nullptr) return nullptr;
        Ref<const ir::GraphFunc> callee;
        if (invoke->callee) {
          const auto closure = closures.find(invoke->callee.get());
          if (closure != closures.end()) callee = closure->second;
        } else if (module) {
          for (const GraphFuncRef& other : module->functions) {
            if (other->name == invoke->global && other->name != func->name) callee = other;
          }
        }
        if (!callee || callee->params.size() != invoke->args.size()) return nullptr;
        const std::optional<ir::VarMap> sizes = BindSizes(*callee, invoke->args);
        if (!sizes) return nullptr;
        *found = true;
        return InlineCall(*callee, invoke->args, *sizes, builder);
      });
}

}  // namespace

GraphFuncRef InlineFunctions(const GraphFuncRef& func, const ir::GraphModule& module,
                             const GraphPassContext&) {
  GraphFuncRef out = func;
  for (int round = 0; round < kMostRounds; ++round) {
    bool found = false;
    GraphFuncRef next = Round(out, module, &found);
    if (!found) return out;
    out = std::move(next);
  }
  return out;
}

}  // namespace lathe::graph
