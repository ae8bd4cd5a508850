#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "base/planted_graphs.h"
#include "graph/passes/known_values.h"
#include "graph/passes/pass.h"
#include "graph/uses.h"

namespace lathe::graph {

using ir::As;
using ir::GraphVar;

GraphFuncRef FoldConstants(const GraphFuncRef& func, const ir::GraphModule& module,
                           const GraphPassContext& context) {
  if (!context.evaluate) return func;
  // Which bindings can be computed now, and which of them the rest of the function reads.
  KnownValues known;
  std::unordered_set<const ir::Node*> wanted;
  List<ir::GraphBinding> folded;
  std::vector<GraphVar> results;
  for (const Ref<const ir::GraphBinding>& binding : func->body->bindings) {
    const bool computed = As<ir::GraphCall>(binding->value) != nullptr;
    if (known.Add(binding->var, *binding->value) && computed) folded.push_back(binding);
  }
  if (folded.empty()) return func;
  for (const Ref<const ir::GraphBinding>& binding : func->body->bindings) {
    if (known.Contains(binding->var)) continue;
    ForEachUse(*binding->value, [&](const ir::GraphVarNode& var) { wanted.insert(&var); });
  }
  wanted.insert(func->body->result.get());

  // A function of the folded bindings and the constants that they read.
  Builder builder("constants");
  std::unordered_map<const ir::Node*, GraphVar> now;
  for (const Ref<const ir::GraphBinding>& binding : func->body->bindings) {
    if (!known.Contains(binding->var)) continue;
    ir::NodeRef value = binding->value;
    if (const auto* call = As<ir::GraphCall>(value)) {
      Ref<ir::GraphCall> copy = CopyOf(*call);
      for (GraphVar& arg : copy->args) arg = now.at(arg.get());
      // All is computed here. Operators with an attribute of this name keep theirs.
      const std::vector<AttrDef>& own = GetOp(copy->op).attrs;
      const auto is_device = [](const AttrDef& attr) { return attr.name == kDeviceAttr; };
      if (std::ranges::none_of(own, is_device)) copy->attrs.erase(kDeviceAttr);
      value = copy;
    }
    now[binding->var.get()] = builder.Emit(value, binding->var->name);
  }
  std::vector<GraphVar> fields;
  std::unordered_map<const ir::Node*, size_t> index;
  for (const Ref<const ir::GraphBinding>& binding : folded) {
    if (!wanted.contains(binding->var.get())) continue;
    index.emplace(binding->var.get(), fields.size());
    fields.push_back(now.at(binding->var.get()));
  }
  if (fields.empty()) return func;
  const List<ir::Constant> values = context.evaluate(builder.Finish(builder.Tuple(fields)));
  LATHE_CHECK(values.size() == fields.size()) << "not all constants were computed";
  if (Planted(PlantedGraphBug::kFoldedResultsSwapped)) {
    for (auto& [node, at] : index) {
      if (at > 0 && SameType(fields[at]->type, fields[at - 1]->type)) --at;
    }
  }
  return Rewrite(
      *func, module,
      [&](const ir::GraphBinding& before, const ir::NodeRef&, Builder& rewritten) -> GraphVar {
        const auto at = index.find(before.var.get());
        if (at == index.end()) return nullptr;
        return rewritten.Emit(values[at->second], before.var->name);
      });
}

}  // namespace lathe::graph
