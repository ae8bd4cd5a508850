#include <algorithm>
#include <unordered_set>

#include "graph/passes/pass.h"
#include "graph/uses.h"

namespace lathe::graph {
// Blocks inside of values keep what they have: they are small, and a second run of the pass on the
// functions that are made of them cleans them up.
GraphFuncRef DropDeadCode(const GraphFuncRef& func, const ir::GraphModule&,
                          const GraphPassContext&) {
  std::unordered_set<const ir::Node*> read{func->body->result.get()};
  List<ir::GraphBinding> kept;
  const List<ir::GraphBinding>& bindings = func->body->bindings;
  for (size_t i = bindings.size(); i-- > 0;) {
    if (!read.contains(bindings[i]->var.get())) continue;
    ForEachUse(*bindings[i]->value, [&](const ir::GraphVarNode& var) { read.insert(&var); });
    kept.push_back(bindings[i]);
  }
  if (kept.size() == bindings.size()) return func;
  std::reverse(kept.begin(), kept.end());
  Ref<ir::GraphFunc> out = CopyOf(*func);
  out->body = ir::MakeGraphBlock(std::move(kept), func->body->result);
  return out;
}

}  // namespace lathe::graph
