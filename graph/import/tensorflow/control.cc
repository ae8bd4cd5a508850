// Control flow in its functional forms: calls of functions, If, Case and While.
#include <algorithm>

#include "graph/import/tensorflow/operators.h"

namespace lathe::graph::tensorflow {
namespace {

// A condition of any number is true if it is not 0.
GraphVar Truth(const NodeContext& n, const GraphVar& x) {
  const GraphVar one = Maker::RankOf(x) == 0 ? x : n.Reshape(x, {});
  if (Maker::DTypeOf(one).is_bool()) return one;
  return n.Call("not_equal", {one, n.Scalar(0, Maker::DTypeOf(one))});
}

Results Call(NodeContext& n) { return n.importer.ImportFunction(n.FunctionName("f"), n.inputs, n); }

Results If(NodeContext& n) {
  const GraphVar condition = Truth(n, n.In(0));
  const std::vector<GraphVar> args(n.inputs.begin() + 1, n.inputs.end());
  const Text then_name = n.FunctionName("then_branch"), else_name = n.FunctionName("else_branch");
  if (const auto known = n.importer.ConstantOf(condition); known && known->data->size() > 0) {
    return n.importer.ImportFunction(IntsOf(*known)[0] != 0 ? then_name : else_name, args, n);
  }
  Builder& b = n.importer.b();
  const auto arm = [&](Text name) {
    b.OpenBlock();
    return b.CloseBlock(b.Tuple(n.importer.ImportFunction(name, args, n)));
  };
  Ref<ir::GraphIf> node = Make<ir::GraphIf>();
  node->condition = condition;
  node->then_block = arm(then_name);
  node->else_block = arm(else_name);
  return n.Fields(b.Emit(node, n.name()));
}

// One of several functions, by its number; for numbers that no function has, the last one.
class Choice {
 public:
  Choice(NodeContext& n, const std::vector<Text>& branches)
      : n_(n), branches_(branches), args_(n.inputs.begin() + 1, n.inputs.end()) {}

  // As a tree of ifs, so that few are open at the same time.
  GraphVar Among(const GraphVar& index, size_t first, size_t end) {
    Builder& b = n_.importer.b();
    if (end - first == 1) return b.Tuple(n_.importer.ImportFunction(branches_[first], args_, n_));
    const size_t middle = first + (end - first) / 2;
    Ref<ir::GraphIf> node = Make<ir::GraphIf>();
    node->condition = n_.Call("less", {index, Number(static_cast<int64_t>(middle))});
    b.OpenBlock();
    node->then_block = b.CloseBlock(Among(index, first, middle));
    b.OpenBlock();
    node->else_block = b.CloseBlock(Among(index, middle, end));
    return b.Emit(node, n_.name());
  }

  // The number of an index that a run knows.
  GraphVar Within(const GraphVar& index) const {
    const GraphVar last = Number(static_cast<int64_t>(branches_.size()) - 1);
    const GraphVar is_one = n_.Call("logical_and", {n_.Call("greater_equal", {index, Number(0)}),
                                                    n_.Call("less", {index, last})});
    return n_.Call("where", {is_one, index, last});
  }

  Results Known(int64_t index) {
    const auto count = static_cast<int64_t>(branches_.size());
    const int64_t at = index < 0 || index >= count ? count - 1 : index;
    return n_.importer.ImportFunction(branches_[static_cast<size_t>(at)], args_, n_);
  }

 private:
  GraphVar Number(int64_t value) const {
    return n_.Constant(MakeInts({value}, {}, Maker::DTypeOf(n_.In(0))));
  }

  NodeContext& n_;
  const std::vector<Text>& branches_;
  std::vector<GraphVar> args_;
};

Results Case(NodeContext& n) {
  const GraphVar index = n.In(0);
  if (Maker::RankOf(index) != 0 || !Maker::DTypeOf(index).is_int()) {
    n.Fail("has a wrong branch_index", "one integer", TypeText(index->type));
  }
  const Attribute* branches = n.Find("branches");
  if (branches == nullptr || branches->functions.empty()) {
    n.Fail("lacks the attribute `branches`", "functions", "nothing");
  }
  Choice choice(n, branches->functions);
  if (n.Known(0)) return choice.Known(n.Int(0, "branch_index"));
  if (branches->functions.size() == 1) return choice.Known(0);
  return n.Fields(choice.Among(choice.Within(index), 0, branches->functions.size()));
}

std::vector<GraphVar> Carried(const std::vector<GraphVar>& init) {
  std::vector<GraphVar> carried;
  for (const GraphVar& value : init) {
    carried.push_back(ir::MakeGraphVar(value->name, value->type));
  }
  return carried;
}

// What the loop carries at first. The body is made once, only to learn the shapes of lists.
std::vector<GraphVar> InitOf(NodeContext& n, Text body) {
  std::vector<GraphVar> init = n.All();
  const auto is_open = [&](const GraphVar& value) { return n.importer.IsOpenList(value); };
  if (std::ranges::none_of(init, is_open)) return init;
  Builder& b = n.importer.b();
  const std::vector<GraphVar> probe = Carried(init);
  for (size_t i = 0; i < init.size(); ++i) {
    if (is_open(init[i])) n.importer.AddOpenList(probe[i]);
  }
  b.OpenBlock();
  const Results next = n.importer.ImportFunction(body, probe, n);
  b.CloseBlock(b.Tuple(next));
  for (size_t i = 0; i < init.size() && i < next.size(); ++i) {
    if (!is_open(init[i])) continue;
    init[i] = n.Call("zeros", {},
                     {{"shape", ShapeAttr(Maker::ShapeOf(next[i]))},
                      {"dtype", StringAttr(Maker::DTypeOf(next[i]).ToString())}});
  }
  return init;
}

Results While(NodeContext& n) {
  const Text condition = n.FunctionName("cond"), body = n.FunctionName("body");
  Builder& b = n.importer.b();
  const std::vector<GraphVar> init = InitOf(n, body);
  const std::vector<GraphVar> carried = Carried(init);
  Ref<ir::GraphLoop> loop = Make<ir::GraphLoop>();
  loop->init = {init.begin(), init.end()};
  loop->carried = {carried.begin(), carried.end()};
  b.OpenBlock();
  const Results goes_on = n.importer.ImportFunction(condition, carried, n);
  if (goes_on.size() != 1) n.Fail("has a condition with the wrong number of results", "1", "");
  loop->condition = b.CloseBlock(Truth(n, n.Identity(goes_on[0])));
  b.OpenBlock();
  const Results next = n.importer.ImportFunction(body, carried, n);
  if (next.size() != carried.size()) {
    n.Fail("has a body with the wrong number of results", std::to_string(carried.size()),
           std::to_string(next.size()));
  }
  loop->body = b.CloseBlock(b.Tuple(next));
  return n.Fields(b.Emit(loop, n.name()));
}

}  // namespace

std::vector<Conversion> Control() {
  return {
      {"PartitionedCall", Call},
      {"StatefulPartitionedCall", Call},
      {"If", If},
      {"StatelessIf", If},
      {"Case", Case},
      {"StatelessCase", Case},
      {"While", While},
      {"StatelessWhile", While},
  };
}

}  // namespace lathe::graph::tensorflow
