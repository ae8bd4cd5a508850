// Recurrent networks.
#include "graph/import/onnx/operators.h"

namespace lathe::graph::onnx {
namespace {

GraphVar Zeros(NodeContext& n, std::vector<Expr> shape, DataType dtype) {
  return n.Call("zeros", {},
                {{"shape", ShapeAttr(std::move(shape))}, {"dtype", StringAttr(dtype.ToString())}});
}

// The activations must be those of our operators, for each direction.
void CheckActivations(NodeContext& n, const std::vector<std::string>& expected) {
  std::vector<std::string> given = n.Strings("activations");
  for (size_t i = 0; i < given.size(); ++i) {
    const std::string& wanted = expected[i % expected.size()];
    if (given[i] != wanted) {
      n.FailAttribute("activations", "has functions that are not supported", wanted, given[i]);
    }
  }
  n.Ignore({"hidden_size", "activation_alpha", "activation_beta"});
  if (n.Has("clip")) n.FailAttribute("clip", "is not supported", "no limit", "one");
}

// The places of the inputs.
constexpr size_t kData = 0, kWeight = 1, kRecurrence = 2, kBias = 3, kLengths = 4, kState = 5,
                 kMemory = 6, kPeepholes = 7;

Results Convert(NodeContext& n, const std::string& op, ir::Dict attrs, bool has_memory) {
  GraphVar x = n.In(kData);
  const DataType dtype = NodeContext::DTypeOf(x);
  const bool batch_first = n.Int("layout", 0) != 0;
  attrs["direction"] = StringAttr(n.String("direction", "forward"));
  if (batch_first) x = n.Transpose(x, {1, 0, 2});
  if (n.Has(kLengths)) {
    const std::vector<int64_t> shape = n.FixedShape(x, "an input, with sequence_lens,");
    for (const int64_t length : n.Ints(kLengths, "sequence_lens")) {
      if (length != shape[0]) {
        n.Fail("has sequences that are shorter than its input", std::to_string(shape[0]),
               std::to_string(length));
      }
    }
  }
  if (n.Has(kPeepholes)) n.Fail("has peepholes", "an LSTM without them", "input P");
  const std::vector<Expr>& weights = NodeContext::ShapeOf(n.In(kWeight));
  const bool has_state = n.Has(kState) || (has_memory && n.Has(kMemory));
  std::vector<GraphVar> args{x, n.In(kWeight), n.In(kRecurrence)};
  if (n.Has(kBias)) {
    args.push_back(n.In(kBias));
  } else if (has_state) {
    args.push_back(Zeros(n, {weights[0], weights[1] * Int64(2)}, dtype));
  }
  const auto state = [&](size_t i) {
    if (!n.Has(i)) {
      const Expr hidden = NodeContext::ShapeOf(n.In(kRecurrence))[2];
      return Zeros(n, {weights[0], NodeContext::ShapeOf(x)[1], hidden}, dtype);
    }
    return batch_first ? n.Transpose(n.In(i), {1, 0, 2}) : n.In(i);
  };
  if (has_state) {
    args.push_back(state(kState));
    if (has_memory && n.Has(kMemory)) args.push_back(state(kMemory));
  }
  Results results = n.Fields(n.Call(op, args, attrs));
  if (!batch_first) return results;
  results[0] = n.Transpose(results[0].tensor, {2, 0, 1, 3});
  for (size_t i = 1; i < results.size(); ++i) {
    results[i] = n.Transpose(results[i].tensor, {1, 0, 2});
  }
  return results;
}

Results Lstm(NodeContext& n) {
  CheckActivations(n, {"Sigmoid", "Tanh", "Tanh"});
  if (n.Int("input_forget", 0) != 0) {
    n.FailAttribute("input_forget", "is not supported", "0", "1");
  }
  return Convert(n, "nn.lstm", {}, true);
}

Results Gru(NodeContext& n) {
  CheckActivations(n, {"Sigmoid", "Tanh"});
  return Convert(n, "nn.gru",
                 {{"linear_before_reset", BoolAttr(n.Int("linear_before_reset", 0) != 0)}}, false);
}

Results Rnn(NodeContext& n) {
  const std::vector<std::string> given = n.Strings("activations");
  const bool relu = !given.empty() && given[0] == "Relu";
  CheckActivations(n, {relu ? "Relu" : "Tanh"});
  return Convert(n, "nn.rnn", {{"activation", StringAttr(relu ? "relu" : "tanh")}}, false);
}

}  // namespace

std::vector<Operator> Recurrent() { return {{"GRU", Gru}, {"LSTM", Lstm}, {"RNN", Rnn}}; }

}  // namespace lathe::graph::onnx
