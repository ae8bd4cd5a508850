#include "base/planted_graphs.h"
#include "graph/passes/blocked_convolutions.h"
#include "graph/passes/pass.h"

namespace lathe::graph {
namespace {

ir::GraphVar Expanded(const ir::GraphCall& call, Builder& builder) {
  const OpDef& op = GetOp(call.op);
  if (!op.expand) return nullptr;
  const ir::Dict none;
  const bool defaults = Planted(PlantedGraphBug::kExpandIgnoresAttributes);
  return op.expand(builder, call.args, Attrs(op, defaults ? none : call.attrs));
}

// May ChooseLayouts compute it as it is?
bool IsForBlocks(const ir::GraphCall& call, const GraphPassContext& context) {
  return call.op == "qnn.conv2d" && context.RunsOnHost(call) && TakesIntegers(call, context);
}

}  // namespace

GraphFuncRef ExpandOperators(const GraphFuncRef& func, const ir::GraphModule& module,
                             const GraphPassContext& context) {
  return Rewrite(*func, module,
                 [&](const ir::GraphBinding&, const ir::NodeRef& value, Builder& builder) {
                   const auto* call = ir::As<ir::GraphCall>(value);
                   return call == nullptr || IsForBlocks(*call, context) ? ir::GraphVar()
                                                                         : Expanded(*call, builder);
                 });
}

GraphFuncRef ExpandAllOperators(const GraphFuncRef& func, const ir::GraphModule& module,
                                const GraphPassContext&) {
  return Rewrite(*func, module,
                 [](const ir::GraphBinding&, const ir::NodeRef& value, Builder& builder) {
                   const auto* call = ir::As<ir::GraphCall>(value);
                   return call == nullptr ? ir::GraphVar() : Expanded(*call, builder);
                 });
}

}  // namespace lathe::graph
