#include "graph/reverse_loop.h"

#include <unordered_set>

#include "arith/analyzer.h"
#include "base/error.h"
#include "graph/uses.h"

namespace lathe::graph {
namespace {

using ir::As;
using ir::Expr;
using ir::GraphVar;
using ir::NodeRef;

const DataType kCounter = DataType::Int(64);

// What the variable is bound to in the block; null for a variable from outside.
const ir::Node* ValueIn(const ir::GraphBlock& block, const GraphVar& var) {
  for (const auto& binding : block.bindings) {
    if (binding->var.same_as(var)) return binding->value.get();
  }
  return nullptr;
}

// The loop in terms of numbers: which carried value counts, from where, by how much.
class Counting {
 public:
  Counting(const Builder& builder, const ir::GraphLoop& loop) : builder_(builder), loop_(loop) {}

  std::optional<Expr> Rounds(const GraphVar& condition) const {
    const auto* call = As<ir::GraphCall>(ValueIn(*loop_.condition, condition));
    if (call == nullptr || call->args.size() != 2) return std::nullopt;
    const GraphVar &a = call->args[0], &b = call->args[1];
    if (call->op == "logical_and") {
      const std::optional<Expr> rounds = Rounds(a);
      return rounds ? rounds : Rounds(b);
    }
    if (call->op == "less") return Between(a, b, 0);
    if (call->op == "less_equal") return Between(a, b, 1);
    if (call->op == "greater") return Between(b, a, 0);
    if (call->op == "greater_equal") return Between(b, a, 1);
    return std::nullopt;
  }

 private:
  // The rounds while low < high, or with `more` = 1 while low <= high: one of them is counted
  // towards the other.
  std::optional<Expr> Between(const GraphVar& low, const GraphVar& high, int64_t more) const {
    std::optional<Expr> from = Start(low), to = Start(high);
    if (!from || !to) return std::nullopt;
    const std::optional<int64_t> up = StepOf(low), down = StepOf(high);
    if (!up || !down || *up - *down <= 0) return std::nullopt;
    const int64_t step = *up - *down;
    const Expr rounds = ir::FloorDivide(*to - *from + (more + step - 1), step);
    return arith::Analyzer().Simplify(ir::MakeMax(rounds, Int64(0)));
  }

  // The number of the carried value `var`; nothing if it is none.
  std::optional<size_t> Carried(const GraphVar& var) const {
    for (size_t i = 0; i < loop_.carried.size(); ++i) {
      if (loop_.carried[i].same_as(var)) return i;
    }
    return std::nullopt;
  }
  std::optional<Expr> Known(const GraphVar& var) const {
    const std::vector<Expr>* value = builder_.ValueOf(var);
    if (value == nullptr || value->size() != 1) return std::nullopt;
    return (*value)[0];
  }
  // The value in the first round.
  std::optional<Expr> Start(const GraphVar& var) const {
    const std::optional<size_t> carried = Carried(var);
    return Known(carried ? loop_.init[*carried] : var);
  }
  // What each round adds; 0 for what is not carried.
  std::optional<int64_t> StepOf(const GraphVar& var) const {
    const std::optional<size_t> carried = Carried(var);
    if (!carried) return 0;
    const auto* results = As<ir::GraphTuple>(ValueIn(*loop_.body, loop_.body->result));
    if (results == nullptr) return std::nullopt;
    const GraphVar& next = results->fields[*carried];
    if (next.same_as(var)) return 0;
    const auto* call = As<ir::GraphCall>(ValueIn(*loop_.body, next));
    if (call == nullptr || (call->op != "add" && call->op != "subtract")) return std::nullopt;
    const bool is_left = call->args[0].same_as(var);
    if (!is_left && (call->op == "subtract" || !call->args[1].same_as(var))) return std::nullopt;
    const std::optional<Expr> step = Known(call->args[is_left ? 1 : 0]);
    const int64_t* number = step ? ir::AsConstInt(*step) : nullptr;
    if (number == nullptr) return std::nullopt;
    return call->op == "add" ? *number : -*number;
  }

  const Builder& builder_;
  const ir::GraphLoop& loop_;
};

std::vector<GraphVar> FreshVars(const std::vector<GraphVar>& like) {
  std::vector<GraphVar> vars;
  for (const GraphVar& var : like) vars.push_back(ir::MakeGraphVar(var->name, var->type));
  return vars;
}

template <class... T>
std::vector<GraphVar> Joined(const T&... parts) {
  std::vector<GraphVar> all;
  (all.insert(all.end(), parts.begin(), parts.end()), ...);
  return all;
}

// Emits a loop; `make_condition` and `make_body` get the carried variables, and emit into blocks.
// Returns the loop's fields.
std::vector<GraphVar> EmitLoop(
    Builder& b, std::vector<GraphVar> init,
    const std::function<GraphVar(const std::vector<GraphVar>&)>& make_condition,
    const std::function<std::vector<GraphVar>(const std::vector<GraphVar>&)>& make_body) {
  Ref<ir::GraphLoop> loop = Make<ir::GraphLoop>();
  loop->carried = FreshVars(init);
  loop->init = std::move(init);
  b.OpenBlock();
  loop->condition = b.CloseBlock(make_condition(loop->carried));
  b.OpenBlock();
  loop->body = b.CloseBlock(b.Tuple(make_body(loop->carried)));
  const size_t count = loop->carried.size();
  const GraphVar all = b.Emit(std::move(loop));
  std::vector<GraphVar> fields;
  for (size_t i = 0; i < count; ++i) fields.push_back(b.Get(all, static_cast<int64_t>(i)));
  return fields;
}

// The gradient of one round, as a block.
struct Round {
  // What the block reads in addition to what the body reads: carried values, their gradients, and
  // the sums so far of the gradients of `reads`.
  std::vector<GraphVar> carried, gradients, sums;
  std::vector<size_t> moving;  // the numbers of the carried values that have gradients
  std::vector<size_t> needed;  // the numbers of the carried values whose elements are read
  GraphBlockRef block;         // a tuple: the gradients before the round, and the sums after it
};

Round ReverseRound(Builder& b, const ir::GraphLoop& loop, const std::vector<GraphVar>& reads) {
  Round round;
  round.carried = FreshVars(loop.carried);
  for (size_t i = 0; i < loop.carried.size(); ++i) {
    if (!IsDifferentiable(loop.carried[i]->type)) continue;
    round.moving.push_back(i);
    round.gradients.push_back(ir::MakeGraphVar("", loop.carried[i]->type));
  }
  round.sums = FreshVars(reads);
  b.OpenBlock();
  const GraphVar result = InlineBlock(b, loop.body, loop.carried, round.carried);
  const List<ir::GraphBinding> bindings = b.OpenBindings();
  Cotangent seed;
  seed.fields.resize(loop.carried.size());
  std::vector<GraphVar> targets;
  for (size_t k = 0; k < round.moving.size(); ++k) {
    seed.fields[round.moving[k]] = CotangentOf(b, round.gradients[k]);
    targets.push_back(round.carried[round.moving[k]]);
  }
  targets.insert(targets.end(), reads.begin(), reads.end());
  const std::vector<Cotangent> found = Reverse(b, bindings, result, seed, targets);
  std::vector<GraphVar> out;
  for (size_t k = 0; k < targets.size(); ++k) {
    GraphVar value = FullValue(b, found[k], targets[k]->type);
    if (k >= round.moving.size()) {
      const GraphVar& sum = round.sums[k - round.moving.size()];
      if (As<ir::TensorType>(sum->type) == nullptr) {
        throw Error(Diagnostic{.name = "graph-gradient-loop",
                               .message = "the body of a loop reads the tuple `%" + sum->name +
                                          "` from outside, and its gradient is wanted",
                               .expected = "tensors",
                               .found = TypeText(sum->type),
                               .help = "take the tuple's fields in front of the loop"});
      }
      value = found[k].IsZero() ? sum : b.Call("add", {sum, value});
    }
    out.push_back(value);
  }
  round.block = WithoutDeadCode(b.CloseBlock(b.Tuple(std::move(out))));
  Ref<ir::GraphFunc> whole = Make<ir::GraphFunc>();
  whole->body = round.block;
  std::unordered_set<const ir::Node*> used;
  ForEachUse(*whole, [&](const ir::GraphVarNode& var) { used.insert(&var); });
  for (size_t i = 0; i < round.carried.size(); ++i) {
    if (used.contains(round.carried[i].get())) round.needed.push_back(i);
  }
  return round;
}

const ir::TensorType& StoredType(const GraphVar& var) {
  const auto* type = As<ir::TensorType>(var->type);
  if (type == nullptr) {
    throw Error(Diagnostic{.name = "graph-gradient-loop",
                           .message = "the gradient of a loop reads the carried tuple `%" +
                                      var->name + "` of each round",
                           .expected = "tensors",
                           .found = TypeText(var->type),
                           .help = "carry the tuple's fields one by one"});
  }
  return *type;
}

// The expression over sizes as a tensor of rank 0, whose value the builder knows.
GraphVar NumberOf(Builder& b, const Expr& number) {
  const GraphVar one = b.Call("arange", {},
                              {{"start", ShapeAttr({number})},
                               {"stop", ShapeAttr({number + 1})},
                               {"dtype", StringAttr(kCounter.ToString())}});
  return b.Call("reshape", {one}, {{"newshape", ShapeAttr({})}});
}

// The loop again: the number of its rounds, and the needed carried values of all rounds. `most` is
// the greatest number of rounds, if it is known.
std::vector<GraphVar> StoreRounds(Builder& b, const ir::GraphLoop& loop,
                                  const std::optional<Expr>& most,
                                  const std::vector<size_t>& needed) {
  if (!needed.empty() && !most) {
    throw Error(Diagnostic{
        .name = "graph-gradient-loop",
        .message = "the gradient of a loop stores carried values of all rounds, and how many "
                   "rounds there are at most is not known",
        .expected = "a condition `less(%i, %bound)`, alone or in a `logical_and`, where the body "
                    "adds a constant to `%i`, and its first value and the bound are constants or "
                    "sizes",
        .found = "another condition",
        .help = "carry a counter, and add a bound that is never reached to the condition"});
  }
  const size_t count = loop.carried.size();
  std::vector<GraphVar> init = loop.init;
  init.push_back(b.Scalar(0, kCounter));
  for (const size_t i : needed) {
    const ir::TensorType& type = StoredType(loop.carried[i]);
    std::vector<Expr> shape = type.shape;
    shape.insert(shape.begin(), *most);
    init.push_back(b.Call(
        "zeros", {},
        {{"shape", ShapeAttr(std::move(shape))}, {"dtype", StringAttr(type.dtype.ToString())}},
        "stored"));
  }
  const auto of_loop = [&](const std::vector<GraphVar>& vars) {
    return std::vector<GraphVar>(vars.begin(), vars.begin() + static_cast<ptrdiff_t>(count));
  };
  const std::vector<GraphVar> fields = EmitLoop(
      b, std::move(init),
      [&](const std::vector<GraphVar>& vars) {
        return InlineBlock(b, loop.condition, loop.carried, of_loop(vars));
      },
      [&](const std::vector<GraphVar>& vars) {
        const GraphVar& i = vars[count];
        const GraphVar place =
            b.Call("reshape", {i}, {{"newshape", ShapeAttr({Int64(1), Int64(1)})}});
        std::vector<GraphVar> stored;
        for (size_t k = 0; k < needed.size(); ++k) {
          const GraphVar row = b.Call("expand_dims", {vars[needed[k]]}, {{"axis", IntAttr(0)}});
          stored.push_back(b.Call("scatter_nd", {vars[count + 1 + k], place, row}));
        }
        const GraphVar next = InlineBlock(b, loop.body, loop.carried, of_loop(vars));
        std::vector<GraphVar> out;
        for (size_t k = 0; k < count; ++k) out.push_back(b.Get(next, static_cast<int64_t>(k)));
        out.push_back(b.Call("add", {i, b.Scalar(1, kCounter)}));
        out.insert(out.end(), stored.begin(), stored.end());
        return out;
      });
  return {fields.begin() + static_cast<ptrdiff_t>(count), fields.end()};
}

}  // namespace

std::optional<Expr> MostRounds(const Builder& builder, const ir::GraphLoop& loop) {
  return Counting(builder, loop).Rounds(loop.condition->result);
}

LoopCotangents ReverseLoop(Builder& b, const ir::GraphLoop& loop, const Cotangent& cotangent,
                           const std::vector<GraphVar>& reads) {
  const Round round = ReverseRound(b, loop, reads);
  const std::optional<Expr> most = MostRounds(b, loop);
  const std::vector<GraphVar> stored = StoreRounds(b, loop, most, round.needed);
  // Carried: the number of rounds that are left, the gradients, the sums, and the number of rounds
  // so far. The last one only says how many rounds there are at most, for the next derivative.
  std::vector<GraphVar> init{stored[0]};
  for (const size_t i : round.moving) {
    init.push_back(FullValue(b, cotangent.fields[i], loop.carried[i]->type));
  }
  for (const GraphVar& read : reads) init.push_back(FullValue(b, {}, read->type));
  init.push_back(b.Scalar(0, kCounter));
  const GraphVar bound = most ? NumberOf(b, *most) : GraphVar();
  std::vector<GraphVar> params = Joined(round.gradients, round.sums);
  for (const size_t i : round.needed) params.push_back(round.carried[i]);
  const std::vector<GraphVar> fields = EmitLoop(
      b, std::move(init),
      [&](const std::vector<GraphVar>& vars) {
        const GraphVar goes_on = b.Call("greater", {vars[0], b.Scalar(0, kCounter)});
        if (!bound) return goes_on;
        return b.Call("logical_and", {goes_on, b.Call("less", {vars.back(), bound})});
      },
      [&](const std::vector<GraphVar>& vars) {
        const GraphVar i = b.Call("subtract", {vars[0], b.Scalar(1, kCounter)});
        std::vector<GraphVar> args(vars.begin() + 1, vars.end() - 1);
        for (size_t k = 0; k < round.needed.size(); ++k) {
          args.push_back(b.Call("take", {stored[k + 1], i}, {{"axis", IntAttr(0)}}));
        }
        const GraphVar next = InlineBlock(b, round.block, params, args);
        std::vector<GraphVar> out{i};
        for (size_t k = 0; k + 2 < vars.size(); ++k) {
          out.push_back(b.Get(next, static_cast<int64_t>(k)));
        }
        out.push_back(b.Call("add", {vars.back(), b.Scalar(1, kCounter)}));
        return out;
      });
  LoopCotangents out;
  out.init.resize(loop.init.size());
  for (size_t k = 0; k < round.moving.size(); ++k) {
    out.init[round.moving[k]] = CotangentOf(b, fields[k + 1]);
  }
  for (size_t k = 0; k < reads.size(); ++k) {
    out.reads.push_back(CotangentOf(b, fields[k + 1 + round.moving.size()]));
  }
  return out;
}

}  // namespace lathe::graph
