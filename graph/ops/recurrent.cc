// Recurrent networks: LSTM, GRU and plain ones, by ONNX's equations.
//
// What a step does with the input does not depend on the step before: that is one product of
// matrices for all steps. The rest is a scan over time.
#include "graph/ops/define.h"
#include "graph/ops/extremes.h"
#include "graph/ops/families.h"

namespace lathe::graph::ops {
namespace {

namespace fn = ir::intrinsic;

enum class Cell : uint8_t { kRnn, kGru, kLstm };
int64_t GatesOf(Cell cell) { return cell == Cell::kLstm ? 4 : cell == Cell::kGru ? 3 : 1; }

// The places of the operands.
constexpr size_t kData = 0, kWeight = 1, kRecurrence = 2, kBias = 3, kState = 4, kMemory = 5;

// Steps are computed in float32 if elements have 16 bits.
DataType StepType(DataType dtype) { return dtype.bits() < 32 ? DataType::Float(32) : dtype; }

Expr SigmoidOf(const Expr& x) { return Fn(fn::kSigmoid, {x}); }
Expr TanhOf(const Expr& x) { return Fn(fn::kTanh, {x}); }

// One direction of a recurrent network.
class Direction {
 public:
  Direction(const ComputeContext& c, Cell cell, int64_t number, bool backward)
      : c_(c),
        number_(ir::Int(number)),
        backward_(backward),
        steps_(c.in(kData)->shape()[0]),
        batch_(c.in(kData)->shape()[1]),
        hidden_(c.in(kRecurrence)->shape()[2]),
        gates_(GatesOf(cell)),
        panel_(c.attrs.Int("panel")),
        type_(StepType(c.in(kData)->dtype())) {
    MakeInputs();
    std::vector<Tensor> init{Initial(kState)}, state{State("h")}, update;
    if (cell == Cell::kLstm) {
      init.push_back(Initial(kMemory));
      state.push_back(State("c"));
      update = Lstm(state[0], state[1]);
    } else {
      update = {cell == Cell::kGru ? Gru(state[0]) : Rnn(state[0])};
    }
    rows_ = te::Scan(init, update, state, {from_input_, c.in(kRecurrence)}, "steps");
  }
  // The state after step `t` of the data's time.
  Expr After(const Expr& t, const Expr& n, const Expr& j) const {
    return At(rows_[0], {backward_ ? steps_ - t : t + 1, n, j});
  }
  // The state (0) or the memory (1) after the last step.
  Expr Last(size_t which, const Expr& n, const Expr& j) const {
    return At(rows_[which], {steps_, n, j});
  }

 private:
  te::Shape Rows() const { return {steps_ + 1, batch_, hidden_}; }
  Tensor State(const char* name) const { return te::Placeholder(Rows(), type_, name); }

  // An element of the bias: those of the input's gates come first, then those of the state's.
  Expr Bias(const Expr& j) const { return ir::MakeCast(type_, At(c_.in(kBias), {number_, j})); }
  bool HasBias() const { return c_.size() > kBias; }

  Tensor Initial(size_t operand) const {
    return te::Compute(
        {ir::Int(1), batch_, hidden_},
        [&](const Indices& i) {
          if (c_.size() <= operand) return Num(0, type_);
          return ir::MakeCast(type_, At(c_.in(operand), {number_, i[1], i[2]}));
        },
        "initial");
  }

  // Products have a column for each hidden element of each gate, in panels if the weights are.
  te::Shape WithColumns(te::Shape rows, int64_t gates) const {
    if (panel_ == 0) {
      rows.push_back(hidden_ * gates);
    } else {
      rows.push_back(ir::FloorDivide(hidden_ * gates, ir::Int(panel_)));
      rows.push_back(ir::Int(panel_));
    }
    return rows;
  }
  Expr AtColumn(const Tensor& product, std::vector<Expr> at, const Expr& column) const {
    if (panel_ == 0) {
      at.push_back(column);
    } else {
      at.push_back(ir::FloorDivide(column, ir::Int(panel_)));
      at.push_back(ir::FloorModulo(column, ir::Int(panel_)));
    }
    return At(product, at);
  }
  // The column of an element of a product whose columns begin with index number `first`.
  Expr ColumnOf(const Indices& i, size_t first) const {
    return panel_ == 0 ? Expr(i[first]) : Expr(i[first]) * panel_ + Expr(i[first + 1]);
  }
  // What element k of a row counts in that column, of the gates from `gate` on.
  Expr Weight(size_t operand, int64_t gate, const Indices& i, size_t first, const Expr& k) const {
    const Tensor& w = c_.in(operand);
    const Expr before = hidden_ * gate;
    const Expr weight = panel_ == 0
                            ? At(w, {number_, before + i[first], k})
                            : At(w, {number_, ir::FloorDivide(before, ir::Int(panel_)) + i[first],
                                     k, i[first + 1]});
    return ir::MakeCast(type_, weight);
  }

  // X W^T + bias, for all steps. The rows of all steps are one matrix if weights are in panels: so
  // a panel is read once for many rows.
  void MakeInputs() {
    const Tensor& x = c_.in(kData);
    one_matrix_ = panel_ != 0 && ir::AsConstInt(batch_) != nullptr;
    const te::Shape shape =
        WithColumns(one_matrix_ ? te::Shape{steps_ * batch_} : te::Shape{steps_, batch_}, gates_);
    const size_t columns = one_matrix_ ? 1 : 2;
    const ir::IterVar k = te::ReduceAxis(ir::Int(0), x->shape()[2], "k");
    const Tensor product = te::Compute(
        shape,
        [&](const Indices& i) {
          const Expr element =
              one_matrix_
                  ? At(x, {ir::FloorDivide(i[0], batch_), ir::FloorModulo(i[0], batch_), k->var})
                  : At(x, {i[0], i[1], k->var});
          return te::Sum(ir::MakeCast(type_, element) * Weight(kWeight, 0, i, columns, k->var),
                         {k});
        },
        "product");
    from_input_ = te::Compute(
        shape,
        [&](const Indices& i) {
          const Expr value = At(product, AsExprs(i));
          return HasBias() ? value + Bias(ColumnOf(i, columns)) : value;
        },
        "from_input");
  }

  // A gate's part from the input, at row t of the scan.
  Expr FromInput(const Indices& i, int64_t gate) const {
    const Expr t = backward_ ? steps_ - i[0] : i[0] - 1;
    const std::vector<Expr> row =
        one_matrix_ ? std::vector<Expr>{t * batch_ + i[1]} : std::vector<Expr>{t, i[1]};
    return AtColumn(from_input_, row, hidden_ * gate + i[2]);
  }
  // The state before row t, times the recurrence, for `count` gates from `first` on.
  Tensor FromState(const Tensor& state, int64_t first, int64_t count, int64_t earlier) const {
    const ir::IterVar k = te::ReduceAxis(ir::Int(0), hidden_, "k");
    return te::Compute(
        WithColumns({steps_ + 1, batch_}, count),
        [&](const Indices& i) {
          return te::Sum(
              At(state, {i[0] - earlier, i[1], k->var}) * Weight(kRecurrence, first, i, 2, k->var),
              {k});
        },
        "from_state");
  }
  // The bias of the state's part of a gate; 0 if there is none.
  Expr StateBias(const Expr& j, int64_t gate) const {
    return HasBias() ? Bias(hidden_ * (gates_ + gate) + j) : Num(0, type_);
  }

  Tensor Rnn(const Tensor& h) const {
    const Tensor part = FromState(h, 0, 1, 1);
    const bool relu = c_.attrs.String("activation") == "relu";
    return te::Compute(
        Rows(),
        [&](const Indices& i) {
          const Expr x = FromInput(i, 0) + AtColumn(part, {i[0], i[1]}, i[2]) + StateBias(i[2], 0);
          return relu ? Greater(x, Num(0, type_)) : TanhOf(x);
        },
        "update");
  }

  Tensor Gru(const Tensor& h) const {
    const bool before = c_.attrs.Bool("linear_before_reset");
    const Tensor part = FromState(h, 0, before ? 3 : 2, 1);
    const auto gate = [&](const Indices& i, int64_t k) {
      return FromInput(i, k) + AtColumn(part, {i[0], i[1]}, hidden_ * k + i[2]) +
             StateBias(i[2], k);
    };
    Tensor last;
    if (!before) {
      const Tensor reset = te::Compute(
          Rows(),
          [&](const Indices& i) { return SigmoidOf(gate(i, 1)) * At(h, {i[0] - 1, i[1], i[2]}); },
          "reset");
      last = FromState(reset, 2, 1, 0);
    }
    return te::Compute(
        Rows(),
        [&](const Indices& i) {
          const Expr update = SigmoidOf(gate(i, 0));
          const Expr state =
              before ? SigmoidOf(gate(i, 1)) *
                           (AtColumn(part, {i[0], i[1]}, hidden_ * 2 + i[2]) + StateBias(i[2], 2))
                     : AtColumn(last, {i[0], i[1]}, i[2]) + StateBias(i[2], 2);
          const Expr candidate = TanhOf(FromInput(i, 2) + state);
          return (Num(1, type_) - update) * candidate + update * At(h, {i[0] - 1, i[1], i[2]});
        },
        "update");
  }

  std::vector<Tensor> Lstm(const Tensor& h, const Tensor& memory) const {
    const Tensor part = FromState(h, 0, 4, 1);
    const auto gate = [&](const Indices& i, int64_t k) {
      return FromInput(i, k) + AtColumn(part, {i[0], i[1]}, hidden_ * k + i[2]) +
             StateBias(i[2], k);
    };
    const Tensor next = te::Compute(
        Rows(),
        [&](const Indices& i) {
          return SigmoidOf(gate(i, 2)) * At(memory, {i[0] - 1, i[1], i[2]}) +
                 SigmoidOf(gate(i, 0)) * TanhOf(gate(i, 3));
        },
        "memory");
    const Tensor state = te::Compute(
        Rows(),
        [&](const Indices& i) { return SigmoidOf(gate(i, 1)) * TanhOf(At(next, AsExprs(i))); },
        "update");
    return {state, next};
  }

  const ComputeContext& c_;
  Expr number_;
  bool backward_;
  Expr steps_, batch_, hidden_;
  int64_t gates_;
  int64_t panel_;  // columns of a panel of the weights; 0: they are in rows
  bool one_matrix_ = false;
  DataType type_;
  Tensor from_input_;
  std::vector<Tensor> rows_;
};

TypeResult RecurrentType(const TypeContext& c, Cell cell) {
  const int64_t panel = c.attrs.Int("panel");
  const auto is_weight = [](size_t i) { return i == kWeight || i == kRecurrence; };
  for (size_t i = 0; i < c.size(); ++i) {
    const int rank = i == kBias ? 2 : is_weight(i) && panel != 0 ? 4 : 3;
    c.NeedRank(i, rank, rank);
  }
  const Shape &x = c.shape(kData), &r = c.shape(kRecurrence);
  const Expr directions =
      ir::Int(c.attrs.String("direction") == "bidirectional" ? 2 : 1, DataType::Int(64));
  for (size_t i = 1; i < c.size(); ++i) c.NeedExtent(i, 0, directions, "the directions");
  const Expr hidden = r[2], rows = hidden * GatesOf(cell);
  if (panel == 0) {
    c.NeedExtent(kRecurrence, 1, rows, "the gates of all hidden elements");
    c.NeedExtent(kWeight, 1, rows, "the gates of all hidden elements");
  } else {
    const int64_t* elements = ir::AsConstInt(hidden);
    if (elements == nullptr || *elements % panel != 0) {
      c.FailAttr("panel", "does not fit", "a divisor of the hidden elements",
                 std::to_string(panel) + ", and " + ExtentText(hidden) + " hidden elements");
    }
    const auto number = [](int64_t value) { return ir::Int(value, DataType::Int(64)); };
    for (const size_t i : {kWeight, kRecurrence}) {
      c.NeedExtent(i, 1, number(*elements * GatesOf(cell) / panel), "the panels of all gates");
      c.NeedExtent(i, 3, number(panel), "the columns of a panel");
    }
  }
  c.NeedExtent(kWeight, 2, x[2], "the features of `data`");
  if (c.size() > kBias) c.NeedExtent(kBias, 1, rows * 2, "the gates, for input and state");
  for (size_t i = kState; i < c.size(); ++i) {
    c.NeedExtent(i, 1, x[1], "the batch of `data`");
    c.NeedExtent(i, 2, hidden, "the hidden elements");
  }
  const ir::NodeRef last = TensorOf(c.dtype(0), {directions, x[1], hidden});
  std::vector<ir::NodeRef> results{TensorOf(c.dtype(0), {x[0], directions, x[1], hidden}), last};
  if (cell == Cell::kLstm) results.push_back(last);
  return TupleOf(std::move(results));
}

Results ComputeRecurrent(const ComputeContext& c, Cell cell) {
  const std::string direction = c.attrs.String("direction");
  std::vector<Direction> directions;
  directions.emplace_back(c, cell, 0, direction == "reverse");
  if (direction == "bidirectional") directions.emplace_back(c, cell, 1, true);
  // The value of the direction that is asked for.
  const auto choose = [&](const Expr& number, const std::function<Expr(const Direction&)>& value) {
    const Expr first = value(directions[0]);
    if (directions.size() == 1) return first;
    return ir::IfThenElse(ir::Equal(number, Num(0, number->dtype)), first, value(directions[1]));
  };
  Results results{te::Compute(
      c.output_shapes[0],
      [&](const Indices& i) {
        return ir::MakeCast(c.dtype(), choose(i[1], [&](const Direction& one) {
                              return one.After(i[0], i[2], i[3]);
                            }));
      },
      "all")};
  for (size_t k = 1; k < c.output_shapes.size(); ++k) {
    results.push_back(te::Compute(
        c.output_shapes[k],
        [&](const Indices& i) {
          return ir::MakeCast(c.dtype(), choose(i[0], [&](const Direction& one) {
                                return one.Last(k - 1, i[1], i[2]);
                              }));
        },
        k == 1 ? "last" : "last_memory"));
  }
  return results;
}

OpDef Recurrent(std::string name, Cell cell, std::string doc, std::vector<AttrDef> attrs) {
  const std::string rows = std::to_string(3 * GatesOf(cell));
  const std::string panels = std::to_string(2 * GatesOf(cell));
  const std::string biases = std::to_string(6 * GatesOf(cell));
  const std::string gates = cell == Cell::kLstm  ? "the gates i, o, f, c"
                            : cell == Cell::kGru ? "the gates z, r, h"
                                                 : "the only gate";
  attrs.insert(attrs.begin(),
               Choice("direction",
                      "from the first step, from the last one, or both; `reverse` keeps the order "
                      "of the results",
                      {"forward", "reverse", "bidirectional"}));
  attrs.push_back(
      Int("panel",
          "W and R are in panels of so many columns, [directions, gates hidden / panel, "
          "features or hidden, panel], as products read them; 0: in rows",
          0, 0));
  OpDef op{
      .name = std::move(name),
      .doc = std::move(doc) +
             " Returns (the states of all steps [steps, directions, n, hidden], the last state "
             "[directions, n, hidden]" +
             (cell == Cell::kLstm ? ", the last memory)." : ")."),
      .inputs = {{"data", "X [steps, n, features]", kFloats},
                 {"weight", "W [directions, gates hidden, features]; " + gates, kFloats, 0},
                 {"recurrence", "R [directions, gates hidden, hidden]", kFloats, 0},
                 {"bias", "[directions, 2 gates hidden]: of W, then of R; zeros if left out",
                  kFloats, 0},
                 {"initial_state", "[directions, n, hidden]; zeros if left out", kFloats, 0}},
      .attrs = std::move(attrs),
      .optional_inputs = 2,
      .type = [cell](const TypeContext& c) { return RecurrentType(c, cell); },
      .compute = [cell](const ComputeContext& c) { return ComputeRecurrent(c, cell); }};
  std::vector<std::string> full{"T[n, 2, 4]", "T[1, " + rows + ", 4]", "T[1, " + rows + ", 3]",
                                "T[1, " + biases + "]", "T[1, 2, 3]"};
  std::vector<std::string> both{"T[5, n, 4]", "T[2, " + rows + ", 4]", "T[2, " + rows + ", 3]",
                                "T[2, " + biases + "]"};
  if (cell == Cell::kLstm) {
    op.inputs.push_back(
        {"initial_memory", "[directions, n, hidden]; zeros if left out", kFloats, 0});
    op.optional_inputs = 3;
    full.push_back("T[1, 2, 3]");
  }
  op.examples = {{full},
                 {both, {{"direction", StringAttr("bidirectional")}}},
                 {{full[0], full[1], full[2]}, {{"direction", StringAttr("reverse")}}},
                 {{"T[5, 2, 3]", "T[1, " + panels + ", 3, 2]", "T[1, " + panels + ", 4, 2]"},
                  {{"panel", IntAttr(2)}}}};
  return op;
}

}  // namespace

std::vector<OpDef> Recurrent() {
  std::vector<OpDef> ops;
  ops.push_back(Recurrent("nn.rnn", Cell::kRnn, "H = f(X W^T + H R^T + biases) [ONNX's RNN].",
                          {Choice("activation", "f", {"tanh", "relu"})}));
  ops.back().examples.push_back(
      {ops.back().examples[0].inputs, {{"activation", StringAttr("relu")}}});
  ops.push_back(Recurrent(
      "nn.gru", Cell::kGru,
      "z and r are sigmoids of their gates, h = tanh(X Wh^T + (r H) Rh^T + biases) and H = (1 - z) "
      "h + z H [Cho et al., 2014; ONNX's GRU].",
      {Flag("linear_before_reset", "is r multiplied after the product: r (H Rh^T + bias)?",
            false)}));
  ops.back().examples.push_back(
      {ops.back().examples[0].inputs, {{"linear_before_reset", BoolAttr(true)}}});
  ops.push_back(
      Recurrent("nn.lstm", Cell::kLstm,
                "i, o and f are sigmoids of their gates, C = f C + i tanh(gate c) and H = "
                "o tanh(C) [Hochreiter, Schmidhuber, 1997; ONNX's LSTM without peepholes].",
                {}));
  return ops;
}

}  // namespace lathe::graph::ops
