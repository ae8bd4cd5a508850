// Calls of other graphs of the model: plain ones, IF, and WHILE.
#include "base/error.h"
#include "graph/import/tflite/operators.h"

namespace lathe::graph::tflite {
namespace {

// Options of the schema.
enum Options : int32_t { kCallOptions = 16, kIfOptions = 92, kWhileOptions = 93 };

GraphVar Rank0(const OpContext& n, const GraphVar& x) {
  return Maker::RankOf(x) == 0 ? x : n.Reshape(x, {});
}

Results Call(OpContext& n) { return n.importer.ImportBody(n.Number(0, "subgraph"), n.All(), n); }

Results If(OpContext& n) {
  const GraphVar condition = Rank0(n, n.In(0));
  const std::vector<GraphVar> all = n.All(), args(all.begin() + 1, all.end());
  const int64_t graphs[] = {n.Number(0, "then_subgraph_index"), n.Number(1, "else_subgraph_index")};
  if (const auto known = n.importer.ConstantOf(condition); known && known->data->size() > 0) {
    return n.importer.ImportBody(graphs[IntsOf(*known)[0] != 0 ? 0 : 1], args, n);
  }
  Builder& b = n.importer.b();
  const auto arm = [&](int64_t graph) {
    b.OpenBlock();
    return b.CloseBlock(b.Tuple(n.importer.ImportBody(graph, args, n)));
  };
  Ref<ir::GraphIf> node = Make<ir::GraphIf>();
  node->condition = condition;
  node->then_block = arm(graphs[0]);
  node->else_block = arm(graphs[1]);
  return n.Fields(b.Emit(node, n.name()));
}

// Each condition may be computed from the first round on, if what is carried is large.
constexpr int kMostRounds = 64;

std::optional<bool> KnownTruth(const OpContext& n, const GraphVar& condition) {
  const auto known = n.importer.ConstantOf(condition);
  if (!known || known->data->size() == 0) return std::nullopt;
  return IntsOf(*known)[0] != 0;
}

struct Graphs {
  int64_t condition, body;
};

Results BodyOf(OpContext& n, const Graphs& graphs, const std::vector<GraphVar>& carried) {
  Results next = n.importer.ImportBody(graphs.body, carried, n);
  if (next.size() != carried.size()) {
    n.Fail("has a body with the wrong number of results", std::to_string(carried.size()),
           std::to_string(next.size()));
  }
  return next;
}

GraphVar ConditionOf(OpContext& n, const Graphs& graphs, const std::vector<GraphVar>& carried) {
  const Results results = n.importer.ImportBody(graphs.condition, carried, n);
  if (results.size() != 1) n.Fail("has a condition with the wrong number of results", "1", "");
  return results[0];
}

GraphVar LoopOf(OpContext& n, const Graphs& graphs) {
  Builder& b = n.importer.b();
  Ref<ir::GraphLoop> loop = Make<ir::GraphLoop>();
  const std::vector<GraphVar> init = n.All();
  loop->init = {init.begin(), init.end()};
  std::vector<GraphVar> carried;
  for (const GraphVar& value : init) {
    carried.push_back(ir::MakeGraphVar(value->name, value->type));
  }
  loop->carried = {carried.begin(), carried.end()};
  b.OpenBlock();
  const GraphVar goes_on = ConditionOf(n, graphs, carried);
  loop->condition = b.CloseBlock(Rank0(n, n.Call("identity", {goes_on})));
  b.OpenBlock();
  loop->body = b.CloseBlock(b.Tuple(BodyOf(n, graphs, carried)));
  return b.Emit(loop, n.name());
}

// Rounds one after the other: then a round may depend on its number. Nothing if it is not known how
// many there are.
std::optional<Results> Unrolled(OpContext& n, const Graphs& graphs) {
  std::vector<GraphVar> carried = n.All();
  for (int i = 0; i <= kMostRounds; ++i) {
    const std::optional<bool> goes_on = KnownTruth(n, ConditionOf(n, graphs, carried));
    if (!goes_on) return std::nullopt;
    if (!*goes_on) return carried;
    carried = BodyOf(n, graphs, carried);
    // Evaluated once for each round: the next condition would begin with the first round.
    for (const GraphVar& value : carried) n.importer.ConstantOf(value);
  }
  return std::nullopt;
}

Results While(OpContext& n) {
  const Graphs graphs{n.Number(0, "cond_subgraph_index"), n.Number(1, "body_subgraph_index")};
  Builder& b = n.importer.b();
  const size_t open = b.OpenBlocks();
  const int depth = n.importer.depth();
  try {
    return n.Fields(LoopOf(n, graphs));
  } catch (const Error& error) {
    // Shapes within the body depend on the round, or change from round to round.
    const std::string name = error.name();
    if (name != "tflite-value-needed" && name != "graph-type") throw;
    n.importer.ReturnTo(depth, open);
    if (std::optional<Results> results = Unrolled(n, graphs)) return *results;
    throw;
  }
}

}  // namespace

std::vector<Conversion> Control() {
  return {{"CALL", kCallOptions, Call}, {"IF", kIfOptions, If}, {"WHILE", kWhileOptions, While}};
}

}  // namespace lathe::graph::tflite
