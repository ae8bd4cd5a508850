// Recurrent networks: our operators where they suffice, else loops (recurrent.h).
#include "graph/import/onnx/recurrent.h"

#include <cmath>

#include "graph/import/onnx/operators.h"

namespace lathe::graph::onnx {
namespace {

GraphVar Zeros(NodeContext& n, std::vector<Expr> shape, DataType dtype) {
  return n.Call("zeros", {},
                {{"shape", ShapeAttr(std::move(shape))}, {"dtype", StringAttr(dtype.ToString())}});
}

// The places of the inputs.
constexpr size_t kData = 0, kWeight = 1, kRecurrence = 2, kBias = 3, kLengths = 4, kState = 5,
                 kMemory = 6, kPeepholes = 7;

// The functions of all directions. Those that have numbers take the next ones of the lists.
std::vector<CellFunction> FunctionsOf(NodeContext& n, Cell cell, size_t directions) {
  std::vector<std::string> names = n.Strings("activations");
  const std::vector<std::string>& usual = DefaultFunctions(cell);
  if (names.empty()) names = usual;
  if (directions == 2 && names.size() == usual.size()) {
    const std::vector<std::string> first = names;
    names.insert(names.end(), first.begin(), first.end());
  }
  if (names.size() != directions * usual.size()) {
    n.FailAttribute("activations", "has the wrong number of entries",
                    std::to_string(directions * usual.size()), std::to_string(names.size()));
  }
  const std::vector<double> alphas = n.Floats("activation_alpha");
  const std::vector<double> betas = n.Floats("activation_beta");
  size_t alpha = 0, beta = 0;
  const auto next = [&](const char* list_name, const std::vector<double>& list, size_t* at,
                        const CellFunctionKind& kind, double fallback) {
    if (*at < list.size()) return list[(*at)++];
    if (std::isnan(fallback)) {
      n.FailAttribute(list_name, "lacks a number of " + std::string(kind.name),
                      "a number for each function that takes one", std::to_string(list.size()));
    }
    return fallback;
  };
  std::vector<CellFunction> functions;
  for (const std::string& name : names) {
    const CellFunctionKind* const kind = FindCellFunction(name);
    if (kind == nullptr) {
      n.FailAttribute("activations", "has functions that are not supported", CellFunctionNames(),
                      name);
    }
    CellFunction f{name, kind->alpha, kind->beta};
    if (kind->numbers != CellNumbers::kNone) {
      f.alpha = next("activation_alpha", alphas, &alpha, *kind, kind->alpha);
    }
    if (kind->numbers == CellNumbers::kBoth) {
      f.beta = next("activation_beta", betas, &beta, *kind, kind->beta);
    }
    functions.push_back(f);
  }
  return functions;
}

// Has each function the name that it has in our operators? For RNN, all may also be Relu.
bool AreUsual(const std::vector<CellFunction>& functions, Cell cell) {
  const std::vector<std::string>& usual = DefaultFunctions(cell);
  const bool relu = cell == Cell::kRnn && functions[0].name == "Relu";
  for (size_t i = 0; i < functions.size(); ++i) {
    if (functions[i].name != (relu ? "Relu" : usual[i % usual.size()])) return false;
  }
  return true;
}

// Is each sequence as long as the input?
bool AreWhole(NodeContext& n, const GraphVar& x) {
  if (!n.Has(kLengths)) return true;
  const int64_t* steps = ir::AsConstInt(NodeContext::ShapeOf(x)[0]);
  if (!n.Known(kLengths) || steps == nullptr) return false;
  bool whole = true;
  for (const int64_t length : n.Ints(kLengths, "sequence_lens")) {
    if (length < 0 || length > *steps) {
      n.Fail("has sequences that are longer than its input", "0 to " + std::to_string(*steps),
             std::to_string(length));
    }
    whole = whole && length == *steps;
  }
  return whole;
}

std::string OperatorOf(Cell cell) {
  return cell == Cell::kLstm ? "nn.lstm" : cell == Cell::kGru ? "nn.gru" : "nn.rnn";
}

// One of our operators.
Results Whole(NodeContext& n, const RecurrentParts& parts) {
  const DataType dtype = NodeContext::DTypeOf(parts.x);
  const std::vector<Expr>& weights = NodeContext::ShapeOf(parts.weight);
  const bool has_state = parts.state || parts.memory;
  std::vector<GraphVar> args{parts.x, parts.weight, parts.recurrence};
  if (parts.bias) {
    args.push_back(parts.bias);
  } else if (has_state) {
    args.push_back(Zeros(n, {weights[0], weights[1] * Int64(2)}, dtype));
  }
  if (has_state) {
    const Expr hidden = NodeContext::ShapeOf(parts.recurrence)[2];
    const Expr batch = NodeContext::ShapeOf(parts.x)[1];
    args.push_back(parts.state ? parts.state : Zeros(n, {weights[0], batch, hidden}, dtype));
    if (parts.memory) args.push_back(parts.memory);
  }
  ir::Dict attrs{{"direction", StringAttr(parts.direction)}};
  if (parts.cell == Cell::kGru) {
    attrs["linear_before_reset"] = BoolAttr(parts.resets_after_product);
  } else if (parts.cell == Cell::kRnn) {
    attrs["activation"] = StringAttr(parts.functions[0].name == "Relu" ? "relu" : "tanh");
  }
  return n.Fields(n.Call(OperatorOf(parts.cell), args, attrs));
}

Results Convert(NodeContext& n, Cell cell) {
  const bool batch_first = n.Int("layout", 0) != 0;
  const auto time_first = [&](const GraphVar& x) {
    return batch_first ? n.Transpose(x, {1, 0, 2}) : x;
  };
  const auto optional = [&](size_t i) { return n.Has(i) ? n.In(i) : GraphVar(); };
  RecurrentParts parts;
  parts.cell = cell;
  parts.direction = n.String("direction", "forward");
  if (parts.direction != "forward" && parts.direction != "reverse" &&
      parts.direction != "bidirectional") {
    n.FailAttribute("direction", "is out of range", "forward, reverse or bidirectional",
                    parts.direction);
  }
  n.Ignore({"hidden_size"});
  parts.x = time_first(n.In(kData));
  parts.weight = n.In(kWeight);
  parts.recurrence = n.In(kRecurrence);
  for (const GraphVar& x : {parts.x, parts.weight, parts.recurrence}) {
    const int64_t rank = NodeContext::RankOf(x);
    if (rank != 3) n.Fail("has a wrong input", "rank 3", "rank " + std::to_string(rank));
  }
  parts.bias = optional(kBias);
  if (n.Has(kState)) parts.state = time_first(n.In(kState));
  if (cell == Cell::kLstm) {
    if (n.Has(kMemory)) parts.memory = time_first(n.In(kMemory));
    parts.peepholes = optional(kPeepholes);
    parts.couples_gates = n.Int("input_forget", 0) != 0;
  } else if (cell == Cell::kGru) {
    parts.resets_after_product = n.Int("linear_before_reset", 0) != 0;
  }
  parts.clip = n.Float("clip", 0);
  parts.functions = FunctionsOf(n, cell, parts.direction == "bidirectional" ? 2 : 1);
  const bool whole = AreWhole(n, parts.x);
  if (!whole) parts.lengths = n.In(kLengths);
  Results results;
  if (whole && parts.clip == 0 && !parts.peepholes && !parts.couples_gates &&
      AreUsual(parts.functions, cell)) {
    results = Whole(n, parts);
  } else {
    for (const GraphVar& result : RecurrentSteps(n, parts)) results.emplace_back(result);
  }
  if (!batch_first) return results;
  results[0] = n.Transpose(results[0].tensor, {2, 0, 1, 3});
  for (size_t i = 1; i < results.size(); ++i) {
    results[i] = n.Transpose(results[i].tensor, {1, 0, 2});
  }
  return results;
}

Results Lstm(NodeContext& n) { return Convert(n, Cell::kLstm); }
Results Gru(NodeContext& n) { return Convert(n, Cell::kGru); }
Results Rnn(NodeContext& n) { return Convert(n, Cell::kRnn); }

}  // namespace

std::vector<Operator> Recurrent() { return {{"GRU", Gru}, {"LSTM", Lstm}, {"RNN", Rnn}}; }

}  // namespace lathe::graph::onnx
