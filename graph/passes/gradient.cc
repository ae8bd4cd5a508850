#include "graph/passes/gradient.h"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "base/error.h"
#include "graph/ops/example.h"
#include "graph/ops/gradients/gradients.h"
#include "graph/passes/pass.h"
#include "graph/reverse.h"
#include "graph/uses.h"
#include "ir/rewrite.h"

namespace lathe::graph {
namespace {

using ir::As;
using ir::GraphVar;
using ir::NodeRef;

// Compositions that have no gradient of their own become their parts, also within compositions.
GraphFuncRef Expanded(GraphFuncRef func, const ir::GraphModule& module) {
  bool found = true;
  while (found) {
    found = false;
    func =
        Rewrite(*func, module,
                [&](const ir::GraphBinding&, const NodeRef& value, Builder& builder) -> GraphVar {
                  const auto* call = As<ir::GraphCall>(value);
                  if (call == nullptr) return nullptr;
                  const OpDef& op = GetOp(call->op);
                  if (!op.expand || op.gradient) return nullptr;
                  found = true;
                  return op.expand(builder, call->args, Attrs(op, call->attrs));
                });
  }
  return func;
}

// Finds calls of operators without a gradient between the inputs and the result.
class MissingGradients {
 public:
  explicit MissingGradients(const ir::GraphFunc& func) {
    for (const GraphVar& param : func.params) {
      if (IsDifferentiable(param->type)) active_.insert(param.get());
    }
    Activate(*func.body);
    reached_.insert(func.body->result.get());
    Reach(*func.body);
  }
  // Throws Error "graph-no-gradient" if there are any.
  void Check(const std::string& function) const {
    if (missing_.empty()) return;
    std::string found;
    std::vector<std::string> notes;
    for (const auto& [name, calls] : missing_) {
      found += (found.empty() ? "`" : ", `") + name + "` (" + std::to_string(calls.count) +
               (calls.count == 1 ? " call, `%" : " calls, the first is `%") + calls.first + "`)";
      notes.push_back("`" + name + "`: " + WhyNoGradient(GetOp(name)));
    }
    throw Error(
        Diagnostic{.name = "graph-no-gradient",
                   .message = "function `" + function + "` has operators without a gradient",
                   .expected = "operators that have one between the inputs and the result",
                   .found = found,
                   .help = "`stop_gradient` in front of a call counts its arguments as constants",
                   .notes = notes});
  }

 private:
  struct Calls {
    int count = 0;
    std::string first;
  };

  bool Reads(const ir::Node& value, const std::unordered_set<const ir::Node*>& set) const {
    bool reads = false;
    ForEachUse(value, [&](const ir::GraphVarNode& var) { reads |= set.contains(&var); });
    return reads;
  }
  // From the inputs on.
  void Activate(const ir::GraphBlock& block) {
    for (const auto& binding : block.bindings) {
      if (const auto* loop = As<ir::GraphLoop>(binding->value)) {
        for (const GraphVar& var : loop->carried) {
          if (IsDifferentiable(var->type)) active_.insert(var.get());
        }
        Activate(*loop->body);
      } else if (const auto* node = As<ir::GraphIf>(binding->value)) {
        Activate(*node->then_block);
        Activate(*node->else_block);
      }
      if (HandsOnGradient(*binding) && Reads(*binding->value, active_)) {
        active_.insert(binding->var.get());
      }
    }
  }
  // From the result back.
  void Reach(const ir::GraphBlock& block) {
    for (size_t i = block.bindings.size(); i-- > 0;) {
      const ir::GraphBinding& binding = *block.bindings[i];
      if (!reached_.contains(binding.var.get()) || !active_.contains(binding.var.get())) continue;
      if (const auto* loop = As<ir::GraphLoop>(binding.value)) {
        ReachBlock(*loop->body);
      } else if (const auto* node = As<ir::GraphIf>(binding.value)) {
        ReachBlock(*node->then_block);
        ReachBlock(*node->else_block);
      } else if (const auto* call = As<ir::GraphCall>(binding.value)) {
        const OpDef& op = GetOp(call->op);
        if (!op.gradient && !op.expand) {
          Calls& calls = missing_[call->op];
          // The last one that is visited is the first of the function.
          ++calls.count;
          calls.first = binding.var->name;
          continue;
        }
      }
      ForEachUse(*binding.value, [&](const ir::GraphVarNode& var) { reached_.insert(&var); });
    }
  }
  void ReachBlock(const ir::GraphBlock& block) {
    reached_.insert(block.result.get());
    Reach(block);
  }

  std::unordered_set<const ir::Node*> active_, reached_;
  std::map<std::string, Calls> missing_;
};

// 1 everywhere.
Cotangent OnesOf(Builder& b, const GraphVar& var) {
  if (!IsDifferentiable(var->type)) return {};
  if (As<ir::TensorType>(var->type) != nullptr) return {.tensor = b.Call("ones_like", {var})};
  Cotangent out;
  const auto* tuple = As<ir::TupleType>(var->type);
  for (size_t i = 0; i < tuple->fields.size(); ++i) {
    out.fields.push_back(OnesOf(b, b.Get(var, static_cast<int64_t>(i))));
  }
  return out;
}

// Has the operator no floating arguments, or no floating results? Examples tell about results.
bool NeedsNoGradient(const OpDef& op) {
  const bool takes_floats =
      std::ranges::any_of(op.inputs, [](const OpInput& x) { return (x.types & kFloats) != 0; });
  if (!takes_floats) return true;
  return std::ranges::none_of(op.examples, [&](const OpExample& example) {
    std::map<std::string, ir::Var> sizes;
    std::vector<NodeRef> types;
    for (const ExampleInput& input : ReadExample(example, TypesOfExample(op, example)[0], &sizes)) {
      types.push_back(ir::MakeTensorType(input.dtype, input.shape));
    }
    return IsDifferentiable(TypeOfCall(op, std::move(types), example.attrs).type);
  });
}

}  // namespace

std::string WhyNoGradient(const OpDef& op) {
  if (op.gradient || op.expand || NeedsNoGradient(op)) return "";
  return ops::ReasonForNoGradient(op.name);
}

GraphFuncRef Gradient(const GraphFuncRef& func, const ir::GraphModule& module) {
  const GraphPassContext context;
  GraphFuncRef plain = Expanded(InlineFunctions(func, module, context), module);
  plain = DropDeadCode(ForwardTuples(plain, module, context), module, context);
  if (!IsDifferentiable(plain->result_type)) {
    throw Error(Diagnostic{
        .name = "graph-no-gradient",
        .message = "the result of function `" + func->name + "` has no floating elements",
        .expected = "a floating tensor, or a tuple with one",
        .found = TypeText(plain->result_type),
        .help = "`cast` makes floating elements"});
  }
  MissingGradients(*plain).Check(func->name);
  Builder b(func->name, module);
  ir::VarMap sizes;
  for (const ir::Var& size : plain->sizes) sizes.emplace(size, b.Size(size->name));
  std::vector<GraphVar> params, targets;
  for (const GraphVar& param : plain->params) {
    const NodeRef type = ir::Rewrite(param->type, [&](const ir::VarNode& var) -> NodeRef {
      const auto at = sizes.find(ir::Var(&var));
      return at == sizes.end() ? NodeRef() : NodeRef(at->second);
    });
    params.push_back(b.Input(param->name, type));
    if (IsDifferentiable(type)) targets.push_back(params.back());
  }
  const GraphVar result = InlineCall(*plain, params, sizes, b);
  const List<ir::GraphBinding> bindings = b.OpenBindings();
  const std::vector<Cotangent> found = Reverse(b, bindings, result, OnesOf(b, result), targets);
  std::vector<GraphVar> gradients;
  size_t next = 0;
  for (const GraphVar& param : params) {
    const bool has_gradient = IsDifferentiable(param->type);
    gradients.push_back(FullValue(b, has_gradient ? found[next] : Cotangent(), param->type));
    if (has_gradient) ++next;
  }
  const GraphVar pair = b.Tuple({result, b.Tuple(std::move(gradients))});
  const GraphFuncRef out = b.Finish(pair, func->attrs);
  return DropDeadCode(ForwardTuples(out, module, context), module, context);
}

}  // namespace lathe::graph
