#include "graph/passes/pass.h"

#include "graph/passes/fuse.h"

namespace lathe::graph {
namespace {

constexpr GraphPass kPasses[] = {
    {"inline_functions", "calls of functions become what they compute", 0, &InlineFunctions},
    {"expand_operators", "compositions become the operators they are made of", 0, &ExpandOperators},
    {"forward_tuples", "fields of tuples that are known are the values that they were made of", 0,
     &ForwardTuples},
    {"simplify", "calls that compute nothing new are left out", 1, &Simplify},
    {"place_devices", "where each call runs, and copies between devices", 0, &PlaceDevices},
    {"fold_constants", "what is computed from constants only is computed now", 1, &FoldConstants},
    {"fold_padding", "frames of zeros become padding of windows", 1, &FoldPadding},
    {"fold_scale", "factors per channel go into the weights before them", 2, &FoldScale},
    {"transpose_operands", "right operands of products are stored in the order that is read", 1,
     &TransposeOperands},
    {"pack_weights", "weights of products in panels", 2, &PackWeights},
    {"choose_layouts", "convolutions in blocks of channels", 2, &ChooseLayouts},
    {"fold_constants", "again, for weights that these passes changed", 1, &FoldConstants},
    {"share_equal", "equal calls become one", 1, &ShareEqual},
    {"drop_dead_code", "values that nobody reads are not computed", 0, &DropDeadCode},
};

}  // namespace

std::span<const GraphPass> GraphPasses() { return kPasses; }

GraphFuncRef RunGraphPasses(GraphFuncRef func, const ir::GraphModule& module,
                            const GraphPassContext& context) {
  for (const GraphPass& pass : kPasses) {
    if (pass.opt_level > context.opt_level || context.disabled.contains(pass.name)) continue;
    GraphFuncRef after = pass.run(func, module, context);
    if (context.after_pass) context.after_pass(pass.name, func, after);
    func = std::move(after);
  }
  return func;
}

}  // namespace lathe::graph
