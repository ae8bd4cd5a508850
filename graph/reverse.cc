#include "graph/reverse.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "graph/reverse_loop.h"
#include "graph/sizes.h"
#include "graph/uses.h"
#include "ir/text/printer.h"

namespace lathe::graph {

using ir::As;
using ir::GraphVar;
using ir::NodeRef;

bool IsDifferentiable(const NodeRef& type) {
  if (const auto* tensor = As<ir::TensorType>(type)) return tensor->dtype.is_float();
  const auto* tuple = As<ir::TupleType>(type);
  return tuple != nullptr && std::ranges::any_of(tuple->fields, IsDifferentiable);
}

bool HandsOnGradient(const ir::GraphBinding& binding) {
  const auto* call = As<ir::GraphCall>(binding.value);
  return IsDifferentiable(binding.var->type) && (call == nullptr || call->op != "stop_gradient");
}

Cotangent CotangentOf(Builder& builder, const GraphVar& var) {
  if (!IsDifferentiable(var->type)) return {};
  const auto* tuple = As<ir::TupleType>(var->type);
  if (tuple == nullptr) return {.tensor = var};
  Cotangent out;
  for (size_t i = 0; i < tuple->fields.size(); ++i) {
    out.fields.push_back(IsDifferentiable(tuple->fields[i])
                             ? CotangentOf(builder, builder.Get(var, static_cast<int64_t>(i)))
                             : Cotangent());
  }
  return out;
}

GraphVar FullValue(Builder& builder, const Cotangent& cotangent, const NodeRef& type) {
  if (cotangent.tensor) return cotangent.tensor;
  if (const auto* tensor = As<ir::TensorType>(type)) {
    return builder.Call(
        "zeros", {},
        {{"shape", ShapeAttr(tensor->shape)}, {"dtype", StringAttr(tensor->dtype.ToString())}});
  }
  const auto* tuple = As<ir::TupleType>(type);
  if (tuple == nullptr) {
    throw Error(Diagnostic{.name = "graph-no-gradient",
                           .message = "a value that is no tensor takes part in the gradient",
                           .expected = "tensors, or tuples of them",
                           .found = TypeText(type),
                           .help = "call functions where they are made, or hand on their results"});
  }
  std::vector<GraphVar> fields;
  for (size_t i = 0; i < tuple->fields.size(); ++i) {
    fields.push_back(FullValue(
        builder, cotangent.fields.empty() ? Cotangent() : cotangent.fields[i], tuple->fields[i]));
  }
  return builder.Tuple(std::move(fields));
}

GraphVar SumTo(Builder& builder, GraphVar gradient, const ir::TensorType& type) {
  const auto shape = [&] { return static_cast<const ir::TensorType&>(*gradient->type).shape; };
  const size_t extra = shape().size() - std::min(shape().size(), type.shape.size());
  std::vector<int64_t> in_front, repeated;
  for (size_t d = 0; d < extra; ++d) in_front.push_back(static_cast<int64_t>(d));
  if (!in_front.empty()) {
    gradient = builder.Call("sum", {gradient}, {{"axis", IntsAttr(in_front)}});
  }
  const bool is_aligned = shape().size() == type.shape.size();
  for (size_t d = 0; is_aligned && d < shape().size(); ++d) {
    if (ir::IsOne(type.shape[d]) && !ir::IsOne(shape()[d])) {
      repeated.push_back(static_cast<int64_t>(d));
    }
  }
  if (!repeated.empty()) {
    gradient = builder.Call("sum", {gradient},
                            {{"axis", IntsAttr(repeated)}, {"keepdims", BoolAttr(true)}});
  }
  if (static_cast<const ir::TensorType&>(*gradient->type).dtype != type.dtype) {
    gradient = builder.Call("cast", {gradient}, {{"dtype", StringAttr(type.dtype.ToString())}});
  }
  if (SameType(gradient->type, NodeRef(&type))) return gradient;
  // Extents that were assumed to be equal; a gradient of a smaller shape is repeated.
  return builder.Call("broadcast_to", {gradient}, {{"shape", ShapeAttr(type.shape)}});
}

GraphVar GradientContext::g(size_t i) const {
  return gradients[i] ? gradients[i] : FullValue(builder, {}, results[i]->type);
}

void GradientContext::Fail(size_t i, std::string why) const {
  const std::string name = op.inputs[std::min(i, op.inputs.size() - 1)].name;
  throw Error(Diagnostic{.name = "graph-no-gradient",
                         .message = "argument " + std::to_string(i) + " (`" + name + "`) of " +
                                    op.name + " has no gradient: " + std::move(why),
                         .help = "`stop_gradient` in front of the argument counts it as a "
                                 "constant"});
}

GraphVar InlineBlock(Builder& builder, const GraphBlockRef& block,
                     const std::vector<GraphVar>& params, const std::vector<GraphVar>& args) {
  Ref<ir::GraphFunc> func = Make<ir::GraphFunc>();
  func->params = params;
  func->body = block;
  return InlineCall(*func, args, {}, builder);
}

GraphBlockRef WithoutDeadCode(const GraphBlockRef& block) {
  std::unordered_set<const ir::Node*> read{block->result.get()};
  List<ir::GraphBinding> kept;
  for (size_t i = block->bindings.size(); i-- > 0;) {
    if (!read.contains(block->bindings[i]->var.get())) continue;
    ForEachUse(*block->bindings[i]->value, [&](const ir::GraphVarNode& var) { read.insert(&var); });
    kept.push_back(block->bindings[i]);
  }
  std::reverse(kept.begin(), kept.end());
  return ir::MakeGraphBlock(std::move(kept), block->result);
}

namespace {

// `value` as a note of an error; a long one is cut.
std::string NoteOf(const ir::GraphBinding& binding) {
  constexpr size_t kMost = 2000;
  std::string text = ir::ToText(NodeRef(&binding), {.max_data = 0, .max_bytes = 1 << 20});
  if (text.size() > kMost) text = text.substr(0, kMost) + " ...";
  return "while the gradient of this was made: " + text;
}

class Reverser {
 public:
  Reverser(Builder& builder, const std::vector<GraphVar>& targets) : b_(builder) {
    for (const GraphVar& target : targets) active_.insert(target.get());
  }

  void Run(const List<ir::GraphBinding>& bindings, const GraphVar& result, const Cotangent& seed) {
    for (const auto& binding : bindings) {
      bool reads = false;
      ForEachUse(*binding->value,
                 [&](const ir::GraphVarNode& var) { reads |= active_.contains(&var); });
      if (reads && HandsOnGradient(*binding)) active_.insert(binding->var.get());
    }
    Add(result, seed);
    // Copied, because the list may be the builder's own, which grows.
    const List<ir::GraphBinding> list = bindings;
    for (size_t i = list.size(); i-- > 0;) {
      const auto at = cotangents_.find(list[i]->var.get());
      if (at == cotangents_.end()) continue;
      const Cotangent cotangent = at->second;
      try {
        Step(*list[i], cotangent);
      } catch (const Error& error) {
        Diagnostic diagnostic = error.diagnostic();
        diagnostic.notes.push_back(NoteOf(*list[i]));
        throw Error(std::move(diagnostic));
      }
    }
  }
  Cotangent Of(const GraphVar& var) const {
    const auto at = cotangents_.find(var.get());
    return at == cotangents_.end() ? Cotangent() : at->second;
  }

 private:
  bool IsActive(const GraphVar& var) const { return active_.contains(var.get()); }

  void Add(const GraphVar& var, const Cotangent& more) {
    if (more.IsZero() || !IsActive(var)) return;
    AddTo(cotangents_[var.get()], more, var->type);
  }
  void AddTo(Cotangent& sum, const Cotangent& more, const NodeRef& type) {
    if (more.IsZero()) return;
    if (const auto* tuple = As<ir::TupleType>(type)) {
      sum.fields.resize(tuple->fields.size());
      for (size_t i = 0; i < more.fields.size(); ++i) {
        AddTo(sum.fields[i], more.fields[i], tuple->fields[i]);
      }
      return;
    }
    sum.tensor = sum.tensor ? b_.Call("add", {sum.tensor, more.tensor}) : more.tensor;
  }

  void Step(const ir::GraphBinding& binding, const Cotangent& cotangent) {
    switch (binding.value->node_kind()) {
      case ir::NodeKind::kConstant:
        return;
      case ir::NodeKind::kGraphCall:
        return Call(binding, static_cast<const ir::GraphCall&>(*binding.value), cotangent);
      case ir::NodeKind::kGraphTuple: {
        const auto& tuple = static_cast<const ir::GraphTuple&>(*binding.value);
        for (size_t i = 0; i < cotangent.fields.size(); ++i) {
          Add(tuple.fields[i], cotangent.fields[i]);
        }
        return;
      }
      case ir::NodeKind::kGraphTupleGet: {
        const auto& get = static_cast<const ir::GraphTupleGet&>(*binding.value);
        Cotangent whole;
        whole.fields.resize(As<ir::TupleType>(get.tuple->type)->fields.size());
        whole.fields[static_cast<size_t>(get.index)] = cotangent;
        return Add(get.tuple, whole);
      }
      case ir::NodeKind::kGraphIf:
        return If(static_cast<const ir::GraphIf&>(*binding.value), cotangent);
      case ir::NodeKind::kGraphLoop:
        return Loop(static_cast<const ir::GraphLoop&>(*binding.value), cotangent);
      default:
        throw Error(Diagnostic{
            .name = "graph-no-gradient",
            .message = std::string("a ") + ir::NodeKindName(binding.value->node_kind()) +
                       " has no gradient",
            .expected = "operators, tuples, ifs, loops, and functions that can be inlined",
            .help = "recursive functions and values of data types cannot be differentiated; a "
                    "loop with carried values can"});
    }
  }

  void Call(const ir::GraphBinding& binding, const ir::GraphCall& call,
            const Cotangent& cotangent) {
    const OpDef& op = GetOp(call.op);
    GradientContext c{.builder = b_,
                      .op = op,
                      .args = call.args,
                      .given = call.attrs,
                      .attrs = Attrs(op, call.attrs)};
    if (const auto* tuple = As<ir::TupleType>(binding.var->type)) {
      for (size_t i = 0; i < tuple->fields.size(); ++i) {
        c.results.push_back(b_.Get(binding.var, static_cast<int64_t>(i)));
        c.gradients.push_back(cotangent.fields[i].tensor);
      }
    } else {
      c.results = {binding.var};
      c.gradients = {cotangent.tensor};
    }
    for (const GraphVar& arg : call.args) c.wanted.push_back(IsActive(arg));
    if (!op.gradient && !op.expand) {
      throw Error(Diagnostic{.name = "graph-no-gradient",
                             .message = "operator `" + op.name + "` has no gradient",
                             .help = "`stop_gradient` counts its arguments as constants"});
    }
    const std::vector<GraphVar> gradients = op.gradient ? op.gradient(c) : PullBack(c, op.expand);
    LATHE_CHECK(gradients.size() <= call.args.size()) << "gradients of " << op.name;
    for (size_t i = 0; i < gradients.size(); ++i) {
      if (!gradients[i] || !c.wanted[i]) continue;
      const auto& type = static_cast<const ir::TensorType&>(*call.args[i]->type);
      Add(call.args[i], {.tensor = SumTo(b_, gradients[i], type)});
    }
  }

  // What `value` reads from here and what is differentiated, each once.
  std::vector<GraphVar> ReadsOf(const ir::Node& value) const {
    std::vector<GraphVar> reads;
    std::unordered_set<const ir::Node*> known;
    ForEachUse(value, [&](const ir::GraphVarNode& var) {
      if (active_.contains(&var) && known.insert(&var).second) reads.emplace_back(&var);
    });
    return reads;
  }

  // The arms compute the gradients of all that either of them reads. Each computes its values
  // again, because what is made in an arm stays there.
  void If(const ir::GraphIf& node, const Cotangent& cotangent) {
    const std::vector<GraphVar> reads = ReadsOf(node);
    const auto arm = [&](const GraphBlockRef& block) {
      b_.OpenBlock();
      const GraphVar result = InlineBlock(b_, block);
      const List<ir::GraphBinding> bindings = b_.OpenBindings();
      std::vector<GraphVar> fields;
      const std::vector<Cotangent> found = Reverse(b_, bindings, result, cotangent, reads);
      for (size_t i = 0; i < reads.size(); ++i) {
        fields.push_back(FullValue(b_, found[i], reads[i]->type));
      }
      return WithoutDeadCode(b_.CloseBlock(b_.Tuple(std::move(fields))));
    };
    Ref<ir::GraphIf> gradient = Make<ir::GraphIf>();
    gradient->condition = node.condition;
    gradient->then_block = arm(node.then_block);
    gradient->else_block = arm(node.else_block);
    const Cotangent all = CotangentOf(b_, b_.Emit(std::move(gradient)));
    for (size_t i = 0; i < all.fields.size(); ++i) Add(reads[i], all.fields[i]);
  }

  void Loop(const ir::GraphLoop& loop, const Cotangent& cotangent) {
    Ref<ir::GraphFunc> body = Make<ir::GraphFunc>();
    body->body = loop.body;
    const std::vector<GraphVar> reads = ReadsOf(*body);
    const LoopCotangents found = ReverseLoop(b_, loop, cotangent, reads);
    for (size_t i = 0; i < loop.init.size(); ++i) Add(loop.init[i], found.init[i]);
    for (size_t i = 0; i < reads.size(); ++i) Add(reads[i], found.reads[i]);
  }

  Builder& b_;
  std::unordered_set<const ir::Node*> active_;  // depends on a target, and has floating elements
  std::unordered_map<const ir::Node*, Cotangent> cotangents_;
};

}  // namespace

std::vector<Cotangent> Reverse(Builder& builder, const List<ir::GraphBinding>& bindings,
                               const GraphVar& result, const Cotangent& seed,
                               const std::vector<GraphVar>& targets) {
  Reverser reverser(builder, targets);
  reverser.Run(bindings, result, seed);
  std::vector<Cotangent> out;
  for (const GraphVar& target : targets) out.push_back(reverser.Of(target));
  return out;
}

std::vector<GraphVar> PullBack(const GradientContext& c, const Composition& build) {
  const size_t before = c.builder.OpenBindings().size();
  const GraphVar result = build(c.builder, c.args, c.attrs);
  const List<ir::GraphBinding>& open = c.builder.OpenBindings();
  const List<ir::GraphBinding> bindings(open.begin() + static_cast<ptrdiff_t>(before), open.end());
  Cotangent seed;
  if (As<ir::TupleType>(result->type) != nullptr) {
    for (const GraphVar& gradient : c.gradients) seed.fields.push_back({.tensor = gradient});
  } else {
    seed.tensor = c.gradients[0];
  }
  std::vector<GraphVar> targets;
  for (size_t i = 0; i < c.args.size(); ++i) {
    const bool is_new = std::ranges::none_of(
        targets, [&](const GraphVar& target) { return target.same_as(c.args[i]); });
    if (c.wanted[i] && is_new) targets.push_back(c.args[i]);
  }
  const std::vector<Cotangent> found = Reverse(c.builder, bindings, result, seed, targets);
  // An argument that is given twice has its whole gradient at the first place.
  std::vector<GraphVar> gradients(c.args.size());
  for (size_t k = 0; k < targets.size(); ++k) {
    const auto at =
        std::ranges::find_if(c.args, [&](const GraphVar& arg) { return arg.same_as(targets[k]); });
    gradients[static_cast<size_t>(at - c.args.begin())] = found[k].tensor;
  }
  return gradients;
}

}  // namespace lathe::graph
