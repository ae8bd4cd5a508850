#include "graph/interpreter/interpreter.h"

#include <unordered_set>
#include <vector>

#include "base/error.h"
#include "base/poll.h"
#include "graph/interpreter/machine.h"

namespace lathe::graph {

using ir::As;
using ir::GraphVar;

namespace {

// A block that is being evaluated: the body of a function, an arm, a part of a loop.
struct Frame {
  // What its result is for.
  enum class For : uint8_t {
    kBinding,    // the value of the current binding of the frame below
    kCondition,  // of `loop`
    kBody,       // of `loop`
  };
  const ir::GraphBlock* block = nullptr;
  ScopeRef scope;
  For result = For::kBinding;
  const ir::GraphLoop* loop = nullptr;
  Ref<const ir::GraphFunc> func = nullptr;  // of its body; null for other blocks
  size_t at = 0;                            // the binding that is being evaluated
};

class Machine {
 public:
  Machine(const ir::GraphModule& module, const GraphInterpretOptions& options)
      : module_(module), options_(options) {}

  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  // A scope owns its closures, and they own it and the scopes around it. Nobody can call a function
  // when the evaluation is over, so the scopes are emptied.
  ~Machine() {
    frames_.clear();
    std::unordered_set<const Scope*> seen;
    std::vector<ScopeRef> owned;
    for (const ScopeRef& scope : scopes_with_closures_) {
      for (const Scope* at = scope.get(); at != nullptr && seen.insert(at).second;
           at = at->outer.get()) {
        owned.emplace_back(const_cast<Scope*>(at));
      }
    }
    for (const ScopeRef& scope : owned) scope->values.clear();
  }

  GraphValue Run(const std::string& name, std::vector<GraphValue> args) {
    Call(Global(name), nullptr, std::move(args));
    while (true) {
      Poll();
      Frame& frame = frames_.back();
      if (frame.at < frame.block->bindings.size()) {
        Step(*frame.block->bindings[frame.at]);
        continue;
      }
      GraphValue result = FindValue(frame.block->result, *frame.scope);
      const Frame done = std::move(frames_.back());
      frames_.pop_back();
      if (done.func) --open_calls_;
      if (frames_.empty()) return result;
      Deliver(done, std::move(result));
    }
  }

 private:
  Ref<const ir::GraphFunc> Global(const std::string& name) const {
    for (const GraphFuncRef& func : module_->functions) {
      if (func->name == name) return func;
    }
    FailInterpret(kInterpretArgument, "the module has no function `" + name + "`");
  }

  // Opens the body of a function.
  void Call(Ref<const ir::GraphFunc> func, Ref<const Scope> outer, std::vector<GraphValue> args) {
    const std::string name =
        func->name.empty() ? "a function that is a value" : "`@" + func->name + "`";
    if (++open_calls_ > options_.max_call_depth) {
      FailInterpret("graph-call-depth", "the calls of functions nest too deep, in " + name,
                    "at most " + std::to_string(options_.max_call_depth) + " open calls", "more",
                    "check that the recursion ends; write long repetitions as a loop");
    }
    if (args.size() != func->params.size()) {
      FailInterpret(kInterpretArgument, name + " is called with the wrong number of arguments",
                    std::to_string(func->params.size()), std::to_string(args.size()));
    }
    const ScopeRef scope = Make<Scope>();
    scope->outer = std::move(outer);
    for (size_t i = 0; i < args.size(); ++i) {
      BindSizes(*func->params[i], func->params[i]->type, args[i], func->sizes, *scope);
      scope->values.emplace(func->params[i].get(), std::move(args[i]));
    }
    const ir::GraphBlock* body = func->body.get();
    frames_.push_back({.block = body, .scope = scope, .func = std::move(func)});
  }

  // Opens a block; returns its scope.
  Scope& Open(const ir::GraphBlock& block, const ScopeRef& outer,
              Frame::For result = Frame::For::kBinding, const ir::GraphLoop* loop = nullptr) {
    const ScopeRef scope = Make<Scope>();
    scope->outer = outer;
    frames_.push_back({.block = &block, .scope = scope, .result = result, .loop = loop});
    return *scope;
  }

  // Evaluates the current binding of the last frame, or opens the block that does.
  void Step(const ir::GraphBinding& binding) {
    try {
      Evaluate(*binding.value, *binding.var, frames_.back().scope);
    } catch (const Error& error) {
      Diagnostic diagnostic = error.diagnostic();
      if (diagnostic.notes.empty())
        diagnostic.notes.push_back("while evaluating `%" + binding.var->name + "`");
      throw Error(std::move(diagnostic));
    }
  }

  // The value of the current binding of the last frame.
  void Give(GraphValue value) {
    Frame& frame = frames_.back();
    const ir::GraphBinding& binding = *frame.block->bindings[frame.at];
    if (options_.change_value) value = options_.change_value(binding, std::move(value));
    // Sizes that only the value tells: each is an extent of the result.
    if (!binding.sizes.empty())
      BindSizes(*binding.var, binding.var->type, value, binding.sizes, *frame.scope);
    frame.scope->values.insert_or_assign(binding.var.get(), std::move(value));
    ++frame.at;
  }

  // What becomes of the result of a block.
  void Deliver(const Frame& done, GraphValue result) {
    switch (done.result) {
      case Frame::For::kBinding:
        return Give(std::move(result));
      case Frame::For::kBody:
        return Round(*done.loop, std::move(result.fields));
      case Frame::For::kCondition: {
        // The scope around the condition has what is carried.
        const ScopeRef carried(const_cast<Scope*>(done.scope->outer.get()));
        if (Truth(result)) {
          Open(*done.loop->body, carried, Frame::For::kBody, done.loop);
          return;
        }
        GraphValue last;
        last.kind = GraphValue::Kind::kTuple;
        for (const GraphVar& var : done.loop->carried)
          last.fields.push_back(FindValue(var, *carried));
        return Give(std::move(last));
      }
    }
  }

  // The closures of a round may outlive it, so each has a scope of its own.
  void Round(const ir::GraphLoop& loop, std::vector<GraphValue> carried) {
    const ScopeRef scope = Make<Scope>();
    scope->outer = frames_.back().scope;
    for (size_t i = 0; i < loop.carried.size(); ++i)
      scope->values.emplace(loop.carried[i].get(), std::move(carried[i]));
    Open(*loop.condition, scope, Frame::For::kCondition, &loop);
  }

  static std::vector<GraphValue> ValuesOf(const std::vector<GraphVar>& vars, const Scope& scope) {
    std::vector<GraphValue> values;
    values.reserve(vars.size());
    for (const GraphVar& var : vars) values.push_back(FindValue(var, scope));
    return values;
  }

  static bool Truth(const GraphValue& value) {
    return *static_cast<const uint8_t*>(DataOf(value.tensor)) != 0;
  }

  void Evaluate(const ir::Node& value, const ir::GraphVarNode& var, const ScopeRef scope) {
    switch (value.node_kind()) {
      case ir::NodeKind::kConstant: {
        const auto& constant = static_cast<const ir::Constant&>(value);
        return Give(CheckedTensor(runtime::Tensor::FromHost(
            constant.data->data(), constant.data->size(), ir::ShapeOf(constant), constant.dtype)));
      }
      case ir::NodeKind::kGraphCall:
        return Operator(static_cast<const ir::GraphCall&>(value), var.type, *scope);
      case ir::NodeKind::kGraphTuple: {
        GraphValue tuple;
        tuple.kind = GraphValue::Kind::kTuple;
        tuple.fields = ValuesOf(static_cast<const ir::GraphTuple&>(value).fields, *scope);
        return Give(std::move(tuple));
      }
      case ir::NodeKind::kGraphTupleGet: {
        const auto& get = static_cast<const ir::GraphTupleGet&>(value);
        return Give(FindValue(get.tuple, *scope).fields.at(static_cast<size_t>(get.index)));
      }
      case ir::NodeKind::kGraphFunc: {
        scopes_with_closures_.push_back(scope);
        GraphValue function;
        function.kind = GraphValue::Kind::kFunction;
        function.object = Make<Closure>(
            Ref<const ir::GraphFunc>(&static_cast<const ir::GraphFunc&>(value)), scope);
        return Give(std::move(function));
      }
      case ir::NodeKind::kGraphInvoke: {
        const auto& invoke = static_cast<const ir::GraphInvoke&>(value);
        std::vector<GraphValue> args = ValuesOf(invoke.args, *scope);
        if (!invoke.callee) return Call(Global(invoke.global), nullptr, std::move(args));
        const GraphValue callee = FindValue(invoke.callee, *scope);
        const auto& closure = static_cast<const Closure&>(*callee.object);
        return Call(closure.func, closure.scope, std::move(args));
      }
      case ir::NodeKind::kGraphIf: {
        const auto& node = static_cast<const ir::GraphIf&>(value);
        const bool condition = Truth(FindValue(node.condition, *scope));
        Open(condition ? *node.then_block : *node.else_block, scope);
        return;
      }
      case ir::NodeKind::kGraphLoop: {
        const auto& loop = static_cast<const ir::GraphLoop&>(value);
        return Round(loop, ValuesOf(loop.init, *scope));
      }
      case ir::NodeKind::kGraphConstruct: {
        const auto& construct = static_cast<const ir::GraphConstruct&>(value);
        return Give(MakeGraphData(construct.constructor, ValuesOf(construct.args, *scope)));
      }
      case ir::NodeKind::kGraphMatch:
        return Match(static_cast<const ir::GraphMatch&>(value), scope);
      default:
        FailInterpret("graph-type", std::string("a ") + ir::NodeKindName(value.node_kind()) +
                                        " is no value of a graph");
    }
  }

  void Match(const ir::GraphMatch& match, const ScopeRef& scope) {
    const GraphValue value = FindValue(match.value, *scope);
    const GraphData& data = value.data();
    for (const Ref<const ir::GraphCase>& arm : match.cases) {
      if (arm->constructor != data.constructor) continue;
      Scope& inner = Open(*arm->block, scope);
      for (size_t i = 0; i < arm->vars.size(); ++i)
        inner.values.emplace(arm->vars[i].get(), data.fields[i]);
      return;
    }
    FailInterpret("graph-match-missing", "a match misses a case", "a case for each constructor",
                  "no case for `" + data.constructor + "`");
  }

  void Operator(const ir::GraphCall& call, const ir::NodeRef& type, const Scope& scope) {
    const OpDef& op = GetOp(call.op);
    ir::Dict attrs = call.attrs;
    for (auto& [key, attr] : attrs) {
      if (const ir::Expr expr = ir::RefExpr(attr)) attr = WithSizes(expr, scope);
    }
    std::vector<GraphValue> args = ValuesOf(call.args, scope);
    if (!op.compute) {
      const GraphFuncRef expanded = ExpandCall(op, attrs, args);
      return Call(expanded, nullptr, std::move(args));
    }
    Give(EvaluateCall(op, call, attrs, args, type, scope, options_.step_limit));
  }

  const ir::GraphModule& module_;
  const GraphInterpretOptions& options_;
  int open_calls_ = 0;
  std::vector<Frame> frames_;
  std::vector<ScopeRef> scopes_with_closures_;
};

}  // namespace

GraphValue MakeGraphData(std::string constructor, std::vector<GraphValue> fields) {
  Ref<GraphData> data = Make<GraphData>();
  data->constructor = std::move(constructor);
  data->fields = std::move(fields);
  GraphValue value;
  value.kind = GraphValue::Kind::kData;
  value.object = std::move(data);
  return value;
}

GraphValue Interpret(const ir::GraphModule& module, const std::string& name,
                     std::vector<GraphValue> args, const GraphInterpretOptions& options) {
  return Machine(module, options).Run(name, std::move(args));
}

}  // namespace lathe::graph
