// Sequences and optionals. They exist while a model is imported only: their lengths must be known.
#include <algorithm>

#include "graph/import/onnx/operators.h"

namespace lathe::graph::onnx {
namespace {

Results SequenceConstruct(NodeContext& n) {
  if (n.inputs.empty()) n.Fail("has no input");
  return {Value::Sequence(n.inputs)};
}

Results SequenceEmpty(NodeContext& n) {
  n.Ignore({"dtype"});
  return {Value::Sequence({})};
}

// A place in a sequence, counted from the end if it is negative; at most `most`.
size_t Place(NodeContext& n, size_t input, int64_t size, int64_t most) {
  int64_t at = n.Int(input, "position");
  if (at < 0) at += size;
  if (at < 0 || at > most) {
    n.Fail("has a position outside of its sequence", "0 to " + std::to_string(most),
           std::to_string(at));
  }
  return static_cast<size_t>(at);
}

Results SequenceAt(NodeContext& n) {
  const std::vector<Value>& items = n.Items(0);
  const auto size = static_cast<int64_t>(items.size());
  return {items[Place(n, 1, size, size - 1)]};
}

Results SequenceInsert(NodeContext& n) {
  std::vector<Value> items = n.Items(0);
  const auto size = static_cast<int64_t>(items.size());
  const size_t at = n.Has(2) ? Place(n, 2, size, size) : items.size();
  items.insert(items.begin() + static_cast<ptrdiff_t>(at), n.In(1));
  return {Value::Sequence(std::move(items))};
}

Results SequenceErase(NodeContext& n) {
  std::vector<Value> items = n.Items(0);
  const auto size = static_cast<int64_t>(items.size());
  if (items.empty()) n.Fail("erases from an empty sequence");
  const size_t at = n.Has(1) ? Place(n, 1, size, size - 1) : items.size() - 1;
  items.erase(items.begin() + static_cast<ptrdiff_t>(at));
  return {Value::Sequence(std::move(items))};
}

Results SequenceLength(NodeContext& n) {
  const auto size = static_cast<int64_t>(n.Items(0).size());
  return {n.importer.Constant(MakeInts({size}, {}, DataType::Int(64)), n.name())};
}

Results ConcatFromSequence(NodeContext& n) {
  std::vector<GraphVar> parts;
  for (const Value& item : n.Items(0)) parts.push_back(item.tensor);
  if (parts.empty()) n.Fail("joins an empty sequence");
  const bool stacks = n.Int("new_axis", 0) != 0;
  const int64_t rank = NodeContext::RankOf(parts[0]) + (stacks ? 1 : 0);
  const int64_t axis = n.Axis(n.Int("axis", 0), rank);
  return {n.Call(stacks ? "stack" : "concatenate", parts, {{"axis", IntAttr(axis)}})};
}

Results SplitToSequence(NodeContext& n) {
  const GraphVar x = n.In(0);
  const int64_t axis = n.Axis(n.Int("axis", 0), NodeContext::RankOf(x));
  const int64_t whole = n.FixedShape(x, "an input")[static_cast<size_t>(axis)];
  const bool keeps = n.Int("keepdims", 1) != 0;
  std::vector<int64_t> sizes;
  bool each_alone = false;
  if (!n.Has(1)) {
    sizes.assign(static_cast<size_t>(whole), 1);
    each_alone = !keeps;
  } else if (NodeContext::RankOf(n.In(1)) == 0) {
    const int64_t part = n.Int(1, "split");
    if (part < 1) n.Fail("has parts without elements");
    for (int64_t begin = 0; begin < whole; begin += part) {
      sizes.push_back(std::min(part, whole - begin));
    }
  } else {
    sizes = n.Ints(1, "split");
  }
  std::vector<Value> items;
  int64_t begin = 0;
  for (const int64_t size : sizes) {
    GraphVar part = n.Slice(x, axis, Int64(begin), Int64(begin + size));
    if (each_alone) part = n.Squeeze(part, {axis});
    items.emplace_back(part);
    begin += size;
  }
  return {Value::Sequence(std::move(items))};
}

// The body is applied to the items of each place; inputs that are tensors are the same for all.
Results SequenceMap(NodeContext& n) {
  const Graph& body = n.Body("body");
  const size_t count = n.Items(0).size();
  std::vector<std::vector<Value>> results(body.outputs.size());
  for (size_t i = 0; i < count; ++i) {
    std::vector<Value> args;
    for (size_t k = 0; k < n.inputs.size(); ++k) {
      if (n.inputs[k].kind != Value::Kind::kSequence) {
        args.push_back(n.inputs[k]);
        continue;
      }
      if (n.Items(k).size() != count) n.Fail("has sequences of different lengths");
      args.push_back(n.Items(k)[i]);
    }
    const std::vector<Value> made = n.importer.ImportBody(body, args, n.scope);
    for (size_t k = 0; k < made.size(); ++k) results[k].push_back(made[k]);
  }
  Results all;
  for (std::vector<Value>& items : results) all.push_back(Value::Sequence(std::move(items)));
  return all;
}

Results Optional(NodeContext& n) {
  n.Ignore({"type"});
  return {n.inputs.empty() ? Value() : n.inputs[0]};
}

Results OptionalHasElement(NodeContext& n) {
  const bool has = n.Has(0);
  return {n.importer.Constant(MakeInts({has ? 1 : 0}, {}, DataType::Bool()), n.name())};
}

Results OptionalGetElement(NodeContext& n) {
  if (!n.Has(0)) n.Fail("reads an empty optional");
  return {n.inputs[0]};
}

}  // namespace

std::vector<Operator> Sequences() {
  return {
      {"ConcatFromSequence", ConcatFromSequence},
      {"Optional", Optional},
      {"OptionalGetElement", OptionalGetElement},
      {"OptionalHasElement", OptionalHasElement},
      {"SequenceAt", SequenceAt},
      {"SequenceConstruct", SequenceConstruct},
      {"SequenceEmpty", SequenceEmpty},
      {"SequenceErase", SequenceErase},
      {"SequenceInsert", SequenceInsert},
      {"SequenceLength", SequenceLength},
      {"SequenceMap", SequenceMap},
      {"SplitToSequence", SplitToSequence},
  };
}

}  // namespace lathe::graph::onnx
