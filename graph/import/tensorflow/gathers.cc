// Elements at places that other tensors say.
#include "graph/import/tensorflow/operators.h"

namespace lathe::graph::tensorflow {
namespace {

// The last dimension, which has the entries of a place, first.
GraphVar EntriesFirst(const NodeContext& n, const GraphVar& places) {
  const int64_t rank = Maker::RankOf(places);
  if (rank < 1) n.Fail("has places without dimensions", "1 and more", TypeText(places->type));
  std::vector<int64_t> axes{rank - 1};
  for (int64_t d = 0; d + 1 < rank; ++d) axes.push_back(d);
  return n.Transpose(places, axes);
}

Results Gather(NodeContext& n) {
  return {n.Call("take", {n.In(0), n.In(1)}, {{"axis", IntAttr(0)}})};
}

Results GatherV2(NodeContext& n) {
  const int64_t axis = n.Axis(n.Int(2, "axis"), Maker::RankOf(n.In(0)));
  const int64_t places = Maker::RankOf(n.In(1));
  int64_t batch = n.Int("batch_dims", 0);
  batch = batch < 0 ? batch + places : batch;
  if (batch < 0 || batch > axis || batch > places) {
    n.Fail("has impossible batch_dims", "0 to " + std::to_string(axis), std::to_string(batch));
  }
  return {n.Call("take", {n.In(0), n.In(1)},
                 {{"axis", IntAttr(axis)}, {"batch_dims", IntAttr(batch)}})};
}

Results GatherNd(NodeContext& n) {
  return {n.Call("gather_nd", {n.In(0), EntriesFirst(n, n.In(1))})};
}

GraphVar Zeros(const NodeContext& n, std::vector<Expr> shape, DataType type) {
  return n.Call("zeros", {},
                {{"shape", ShapeAttr(std::move(shape))}, {"dtype", StringAttr(type.ToString())}});
}

// Elements at equal places are added.
Results ScatterNd(NodeContext& n) {
  const GraphVar updates = n.In(1);
  const GraphVar zeros = Zeros(n, n.Extents(2, "shape"), Maker::DTypeOf(updates));
  return {n.Call("scatter_nd", {zeros, EntriesFirst(n, n.In(0)), updates},
                 {{"mode", StringAttr("add")}})};
}

Converter Scatter(const std::string& mode) {
  return [mode](NodeContext& n) -> Results {
    return {n.Call("scatter_nd", {n.In(0), EntriesFirst(n, n.In(1)), n.In(2)},
                   {{"mode", StringAttr(mode)}})};
  };
}

Results Where(NodeContext& n) {
  return {n.Call("argwhere", {n.In(0)}, {{"dtype", StringAttr("int64")}})};
}

Results Unique(NodeContext& n) {
  const DataType type = n.Find("out_idx") == nullptr ? DataType::Int(32) : n.Type("out_idx");
  const GraphVar all =
      n.Call("unique", {n.In(0)},
             {{"is_sorted", BoolAttr(false)}, {"dtype", StringAttr(type.ToString())}});
  return {n.Field(all, 0, n.name()), n.Field(all, 2, n.name() + ":1")};
}

// Rows with equal numbers of segments, added.
GraphVar Segments(const NodeContext& n, const Expr& count) {
  const GraphVar x = n.In(0), numbers = n.In(1);
  if (Maker::RankOf(numbers) != 1) n.Fail("has segment_ids that are no row", "1 dimension", "");
  std::vector<Expr> shape(Maker::ShapeOf(x).begin() + 1, Maker::ShapeOf(x).end());
  shape.insert(shape.begin(), count);
  const GraphVar zeros = Zeros(n, shape, Maker::DTypeOf(x));
  return n.Call("scatter_nd", {zeros, n.ExpandDims(numbers, 0), x}, {{"mode", StringAttr("add")}});
}

Results UnsortedSegmentSum(NodeContext& n) {
  const std::vector<Expr> count = n.Extents(2, "num_segments");
  if (count.size() != 1) n.Fail("has a wrong input 2", "one number", "");
  return {Segments(n, count[0])};
}

Results SegmentSum(NodeContext& n) {
  const std::vector<int64_t> numbers = n.Ints(1, "segment_ids");
  const int64_t count = numbers.empty() ? 0 : numbers.back() + 1;
  if (count < 0 || count > Values::kMostElements) n.Fail("has impossible segment_ids");
  return {Segments(n, Int64(count))};
}

// How many of the borders are at most x.
Results Bucketize(NodeContext& n) {
  const Attribute* borders = n.Find("boundaries");
  if (borders == nullptr) n.Fail("lacks the attribute `boundaries`");
  const std::vector<double> values(borders->floats.begin(), borders->floats.end());
  const DataType real = DataType::Float(32);
  const GraphVar row = n.Constant(MakeFloats(values, {static_cast<int64_t>(values.size())}, real));
  return {n.Call("searchsorted", {row, n.Cast(n.In(0), real)},
                 {{"right", BoolAttr(true)}, {"dtype", StringAttr("int32")}})};
}

}  // namespace

std::vector<Conversion> Gathers() {
  return {
      {"Gather", Gather},
      {"GatherV2", GatherV2},
      {"GatherNd", GatherNd},
      {"ScatterNd", ScatterNd},
      {"TensorScatterUpdate", Scatter("update")},
      {"TensorScatterAdd", Scatter("add")},
      {"Where", Where},
      {"Unique", Unique, {"y", "idx"}},
      {"SegmentSum", SegmentSum},
      {"UnsortedSegmentSum", UnsortedSegmentSum},
      {"Bucketize", Bucketize},
  };
}

}  // namespace lathe::graph::tensorflow
