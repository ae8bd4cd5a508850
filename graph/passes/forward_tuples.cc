#include <unordered_map>

#include "base/planted_graphs.h"
#include "graph/passes/pass.h"

namespace lathe::graph {

using ir::As;
using ir::GraphVar;

GraphFuncRef ForwardTuples(const GraphFuncRef& func, const ir::GraphModule& module,
                           const GraphPassContext&) {
  std::unordered_map<const ir::Node*, Ref<const ir::GraphTuple>> tuples;
  return Rewrite(
      *func, module,
      [&](const ir::GraphBinding& before, const ir::NodeRef& value, Builder& builder) -> GraphVar {
        if (const auto tuple = ir::RefAs<ir::GraphTuple>(value)) {
          const GraphVar var = builder.Emit(value, before.var->name);
          tuples.emplace(var.get(), tuple);
          return var;
        }
        const auto* get = As<ir::GraphTupleGet>(value);
        if (get == nullptr) return nullptr;
        const auto tuple = tuples.find(get->tuple.get());
        if (tuple == tuples.end()) return nullptr;
        const std::vector<GraphVar>& fields = tuple->second->fields;
        auto index = static_cast<size_t>(get->index);
        if (Planted(PlantedGraphBug::kNextFieldForwarded)) index = (index + 1) % fields.size();
        return fields[index];
      });
}

}  // namespace lathe::graph
