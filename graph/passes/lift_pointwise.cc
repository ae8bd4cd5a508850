// Functions of one tensor are computed in front of concatenations instead of behind them. There
// they are a part of the kernels that make the operands, which may then write them where they
// belong in the result (graph/plan/joined_values.h).
#include <algorithm>
#include <optional>
#include <unordered_map>

#include "graph/devices.h"
#include "graph/passes/pass.h"
#include "graph/uses.h"

namespace lathe::graph {
namespace {

using ir::As;
using ir::GraphVar;

bool IsPointwise(OpKind kind) { return kind == OpKind::kElementwise || kind == OpKind::kBroadcast; }

class Lifting {
 public:
  explicit Lifting(const ir::GraphFunc& func) {
    for (const Ref<const ir::GraphBinding>& binding : func.body->bindings)
      ForEachUse(*binding->value, [&](const ir::GraphVarNode& var) { ++readers_[&var]; });
    ++readers_[func.body->result.get()];
  }

  GraphVar Rewritten(const ir::GraphBinding& before, const ir::NodeRef& value, Builder& builder) {
    const auto* call = As<ir::GraphCall>(value);
    const ir::GraphCall* joins = call == nullptr ? nullptr : ConcatenationUnder(*call);
    GraphVar var;
    if (joins == nullptr) {
      var = builder.Emit(value, before.var->name);
    } else {
      std::vector<GraphVar> parts;
      for (const GraphVar& part : joins->args)
        parts.push_back(builder.Call(call->op, {part}, call->attrs, part->name));
      var = builder.Call("concatenate", std::move(parts), joins->attrs, before.var->name);
    }
    made_.insert_or_assign(var, Made{value, readers_[before.var.get()]});
    return var;
  }

 private:
  struct Made {
    ir::NodeRef value;
    int readers = 0;
  };

  // The concatenation whose only reader is this function of one tensor, if it can be exchanged.
  const ir::GraphCall* ConcatenationUnder(const ir::GraphCall& call) const {
    if (call.args.size() != 1 || GetOp(call.op).kind != OpKind::kElementwise) return nullptr;
    const ir::GraphCall* joins = OnlyRead(call.args[0]);
    if (joins == nullptr || joins->op != "concatenate" ||
        DeviceAttrOf(*joins) != DeviceAttrOf(call))
      return nullptr;
    const bool have_kernels = std::ranges::all_of(joins->args, [&](const GraphVar& part) {
      const ir::GraphCall* made = OnlyRead(part);
      if (made == nullptr) return false;
      const OpKind kind = GetOp(made->op).kind;
      return kind == OpKind::kAnchor || kind == OpKind::kReduction || IsPointwise(kind);
    });
    return have_kernels ? joins : nullptr;
  }
  // The call that made `var`, if `var` has one reader.
  const ir::GraphCall* OnlyRead(const GraphVar& var) const {
    const auto at = made_.find(var);
    return at == made_.end() || at->second.readers != 1 ? nullptr
                                                        : As<ir::GraphCall>(at->second.value);
  }

  std::unordered_map<const ir::Node*, int> readers_;  // of each value of the function before
  std::unordered_map<GraphVar, Made, RefHash, RefEqual> made_;
};

}  // namespace

GraphFuncRef LiftPointwise(const GraphFuncRef& func, const ir::GraphModule& module,
                           const GraphPassContext&) {
  Lifting lifting(*func);
  return Rewrite(
      *func, module,
      [&](const ir::GraphBinding& before, const ir::NodeRef& value, Builder& builder) -> GraphVar {
        if (builder.OpenBlocks() > 1) return nullptr;
        return lifting.Rewritten(before, value, builder);
      });
}

}  // namespace lathe::graph
