// Parts of tensors, and tensors in parts.
#include "graph/import/tensorflow/operators.h"
#include "graph/import/tensorflow_rules.h"

namespace lathe::graph::tensorflow {
namespace {

Results Slice(NodeContext& n) { return {SliceBySizes(n)}; }

// x[i] for an i that only a run knows: the first index, and nothing else is cut.
GraphVar RowOf(NodeContext& n) {
  const auto begin_mask = n.Int("begin_mask", 0), end_mask = n.Int("end_mask", 0);
  if (n.Int("shrink_axis_mask", 0) != 1 || begin_mask != 0 || end_mask != 0 ||
      n.Int("ellipsis_mask", 0) != 0 || n.Int("new_axis_mask", 0) != 0 ||
      Maker::RankOf(n.In(1)) != 1 || !ir::IsOne(Maker::ShapeOf(n.In(1))[0])) {
    return nullptr;
  }
  return n.Call("take", {n.In(0), n.Reshape(n.In(1), {})}, {{"axis", IntAttr(0)}});
}

Results StridedSliceOf(NodeContext& n) {
  if (n.importer.b().ValueOf(n.In(1)) == nullptr && !n.Known(1)) {
    if (const GraphVar row = RowOf(n)) return {row};
  }
  const SliceRule rule{.begin = n.Extents(1, "begin"),
                       .end = n.Extents(2, "end"),
                       .strides = n.Ints(3, "strides"),
                       .begin_mask = n.Int("begin_mask", 0),
                       .end_mask = n.Int("end_mask", 0),
                       .ellipsis_mask = n.Int("ellipsis_mask", 0),
                       .new_axis_mask = n.Int("new_axis_mask", 0),
                       .shrink_axis_mask = n.Int("shrink_axis_mask", 0)};
  const GraphVar y = StridedSlice(n, n.In(0), rule);
  if (!y) {
    n.Fail("has bounds that do not fit its input", TypeText(n.In(0)->type),
           std::to_string(rule.begin.size()) + " entries");
  }
  return {y.same_as(n.In(0)) ? n.Identity(y) : y};
}

Results Split(NodeContext& n) {
  const GraphVar x = n.In(1);
  const int64_t axis = n.Axis(n.Int(0, "split_dim"), Maker::RankOf(x));
  const int64_t parts = n.Int("num_split", 0);
  if (parts < 1 || parts > 65536) {
    n.Fail("has an impossible number of parts", "1 and more", std::to_string(parts));
  }
  if (parts == 1) return {n.Identity(x)};
  return n.Fields(
      n.Call("split", {x}, {{"indices_or_sections", IntAttr(parts)}, {"axis", IntAttr(axis)}}));
}

Results SplitV(NodeContext& n) {
  return n.Fields(SplitBySizes(n, n.In(0), n.Int(2, "split_dim"), n.Ints(1, "size_splits")));
}

}  // namespace

std::vector<Conversion> Slices() {
  return {{"Slice", Slice}, {"StridedSlice", StridedSliceOf}, {"Split", Split}, {"SplitV", SplitV}};
}

}  // namespace lathe::graph::tensorflow
