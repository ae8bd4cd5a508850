// Graphs: the parts of functions, types, passes, the interpreter, building.
#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/blob.h"
#include "base/error.h"
#include "driver/time_limit.h"
#include "graph/build.h"
#include "graph/infer.h"
#include "graph/interpreter/interpreter.h"
#include "ir/rewrite.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/walk.h"
#include "python/ffi/boxes.h"
#include "python/ffi/context.h"
#include "python/ffi/ffi.h"
#include "python/ffi/graph_values.h"
#include "python/ffi/kernel_schedules.h"
#include "runtime/graph/plan_module.h"
#include "runtime/graph/vm/program_module.h"
#include "runtime/tensor.h"
#include "te/workload_key.h"

namespace lathe::python {
namespace {

using graph::GraphFuncRef;
using graph::GraphValue;
using ir::GraphVar;
using ir::NodeRef;
using runtime::Function;
using runtime::Tensor;
using runtime::Value;

// -- Parts of functions.

bool HasVars(const NodeRef& node) {
  bool found = false;
  ir::PreOrder(node, [&](const ir::Node& part) {
    found |= ir::As<ir::VarNode>(&part) != nullptr;
    return !found;
  });
  return found;
}

template <class T>
auto Rebuild() {
  return [](const T& node) -> NodeRef {
    return ir::MakeBinary(ir::KindOf<T>::kValue, node.a, node.b);
  };
}

// Sizes are int64. `node` with its 32-bit variables replaced by such sizes; `pairs` has those that
// are known, and gets the new ones.
Values Sized(const NodeRef& node, Values pairs) {
  if (!HasVars(node)) return Row(node, std::move(pairs));
  ir::VarMap sizes;
  for (const Value& item : pairs) {
    const auto pair = item.As<Values>();
    sizes[pair.at(0).As<ir::Var>()] = pair.at(1).As<ir::Var>();
  }
  const NodeRef made = ir::Rewrite(
      node,
      [&](const ir::VarNode& var) -> NodeRef {
        if (var.dtype == DataType::Int(64)) return {};
        const auto [at, is_new] = sizes.try_emplace(ir::Var(&var));
        if (is_new) {
          const ir::Var size = ir::MakeGraphSize(var.name);
          at->second = size;
          pairs.emplace_back(Row(ir::Var(&var), size));
        }
        return at->second;
      },
      [](const ir::IntImm& number) -> NodeRef {
        return number.dtype == DataType::Int(32) ? ir::Int(number.value, DataType::Int(64))
                                                 : ir::Expr();
      },
      [](const ir::Cast& cast) -> NodeRef {
        return cast.dtype == cast.value->dtype ? cast.value : ir::Expr();
      },
      Rebuild<ir::Add>(), Rebuild<ir::Sub>(), Rebuild<ir::Mul>(), Rebuild<ir::FloorDiv>(),
      Rebuild<ir::FloorMod>(), Rebuild<ir::Min>(), Rebuild<ir::Max>());
  return Row(made, std::move(pairs));
}

// A function without types but those of its parameters. Its sizes are the variables of these types
// that are not in `outer`.
GraphFuncRef MakeGraphFunc(const std::string& name, const std::vector<GraphVar>& params,
                           const ir::List<ir::GraphBinding>& bindings, const GraphVar& result,
                           const NodeRef& result_type, const std::vector<ir::Var>& outer,
                           const ir::Dict& attrs) {
  Ref<ir::GraphFunc> func = Make<ir::GraphFunc>();
  std::unordered_set<const ir::Node*> known;
  for (const ir::Var& size : outer) known.insert(size.get());
  const auto collect = [&](const NodeRef& type) {
    if (!type) return;
    ir::PreOrder(type, [&](const ir::Node& part) {
      const auto* var = ir::As<ir::VarNode>(&part);
      if (var != nullptr && known.insert(var).second) func->sizes.emplace_back(var);
      return true;
    });
  };
  func->name = name;
  func->params = params;
  for (const GraphVar& param : params) collect(param->type);
  collect(result_type);
  func->result_type = result_type;
  func->body = ir::MakeGraphBlock(bindings, result);
  func->attrs = attrs;
  return func;
}

// The types of the bindings in the order in which they are inferred: those of inner blocks before
// the binding that contains them.
void CollectTypes(const ir::GraphBlock& block, std::vector<NodeRef>& types) {
  for (const Ref<const ir::GraphBinding>& binding : block.bindings) {
    ir::PreOrder(binding->value, [&](const ir::Node& part) {
      const auto* inner = ir::As<ir::GraphBlock>(&part);
      if (inner != nullptr) CollectTypes(*inner, types);
      return inner == nullptr && ir::As<ir::Constant>(&part) == nullptr;
    });
    types.push_back(binding->var->type);
  }
}

// The same for an untyped function, in its own sizes, and the type of its result behind them.
std::vector<NodeRef> TypesOf(const GraphFuncRef& func, const ir::GraphModule& module) {
  const GraphFuncRef typed = graph::InferTypes(*func, module);
  std::vector<NodeRef> types;
  CollectTypes(*typed->body, types);
  types.push_back(typed->result_type);
  if (func->sizes.empty()) return types;
  std::unordered_map<const ir::Node*, NodeRef> given, made;
  for (size_t i = 0; i < func->sizes.size(); ++i)
    given[typed->sizes[i].get()] = NodeRef(func->sizes[i]);
  for (NodeRef& type : types) {
    const auto [at, is_new] = made.try_emplace(type.get());
    if (is_new) {
      at->second = ir::Rewrite(type, [&](const ir::VarNode& var) -> NodeRef {
        const auto size = given.find(&var);
        return size == given.end() ? NodeRef() : size->second;
      });
    }
    type = at->second;
  }
  return types;
}

// -- Running.

// The parts: optimization level, disabled passes over graphs, after_pass or None, the context of
// the kernels (ContextOf), what gives them their schedules (ScheduleOfKernel), and what hears how
// many kernels are compiled, or None.
graph::GraphBuildOptions OptionsOf(const Values& parts) {
  graph::GraphBuildOptions options;
  options.opt_level = parts.at(0).As<int>();
  for (const std::string& name : parts.at(1).As<std::vector<std::string>>())
    options.disabled.insert(name);
  if (!parts.at(2).is_none()) {
    options.after_pass = [after = parts.at(2).As<Function>()](
                             std::string_view name, const GraphFuncRef& before,
                             const GraphFuncRef& now) { after(std::string(name), before, now); };
  }
  options.cache = &driver::CompileCache::Default();
  options.context = ContextOf(parts.at(3).As<Values>());
  options.schedule_of = ScheduleOfKernel(parts.at(4).As<Values>());
  if (!parts.at(5).is_none()) {
    options.progress = [told = parts.at(5).As<Function>()](size_t done, size_t total) {
      told(static_cast<int64_t>(done), static_cast<int64_t>(total));
    };
  }
  return options;
}

// The options for a list of targets, and the target of the host. `main` may be "": the main device
// that follows from the targets. `note` gets texts; it may be null.
target::Target ForTargets(const std::vector<TargetRef>& targets, const std::string& main,
                          const Function& note, graph::GraphBuildOptions* options) {
  std::vector<target::Target> all;
  for (const TargetRef& target : targets) all.push_back(target->item);
  graph::GraphTargets sorted = graph::SortTargets(all);
  options->devices = std::move(sorted.devices);
  options->main_device = main.empty() ? sorted.main_device : main;
  if (note) options->note = [note](const std::string& text) { note(text); };
  return std::move(sorted.host);
}

void RegisterTypes() {
  Def("graph.size", [](const std::string& name) { return ir::MakeGraphSize(name); });
  Def("graph.tensor_type", [](const std::vector<ir::Expr>& shape, DataType dtype) {
    return ir::MakeTensorType(dtype, shape);
  });
  Def("graph.type_text", [](const NodeRef& type) { return graph::TypeText(type); });
  Def("graph.same_type", [](const NodeRef& a, const NodeRef& b) { return graph::SameType(a, b); });
  Def("graph.sized", [](const NodeRef& node, const Values& pairs) { return Sized(node, pairs); });
  // The sizes that a type depends on.
  Def("graph.sizes_of", [](const NodeRef& type) {
    std::vector<ir::Var> sizes;
    std::unordered_set<const ir::Node*> known;
    ir::PreOrder(type, [&](const ir::Node& part) {
      const auto* var = ir::As<ir::VarNode>(&part);
      if (var != nullptr && known.insert(var).second) sizes.emplace_back(var);
      return true;
    });
    return sizes;
  });
}

// Variables, what is bound to them, and constants.
void RegisterBindings() {
  Def("graph.var", [](const std::string& name, const Maybe<NodeRef>& type) {
    return ir::MakeGraphVar(name, OrNull(type));
  });
  // A value bound to a new variable; and a call made of a prototype (graph_ops.cc).
  Def("graph.bind", [](const NodeRef& value, const std::string& name) {
    return ir::Bind(ir::MakeGraphVar(name), value);
  });
  Def("graph.bind_call", [](const Ref<const ir::GraphCall>& prototype,
                            const std::vector<GraphVar>& args, const std::string& name) {
    Ref<ir::GraphCall> call = graph::CopyOf(*prototype);
    call->args = args;
    return ir::Bind(ir::MakeGraphVar(name), std::move(call));
  });
  // Shares the tensor's memory, which must not change from now on.
  Def("graph.constant", [](const Tensor& tensor) {
    Tensor kept =
        tensor.device().is_host() && tensor.is_compact() ? tensor : OrThrow(tensor.Clone());
    if (!kept.device().is_host()) kept = OrThrow(kept.To(runtime::Device::Cpu()));
    const DLTensor& dl = kept.dl();
    const std::string_view bytes(static_cast<const char*>(dl.data) + dl.byte_offset,
                                 kept.num_bytes());
    return ir::MakeConstant(kept.dtype(), {kept.shape().begin(), kept.shape().end()},
                            Blob::View(bytes, [kept] {}));
  });
  // The data of a constant, read-only and shared.
  Def("graph.constant_data", [](const ir::ConstantRef& constant) {
    const std::vector<int64_t> shape = ir::ShapeOf(*constant);
    auto* owner = new Ref<const Blob>(constant->data);
    return Tensor::Wrap(
        const_cast<char*>((*owner)->data()), 0, shape, {}, constant->dtype, runtime::Device::Cpu(),
        [](void* context) { delete static_cast<Ref<const Blob>*>(context); }, owner,
        /*read_only=*/true);
  });
}

void RegisterFunctions() {
  Def("graph.block", [](const ir::List<ir::GraphBinding>& bindings, const GraphVar& result) {
    return ir::MakeGraphBlock(bindings, result);
  });
  Def("graph.func",
      [](const std::string& name, const std::vector<GraphVar>& params,
         const ir::List<ir::GraphBinding>& bindings, const GraphVar& result,
         const Maybe<NodeRef>& type, const std::vector<ir::Var>& outer, const ir::Dict& attrs) {
        return MakeGraphFunc(name, params, bindings, result, OrNull(type), outer, attrs);
      });
  Def("graph.module", [](const ir::List<ir::GraphFunc>& functions, const ir::Dict& attrs,
                         const ir::List<ir::GraphDataType>& datatypes) {
    Ref<ir::GraphModuleNode> module = Make<ir::GraphModuleNode>();
    module->datatypes = datatypes;
    module->functions = functions;
    module->attrs = attrs;
    return ir::GraphModule(module);
  });
  Def("graph.decide", [](const ir::List<ir::GraphDataType>& datatypes, const Values& patterns) {
    Ref<ir::GraphModuleNode> module = Make<ir::GraphModuleNode>();
    module->datatypes = datatypes;
    std::vector<graph::Pattern> clauses;
    for (const Value& pattern : patterns) clauses.push_back(PatternOf(pattern));
    return ValueOf(*graph::Decide(module, clauses));
  });
  Def("graph.parse", [](const std::string& text, const std::string& filename) {
    return graph::InferTypes(ir::ParseGraphModule(text, filename));
  });
  Def("graph.text", [](const ir::GraphModule& module, bool with_data) {
    return ir::ToText(module, {.max_data = with_data ? size_t{4096} : 0});
  });
}

}  // namespace

void RegisterGraphs() {
  runtime::ThrowIfError(runtime::graph::RegisterGraph());
  runtime::ThrowIfError(runtime::vm::RegisterVm());
  RegisterTypes();
  RegisterBindings();
  RegisterFunctions();
  Def("graph.infer", [](const ir::GraphModule& module) { return graph::InferTypes(module); });
  // The number of the first binding that gets no type, in the order in which types are inferred
  // (those of inner blocks before the one that contains them); -1 if all do.
  Def("graph.first_wrong", [](const GraphFuncRef& func, const ir::GraphModule& module) -> int64_t {
    int64_t seen = 0;
    try {
      graph::Rewrite(*func, module, [&](const auto&, const auto&, const auto&) -> GraphVar {
        ++seen;
        return {};
      });
    } catch (const Error&) {
      return seen - 1;
    }
    return -1;
  });
  Def("graph.types_of", [](const GraphFuncRef& func, const ir::GraphModule& module) {
    return TypesOf(func, module);
  });
  Def("graph.optimize", [](const ir::GraphModule& module, const std::vector<TargetRef>& targets,
                           const Values& parts) {
    graph::GraphBuildOptions options = OptionsOf(parts);
    const driver::TimeLimit limit(options.context);
    const target::Target host = ForTargets(targets, "", Function(), &options);
    return graph::OptimizeGraph(module, host, options);
  });
  Def("graph.interpret",
      [](const ir::GraphModule& module, const std::string& name, const Values& args) {
        std::vector<GraphValue> values;
        for (const Value& arg : args) values.push_back(GraphValueOf(arg));
        return ResultOf(graph::Interpret(module, name, std::move(values)), module);
      });
  Def("graph.build_program",
      [](const ir::GraphModule& module, const std::vector<std::string>& entries,
         const std::vector<TargetRef>& targets, const Values& parts, const std::string& name) {
        graph::GraphBuildOptions options = OptionsOf(parts);
        const driver::TimeLimit limit(options.context);
        const target::Target host = ForTargets(targets, "", Function(), &options);
        return OrThrow(graph::BuildProgramModule(module, entries, host, options, name));
      });
  Def("graph.build", [](const ir::GraphModule& module, const std::string& function,
                        const std::vector<TargetRef>& targets, const Values& parts,
                        const std::string& name, const std::string& main, const Function& note) {
    graph::GraphBuildOptions options = OptionsOf(parts);
    const driver::TimeLimit limit(options.context);
    const target::Target host = ForTargets(targets, main, note, &options);
    return OrThrow(graph::BuildGraphModule(module, function, host, options, name));
  });
  // What the code generator writes for the host's kernels of `graph.build` (one function) or
  // `graph.build_program` ("" if there are none).
  Def("graph.source", [](const ir::GraphModule& module, const std::vector<std::string>& functions,
                         const std::vector<TargetRef>& targets, const Values& parts,
                         const std::string& main, const std::string& output, bool is_program) {
    graph::GraphBuildOptions options = OptionsOf(parts);
    const driver::TimeLimit limit(options.context);
    const target::Target host = ForTargets(targets, main, Function(), &options);
    return OrThrow(
        is_program
            ? graph::ProgramSource(module, functions, host, OutputKindOf(output), options)
            : graph::GraphSource(module, functions.at(0), host, OutputKindOf(output), options));
  });
  // The kernels that `graph.build` would compile: [name, calls of a run, workload, target, the same
  // as canonical target, arguments, whether their shapes are constant].
  Def("graph.kernels", [](const ir::GraphModule& module, const std::string& function,
                          const std::vector<TargetRef>& targets, const Values& parts) {
    graph::GraphBuildOptions options = OptionsOf(parts);
    const target::Target host = ForTargets(targets, "", Function(), &options);
    Values kernels;
    for (const graph::CountedKernel& one : graph::KernelsOf(module, function, host, options)) {
      const target::Target canonical = OrThrow(options.cache->KnownCanonicalTarget(one.target));
      const std::string workload =
          te::WorkloadKey(one.kernel.args, canonical.ToString()).ToString();
      kernels.emplace_back(Row(one.kernel.name, one.calls, workload, Make<TargetObject>(one.target),
                               Make<TargetObject>(canonical), one.kernel.args,
                               one.kernel.sizes.empty()));
    }
    return kernels;
  });
  // [kind of device...] for which code of these targets is made, the main one first.
  Def("graph.device_kinds", [](const std::vector<TargetRef>& targets) {
    graph::GraphBuildOptions options;
    ForTargets(targets, "", Function(), &options);
    Values kinds = Row(options.main_device);
    for (const auto& [kind, target] : options.devices)
      if (kind != options.main_device) kinds.emplace_back(kind);
    if (options.main_device != graph::kHostDevice)
      kinds.emplace_back(std::string(graph::kHostDevice));
    return kinds;
  });
}

}  // namespace lathe::python
