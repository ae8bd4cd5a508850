#include <algorithm>
#include <unordered_map>

#include "base/planted_graphs.h"
#include "graph/passes/pass.h"
#include "ir/binary.h"
#include "ir/walk.h"

namespace lathe::graph {

using ir::GraphVar;

// The bytes of a call with numbers for its arguments are equal if and only if the calls are.
GraphFuncRef ShareEqual(const GraphFuncRef& func, const ir::GraphModule& module,
                        const GraphPassContext&) {
  std::unordered_map<const ir::Node*, int> numbers;
  std::unordered_map<std::string, GraphVar> known;
  return Rewrite(
      *func, module,
      [&](const ir::GraphBinding& before, const ir::NodeRef& value, Builder& builder) -> GraphVar {
        // A block sees less of what came before it than a list of all bindings says.
        if (builder.OpenBlocks() > 1 && !Planted(PlantedGraphBug::kShareCrossesBlocks))
          return nullptr;
        const auto* call = ir::As<ir::GraphCall>(value);
        if (call == nullptr) return nullptr;
        std::vector<int> args;
        for (const GraphVar& arg : call->args) {
          const auto next = static_cast<int>(numbers.size());
          args.push_back(numbers.try_emplace(arg.get(), next).first->second);
        }
        if (Planted(PlantedGraphBug::kShareIgnoresOrder)) std::ranges::sort(args);
        std::string key;
        for (const int arg : args) key += std::to_string(arg) + ",";
        Ref<ir::GraphCall> bare = CopyOf(*call);
        bare->args.clear();
        // Sizes have identity; their addresses tell them apart.
        for (const auto& [name, attr] : bare->attrs) {
          for (const ir::Var& size : ir::FreeVars(attr)) {
            key += std::to_string(reinterpret_cast<uintptr_t>(size.get())) + ";";
          }
        }
        key += Planted(PlantedGraphBug::kShareIgnoresAttributes) ? call->op : ir::EncodeNode(bare);
        const auto [at, is_new] = known.try_emplace(key);
        if (is_new) at->second = builder.Emit(value, before.var->name);
        return at->second;
      });
}

}  // namespace lathe::graph
