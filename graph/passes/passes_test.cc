// Tests the passes over graphs one by one: text in, text out (testdata/*.txt). Constants are folded
// by the interpreter, and vectors have four lanes.
#include "graph/infer.h"
#include "graph/interpreter/interpreter.h"
#include "graph/passes/convert_layout.h"
#include "graph/passes/fuse.h"
#include "graph/passes/mixed_precision.h"
#include "graph/passes/pass.h"
#include "tests/file_test/file_test.h"

namespace lathe::graph {
namespace {

Computation EvaluateByInterpreter(const GraphFuncRef& func) {
  Ref<ir::GraphModuleNode> module = Make<ir::GraphModuleNode>();
  module->functions.push_back(func);
  return [module = ir::GraphModule(module),
          name = func->name](const std::vector<runtime::Tensor>& args) {
    std::vector<GraphValue> values;
    for (const runtime::Tensor& arg : args) values.emplace_back(arg);
    std::vector<runtime::Tensor> fields;
    for (const GraphValue& field : Interpret(module, name, std::move(values)).fields)
      fields.push_back(field.tensor);
    return fields;
  };
}

// Applies `run` to every function of a typed module.
template <class F>
tests::Transformation OnModules(const std::string& name, F run) {
  return {name, [run](const ir::NodeRef& node, const tests::FileTestOptions&) -> ir::NodeRef {
            const ir::GraphModule module = InferTypes(ir::RefAs<ir::GraphModuleNode>(node));
            Ref<ir::GraphModuleNode> out = CopyOf(*module);
            for (GraphFuncRef& func : out->functions) func = run(func, module);
            return out;
          }};
}

// Builds for the host and OpenCL devices, which do not sort.
GraphDevices WithOpenCl(const std::string& main) {
  GraphDevices devices;
  devices.main = main;
  devices.kinds = {kHostDevice, "opencl"};
  devices.why_not = [](const ir::GraphCall& call, const ir::NodeRef&, std::string_view) {
    return call.op == "sort" ? std::string("it is sequential") : std::string();
  };
  return devices;
}

}  // namespace
}  // namespace lathe::graph

int main(int argc, char** argv) {
  using namespace lathe::graph;  // NOLINT: one table
  std::vector<lathe::tests::Transformation> table;
  for (const GraphPass& pass : GraphPasses()) {
    table.push_back(OnModules(
        pass.name, [&pass](const GraphFuncRef& func, const lathe::ir::GraphModule& module) {
          return pass.run(func, module,
                          {.vector_lanes = 4,
                           .dot_data = lathe::DataType::UInt(8),
                           .bfloat16_group = 2,
                           .evaluate = EvaluateByInterpreter});
        }));
  }
  table.push_back(OnModules(
      "choose_layouts_level_3", [](const GraphFuncRef& func, const lathe::ir::GraphModule& module) {
        return ChooseLayouts(func, module, {.opt_level = 3, .vector_lanes = 4});
      }));
  for (const auto& [name, main] :
       {std::pair("place_devices_host", "cpu"), std::pair("place_devices_opencl", "opencl")}) {
    table.push_back(
        OnModules(name, [main](const GraphFuncRef& func, const lathe::ir::GraphModule& module) {
          return PlaceDevices(func, module, {.devices = WithOpenCl(main)});
        }));
  }
  table.push_back(
      OnModules("fuse", [](const GraphFuncRef& func, const lathe::ir::GraphModule& module) {
        return Fuse(*func, module);
      }));
  table.push_back(OnModules("convert_layout_nhwc",
                            [](const GraphFuncRef& func, const lathe::ir::GraphModule& module) {
                              return ConvertLayout(func, module, {{"nn.conv2d", {"NHWC"}}});
                            }));
  table.push_back(OnModules("to_mixed_precision_bfloat16",
                            [](const GraphFuncRef& func, const lathe::ir::GraphModule& module) {
                              return ToMixedPrecision(func, module, {lathe::DataType::BFloat16()});
                            }));
  table.push_back(OnModules(
      "infer", [](const GraphFuncRef& func, const lathe::ir::GraphModule&) { return func; }));
  return lathe::tests::FileTestMain(argc, argv, table);
}
