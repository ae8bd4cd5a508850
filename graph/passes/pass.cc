#include "graph/passes/pass.h"

#include "graph/passes/fuse.h"

namespace lathe::graph {
namespace {

// A pass that needs the function until it is done.
template <auto kPass>
GraphFuncRef Keeping(GraphFuncRef func,  // NOLINT(performance-unnecessary-value-param): as others
                     const ir::GraphModule& module, const GraphPassContext& context) {
  return kPass(func, module, context);
}

constexpr GraphPass kPasses[] = {
    {"inline_functions", "calls of functions become what they compute", 0,
     &Keeping<InlineFunctions>},
    {"integer_products", "products of dequantised numbers are products of integers", 2,
     &Keeping<IntegerProducts>},
    {"expand_operators", "compositions become the operators they are made of", 0,
     &Keeping<ExpandOperators>},
    {"forward_tuples", "fields of tuples that are known are the values that they were made of", 0,
     &Keeping<ForwardTuples>},
    {"simplify", "calls that compute nothing new are left out", 1, &Keeping<Simplify>},
    {"place_devices", "where each call runs, and copies between devices", 0,
     &Keeping<PlaceDevices>},
    {"keep_wide", "narrow floats are rounded where products and moves read them", 2,
     &Keeping<KeepWide>},
    {"fold_constants", "what is computed from constants only is computed now", 1, &FoldConstants},
    {"find_gelu", "x / 2 (1 + erf(x / sqrt 2)) is one function", 3, &Keeping<FindGelu>},
    {"fold_padding", "frames of zeros become padding of windows", 1, &Keeping<FoldPadding>},
    {"fold_scale", "factors per channel go into the weights before them", 2, &Keeping<FoldScale>},
    {"lift_pointwise", "functions of one tensor are computed before concatenations", 2,
     &Keeping<LiftPointwise>},
    {"transpose_operands", "right operands of products are stored in the order that is read", 1,
     &Keeping<TransposeOperands>},
    {"pack_weights", "weights of products in panels", 2, &Keeping<PackWeights>},
    {"pack_recurrent", "weights of recurrent networks in panels", 2, &Keeping<PackRecurrent>},
    {"group_products", "1x1 convolutions of groups are products of matrices", 2,
     &Keeping<GroupProducts>},
    {"choose_layouts", "convolutions in blocks of channels", 2, &Keeping<ChooseLayouts>},
    {"expand_operators", "again, what was left for blocks and found none", 0,
     &Keeping<ExpandAllOperators>},
    {"fold_constants", "again, for weights that these passes changed", 1, &FoldConstants},
    {"share_equal", "equal calls become one", 1, &Keeping<ShareEqual>},
    {"drop_dead_code", "values that nobody reads are not computed", 0, &Keeping<DropDeadCode>},
};

}  // namespace

std::span<const GraphPass> GraphPasses() { return kPasses; }

GraphFuncRef RunGraphPasses(GraphFuncRef func, const ir::GraphModule& module,
                            const GraphPassContext& context) {
  for (const GraphPass& pass : kPasses) {
    if (pass.opt_level > context.opt_level || context.disabled.contains(pass.name)) continue;
    const GraphFuncRef before = context.after_pass ? func : GraphFuncRef();
    func = pass.run(std::move(func), module, context);
    if (context.after_pass) context.after_pass(pass.name, before, func);
    if (context.passed) context.passed(pass.name);
  }
  return func;
}

}  // namespace lathe::graph
