// If, Loop and Scan.
//
// A loop whose number of rounds is known and small is unrolled: then what it carries may change its
// shape, and may be a sequence. Others become loops of the graph. Rows that a loop collects are
// written into a tensor of as many rows as there are rounds.
#include <algorithm>

#include "graph/import/onnx/loops.h"
#include "graph/import/onnx/operators.h"

namespace lathe::graph::onnx {
namespace {

constexpr int64_t kMostUnrolled = 16, kMostUnrolledWithSequences = 1000;

std::optional<bool> KnownTruth(NodeContext& n, const GraphVar& var) {
  const std::optional<TensorValue> value = n.importer.ConstantOf(var);
  if (!value || value->data->size() == 0) return std::nullopt;
  return IntsOf(*value)[0] != 0;
}

// `decides` is the input whose value must be known if a result is a sequence or an optional.
std::vector<GraphVar> Tensors(NodeContext& n, const std::vector<Value>& values, size_t decides,
                              const char* what) {
  std::vector<GraphVar> tensors;
  for (const Value& value : values) {
    if (value.kind != Value::Kind::kTensor) {
      if (n.Has(decides) && !n.Known(decides)) n.FailValue(decides, what);
      n.Fail("has a body whose result is a sequence or an optional", "tensors", "another value");
    }
    tensors.push_back(value.tensor);
  }
  return tensors;
}

Results If(NodeContext& n) {
  const GraphVar condition = Rank0(n, n.In(0));
  const Graph &then_graph = n.Body("then_branch"), &else_graph = n.Body("else_branch");
  if (const std::optional<bool> known = KnownTruth(n, condition)) {
    return n.importer.ImportBody(*known ? then_graph : else_graph, {}, n.scope);
  }
  Builder& b = n.importer.b();
  const auto arm = [&](const Graph& graph) {
    b.OpenBlock();
    const std::vector<GraphVar> results =
        Tensors(n, n.importer.ImportBody(graph, {}, n.scope), 0, "cond");
    return b.CloseBlock(b.Tuple(results));
  };
  Ref<ir::GraphIf> node = Make<ir::GraphIf>();
  node->condition = condition;
  node->then_block = arm(then_graph);
  node->else_block = arm(else_graph);
  return n.Fields(b.Emit(node, n.name()));
}

GraphVar Stacked(NodeContext& n, const std::vector<GraphVar>& rows) {
  if (rows.empty()) n.Fail("collects rows in no rounds", "one round and more", "0");
  return n.Call("stack", rows, {{"axis", IntAttr(0)}});
}

// Rounds one after the other; nothing if it is not known whether the loop goes on.
std::optional<Results> Unrolled(NodeContext& n, const Graph& body, int64_t count) {
  std::vector<Value> carried(n.inputs.begin() + 2, n.inputs.end());
  const size_t kept = carried.size();
  std::vector<std::vector<GraphVar>> rows(body.outputs.size() - 1 - kept);
  for (int64_t i = 0; i < count; ++i) {
    std::vector<Value> args{n.importer.Constant(MakeInts({i}, {}, DataType::Int(64)), n.name()),
                            n.importer.Constant(MakeInts({1}, {}, DataType::Bool()), n.name())};
    args.insert(args.end(), carried.begin(), carried.end());
    const std::vector<Value> results = n.importer.ImportBody(body, args, n.scope);
    carried.assign(results.begin() + 1, results.begin() + 1 + static_cast<ptrdiff_t>(kept));
    for (size_t k = 0; k < rows.size(); ++k) {
      const Value& row = results[1 + kept + k];
      if (row.kind != Value::Kind::kTensor) n.Fail("collects rows that are no tensors");
      rows[k].push_back(row.tensor);
    }
    if (results[0].kind != Value::Kind::kTensor) n.Fail("has a condition that is no tensor");
    const std::optional<bool> goes_on = KnownTruth(n, results[0].tensor);
    if (!goes_on) return std::nullopt;
    if (!*goes_on) break;
  }
  Results all = carried;
  for (const std::vector<GraphVar>& row : rows) all.emplace_back(Stacked(n, row));
  return all;
}

Results Loop(NodeContext& n) {
  const Graph& body = n.Body("body");
  if (n.inputs.size() < 2) n.inputs.resize(2);
  const size_t carried = n.inputs.size() - 2;
  if (body.outputs.size() < 1 + carried || body.inputs.size() != 2 + carried) {
    n.Fail("has a body with the wrong number of inputs or outputs",
           std::to_string(2 + carried) + " inputs", std::to_string(body.inputs.size()));
  }
  bool has_sequences = false;
  for (const Value& value : n.inputs) {
    has_sequences = has_sequences || value.kind == Value::Kind::kSequence;
  }
  std::optional<int64_t> count;
  if (n.Has(0)) {
    if (const auto known = n.Known(0)) count = IntsOf(*known)[0];
  }
  const std::optional<bool> begins = n.Has(1) ? KnownTruth(n, n.In(1)) : true;
  const int64_t most = has_sequences ? kMostUnrolledWithSequences : kMostUnrolled;
  if (has_sequences && !count) n.FailValue(0, "M");
  if (has_sequences && !begins) n.FailValue(1, "cond");
  if (count && begins && *begins && *count > 0 && *count <= most) {
    if (std::optional<Results> results = Unrolled(n, body, *count)) return *std::move(results);
  }
  LoopParts parts;
  const bool has_rows = body.outputs.size() > 1 + carried;
  if (n.Has(0)) {
    parts.count = Rank0(n, n.In(0));
    if (has_rows) {
      const std::vector<Expr> extents = n.Extents(0, "M");
      parts.rounds = extents.at(0);
    }
  }
  if (n.Has(1)) parts.begins = Rank0(n, n.In(1));
  if (has_rows && !begins) n.FailValue(1, "cond");
  for (size_t i = 2; i < n.inputs.size(); ++i) parts.init.push_back(n.In(i));
  parts.body = [&](const GraphVar& i, const GraphVar& goes_on, const std::vector<GraphVar>& now) {
    // With rows, the loop may not end early: that is seen with a condition that is a constant.
    const GraphVar condition =
        has_rows ? n.importer.Constant(MakeInts({1}, {}, DataType::Bool()), n.name()) : goes_on;
    std::vector<Value> args{i, condition};
    args.insert(args.end(), now.begin(), now.end());
    const std::vector<GraphVar> results =
        Tensors(n, n.importer.ImportBody(body, args, n.scope), 0, "M");
    if (has_rows && KnownTruth(n, results[0]) != std::optional<bool>(true)) {
      n.Fail("collects rows and may end early: how many there are is known only while running",
             "a condition that stays true", "another");
    }
    const auto first_row = results.begin() + 1 + static_cast<ptrdiff_t>(carried);
    return Round{
        Rank0(n, results[0]), {results.begin() + 1, first_row}, {first_row, results.end()}};
  };
  const LoopResult made = MakeLoop(n, parts);
  Results results(made.carried.begin(), made.carried.end());
  results.insert(results.end(), made.rows.begin(), made.rows.end());
  return results;
}

std::vector<int64_t> PerInput(NodeContext& n, std::string_view name, size_t count) {
  std::vector<int64_t> numbers = n.Ints(name);
  if (numbers.empty()) numbers.assign(count, 0);
  if (numbers.size() != count) {
    n.FailAttribute(name, "has the wrong number of entries", std::to_string(count),
                    std::to_string(numbers.size()));
  }
  return numbers;
}

size_t ScannedInputs(NodeContext& n, size_t inputs) {
  const int64_t scanned = n.Int("num_scan_inputs", 1);
  if (scanned < 1 || scanned > static_cast<int64_t>(inputs)) {
    n.FailAttribute("num_scan_inputs", "is out of range", "1 to " + std::to_string(inputs),
                    std::to_string(scanned));
  }
  return static_cast<size_t>(scanned);
}

GraphVar Reversed(NodeContext& n, const GraphVar& x) {
  return n.Call("reverse", {x}, {{"axis", IntsAttr({0})}});
}

// The rows of `data` one after the other, from the first `states` on. Ends after `count` rows, if
// it is not null: what the body would have made of the others is 0.
LoopResult ScanRows(NodeContext& n, const Graph& body, const std::vector<GraphVar>& states,
                    const std::vector<GraphVar>& data, const GraphVar& count, bool names_results) {
  if (body.outputs.size() < states.size()) n.Fail("has a body with too few outputs");
  LoopParts parts = LoopOverRows(n, data[0]);
  if (count) parts.count = count;
  parts.names_results = names_results;
  parts.init = states;
  parts.body = [&](const GraphVar& i, const GraphVar&, const std::vector<GraphVar>& now) {
    std::vector<Value> args(now.begin(), now.end());
    for (const GraphVar& x : data) {
      args.emplace_back(n.Call("take", {x, i}, {{"axis", IntAttr(0)}}));
    }
    const std::vector<GraphVar> results =
        Tensors(n, n.importer.ImportBody(body, args, n.scope), 0, "state");
    const auto first_row = results.begin() + static_cast<ptrdiff_t>(states.size());
    return Round{{}, {results.begin(), first_row}, {first_row, results.end()}};
  };
  return MakeLoop(n, parts);
}

// The lengths of the sequences of `x` [batch, steps, ...] (input 0 of Scan in opset 8); null if
// each is whole.
GraphVar LengthsOf(NodeContext& n, const GraphVar& x) {
  if (!n.Has(0)) return {};
  if (NodeContext::RankOf(x) < 2) {
    n.Fail("has a wrong input to scan", "rank 2 and more",
           "rank " + std::to_string(NodeContext::RankOf(x)));
  }
  const Expr& steps = NodeContext::ShapeOf(x)[1];
  const int64_t* const known = ir::AsConstInt(steps);
  if (known != nullptr && n.Known(0)) {
    bool whole = true;
    for (const int64_t length : n.Ints(0, "sequence_lens")) {
      if (length < 0 || length > *known) {
        n.Fail("has sequences that are longer than its input", "0 to " + std::to_string(*known),
               std::to_string(length));
      }
      whole = whole && length == *known;
    }
    if (whole) return {};
  }
  const GraphVar lengths = n.Cast(n.In(0), DataType::Int(64));
  return n.Call("minimum", {lengths, ExtentAsTensor(n, steps, DataType::Int(64))});
}

// Opset 8: a scan for each entry of a batch, along the second dimension. Input 0 has the lengths of
// the sequences.
Results ScanOfBatch(NodeContext& n) {
  const Graph& body = n.Body("body");
  const size_t given = n.inputs.empty() ? 0 : n.inputs.size() - 1;
  const size_t scanned = ScannedInputs(n, given), states = given - scanned;
  const std::vector<int64_t> backward = PerInput(n, "directions", scanned);
  const GraphVar lengths = LengthsOf(n, n.In(1 + states));
  std::vector<GraphVar> inputs;
  for (size_t k = 0; k < given; ++k) {
    GraphVar x = n.In(1 + k);
    if (k >= states && backward[k - states] != 0) {
      x = lengths ? n.Call("reverse_sequence", {x, lengths},
                           {{"seq_axis", IntAttr(1)}, {"batch_axis", IntAttr(0)}})
                  : n.Call("reverse", {x}, {{"axis", IntsAttr({1})}});
    }
    inputs.push_back(x);
  }
  LoopParts parts = LoopOverRows(n, n.In(1));
  parts.body = [&](const GraphVar& i, const GraphVar&, const std::vector<GraphVar>&) {
    const auto entry = [&](const GraphVar& x) {
      return n.Call("take", {x, i}, {{"axis", IntAttr(0)}});
    };
    std::vector<GraphVar> first, data;
    for (size_t k = 0; k < given; ++k) (k < states ? first : data).push_back(entry(inputs[k]));
    const GraphVar count = lengths ? entry(lengths) : GraphVar();
    const LoopResult made = ScanRows(n, body, first, data, count, false);
    Round round{{}, {}, made.carried};
    round.rows.insert(round.rows.end(), made.rows.begin(), made.rows.end());
    return round;
  };
  const LoopResult made = MakeLoop(n, parts);
  return {made.rows.begin(), made.rows.end()};
}

Results Scan(NodeContext& n) {
  if (n.opset < 9) return ScanOfBatch(n);
  const Graph& body = n.Body("body");
  const size_t scanned = ScannedInputs(n, n.inputs.size());
  const size_t states = n.inputs.size() - scanned;
  const size_t rows = body.outputs.size() - std::min(states, body.outputs.size());
  const std::vector<int64_t> in_axes = PerInput(n, "scan_input_axes", scanned);
  const std::vector<int64_t> backward = PerInput(n, "scan_input_directions", scanned);
  const std::vector<int64_t> out_axes = PerInput(n, "scan_output_axes", rows);
  const std::vector<int64_t> out_backward = PerInput(n, "scan_output_directions", rows);
  std::vector<GraphVar> init, data;
  for (size_t i = 0; i < states; ++i) init.push_back(n.In(i));
  for (size_t k = 0; k < scanned; ++k) {
    GraphVar x = n.In(states + k);
    const int64_t axis = n.Axis(in_axes[k], NodeContext::RankOf(x));
    std::vector<int64_t> order{axis};
    for (int64_t d = 0; d < NodeContext::RankOf(x); ++d) {
      if (d != axis) order.push_back(d);
    }
    x = n.Transpose(x, order);
    data.push_back(backward[k] != 0 ? Reversed(n, x) : x);
  }
  const LoopResult made = ScanRows(n, body, init, data, {}, true);
  Results results(made.carried.begin(), made.carried.end());
  for (size_t k = 0; k < rows; ++k) {
    const GraphVar y = out_backward[k] != 0 ? Reversed(n, made.rows[k]) : made.rows[k];
    const int64_t rank = NodeContext::RankOf(y), axis = n.Axis(out_axes[k], rank);
    std::vector<int64_t> order;
    for (int64_t d = 1; d < rank; ++d) order.push_back(d);
    order.insert(order.begin() + axis, 0);
    results.emplace_back(n.Transpose(y, order));
  }
  return results;
}

}  // namespace

std::vector<Operator> Control() { return {{"If", If}, {"Loop", Loop}, {"Scan", Scan}}; }

}  // namespace lathe::graph::onnx
