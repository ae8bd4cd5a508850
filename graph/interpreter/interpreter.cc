#include "graph/interpreter/interpreter.h"

#include <algorithm>
#include <unordered_map>

#include "arith/analyzer.h"
#include "base/error.h"
#include "base/poll.h"
#include "graph/builder.h"
#include "ir/rewrite.h"
#include "ir/text/printer.h"
#include "te/evaluator.h"

namespace lathe::graph {

using ir::As;
using ir::GraphVar;
using ir::NodeRef;

namespace {

// The variables and sizes of a block, and the block around it.
struct Scope {
  std::shared_ptr<const Scope> outer;
  std::unordered_map<const ir::Node*, GraphValue> values;
  std::unordered_map<const ir::Node*, int64_t> sizes;
};

}  // namespace

struct Closure {
  Ref<const ir::GraphFunc> func;
  std::shared_ptr<const Scope> scope;
};

namespace {

using ScopeRef = std::shared_ptr<Scope>;

void* DataOf(const runtime::Tensor& tensor) {
  return static_cast<char*>(tensor.dl().data) + tensor.dl().byte_offset;
}

[[noreturn]] void Fail(const char* name, std::string message, std::string expected = "",
                       std::string found = "", std::string help = "") {
  throw Error(Diagnostic{.name = name,
                         .message = std::move(message),
                         .expected = std::move(expected),
                         .found = std::move(found),
                         .help = std::move(help)});
}

constexpr char kArgument[] = "graph-interpret-argument";

std::string TypeTextOf(const GraphValue& value) {
  if (value.kind == GraphValue::Kind::kTuple) return "a tuple";
  if (value.kind == GraphValue::Kind::kFunction) return "a function";
  std::string text = value.tensor.dtype().ToString() + "[";
  for (int i = 0; i < value.tensor.rank(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(value.tensor.shape()[static_cast<size_t>(i)]);
  }
  return text + "]";
}

class Machine {
 public:
  Machine(const ir::GraphModule& module, const GraphInterpretOptions& options)
      : module_(module), options_(options) {}

  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  // A scope owns its closures and they own it. Nobody can call a function when the evaluation is
  // over, so the scopes are emptied.
  ~Machine() {
    for (const std::weak_ptr<Scope>& scope : scopes_with_closures_) {
      if (const ScopeRef alive = scope.lock()) alive->values.clear();
    }
  }

  GraphValue CallGlobal(const std::string& name, std::vector<GraphValue> args) {
    for (const GraphFuncRef& func : module_->functions) {
      if (func->name == name) return Call(*func, nullptr, std::move(args));
    }
    Fail(kArgument, "the module has no function `" + name + "`");
  }

 private:
  // Counts functions and blocks that are open.
  class Nesting {
   public:
    explicit Nesting(Machine& machine) : machine_(machine) {
      if (++machine_.depth_ > machine_.options_.max_call_depth) {
        Fail("graph-call-depth", "functions and blocks of the graph nest too deep",
             "at most " + std::to_string(machine_.options_.max_call_depth) + " levels", "more",
             "check that the recursion ends; write long repetitions as a loop");
      }
    }
    ~Nesting() { --machine_.depth_; }

   private:
    Machine& machine_;
  };

  GraphValue Call(const ir::GraphFunc& func, std::shared_ptr<const Scope> outer,
                  std::vector<GraphValue> args) {
    const Nesting nesting(*this);
    if (args.size() != func.params.size()) {
      Fail(kArgument, "`" + func.name + "` is called with the wrong number of arguments",
           std::to_string(func.params.size()), std::to_string(args.size()));
    }
    const ScopeRef scope = std::make_shared<Scope>();
    scope->outer = std::move(outer);
    for (size_t i = 0; i < args.size(); ++i) {
      BindSizes(*func.params[i], func.params[i]->type, args[i], func.sizes, *scope);
      scope->values.emplace(func.params[i].get(), std::move(args[i]));
    }
    return Run(*func.body, scope);
  }

  // Checks a value against the type of a parameter; binds the sizes that it mentions first.
  void BindSizes(const ir::GraphVarNode& param, const NodeRef& type, const GraphValue& value,
                 const std::vector<ir::Var>& sizes, Scope& scope) {
    if (const auto* tuple = As<ir::TupleType>(type)) {
      if (value.kind != GraphValue::Kind::kTuple || value.fields.size() != tuple->fields.size()) {
        Fail(kArgument, "`%" + param.name + "` has the wrong type", TypeText(type),
             TypeTextOf(value));
      }
      for (size_t i = 0; i < tuple->fields.size(); ++i) {
        BindSizes(param, tuple->fields[i], value.fields[i], sizes, scope);
      }
      return;
    }
    const auto* tensor = As<ir::TensorType>(type);
    if (tensor == nullptr) return;  // a function: its own arguments are checked when it is called
    const auto wrong = [&](const std::string& help) {
      Fail(kArgument, "`%" + param.name + "` has the wrong type", TypeText(type), TypeTextOf(value),
           help);
    };
    if (value.kind != GraphValue::Kind::kTensor || !value.tensor ||
        value.tensor.dtype() != tensor->dtype ||
        value.tensor.shape().size() != tensor->shape.size()) {
      wrong("");
    }
    if (value.tensor.device() != runtime::Device::Cpu() || !value.tensor.is_compact()) {
      wrong("the interpreter takes compact tensors on the CPU: copy it (Tensor::To, Clone)");
    }
    for (size_t i = 0; i < tensor->shape.size(); ++i) {
      const ir::Expr& extent = tensor->shape[i];
      const int64_t actual = value.tensor.shape()[i];
      const bool own = std::any_of(sizes.begin(), sizes.end(),
                                   [&](const ir::Var& size) { return size.get() == extent.get(); });
      if (own && scope.sizes.try_emplace(extent.get(), actual).second) continue;
      const int64_t expected = Extent(extent, scope);
      if (expected != actual) {
        wrong("dimension " + std::to_string(i) + " must be " + std::to_string(expected));
      }
    }
  }

  GraphValue Run(const ir::GraphBlock& block, const ScopeRef& scope) {
    for (const Ref<const ir::GraphBinding>& binding : block.bindings) {
      Poll();
      try {
        GraphValue value = Evaluate(*binding->value, *binding->var, scope);
        if (!binding->sizes.empty()) BindNewSizes(*binding, value, *scope);
        scope->values.insert_or_assign(binding->var.get(), std::move(value));
      } catch (const Error& error) {
        Diagnostic diagnostic = error.diagnostic();
        if (diagnostic.notes.empty()) {
          diagnostic.notes.push_back("while evaluating `%" + binding->var->name + "`");
        }
        throw Error(std::move(diagnostic));
      }
    }
    return Find(block.result, *scope);
  }

  // Sizes that only the value tells: each is an extent of the result.
  void BindNewSizes(const ir::GraphBinding& binding, const GraphValue& value, Scope& scope) {
    BindSizes(*binding.var, binding.var->type, value, binding.sizes, scope);
  }

  GraphValue RunNested(const ir::GraphBlock& block, const ScopeRef& outer) {
    const Nesting nesting(*this);
    const ScopeRef scope = std::make_shared<Scope>();
    scope->outer = outer;
    return Run(block, scope);
  }

  static const GraphValue& Find(const GraphVar& var, const Scope& scope) {
    for (const Scope* at = &scope; at != nullptr; at = at->outer.get()) {
      const auto found = at->values.find(var.get());
      if (found != at->values.end()) return found->second;
    }
    Fail("graph-undefined", "`%" + var->name + "` is used where it is not defined");
  }

  // An expression over sizes with their values.
  static ir::Expr WithSizes(const ir::Expr& expr, const Scope& scope) {
    return ir::Rewrite(expr, [&](const ir::VarNode& var) -> ir::Expr {
      for (const Scope* at = &scope; at != nullptr; at = at->outer.get()) {
        const auto found = at->sizes.find(&var);
        if (found != at->sizes.end()) return ir::Int(found->second, var.dtype);
      }
      Fail("graph-undefined", "the size `" + var.name + "` is used where it has no value");
    });
  }
  static int64_t Extent(const ir::Expr& expr, const Scope& scope) {
    arith::Analyzer analyzer;
    const ir::Expr value = analyzer.Simplify(WithSizes(expr, scope));
    const int64_t* constant = ir::AsConstInt(value);
    if (constant == nullptr) {
      Fail(kArgument, "an extent has no value", "a number", ir::ToText(value));
    }
    return *constant;
  }

  GraphValue Evaluate(const ir::Node& value, const ir::GraphVarNode& var, const ScopeRef& scope) {
    switch (value.node_kind()) {
      case ir::NodeKind::kConstant: {
        const auto& constant = static_cast<const ir::Constant&>(value);
        return Checked(runtime::Tensor::FromHost(constant.data->data(), constant.data->size(),
                                                 ir::ShapeOf(constant), constant.dtype));
      }
      case ir::NodeKind::kGraphCall:
        return CallOperator(static_cast<const ir::GraphCall&>(value),
                            As<ir::TupleType>(var.type) != nullptr, *scope);
      case ir::NodeKind::kGraphTuple: {
        GraphValue tuple;
        tuple.kind = GraphValue::Kind::kTuple;
        for (const GraphVar& field : static_cast<const ir::GraphTuple&>(value).fields) {
          tuple.fields.push_back(Find(field, *scope));
        }
        return tuple;
      }
      case ir::NodeKind::kGraphTupleGet: {
        const auto& get = static_cast<const ir::GraphTupleGet&>(value);
        return Find(get.tuple, *scope).fields.at(static_cast<size_t>(get.index));
      }
      case ir::NodeKind::kGraphFunc: {
        scopes_with_closures_.push_back(scope);
        GraphValue function;
        function.kind = GraphValue::Kind::kFunction;
        function.function = std::make_shared<const Closure>(
            Closure{Ref<const ir::GraphFunc>(&static_cast<const ir::GraphFunc&>(value)), scope});
        return function;
      }
      case ir::NodeKind::kGraphInvoke: {
        const auto& invoke = static_cast<const ir::GraphInvoke&>(value);
        std::vector<GraphValue> args;
        for (const GraphVar& arg : invoke.args) args.push_back(Find(arg, *scope));
        if (!invoke.callee) return CallGlobal(invoke.global, std::move(args));
        const std::shared_ptr<const Closure> callee = Find(invoke.callee, *scope).function;
        return Call(*callee->func, callee->scope, std::move(args));
      }
      case ir::NodeKind::kGraphIf: {
        const auto& node = static_cast<const ir::GraphIf&>(value);
        const bool condition = Truth(Find(node.condition, *scope));
        return RunNested(condition ? *node.then_block : *node.else_block, scope);
      }
      case ir::NodeKind::kGraphLoop:
        return Loop(static_cast<const ir::GraphLoop&>(value), scope);
      default:
        Fail("graph-type",
             std::string("a ") + ir::NodeKindName(value.node_kind()) + " is no value of a graph");
    }
  }

  GraphValue Loop(const ir::GraphLoop& loop, const ScopeRef& outer) {
    GraphValue carried;
    carried.kind = GraphValue::Kind::kTuple;
    for (const GraphVar& init : loop.init) carried.fields.push_back(Find(init, *outer));
    while (true) {
      Poll();
      // The closures of an iteration may outlive it, so each has a scope of its own.
      const ScopeRef scope = std::make_shared<Scope>();
      scope->outer = outer;
      for (size_t i = 0; i < loop.carried.size(); ++i) {
        scope->values.emplace(loop.carried[i].get(), carried.fields[i]);
      }
      if (!Truth(RunNested(*loop.condition, scope))) return carried;
      carried = RunNested(*loop.body, scope);
    }
  }

  static bool Truth(const GraphValue& value) {
    return *static_cast<const uint8_t*>(DataOf(value.tensor)) != 0;
  }

  // A composition: the function that it stands for, with the actual extents.
  GraphValue CallComposition(const OpDef& op, const ir::Dict& attrs, std::vector<GraphValue> args) {
    Builder builder(op.name);
    std::vector<GraphVar> params;
    for (const GraphValue& arg : args) {
      std::vector<ir::Expr> shape;
      for (const int64_t extent : arg.tensor.shape()) shape.push_back(Int64(extent));
      params.push_back(builder.Input("", arg.tensor.dtype(), std::move(shape)));
    }
    const GraphFuncRef func = builder.Finish(op.expand(builder, params, Attrs(op, attrs)));
    return Call(*func, nullptr, std::move(args));
  }

  // Placeholders have the actual extents, so operators see numbers only.
  GraphValue CallOperator(const ir::GraphCall& call, bool gives_tuple, const Scope& scope) {
    const OpDef& op = GetOp(call.op);
    std::vector<te::Tensor> inputs;
    std::vector<NodeRef> args;
    std::vector<ir::InterpValue> values;
    for (const GraphVar& var : call.args) {
      const runtime::Tensor& tensor = Find(var, scope).tensor;
      te::Shape shape;
      for (const int64_t extent : tensor.shape()) shape.push_back(ir::Int(extent));
      inputs.push_back(te::Placeholder(shape, tensor.dtype(), var->name));
      args.push_back(inputs.back());
      values.push_back(View(tensor));
    }
    ir::Dict attrs = call.attrs;
    for (auto& [key, attr] : attrs) {
      if (const ir::Expr expr = ir::RefExpr(attr)) attr = WithSizes(expr, scope);
    }
    if (!op.compute) {
      std::vector<GraphValue> actual;
      for (const GraphVar& var : call.args) actual.push_back(Find(var, scope));
      return CallComposition(op, attrs, std::move(actual));
    }
    const std::vector<te::Tensor> outputs = ComputeCall(op, inputs, attrs);
    std::vector<GraphValue> results;
    for (const te::Tensor& output : outputs) {
      std::vector<int64_t> shape;
      for (const ir::Expr& extent : output->shape()) shape.push_back(Extent(extent, scope));
      results.push_back(Checked(runtime::Tensor::Empty(shape, output->dtype())));
      args.push_back(output);
      values.push_back(View(results.back().tensor));
    }
    te::Evaluate(args, values, {.step_limit = options_.step_limit});
    if (!gives_tuple) return results[0];
    GraphValue tuple;
    tuple.kind = GraphValue::Kind::kTuple;
    tuple.fields = std::move(results);
    return tuple;
  }

  static ir::InterpValue View(const runtime::Tensor& tensor) {
    return ir::InterpTensor::Of(DataOf(tensor), tensor.dtype(),
                                std::vector<int64_t>(tensor.shape().begin(), tensor.shape().end()));
  }

  static runtime::Tensor Checked(absl::StatusOr<runtime::Tensor> tensor) {
    if (!tensor.ok()) Fail(kArgument, std::string(tensor.status().message()));
    return *std::move(tensor);
  }

  const ir::GraphModule& module_;
  const GraphInterpretOptions& options_;
  int depth_ = 0;
  std::vector<std::weak_ptr<Scope>> scopes_with_closures_;
};

}  // namespace

GraphValue Interpret(const ir::GraphModule& module, const std::string& name,
                     std::vector<GraphValue> args, const GraphInterpretOptions& options) {
  return Machine(module, options).CallGlobal(name, std::move(args));
}

}  // namespace lathe::graph
