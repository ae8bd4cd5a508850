// Rewrite and InferTypes: functions built anew, binding by binding.
#include <algorithm>
#include <unordered_set>

#include "base/error.h"
#include "base/poll.h"
#include "graph/builder.h"
#include "graph/datatypes.h"
#include "graph/devices.h"
#include "graph/infer.h"
#include "ir/rewrite.h"
#include "ir/walk.h"

namespace lathe::graph {
namespace {

using ir::As;
using ir::GraphVar;
using ir::NodeRef;
using ir::RefAs;

// The sizes of a function that only the type of its result has.
std::vector<ir::Var> SizesOfResult(const ir::GraphFunc& func) {
  std::unordered_set<const ir::Node*> known;
  for (const GraphVar& param : func.params) {
    for (const ir::Var& size : ir::FreeVars(param->type)) known.insert(size.get());
  }
  std::vector<ir::Var> sizes;
  for (const ir::Var& size : func.sizes) {
    if (!known.contains(size.get())) sizes.push_back(size);
  }
  return sizes;
}

bool StatesSizes(const ir::GraphFunc& func) {
  if (!func.result_type || func.sizes.empty()) return false;
  const std::vector<ir::Var> own = SizesOfResult(func), used = ir::FreeVars(func.result_type);
  return std::ranges::any_of(own, [&](const ir::Var& size) {
    return std::ranges::any_of(used, [&](const ir::Var& one) { return one.same_as(size); });
  });
}

// Is `found` a type that `stated` allows, which may have sizes of its own?
bool Allows(const NodeRef& stated, const std::vector<ir::Var>& sizes, const NodeRef& found) {
  if (sizes.empty()) return SameType(stated, found);
  Ref<ir::GraphFunc> takes = Make<ir::GraphFunc>();
  takes->sizes = sizes;
  takes->params = {ir::MakeGraphVar("", stated)};
  return BindSizes(*takes, {ir::MakeGraphVar("", found)}).has_value();
}

class Rewriter {
 public:
  Rewriter(const ir::GraphFunc& func, Builder& builder, const RewriteRule& rule)
      : func_(func), builder_(builder), rule_(rule) {}

  GraphFuncRef Run() {
    for (const ir::Var& size : func_.sizes) {
      sizes_.emplace(size, builder_.Size(size->name));
    }
    for (const GraphVar& param : func_.params) {
      if (!param->type) {
        throw Error(Diagnostic{.name = "graph-type",
                               .message = "parameter `%" + param->name + "` of function `" +
                                          func_.name + "` has no type",
                               .help = "state it: `%" + param->name + ": float32[n, 3]`"});
      }
      Stand(param, builder_.Input(param->name, Sized(param->type)));
    }
    Bindings(func_.body->bindings);
    GraphFuncRef made = builder_.Finish(Now(func_.body->result), func_.attrs);
    if (!StatesSizes(func_)) return made;
    // Callers know the sizes that only the result has by the type that is stated.
    Ref<ir::GraphFunc> stated = CopyOf(*made);
    stated->result_type = Sized(func_.result_type);
    return stated;
  }
  // The bindings of the body, with arguments for the parameters and extents for the sizes; returns
  // what stands for the result.
  GraphVar RunOn(const std::vector<GraphVar>& args, const ir::VarMap& sizes) {
    sizes_ = sizes;
    for (size_t i = 0; i < args.size(); ++i) Stand(func_.params[i], args[i]);
    Bindings(func_.body->bindings);
    return Now(func_.body->result);
  }
  // `node` (a type, an attribute) in the sizes of the new function.
  NodeRef Sized(const NodeRef& node) const {
    return ir::Rewrite(node, [this](const ir::VarNode& var) -> NodeRef {
      const auto at = sizes_.find(ir::Var(&var));
      return at == sizes_.end() ? NodeRef() : NodeRef(at->second);
    });
  }

 private:
  // The variable that stands for `var` now.
  GraphVar Now(const GraphVar& var) const {
    const auto at = vars_.find(var);
    return at == vars_.end() ? var : at->second;
  }
  void Stand(const GraphVar& before, GraphVar after) {
    vars_.insert_or_assign(before, std::move(after));
  }
  std::vector<GraphVar> Now(const std::vector<GraphVar>& vars) const {
    std::vector<GraphVar> out;
    out.reserve(vars.size());
    for (const GraphVar& var : vars) out.push_back(Now(var));
    return out;
  }
  void Bindings(const List<ir::GraphBinding>& bindings) {
    for (const Ref<const ir::GraphBinding>& binding : bindings) {
      Poll();
      const NodeRef value = Value(*binding->value);
      const auto* call = As<ir::GraphCall>(value);
      builder_.SetDevice(call == nullptr ? "" : DeviceAttrOf(*call));
      GraphVar var = rule_ ? rule_(*binding, value, builder_) : GraphVar();
      if (!var) {
        var = builder_.Emit(value, binding->var->name);
      }
      for (const ir::Var& size : binding->sizes) StandForSize(size, binding->var->type, var->type);
      Stand(binding->var, std::move(var));
    }
    builder_.SetDevice("");
  }

  // A size that only a run knows is an extent of the value; the same extent of what stands for the
  // value now stands for the size.
  void StandForSize(const ir::Var& size, const NodeRef& before, const NodeRef& after) {
    std::vector<std::pair<NodeRef, NodeRef>> work{{before, after}};
    while (!work.empty()) {
      const auto [was, is] = work.back();
      work.pop_back();
      if (const auto* tuple = As<ir::TupleType>(was)) {
        const auto& fields = static_cast<const ir::TupleType&>(*is).fields;
        for (size_t i = 0; i < fields.size(); ++i) work.emplace_back(tuple->fields[i], fields[i]);
        continue;
      }
      const auto* tensor = As<ir::TensorType>(was);
      if (tensor == nullptr) continue;
      const auto& shape = static_cast<const ir::TensorType&>(*is).shape;
      for (size_t d = 0; d < shape.size(); ++d) {
        if (tensor->shape[d].get() == size.get()) sizes_.insert_or_assign(size, shape[d]);
      }
    }
  }

  GraphBlockRef Block(const ir::GraphBlock& block) {
    if (++depth_ > kMaxBlockDepth) {
      throw Error(Diagnostic{.name = "graph-too-deep",
                             .message = "blocks of function `" + func_.name + "` nest too deep",
                             .expected = "at most " + std::to_string(kMaxBlockDepth) + " levels",
                             .found = "more",
                             .help = "make functions of the inner blocks and call them"});
    }
    builder_.OpenBlock();
    Bindings(block.bindings);
    --depth_;
    return builder_.CloseBlock(Now(block.result));
  }

  Ref<const ir::GraphCase> Case(const ir::GraphCase& before) {
    const ir::GraphConstructor& constructor =
        FindConstructor(builder_.module(), before.constructor);
    Ref<ir::GraphCase> arm = Make<ir::GraphCase>();
    arm->constructor = before.constructor;
    for (size_t i = 0; i < before.vars.size(); ++i) {
      const GraphVar& var = before.vars[i];
      NodeRef type = var->type                       ? Sized(var->type)
                     : i < constructor.fields.size() ? constructor.fields[i]
                                                     : NodeRef();
      arm->vars.push_back(ir::MakeGraphVar(var->name, std::move(type)));
      Stand(var, arm->vars.back());
    }
    arm->block = Block(*before.block);
    return arm;
  }

  // `value` with its variables and blocks replaced.
  NodeRef Value(const ir::Node& value) {
    switch (value.node_kind()) {
      case ir::NodeKind::kGraphCall: {
        const auto& before = static_cast<const ir::GraphCall&>(value);
        Ref<ir::GraphCall> call = Make<ir::GraphCall>();
        call->op = before.op;
        call->args = Now(before.args);
        call->attrs = before.attrs;
        for (auto& [key, attr] : call->attrs) attr = Sized(attr);
        return call;
      }
      case ir::NodeKind::kGraphTuple: {
        Ref<ir::GraphTuple> tuple = Make<ir::GraphTuple>();
        tuple->fields = Now(static_cast<const ir::GraphTuple&>(value).fields);
        return tuple;
      }
      case ir::NodeKind::kGraphTupleGet: {
        const auto& before = static_cast<const ir::GraphTupleGet&>(value);
        Ref<ir::GraphTupleGet> get = Make<ir::GraphTupleGet>();
        get->tuple = Now(before.tuple);
        get->index = before.index;
        return get;
      }
      case ir::NodeKind::kGraphInvoke: {
        const auto& before = static_cast<const ir::GraphInvoke&>(value);
        Ref<ir::GraphInvoke> invoke = Make<ir::GraphInvoke>();
        invoke->global = before.global;
        if (before.callee) invoke->callee = Now(before.callee);
        invoke->args = Now(before.args);
        return invoke;
      }
      case ir::NodeKind::kGraphIf: {
        const auto& before = static_cast<const ir::GraphIf&>(value);
        Ref<ir::GraphIf> node = Make<ir::GraphIf>();
        node->condition = Now(before.condition);
        node->then_block = Block(*before.then_block);
        node->else_block = Block(*before.else_block);
        return node;
      }
      case ir::NodeKind::kGraphLoop: {
        const auto& before = static_cast<const ir::GraphLoop&>(value);
        Ref<ir::GraphLoop> loop = Make<ir::GraphLoop>();
        loop->init = Now(before.init);
        for (size_t i = 0; i < before.carried.size(); ++i) {
          const GraphVar& var = before.carried[i];
          NodeRef type = var->type               ? Sized(var->type)
                         : i < loop->init.size() ? loop->init[i]->type
                                                 : NodeRef();
          loop->carried.push_back(ir::MakeGraphVar(var->name, std::move(type)));
          Stand(var, loop->carried.back());
        }
        loop->condition = Block(*before.condition);
        loop->body = Block(*before.body);
        return loop;
      }
      case ir::NodeKind::kGraphFunc: {
        const auto& before = static_cast<const ir::GraphFunc&>(value);
        Ref<ir::GraphFunc> func = Make<ir::GraphFunc>();
        func->name = before.name;
        for (const GraphVar& param : before.params) {
          func->params.push_back(
              ir::MakeGraphVar(param->name, param->type ? Sized(param->type) : NodeRef()));
          Stand(param, func->params.back());
        }
        func->attrs = before.attrs;
        func->body = Block(*before.body);
        func->result_type = func->body->result->type;
        return func;
      }
      case ir::NodeKind::kGraphConstruct: {
        const auto& before = static_cast<const ir::GraphConstruct&>(value);
        Ref<ir::GraphConstruct> construct = Make<ir::GraphConstruct>();
        construct->constructor = before.constructor;
        construct->args = Now(before.args);
        return construct;
      }
      case ir::NodeKind::kGraphMatch: {
        const auto& before = static_cast<const ir::GraphMatch&>(value);
        Ref<ir::GraphMatch> match = Make<ir::GraphMatch>();
        match->value = Now(before.value);
        for (const Ref<const ir::GraphCase>& arm : before.cases) match->cases.push_back(Case(*arm));
        return match;
      }
      default:
        return NodeRef(&value);
    }
  }

  const ir::GraphFunc& func_;
  Builder& builder_;
  const RewriteRule& rule_;
  std::unordered_map<GraphVar, GraphVar, RefHash, RefEqual> vars_;
  ir::VarMap sizes_;
  int depth_ = 0;
};

}  // namespace

GraphFuncRef Rewrite(const ir::GraphFunc& func, const ir::GraphModule& module,
                     const RewriteRule& rule) {
  Builder builder(func.name, module);
  return Rewriter(func, builder, rule).Run();
}

GraphVar InlineCall(const ir::GraphFunc& func, const std::vector<GraphVar>& args,
                    const ir::VarMap& sizes, Builder& builder) {
  const RewriteRule keep;
  return Rewriter(func, builder, keep).RunOn(args, sizes);
}

GraphFuncRef InferTypes(const ir::GraphFunc& func, const ir::GraphModule& module) {
  const RewriteRule keep;
  Builder builder(func.name, module);
  Rewriter rewriter(func, builder, keep);
  GraphFuncRef typed = rewriter.Run();
  if (func.result_type) {
    const NodeRef stated = rewriter.Sized(func.result_type);
    const NodeRef& found = typed->body->result->type;
    if (!Allows(stated, SizesOfResult(*typed), found)) {
      throw Error(
          Diagnostic{.name = "graph-type",
                     .message = "function `" + func.name + "` gives another type than it states",
                     .expected = TypeText(stated),
                     .found = TypeText(found)});
    }
  }
  return typed;
}

ir::GraphModule InferTypes(const ir::GraphModule& module) {
  Ref<ir::GraphModuleNode> typed = Make<ir::GraphModuleNode>();
  typed->attrs = module->attrs;
  typed->datatypes = module->datatypes;
  typed->functions = module->functions;
  for (GraphFuncRef& func : typed->functions) {
    func = InferTypes(*func, typed);  // functions that come later see the new one
  }
  return typed;
}

}  // namespace lathe::graph
