#include "graph/import/onnx/loops.h"

namespace lathe::graph::onnx {
namespace {

// A tensor for the rows of a loop, and row `i` of it written.
GraphVar RowBuffer(NodeContext& n, const GraphVar& row, const Expr& rounds) {
  std::vector<Expr> shape = NodeContext::ShapeOf(row);
  shape.insert(shape.begin(), rounds);
  return n.Call(
      "zeros", {},
      {{"shape", ShapeAttr(shape)}, {"dtype", StringAttr(NodeContext::DTypeOf(row).ToString())}});
}

GraphVar WithRow(NodeContext& n, const GraphVar& buffer, const GraphVar& row, const GraphVar& i) {
  const DataType dtype = NodeContext::DTypeOf(row), byte = DataType::UInt(8);
  const GraphVar index = n.Reshape(i, {Int64(1)});
  const bool truth = dtype.is_bool();
  const GraphVar values = n.ExpandDims(truth ? n.Cast(row, byte) : row, 0);
  const GraphVar written =
      n.Call("index_put", {truth ? n.Cast(buffer, byte) : buffer, values, index});
  if (!truth) return written;
  return n.Call("not_equal", {written, n.Scalar(0, byte)});
}

}  // namespace

GraphVar Rank0(NodeContext& n, const GraphVar& x) {
  return NodeContext::RankOf(x) == 0 ? x : n.Reshape(x, {});
}

LoopResult MakeLoop(NodeContext& n, const LoopParts& parts) {
  Builder& b = n.importer.b();
  const GraphVar zero = n.Scalar(0, DataType::Int(64)), one = n.Scalar(1, DataType::Int(64));
  const GraphVar begins = parts.begins
                              ? parts.begins
                              : n.importer.Constant(MakeInts({1}, {}, DataType::Bool()), n.name());
  std::vector<GraphVar> init{zero, begins};
  init.insert(init.end(), parts.init.begin(), parts.init.end());
  const auto carry = [](const std::vector<GraphVar>& values) {
    std::vector<GraphVar> vars;
    for (const GraphVar& value : values) vars.push_back(ir::MakeGraphVar(value->name, value->type));
    return vars;
  };
  // The body is made once only to learn the types of its rows.
  std::vector<GraphVar> probe = carry(init);
  b.OpenBlock();
  const Round first = parts.body(probe[0], probe[1], {probe.begin() + 2, probe.end()});
  const std::vector<GraphVar> sample = first.rows;
  b.CloseBlock(first.carried.empty() ? probe[0] : first.carried[0]);
  if (!sample.empty() && !parts.rounds) n.FailValue(0, "M");
  for (const GraphVar& row : sample) init.push_back(RowBuffer(n, row, parts.rounds));

  Ref<ir::GraphLoop> loop = Make<ir::GraphLoop>();
  loop->init = init;
  loop->carried = carry(init);
  const std::vector<GraphVar>& now = loop->carried;
  b.OpenBlock();
  GraphVar goes_on = now[1];
  if (parts.count) {
    goes_on = n.Call("logical_and", {goes_on, n.Call("less", {now[0], parts.count})});
  } else {
    goes_on = n.Call("identity", {goes_on});
  }
  loop->condition = b.CloseBlock(goes_on);
  b.OpenBlock();
  const size_t carried = parts.init.size();
  const auto begin = now.begin() + 2, rows = begin + static_cast<ptrdiff_t>(carried);
  const Round round = parts.body(now[0], now[1], {begin, rows});
  std::vector<GraphVar> next{n.Add(now[0], one), round.goes_on ? round.goes_on : now[1]};
  next.insert(next.end(), round.carried.begin(), round.carried.end());
  for (size_t k = 0; k < round.rows.size(); ++k) {
    next.push_back(WithRow(n, now[2 + carried + k], round.rows[k], now[0]));
  }
  loop->body = b.CloseBlock(b.Tuple(next));
  const GraphVar result = b.Emit(loop, n.name());
  LoopResult made;
  for (size_t k = 0; k < carried + round.rows.size(); ++k) {
    const bool is_named = parts.names_results && n.Wants(k);
    const GraphVar value = b.Get(result, static_cast<int64_t>(2 + k),
                                 is_named ? std::string(n.node.outputs[k]) : n.name());
    (k < carried ? made.carried : made.rows).push_back(value);
  }
  return made;
}

LoopParts LoopOverRows(NodeContext& n, const GraphVar& x) {
  LoopParts parts;
  parts.rounds = NodeContext::ShapeOf(x)[0];
  parts.count = ExtentAsTensor(n, parts.rounds, DataType::Int(64));
  return parts;
}

}  // namespace lathe::graph::onnx
