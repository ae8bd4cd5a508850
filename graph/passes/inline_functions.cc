#include <unordered_map>
#include <unordered_set>

#include "base/planted_graphs.h"
#include "graph/passes/fuse.h"
#include "graph/passes/pass.h"
#include "ir/walk.h"

namespace lathe::graph {
namespace {

using ir::As;
using ir::GraphVar;

// One function after another, until no call that can be replaced is left.
constexpr int kMostRounds = 64;

using Names = std::unordered_set<std::string>;

// The functions of the module that a function calls by name, also in its inner blocks.
Names Calls(const ir::GraphFunc& func) {
  Names names;
  ir::PreOrder(func.body, [&](const ir::Node& node) {
    const auto* invoke = As<ir::GraphInvoke>(&node);
    if (invoke != nullptr && !invoke->callee) names.insert(invoke->global);
    return As<ir::Constant>(&node) == nullptr;
  });
  return names;
}

// The functions that call themselves, directly or through others. Their calls stay.
Names RecursiveFunctions(const ir::GraphModule& module) {
  Names recursive;
  if (!module) return recursive;
  std::unordered_map<std::string, Names> calls;
  for (const GraphFuncRef& func : module->functions) calls.emplace(func->name, Calls(*func));
  for (const auto& [name, called] : calls) {
    Names seen = called;
    std::vector<std::string> work(called.begin(), called.end());
    while (!work.empty() && !seen.contains(name)) {
      const auto next = calls.find(work.back());
      work.pop_back();
      if (next == calls.end()) continue;
      for (const std::string& other : next->second) {
        if (seen.insert(other).second) work.push_back(other);
      }
    }
    if (seen.contains(name)) recursive.insert(name);
  }
  return recursive;
}

// One round: replaces calls of closures that are defined in the function, and of functions of the
// module. `*found` tells whether there was one.
GraphFuncRef Round(const GraphFuncRef& func, const ir::GraphModule& module, const Names& recursive,
                   bool* found) {
  std::unordered_map<const ir::Node*, Ref<const ir::GraphFunc>> closures;
  std::unordered_map<const ir::Node*, GraphVar> first_values;
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
            if (other->name == invoke->global && !recursive.contains(other->name)) callee = other;
          }
        }
        if (!callee || callee->params.size() != invoke->args.size()) return nullptr;
        const std::optional<ir::VarMap> sizes = BindSizes(*callee, invoke->args);
        if (!sizes) return nullptr;
        *found = true;
        GraphVar result = InlineCall(*callee, invoke->args, *sizes, builder);
        if (!Planted(PlantedGraphBug::kInlinedOnce)) return result;
        return first_values.try_emplace(callee.get(), result).first->second;
      });
}

}  // namespace

GraphFuncRef InlineFunctions(const GraphFuncRef& func, const ir::GraphModule& module,
                             const GraphPassContext&) {
  const Names recursive = RecursiveFunctions(module);
  GraphFuncRef out = func;
  for (int round = 0; round < kMostRounds; ++round) {
    bool found = false;
    GraphFuncRef next = Round(out, module, recursive, &found);
    if (!found) return out;
    out = std::move(next);
  }
  return out;
}

}  // namespace lathe::graph
