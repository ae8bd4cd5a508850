// Control flow, closures and tuples.
#include <algorithm>

#include "tests/prove/graphs/generator.h"

namespace lathe::prove::graphs {

using graph::CopyOf;
using graph::FloatAttr;
using graph::StringAttr;

GraphVar Generator::Truth() {
  const Value x = Any();
  return Call(OneOf({"less", "greater"}), {ScalarOf(x.var), Constant(DataType::Float(32), {})});
}

// The values of an open block are out of sight when it is closed.
GraphVar Generator::Chain(const GraphVar& x, int depth) {
  const ir::NodeRef type = x->type;
  const auto fits = [&](const Value& value) { return graph::SameType(value.var->type, type); };
  const size_t before = pool_.size();
  pool_.push_back({x, {}});
  const int steps = Between(0, 3);
  for (int i = 0; i < steps; ++i) {
    const Value now = *AnyOf(fits);
    if (DTypeOf(x) == DataType::Float(32)) {
      switch (Between(0, 4)) {
        case 0:
          pool_.push_back({Call(OneOf({"tanh", "negative", "abs", "nn.relu"}), {now.var}), {}});
          break;
        case 1:
        case 2: {
          const GraphVar y =
              Try(OneOf({"add", "maximum", "multiply"}), {now.var, Partner(now.var)});
          if (y && graph::SameType(y->type, type)) pool_.push_back({y, {}});
          break;
        }
        default:
          Step(depth + 1);
          break;
      }
    } else {
      Step(depth + 1);
    }
  }
  // Whatever fits: something new, `x` itself, or something from outside of the block.
  std::optional<Value> result;
  for (size_t i = pool_.size(); i-- > before && !result;) {
    if (fits(pool_[i]) && Chance(80)) result = pool_[i];
  }
  if (!result) result = AnyOf(fits);
  GraphVar out = result->var;
  // Loops repeat it, so it stays small.
  if (DTypeOf(out) == DataType::Float(32) && Chance(60)) out = Call("tanh", {out});
  return Read(out);
}

void Generator::If(int depth) {
  ++features_["if"];
  const GraphVar condition = Read(Truth());
  const Value x = Any();
  const Value y = Any();
  const bool two = Chance(40);
  Ref<ir::GraphIf> node = Make<ir::GraphIf>();
  node->condition = condition;
  for (const bool first : {true, false}) {
    const size_t seen = pool_.size();
    b_.OpenBlock();
    GraphVar result = Chain(x.var, depth);
    if (two) {
      const GraphVar other = Chain(y.var, depth);
      result = b_.Tuple({result, other});
    }
    // Inputs that were made on the way are seen everywhere.
    std::vector<Value> kept(pool_.begin(), pool_.begin() + static_cast<ptrdiff_t>(seen));
    pool_ = std::move(kept);
    (first ? node->then_block : node->else_block) = b_.CloseBlock(result);
  }
  const GraphVar result = b_.Emit(node);
  if (!two) return Keep(result);
  Keep(b_.Get(result, 0));
  if (Chance(80)) Keep(b_.Get(result, 1));
}

void Generator::Loop(int depth) {
  ++features_["loop"];
  const DataType count = DataType::Int(32);
  const Shape scalar;
  // Zero to four rounds, known or not.
  const GraphVar rounds =
      Chance(50) ? Read(Provide(count, scalar, {0, 4})) : Read(Constant(count, scalar, {0, 4}));
  const GraphVar zero = Read(Constant(count, scalar, {0, 0}));
  std::vector<Value> carried;
  const int values = Between(1, 3);
  for (int i = 0; i < values; ++i) carried.push_back(Any());
  // Values that can change places.
  if (Chance(40)) {
    const auto like = AnyOf(
        [&](const Value& value) { return graph::SameType(value.var->type, carried[0].var->type); });
    carried.push_back(*like);
  }
  Ref<ir::GraphLoop> loop = Make<ir::GraphLoop>();
  loop->init.push_back(zero);
  loop->carried.push_back(ir::MakeGraphVar("i", zero->type));
  for (const Value& value : carried) {
    loop->init.push_back(Read(value.var));
    loop->carried.push_back(
        ir::MakeGraphVar("v" + std::to_string(loop->carried.size()), value.var->type));
  }
  b_.OpenBlock();
  const GraphVar more = Call("less", {loop->carried[0], rounds});
  loop->condition = b_.CloseBlock(more);
  const size_t seen = pool_.size();
  b_.OpenBlock();
  std::vector<GraphVar> next{Call("add", {loop->carried[0], Constant(count, scalar, {1, 1})})};
  for (size_t i = 1; i < loop->carried.size(); ++i) pool_.push_back({loop->carried[i], {}});
  for (size_t i = 1; i < loop->carried.size(); ++i) next.push_back(Chain(loop->carried[i], depth));
  // Values of one type change places, those of the next round or of this one.
  if (next.size() > 2 && Chance(60) && graph::SameType(next[1]->type, next.back()->type)) {
    if (Chance(50)) {
      next[1] = loop->carried[1];
      next.back() = loop->carried.back();
    }
    std::swap(next[1], next.back());
    ++features_["loop that swaps"];
  }
  const GraphVar tuple = b_.Tuple(next);
  pool_.resize(seen);
  loop->body = b_.CloseBlock(tuple);
  const GraphVar result = b_.Emit(loop);
  for (size_t i = 1; i < next.size(); ++i) {
    if (i == 1 || Chance(80)) Keep(b_.Get(result, static_cast<int64_t>(i)));
  }
}

// A closure that is called, perhaps twice.
void Generator::Closure() {
  ++features_["closure"];
  const Value x = Any();
  Ref<ir::GraphFunc> func = Make<ir::GraphFunc>();
  func->params.push_back(ir::MakeGraphVar("p", x.var->type));
  const size_t seen = pool_.size();
  b_.OpenBlock();
  const GraphVar result = Chain(func->params[0], 2);
  pool_.resize(seen);
  func->body = b_.CloseBlock(result);
  func->result_type = result->type;
  const GraphVar closure = b_.Emit(func, "f");
  Ref<ir::GraphInvoke> first = Make<ir::GraphInvoke>();
  first->callee = closure;
  first->args = {Read(x.var)};
  GraphVar value = b_.Emit(first);
  if (Chance(50)) {
    Ref<ir::GraphInvoke> second = CopyOf(*first);
    second->args = {value};
    value = b_.Emit(second);
  }
  Keep(value);
}

void Generator::Tuples() {
  ++features_["tuple"];
  const Value x = Any(), y = Any();
  GraphVar tuple = b_.Tuple({Read(x.var), Read(y.var)});
  if (Chance(30)) {
    tuple = b_.Tuple({tuple, x.var});
    tuple = b_.Get(tuple, 0);
  }
  const GraphVar field = b_.Get(tuple, Between(0, 1));
  // The same values under other variables.
  Keep(Call("identity", {field}));
}

}  // namespace lathe::prove::graphs
