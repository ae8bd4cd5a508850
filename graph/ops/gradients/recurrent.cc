// Gradients of recurrent networks: a loop over the steps, whose gradient is a loop back
// (graph/reverse_loop.h).
//
// The gradient of what the input gives to a step is added to that of all steps, so the time grows
// with the square of the number of steps.
#include "graph/ops/gradients/formula.h"

namespace lathe::graph::ops {
namespace {

enum class Cell : uint8_t { kRnn, kGru, kLstm };
// The places of the operands, as in graph/ops/recurrent.cc.
constexpr size_t kData = 0, kWeight = 1, kRecurrence = 2, kBias = 3, kState = 4, kMemory = 5;

// One direction of a network, with operands that have no dimension of directions.
class Direction {
 public:
  Direction(Builder& b, const std::vector<Value>& x, const Attrs& attrs, Cell cell, int64_t number,
            bool backward)
      : b_(b), attrs_(attrs), cell_(cell), backward_(backward) {
    const auto operand = [&](size_t i) {
      return Take(x[i], {&b, b.Scalar(static_cast<double>(number), DataType::Int(64))}, 0);
    };
    // [gates hidden, k], without panels.
    const auto matrix = [&](size_t i) {
      const Value w = operand(i);
      if (attrs.Int("panel") == 0) return w;
      const Shape& panels = w.shape();
      return Reshape(Transpose(w, {0, 2, 1}), {panels[0] * panels[2], panels[1]});
    };
    const Value weight = matrix(kWeight);
    recurrence_ = matrix(kRecurrence);
    hidden_ = recurrence_.shape()[1];
    gates_ = recurrence_.shape()[0];
    from_input_ = Apply("nn.dense", {x[kData], weight});
    if (x.size() > kBias) {
      const Value bias = operand(kBias);
      from_input_ = from_input_ + Part(bias, 0, Int64(0), gates_);
      state_bias_ = Part(bias, 0, gates_, gates_);
    } else {
      state_bias_ = Zeros(b, {gates_}, weight.dtype());
    }
    const Shape state{x[kData].shape()[1], hidden_};
    for (const size_t i : {kState, kMemory}) {
      if (i == kMemory && cell != Cell::kLstm) break;
      init_.push_back(x.size() > i ? operand(i) : Zeros(b, state, weight.dtype()));
    }
  }

  // The states of all steps [steps, n, hidden], the last state, and the last memory.
  std::vector<Value> Run() {
    const DataType counter = DataType::Int(64);
    const Expr steps = from_input_.shape()[0];
    const Value bound = NumberOf(b_, steps, counter);
    const Shape rows{steps, init_[0].shape()[0], hidden_};
    Vars init{b_.Scalar(0, counter), Zeros(b_, rows, init_[0].dtype())};
    init.insert(init.end(), init_.begin(), init_.end());
    Ref<ir::GraphLoop> loop = Make<ir::GraphLoop>();
    for (const GraphVar& var : init) loop->carried.push_back(ir::MakeGraphVar("", var->type));
    loop->init = init;
    const Value t{&b_, loop->carried[0]}, all{&b_, loop->carried[1]};
    b_.OpenBlock();
    loop->condition = b_.CloseBlock(t < bound);
    b_.OpenBlock();
    const Value place = backward_ ? bound - 1.0 - t : t;
    std::vector<Value> state;
    for (size_t k = 2; k < init.size(); ++k) state.push_back({&b_, loop->carried[k]});
    const std::vector<Value> next = Step(Take(from_input_, place, 0), state);
    const Value row = Apply("expand_dims", {next[0]}, {{"axis", IntAttr(0)}});
    const Value stored = Apply("scatter_nd", {all, Reshape(place, {Int64(1), Int64(1)}), row},
                               {{"mode", StringAttr("add")}});
    Vars results{t + 1.0, stored};
    results.insert(results.end(), next.begin(), next.end());
    loop->body = b_.CloseBlock(b_.Tuple(std::move(results)));
    const Value fields{&b_, b_.Emit(std::move(loop))};
    std::vector<Value> out;
    for (size_t k = 1; k < init.size(); ++k) out.push_back(Field(fields, static_cast<int64_t>(k)));
    return out;
  }

 private:
  // Gates [first, first + count) of `x`, or of the rows of a matrix.
  Value Gates(const Value& x, int64_t axis, int64_t first, int64_t count = 1) const {
    return Part(x, axis, hidden_ * first, hidden_ * count);
  }

  std::vector<Value> Step(const Value& input, const std::vector<Value>& state) const {
    if (cell_ == Cell::kGru) return {Gru(input, state[0])};
    const Value sum = input + Apply("nn.dense", {state[0], recurrence_}) + state_bias_;
    if (cell_ == Cell::kRnn) {
      const bool relu = attrs_.String("activation") == "relu";
      return {relu ? Apply("nn.relu", {sum}) : Tanh(sum)};
    }
    const Value in = Sigmoid(Gates(sum, 1, 0)), out = Sigmoid(Gates(sum, 1, 1));
    const Value forget = Sigmoid(Gates(sum, 1, 2));
    const Value memory = forget * state[1] + in * Tanh(Gates(sum, 1, 3));
    return {out * Tanh(memory), memory};
  }

  Value Gru(const Value& input, const Value& h) const {
    const auto product = [&](const Value& of, int64_t first, int64_t count) {
      return Apply("nn.dense", {of, Gates(recurrence_, 0, first, count)}) +
             Gates(state_bias_, 0, first, count);
    };
    const Value both = Gates(input, 1, 0, 2) + product(h, 0, 2);
    const Value update = Sigmoid(Gates(both, 1, 0)), reset = Sigmoid(Gates(both, 1, 1));
    const Value of_state =
        attrs_.Bool("linear_before_reset") ? reset * product(h, 2, 1) : product(reset * h, 2, 1);
    const Value candidate = Tanh(Gates(input, 1, 2) + of_state);
    return (1.0 - update) * candidate + update * h;
  }

  Builder& b_;
  const Attrs& attrs_;
  Cell cell_;
  bool backward_;
  Value recurrence_, from_input_, state_bias_;
  std::vector<Value> init_;
  Expr hidden_, gates_;
};

GradientFn Recurrent(Cell cell) {
  return ByComposition([cell](Builder& b, const std::vector<Value>& args, const Attrs& attrs) {
    // Steps are computed in float32 if elements have 16 bits.
    const DataType dtype = args[0].dtype();
    std::vector<Value> x;
    for (const Value& arg : args) {
      x.push_back(dtype.bits() < 32 ? Cast(arg, DataType::Float(32)) : arg);
    }
    const std::string direction = attrs.String("direction");
    std::vector<std::vector<Value>> results{
        Direction(b, x, attrs, cell, 0, direction == "reverse").Run()};
    if (direction == "bidirectional") {
      results.push_back(Direction(b, x, attrs, cell, 1, true).Run());
    }
    Vars fields;
    for (size_t k = 0; k < results[0].size(); ++k) {
      std::vector<Value> parts;
      for (const std::vector<Value>& one : results) parts.push_back(one[k]);
      const Value all = Apply("stack", parts, {{"axis", IntAttr(k == 0 ? 1 : 0)}});
      fields.push_back(Cast(all, dtype));
    }
    return Value{&b, b.Tuple(std::move(fields))};
  });
}

}  // namespace

Gradients RecurrentGradients() {
  return {{"nn.rnn", Recurrent(Cell::kRnn)},
          {"nn.gru", Recurrent(Cell::kGru)},
          {"nn.lstm", Recurrent(Cell::kLstm)}};
}

}  // namespace lathe::graph::ops
