// Recurrent networks of floats, and an LSTM in whole numbers (lstm_int8.h). Their state begins with
// zeros in each run.
#include <array>

#include "graph/import/tflite/lstm_int8.h"
#include "graph/import/tflite/operators.h"
#include "graph/import/tflite/quantised.h"
#include "graph/import/tflite/windows.h"

namespace lathe::graph::tflite {
namespace {

// Options of the schema.
enum Options : int32_t {
  kRnnOptions = 7,
  kLstmOptions = 14,
  kSequenceRnnOptions = 31,
  kBidirectionalLstmOptions = 69,
  kBidirectionalRnnOptions = 70,
  kUnidirectionalLstmOptions = 71
};

void NeedFloats(const OpContext& n) {
  if (!IsQuantised(n.OutInfo()) && Maker::DTypeOf(n.In(0)).is_float()) return;
  n.Fail("computes with quantised numbers, which is not supported", "floats",
         ElementTypeName(n.InInfo(0).type), "convert the model with the LSTM in floats");
}

GraphVar Zeros(const OpContext& n, std::vector<Expr> shape, DataType type) {
  return n.Call("zeros", {},
                {{"shape", ShapeAttr(std::move(shape))}, {"dtype", StringAttr(type.ToString())}});
}

// x [batch, time, features] or [time, batch, features], with time first.
GraphVar TimeFirst(const OpContext& n, const GraphVar& x, bool is_first) {
  return is_first ? x : n.Transpose(x, {1, 0, 2});
}

// Inputs of one direction of an LSTM, from number `first` on.
struct LstmInputs {
  size_t weights, recurrence, peepholes, biases, projection;
};

void NeedPlain(const OpContext& n, const LstmInputs& in) {
  if (!n.Has(in.weights) || !n.Has(in.recurrence)) {
    n.Fail("couples its input gate to its forget gate, which is not supported", "four gates",
           "three");
  }
  for (size_t i = 0; i < 3; ++i) {
    if (n.Has(in.peepholes + i)) n.Fail("has peepholes", "an LSTM without them", "peepholes");
  }
  if (n.Has(in.projection) || n.Has(in.projection + 1)) {
    n.Fail("has a projection of its output", "an LSTM without one", "a projection");
  }
  if (n.Float(1, "cell_clip") != 0 || n.Float(2, "proj_clip") != 0) {
    n.Fail("has a limit of its memory", "no limit", "cell_clip or proj_clip");
  }
  constexpr int64_t kTanh = 4;
  if (const int64_t activation = n.Byte(0, "the fused activation"); activation != kTanh) {
    n.Fail("has another activation than TANH", "TANH", std::to_string(activation));
  }
}

// Gates of the schema: input, forget, cell, output; of nn.lstm: input, output, forget, cell.
GraphVar Gates(const OpContext& n, size_t first) {
  std::vector<GraphVar> parts;
  for (const size_t gate : {0, 3, 1, 2}) parts.push_back(Real(n, first + gate));
  return n.ExpandDims(n.Call("concatenate", parts, {{"axis", IntAttr(0)}}), 0);
}

// [y, memory...] of one direction over x with time first; y [time, batch, hidden].
GraphVar LstmOver(const OpContext& n, const GraphVar& x, const LstmInputs& in, bool backward,
                  size_t state) {
  NeedPlain(n, in);
  const GraphVar w = Gates(n, in.weights), r = Gates(n, in.recurrence);
  const DataType type = Maker::DTypeOf(x);
  const Expr hidden = Maker::ShapeOf(r)[2];
  GraphVar bias = Gates(n, in.biases);
  bias =
      n.Call("concatenate", {bias, Zeros(n, Maker::ShapeOf(bias), type)}, {{"axis", IntAttr(1)}});
  std::vector<GraphVar> args{x, w, r, bias};
  if (n.Has(state) || n.Has(state + 1)) {
    for (const size_t i : {state, state + 1}) {
      args.push_back(n.Has(i) ? n.ExpandDims(n.In(i), 0)
                              : Zeros(n, {Int64(1), Maker::ShapeOf(x)[1], hidden}, type));
    }
  }
  const GraphVar all =
      n.Call("nn.lstm", args, {{"direction", StringAttr(backward ? "reverse" : "forward")}});
  return n.Squeeze(n.Field(all, 0, n.name()), {1});
}

void NeedNoNorms(const OpContext& n) {
  for (size_t i = 20; i < 24; ++i) {
    if (n.Has(i)) n.Fail("has layer norms in its gates", "an LSTM without them", "layer norms");
  }
}

constexpr LstmInputs kForward{1, 5, 9, 12, 16};

Results UnidirectionalLstm(OpContext& n) {
  NeedNoNorms(n);
  NeedRank(n, 0, 3, "a sequence");
  const bool time_first = n.Flag(3, "time_major");
  const GraphVar x = TimeFirst(n, n.In(0), time_first);
  if (IsQuantised(n.OutInfo())) {
    NeedPlain(n, kForward);
    return {TimeFirst(n, LstmOfInt8(n, x), time_first)};
  }
  NeedFloats(n);
  return {TimeFirst(n, LstmOver(n, x, kForward, false, 18), time_first)};
}

Results BidirectionalLstm(OpContext& n) {
  NeedFloats(n);
  NeedRank(n, 0, 3, "a sequence");
  for (size_t i = 39; i < 48; ++i) {
    if (n.Has(i)) n.Fail("has an auxiliary input", "one input", "two");
  }
  constexpr LstmInputs kBackward{18, 22, 26, 29, 33};
  const bool time_first = n.Flag(4, "time_major", true), merged = n.Flag(3, "merge_outputs");
  const GraphVar x = TimeFirst(n, n.In(0), time_first);
  const GraphVar a = TimeFirst(n, LstmOver(n, x, kForward, false, 35), time_first);
  const GraphVar b = TimeFirst(n, LstmOver(n, x, kBackward, true, 37), time_first);
  if (merged) return {n.Call("concatenate", {a, b}, {{"axis", IntAttr(2)}})};
  return {a, b};
}

// One step; the basic kernel has all gates in one product: input, cell, forget, output.
Results BasicLstm(OpContext& n) {
  const GraphVar joined = n.Call("concatenate", {n.In(0), n.In(1)}, {{"axis", IntAttr(1)}});
  const GraphVar sum = n.Call("nn.bias_add", {n.Call("nn.dense", {joined, n.In(2)}), n.In(3)},
                              {{"axis", IntAttr(1)}});
  const GraphVar gates =
      n.Call("split", {sum}, {{"indices_or_sections", IntAttr(4)}, {"axis", IntAttr(1)}});
  const auto gate = [&](int64_t i, const char* op) {
    return n.Call(op, {n.Field(gates, i, n.name())});
  };
  const GraphVar memory =
      n.Add(n.Mul(gate(0, "sigmoid"), gate(1, "tanh")), n.Mul(gate(2, "sigmoid"), n.In(4)));
  const GraphVar y = n.Mul(gate(3, "sigmoid"), n.Call("tanh", {memory}));
  return {y, memory, joined, sum};
}

Results Lstm(OpContext& n) {
  NeedFloats(n);
  if (n.Byte(3, "kernel_type") == 1) return BasicLstm(n);
  NeedNoNorms(n);
  NeedRank(n, 0, 2, "rows");
  const GraphVar y = LstmOver(n, n.ExpandDims(n.In(0), 0), kForward, false, 18);
  return {n.Squeeze(y, {0})};
}

// -- Plain recurrent networks.

GraphVar RnnOver(const OpContext& n, const GraphVar& x, size_t first, int64_t activation,
                 bool backward) {
  constexpr int64_t kRelu = 1, kTanh = 4;
  if (activation != kRelu && activation != kTanh) {
    n.Fail("has an activation that is not supported", "RELU or TANH", std::to_string(activation));
  }
  const DataType type = Maker::DTypeOf(x);
  const GraphVar w = n.ExpandDims(Real(n, first), 0), r = n.ExpandDims(Real(n, first + 1), 0);
  GraphVar bias = n.ExpandDims(Real(n, first + 2), 0);
  bias =
      n.Call("concatenate", {bias, Zeros(n, Maker::ShapeOf(bias), type)}, {{"axis", IntAttr(1)}});
  std::vector<GraphVar> args{x, w, r, bias};
  if (n.Has(first + 3)) args.push_back(n.ExpandDims(n.In(first + 3), 0));
  const GraphVar all = n.Call("nn.rnn", args,
                              {{"activation", StringAttr(activation == kRelu ? "relu" : "tanh")},
                               {"direction", StringAttr(backward ? "reverse" : "forward")}});
  return n.Squeeze(n.Field(all, 0, n.name()), {1});
}

Results Rnn(OpContext& n) {
  NeedFloats(n);
  NeedRank(n, 0, 2, "rows");
  return {n.Squeeze(
      RnnOver(n, n.ExpandDims(n.In(0), 0), 1, n.Byte(0, "the fused activation"), false), {0})};
}

Results SequenceRnn(OpContext& n) {
  NeedFloats(n);
  NeedRank(n, 0, 3, "a sequence");
  const bool time_first = n.Flag(0, "time_major");
  const GraphVar x = TimeFirst(n, n.In(0), time_first);
  return {TimeFirst(n, RnnOver(n, x, 1, n.Byte(1, "the fused activation"), false), time_first)};
}

Results BidirectionalRnn(OpContext& n) {
  NeedFloats(n);
  NeedRank(n, 0, 3, "a sequence");
  for (size_t i = 9; i < 12; ++i) {
    if (n.Has(i)) n.Fail("has an auxiliary input", "one input", "two");
  }
  const bool time_first = n.Flag(0, "time_major");
  const int64_t activation = n.Byte(1, "the fused activation");
  const GraphVar x = TimeFirst(n, n.In(0), time_first);
  const GraphVar a = TimeFirst(n, RnnOver(n, x, 1, activation, false), time_first);
  const GraphVar b = TimeFirst(n, RnnOver(n, x, 5, activation, true), time_first);
  if (n.Flag(2, "merge_outputs")) return {n.Call("concatenate", {a, b}, {{"axis", IntAttr(2)}})};
  return {a, b};
}

}  // namespace

std::vector<Conversion> Recurrent() {
  return {
      {"LSTM", kLstmOptions, Lstm},
      {"UNIDIRECTIONAL_SEQUENCE_LSTM", kUnidirectionalLstmOptions, UnidirectionalLstm},
      {"BIDIRECTIONAL_SEQUENCE_LSTM", kBidirectionalLstmOptions, BidirectionalLstm},
      {"RNN", kRnnOptions, Rnn},
      {"UNIDIRECTIONAL_SEQUENCE_RNN", kSequenceRnnOptions, SequenceRnn},
      {"BIDIRECTIONAL_SEQUENCE_RNN", kBidirectionalRnnOptions, BidirectionalRnn},
  };
}

}  // namespace lathe::graph::tflite
