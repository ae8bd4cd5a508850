// Graphs: the parts of functions, types, passes, the interpreter, building.
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/blob.h"
#include "graph/build.h"
#include "graph/infer.h"
#include "graph/interpreter/interpreter.h"
#include "graph/passes/fuse.h"
#include "ir/rewrite.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/walk.h"
#include "python/ffi/boxes.h"
#include "python/ffi/context.h"
#include "python/ffi/ffi.h"
#include "runtime/graph/plan_module.h"
#include "runtime/tensor.h"

namespace lathe::python {
namespace {

using graph::GraphFuncRef;
using graph::GraphValue;
using ir::GraphVar;
using ir::NodeRef;
using runtime::Function;
using runtime::Tensor;
using runtime::Value;
using Values = std::vector<Value>;

template <class... T>
Values Row(T&&... items) {
  Values row;
  (row.emplace_back(std::forward<T>(items)), ...);
  return row;
}

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
std::vector<NodeRef> TypesOf(const GraphFuncRef& func) {
  const GraphFuncRef typed = graph::InferTypes(*func);
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

GraphValue GraphValueOf(const Value& value) {
  if (value.Is<Values>()) {
    GraphValue tuple;
    tuple.kind = GraphValue::Kind::kTuple;
    for (const Value& item : value.As<Values>()) tuple.fields.push_back(GraphValueOf(item));
    return tuple;
  }
  const auto tensor = value.As<Tensor>();
  // The result may be a part of an argument, and must not change with the caller's memory.
  return OrThrow(tensor.Clone());
}

Value ValueOf(const GraphValue& value) {
  if (value.kind == GraphValue::Kind::kTensor) return Value(value.tensor);
  if (value.kind == GraphValue::Kind::kFunction)
    throw Error(Diagnostic{.name = "graph-result-function",
                           .message = "the result of the graph is a function",
                           .expected = "a tensor, or a tuple of results",
                           .help = "call the function within the graph"});
  Values fields;
  for (const GraphValue& field : value.fields) fields.push_back(ValueOf(field));
  return Value(std::move(fields));
}

// The parts: optimization level, disabled passes over graphs, after_pass or None, then the context
// of the kernels (ContextOf).
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
  return options;
}

void RegisterParts() {
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
  Def("graph.block", [](const ir::List<ir::GraphBinding>& bindings, const GraphVar& result) {
    return ir::MakeGraphBlock(bindings, result);
  });
  Def("graph.func",
      [](const std::string& name, const std::vector<GraphVar>& params,
         const ir::List<ir::GraphBinding>& bindings, const GraphVar& result,
         const Maybe<NodeRef>& type, const std::vector<ir::Var>& outer, const ir::Dict& attrs) {
        return MakeGraphFunc(name, params, bindings, result, OrNull(type), outer, attrs);
      });
  Def("graph.module", [](const ir::List<ir::GraphFunc>& functions, const ir::Dict& attrs) {
    Ref<ir::GraphModuleNode> module = Make<ir::GraphModuleNode>();
    module->functions = functions;
    module->attrs = attrs;
    return ir::GraphModule(module);
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
  RegisterParts();
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
  Def("graph.types_of", [](const GraphFuncRef& func) { return TypesOf(func); });
  // [[name, what it does, optimization level from which on it runs]...] in order.
  Def("graph.passes", [] {
    Values passes;
    for (const graph::GraphPass& pass : graph::GraphPasses())
      passes.emplace_back(Row(std::string(pass.name), std::string(pass.what), pass.opt_level));
    return passes;
  });
  Def("graph.optimize",
      [](const ir::GraphModule& module, const TargetRef& target, const Values& options) {
        return graph::OptimizeGraph(module, target->item, OptionsOf(options));
      });
  Def("graph.fuse", [](const ir::GraphModule& module) {
    const ir::GraphModule typed = graph::InferTypes(module);
    Ref<ir::GraphModuleNode> made = graph::CopyOf(*typed);
    for (GraphFuncRef& func : made->functions) func = graph::Fuse(*func, typed);
    return ir::GraphModule(made);
  });
  Def("graph.interpret",
      [](const ir::GraphModule& module, const std::string& name, const Values& args) {
        std::vector<GraphValue> values;
        for (const Value& arg : args) values.push_back(GraphValueOf(arg));
        return ValueOf(graph::Interpret(module, name, std::move(values)));
      });
  Def("graph.build", [](const ir::GraphModule& module, const std::string& function,
                        const TargetRef& target, const Values& options, const std::string& name) {
    return OrThrow(
        graph::BuildGraphModule(module, function, target->item, OptionsOf(options), name));
  });
}

}  // namespace lathe::python
