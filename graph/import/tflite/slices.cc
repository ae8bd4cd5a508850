// Parts of tensors, and tensors in parts.
#include "graph/import/tensorflow_rules.h"
#include "graph/import/tflite/operators.h"
#include "graph/import/tflite/quantised.h"

namespace lathe::graph::tflite {
namespace {

// Options of the schema.
enum Options : int32_t { kStridedSliceOptions = 32, kSplitOptions = 35, kSplitVOptions = 79 };

Results Slice(OpContext& n) { return {SliceBySizes(n)}; }

Results StridedSliceOf(OpContext& n) {
  if (n.Flag(5, "offset")) {
    n.Fail("has ends that are offsets", "places", "offsets", "convert the model without them");
  }
  const SliceRule rule{.begin = n.Extents(1, "begin"),
                       .end = n.Extents(2, "end"),
                       .strides = n.Ints(3, "strides"),
                       .begin_mask = n.Number(0, "begin_mask"),
                       .end_mask = n.Number(1, "end_mask"),
                       .ellipsis_mask = n.Number(2, "ellipsis_mask"),
                       .new_axis_mask = n.Number(3, "new_axis_mask"),
                       .shrink_axis_mask = n.Number(4, "shrink_axis_mask")};
  const GraphVar y = StridedSlice(n, n.In(0), rule);
  if (!y) {
    n.Fail("has bounds that do not fit its input", TypeText(n.In(0)->type),
           std::to_string(rule.begin.size()) + " entries");
  }
  return {y.same_as(n.In(0)) ? n.Call("identity", {y}) : y};
}

Results Split(OpContext& n) {
  const GraphVar x = n.In(1);
  const int64_t axis = n.Axis(n.Int(0, "axis"), Maker::RankOf(x));
  const int64_t parts = n.Number(0, "num_splits");
  if (parts < 1 || parts != static_cast<int64_t>(n.op.outputs.size())) {
    n.Fail("has an impossible number of parts", std::to_string(n.op.outputs.size()),
           std::to_string(parts));
  }
  if (parts == 1) return {n.Call("identity", {x})};
  return n.Fields(
      n.Call("split", {x}, {{"indices_or_sections", IntAttr(parts)}, {"axis", IntAttr(axis)}}));
}

Results SplitV(OpContext& n) {
  return n.Fields(SplitBySizes(n, n.In(0), n.Int(2, "axis"), n.Ints(1, "size_splits")));
}

}  // namespace

std::vector<Conversion> Slices() {
  return {{"SLICE", 0, Slice},
          {"STRIDED_SLICE", kStridedSliceOptions, StridedSliceOf},
          {"SPLIT", kSplitOptions, Split},
          {"SPLIT_V", kSplitVOptions, SplitV}};
}

}  // namespace lathe::graph::tflite
