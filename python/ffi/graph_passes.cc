// Passes over graphs that run on request, and the list of the others. (graph.optimize, which runs
// those, is in graph.cc: it takes what a build takes.)
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "graph/infer.h"
#include "graph/passes/convert_layout.h"
#include "graph/passes/fuse.h"
#include "graph/passes/gradient.h"
#include "graph/passes/mixed_precision.h"
#include "graph/passes/pass.h"
#include "python/ffi/boxes.h"
#include "python/ffi/ffi.h"
#include "python/ffi/graph_values.h"

namespace lathe::python {
namespace {

using graph::GraphFuncRef;
using runtime::Value;

// The module with each function changed: change(function, the typed module).
template <class F>
ir::GraphModule Changed(const ir::GraphModule& module, F change) {
  const ir::GraphModule typed = graph::InferTypes(module);
  Ref<ir::GraphModuleNode> made = graph::CopyOf(*typed);
  for (GraphFuncRef& func : made->functions) func = change(func, typed);
  return made;
}

}  // namespace

void RegisterGraphPasses() {
  // [[name, what it does, optimization level from which on it runs]...] in order.
  Def("graph.passes", [] {
    Values passes;
    for (const graph::GraphPass& pass : graph::GraphPasses())
      passes.emplace_back(Row(std::string(pass.name), std::string(pass.what), pass.opt_level));
    return passes;
  });
  // The function that also returns the gradients of its inputs.
  Def("graph.gradient", [](const ir::GraphModule& module, const std::string& name) {
    const ir::GraphModule typed = graph::InferTypes(module);
    for (const GraphFuncRef& func : typed->functions) {
      if (func->name == name) return graph::Gradient(func, typed);
    }
    throw Error(Diagnostic{.name = "graph-no-function",
                           .message = "the module has no function `" + name + "`"});
  });
  Def("graph.fuse", [](const ir::GraphModule& module) {
    return Changed(module, [](const GraphFuncRef& func, const ir::GraphModule& typed) {
      return graph::Fuse(*func, typed);
    });
  });
  // `desired`: an operator, its data's order, its kernel's, and so on.
  Def("graph.convert_layout",
      [](const ir::GraphModule& module, const std::vector<std::string>& desired) {
        graph::DesiredLayouts layouts;
        for (size_t i = 0; i + 2 < desired.size(); i += 3) {
          layouts[desired[i]] = {desired[i + 1], desired[i + 2]};
        }
        return Changed(module, [&](const GraphFuncRef& func, const ir::GraphModule& typed) {
          return graph::ConvertLayout(func, typed, layouts);
        });
      });
  // [the module, the operators that stayed in float32 because they are in no list...].
  Def("graph.to_mixed_precision", [](const ir::GraphModule& module, DataType narrow,
                                     bool refuse_unlisted) {
    const graph::MixedPrecision wish{narrow, refuse_unlisted};
    std::set<std::string, std::less<>> unlisted;
    Values row = Row(Changed(module, [&](const GraphFuncRef& func, const ir::GraphModule& typed) {
      return graph::ToMixedPrecision(func, typed, wish, &unlisted);
    }));
    for (const std::string& op : unlisted) row.emplace_back(op);
    return row;
  });
}

}  // namespace lathe::python
