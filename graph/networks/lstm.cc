#include <cmath>

#include "graph/networks/networks.h"
#include "graph/networks/weights.h"

namespace lathe::graph {
namespace {

using ir::GraphVar;

class Cell {
 public:
  Cell(Builder* builder, int64_t hidden, uint64_t seed) : b_(*builder), hidden_(hidden) {
    RandomWeights weights(builder, seed);
    const auto spread = static_cast<float>(1 / std::sqrt(static_cast<double>(hidden)));
    from_data_ = weights.Make("i2h.weight", {4 * hidden, hidden}, spread);
    from_state_ = weights.Make("h2h.weight", {4 * hidden, hidden}, spread);
    bias_ = weights.Make("bias", {4 * hidden}, spread);
  }
  struct State {
    GraphVar hidden, memory;  // [batch, hidden]
  };
  State Step(const GraphVar& x, const State& before) {
    const GraphVar sum = b_.Call("add", {b_.Call("nn.dense", {x, from_data_}),
                                         b_.Call("nn.dense", {before.hidden, from_state_})});
    const GraphVar gates = b_.Call("nn.bias_add", {sum, bias_});
    const GraphVar taken = b_.Call("sigmoid", {Gate(gates, 0)}),
                   kept = b_.Call("sigmoid", {Gate(gates, 1)}),
                   fresh = b_.Call("tanh", {Gate(gates, 2)}),
                   shown = b_.Call("sigmoid", {Gate(gates, 3)});
    const GraphVar memory = b_.Call(
        "add", {b_.Call("multiply", {kept, before.memory}), b_.Call("multiply", {taken, fresh})});
    return {b_.Call("multiply", {shown, b_.Call("tanh", {memory})}), memory};
  }

 private:
  GraphVar Gate(const GraphVar& gates, int64_t i) {
    return b_.Call("strided_slice", {gates},
                   {{"begin", IntsAttr({i * hidden_})},
                    {"end", IntsAttr({(i + 1) * hidden_})},
                    {"axes", IntsAttr({1})}});
  }
  Builder& b_;
  const int64_t hidden_;
  GraphVar from_data_, from_state_, bias_;
};

}  // namespace

GraphFuncRef Lstm(int64_t hidden, int64_t batch, uint64_t seed) {
  constexpr DataType kFloat = DataType::Float(32), kInt = DataType::Int(32);
  Builder b("main");
  const ir::Expr n = b.Size("n");
  const GraphVar x = b.Input("data", kFloat, {n, Int64(batch), Int64(hidden)});
  Cell cell(&b, hidden, seed);
  const GraphVar zeros = b.Call(
      "zeros", {},
      {{"shape", ShapeAttr({Int64(batch), Int64(hidden)})}, {"dtype", StringAttr("float32")}});
  const GraphVar zero = b.Scalar(0, kInt), one = b.Scalar(1, kInt);
  // The number of steps is the first extent of `data`.
  const GraphVar steps =
      b.Call("squeeze", {b.Call("strided_slice", {b.Call("shape_of", {x})},
                                {{"begin", IntsAttr({0})}, {"end", IntsAttr({1})}})});
  const auto carried = [](const std::string& name, const GraphVar& init) {
    return ir::MakeGraphVar(name, init->type);
  };
  const GraphVar i = carried("i", zero), h = carried("h", zeros), c = carried("c", zeros);
  b.OpenBlock();
  const GraphBlockRef condition = b.CloseBlock(b.Call("less", {i, steps}));
  b.OpenBlock();
  const GraphVar step = b.Call("take", {x, i}, {{"axis", IntAttr(0)}});
  const Cell::State next = cell.Step(step, {h, c});
  const GraphBlockRef body =
      b.CloseBlock(b.Tuple({b.Call("add", {i, one}), next.hidden, next.memory}));
  Ref<ir::GraphLoop> loop = Make<ir::GraphLoop>();
  loop->init = {zero, zeros, zeros};
  loop->carried = {i, h, c};
  loop->condition = condition;
  loop->body = body;
  return b.Finish(b.Get(b.Emit(loop), 1));
}

}  // namespace lathe::graph
