// Recurrent networks as loops of a graph, one for each direction, by ONNX's equations.
#include "graph/import/onnx/recurrent.h"

#include <algorithm>

#include "graph/import/onnx/loops.h"

namespace lathe::graph::onnx {
namespace {

constexpr CellFunctionKind kFunctions[] = {
    {"Tanh"},
    {"Sigmoid"},
    {"Relu"},
    {"Softsign"},
    {"Softplus"},
    {"Elu", CellNumbers::kAlpha, 1},
    {"LeakyRelu", CellNumbers::kAlpha, 0.01},
    {"ThresholdedRelu", CellNumbers::kAlpha, 1},
    {"HardSigmoid", CellNumbers::kBoth, 0.2, 0.5},
    {"Affine", CellNumbers::kBoth, kMustBeGiven, 0},
    {"ScaledTanh", CellNumbers::kBoth, kMustBeGiven, kMustBeGiven}};

int64_t GatesOf(Cell cell) { return cell == Cell::kLstm ? 4 : cell == Cell::kGru ? 3 : 1; }

class Direction {
 public:
  Direction(NodeContext& n, const RecurrentParts& parts, int64_t number, bool backward)
      : n_(n),
        parts_(parts),
        number_(number),
        backward_(backward),
        gates_(GatesOf(parts.cell)),
        hidden_(NodeContext::ShapeOf(parts.recurrence)[2]),
        type_(NodeContext::DTypeOf(parts.x)) {
    if (type_.bits() < 32) type_ = DataType::Float(32);  // as our operators do
    recurrence_ = n_.Transpose(Own(parts.recurrence), {1, 0});
    if (parts.peepholes) peepholes_ = Own(parts.peepholes);
    if (parts.lengths) lengths_ = n_.Cast(parts.lengths, DataType::Int(64));
  }

  // The states of all steps, the last state, the last memory.
  std::vector<GraphVar> Run() {
    const GraphVar from_input = FromInput();
    const bool has_memory = parts_.cell == Cell::kLstm;
    LoopParts loop = LoopOverRows(n_, from_input);
    loop.names_results = false;
    loop.init = {Initial(parts_.state)};
    if (has_memory) loop.init.push_back(Initial(parts_.memory));
    loop.body = [&](const GraphVar& t, const GraphVar&, const std::vector<GraphVar>& now) {
      const GraphVar gates = n_.Call("take", {from_input, t}, {{"axis", IntAttr(0)}});
      std::vector<GraphVar> next = parts_.cell == Cell::kLstm  ? Lstm(gates, now[0], now[1])
                                   : parts_.cell == Cell::kGru ? Gru(gates, now[0])
                                                               : Rnn(gates, now[0]);
      GraphVar row = next[0];
      if (lengths_) {
        // Behind its end, a sequence keeps its state, and gives 0.
        const GraphVar goes_on = n_.ExpandDims(n_.Call("greater", {lengths_, t}), 1);
        row = n_.Call("where", {goes_on, row, n_.Scalar(0, type_)});
        for (size_t k = 0; k < next.size(); ++k) {
          next[k] = n_.Call("where", {goes_on, next[k], now[k]});
        }
      }
      return Round{{}, next, {row}};
    };
    const LoopResult made = MakeLoop(n_, loop);
    std::vector<GraphVar> results{InOrder(made.rows[0])};
    results.insert(results.end(), made.carried.begin(), made.carried.end());
    return results;
  }

 private:
  // The entry of this direction, in the type of the steps.
  GraphVar Own(const GraphVar& x) const {
    const GraphVar entry = n_.Slice(x, 0, Int64(number_), Int64(number_ + 1));
    return n_.Cast(n_.Squeeze(entry, {0}), type_);
  }
  GraphVar Initial(const GraphVar& given) const {
    if (given) return Own(given);
    return n_.Call("zeros", {},
                   {{"shape", ShapeAttr({NodeContext::ShapeOf(parts_.x)[1], hidden_})},
                    {"dtype", StringAttr(type_.ToString())}});
  }
  // Steps in the order of the loop, or back in that of time: each sequence within its length.
  GraphVar InOrder(const GraphVar& x) const {
    if (!backward_) return x;
    if (!lengths_) return n_.Call("reverse", {x}, {{"axis", IntsAttr({0})}});
    return n_.Call("reverse_sequence", {x, lengths_},
                   {{"seq_axis", IntAttr(0)}, {"batch_axis", IntAttr(1)}});
  }
  // Gates `first` to `first + count` along the last dimension.
  GraphVar Gates(const GraphVar& x, int64_t first, int64_t count = 1) const {
    const int64_t axis = NodeContext::RankOf(x) - 1;
    return n_.Slice(x, axis, hidden_ * Int64(first), hidden_ * Int64(first + count));
  }
  // What the steps get from the input, for all steps: one product, and the biases. The bias of the
  // state's part is not there if it is multiplied in the step.
  GraphVar FromInput() {
    const GraphVar x = InOrder(n_.Cast(parts_.x, type_));
    GraphVar all = n_.Call("matmul", {x, n_.Transpose(Own(parts_.weight), {1, 0})});
    if (!parts_.bias) return all;
    const GraphVar bias = Own(parts_.bias);
    all = n_.Add(all, Gates(bias, 0, gates_));
    if (parts_.cell != Cell::kGru || !parts_.resets_after_product) {
      return n_.Add(all, Gates(bias, gates_, gates_));
    }
    last_bias_ = Gates(bias, 5);
    const GraphVar first = n_.Add(Gates(all, 0, 2), Gates(bias, 3, 2));
    return n_.Call("concatenate", {first, Gates(all, 2)}, {{"axis", IntAttr(2)}});
  }
  // The state times the recurrence, for these gates.
  GraphVar FromState(const GraphVar& state, int64_t first, int64_t count) const {
    const bool is_all = count == gates_;
    return n_.Call("matmul", {state, is_all ? recurrence_ : Gates(recurrence_, first, count)});
  }

  GraphVar Clipped(const GraphVar& x) const {
    if (parts_.clip <= 0) return x;
    return n_.Call("clip", {x},
                   {{"a_min", FloatAttr(-parts_.clip)}, {"a_max", FloatAttr(parts_.clip)}});
  }
  // Function `k` of the cell.
  GraphVar Apply(size_t k, const GraphVar& input) const {
    const size_t count = DefaultFunctions(parts_.cell).size();
    const CellFunction& f = parts_.functions[static_cast<size_t>(number_) * count + k];
    const GraphVar x = Clipped(input);
    const ir::Dict alpha = {{"alpha", FloatAttr(f.alpha)}};
    if (f.name == "Sigmoid") return n_.Call("sigmoid", {x});
    if (f.name == "Relu") return n_.Call("nn.relu", {x});
    if (f.name == "Softsign") return n_.Call("nn.softsign", {x});
    if (f.name == "Softplus") return n_.Call("nn.softplus", {x});
    if (f.name == "Elu") return n_.Call("nn.elu", {x}, alpha);
    if (f.name == "LeakyRelu") return n_.Call("nn.leaky_relu", {x}, alpha);
    if (f.name == "ThresholdedRelu") return n_.Call("nn.thresholded_relu", {x}, alpha);
    if (f.name == "HardSigmoid") {
      return n_.Call("nn.hard_sigmoid", {x},
                     {{"alpha", FloatAttr(f.alpha)}, {"beta", FloatAttr(f.beta)}});
    }
    if (f.name == "Affine") return n_.Add(Scaled(x, f.alpha), n_.Scalar(f.beta, type_));
    if (f.name == "ScaledTanh") return Scaled(n_.Call("tanh", {Scaled(x, f.beta)}), f.alpha);
    return n_.Call("tanh", {x});
  }
  GraphVar Scaled(const GraphVar& x, double factor) const {
    return n_.Mul(x, n_.Scalar(factor, type_));
  }

  std::vector<GraphVar> Rnn(const GraphVar& gates, const GraphVar& state) const {
    return {Apply(0, n_.Add(gates, FromState(state, 0, 1)))};
  }

  std::vector<GraphVar> Gru(const GraphVar& gates, const GraphVar& state) const {
    const bool after = parts_.resets_after_product;
    const GraphVar part = FromState(state, 0, after ? 3 : 2);
    const GraphVar update = Apply(0, n_.Add(Gates(gates, 0), Gates(part, 0)));
    const GraphVar reset = Apply(0, n_.Add(Gates(gates, 1), Gates(part, 1)));
    GraphVar last;
    if (after) {
      const GraphVar product = Gates(part, 2);
      last = n_.Mul(reset, last_bias_ ? n_.Add(product, last_bias_) : product);
    } else {
      last = FromState(n_.Mul(reset, state), 2, 1);
    }
    const GraphVar candidate = Apply(1, n_.Add(Gates(gates, 2), last));
    const GraphVar rest = n_.Sub(n_.Scalar(1, type_), update);
    return {n_.Add(n_.Mul(rest, candidate), n_.Mul(update, state))};
  }

  // A gate of an LSTM; `peep` is the gate's place among the peepholes.
  GraphVar Gate(const GraphVar& sum, int64_t gate, const GraphVar& memory, int64_t peep) const {
    const GraphVar x = Gates(sum, gate);
    return Apply(0, peepholes_ ? n_.Add(x, n_.Mul(Gates(peepholes_, peep), memory)) : x);
  }
  std::vector<GraphVar> Lstm(const GraphVar& gates, const GraphVar& state,
                             const GraphVar& memory) const {
    const GraphVar sum = n_.Add(gates, FromState(state, 0, 4));
    const GraphVar in = Gate(sum, 0, memory, 0);
    const GraphVar forget =
        parts_.couples_gates ? n_.Sub(n_.Scalar(1, type_), in) : Gate(sum, 2, memory, 2);
    const GraphVar fresh = Apply(1, Gates(sum, 3));
    const GraphVar next = n_.Add(n_.Mul(forget, memory), n_.Mul(in, fresh));
    const GraphVar out = Gate(sum, 1, next, 1);  // it sees the new memory
    return {n_.Mul(out, Apply(2, next)), next};
  }

  NodeContext& n_;
  const RecurrentParts& parts_;
  int64_t number_;
  bool backward_;
  int64_t gates_;
  Expr hidden_;
  DataType type_;
  GraphVar recurrence_, peepholes_, lengths_, last_bias_;
};

}  // namespace

const std::vector<std::string>& DefaultFunctions(Cell cell) {
  static const auto* const rnn = new std::vector<std::string>{"Tanh"};
  static const auto* const gru = new std::vector<std::string>{"Sigmoid", "Tanh"};
  static const auto* const lstm = new std::vector<std::string>{"Sigmoid", "Tanh", "Tanh"};
  return *(cell == Cell::kLstm ? lstm : cell == Cell::kGru ? gru : rnn);
}

const CellFunctionKind* FindCellFunction(std::string_view name) {
  const auto* const at = std::ranges::find(kFunctions, name, &CellFunctionKind::name);
  return at == std::end(kFunctions) ? nullptr : at;
}

std::string CellFunctionNames() {
  std::string names;
  for (const CellFunctionKind& kind : kFunctions) {
    names += (names.empty() ? "" : ", ") + std::string(kind.name);
  }
  return names;
}

std::vector<GraphVar> RecurrentSteps(NodeContext& n, const RecurrentParts& parts) {
  std::vector<std::vector<GraphVar>> made;  // by direction
  const bool both = parts.direction == "bidirectional";
  made.push_back(Direction(n, parts, 0, parts.direction == "reverse").Run());
  if (both) made.push_back(Direction(n, parts, 1, true).Run());
  std::vector<GraphVar> results;
  for (size_t k = 0; k < made[0].size(); ++k) {
    std::vector<GraphVar> all;
    for (const std::vector<GraphVar>& one : made) all.push_back(one[k]);
    const GraphVar stacked = n.Call("stack", all, {{"axis", IntAttr(k == 0 ? 1 : 0)}});
    results.push_back(n.Cast(stacked, NodeContext::DTypeOf(parts.x)));
  }
  return results;
}

}  // namespace lathe::graph::onnx
